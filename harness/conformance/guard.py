"""Watchdog of a check: knows the rule and the kernel that run, and for how long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import prepare
from joute.harness.conformance.findings import Checked, OutOfBounds

LISTING = ("actions", "sample", "is_legal", "nth")
ROOM = 1 << 16  # actions, to see how many there really are


class Watch:
    """Watches nothing: for checks in this process."""

    def begin(self, thing: str, rule: str) -> None:
        """A rule is checked now."""

    def done(self, checked: Checked) -> Checked:
        """This came of the rule; returns it."""
        return checked

    def over(self, game: Game) -> None:
        """Watch the kernels of a game, which can be made."""


class Guard(Watch):
    """Reports progress, and calls `late` when a kernel or a rule takes too long.

    `tell` gets ("begin", thing, rule) and ("done", Checked). `late` gets a message, on a separate
    thread, when one call of a kernel takes more than `kernel_seconds`, or a rule yields nothing in
    `rule_seconds`.
    """

    def __init__(
        self,
        tell: Callable[[tuple[Any, ...]], None],
        late: Callable[[str], None],
        kernel_seconds: float,
        rule_seconds: float,
    ) -> None:
        self._tell, self._late = tell, late
        self._kernel_seconds, self._rule_seconds = kernel_seconds, rule_seconds
        self._kernel, self._since = "", time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, thing: str, rule: str) -> None:
        """Report that the check of a rule begins."""
        self._since = time.monotonic()
        self._tell(("begin", thing, rule))

    def done(self, checked: Checked) -> Checked:
        """Report the result of a rule."""
        self._tell(("done", checked))
        return checked

    def over(self, game: Game) -> None:
        """Have every call of a kernel of the game noted, and explained where it leaves its arrays."""
        kernels = game.rules
        watched = {
            part.name: self._watched(game, kernels, part.name)
            for part in fields(GameKernels)
            if getattr(kernels, part.name) is not None
        }
        game.__dict__["rules"] = replace(kernels, **watched)

    def _watched(self, game: Game, kernels: GameKernels, name: str) -> Callable[..., Any]:
        kernel = getattr(kernels, name)
        prepare(kernel)  # no call of it is to last as long as compiling

        def call(*arguments: Any) -> Any:
            self._kernel, self._since = name, time.monotonic()
            try:
                return kernel(*arguments)
            except IndexError:
                raise OutOfBounds(why_outside(game, kernels, name, arguments)) from None
            finally:
                self._kernel, self._since = "", time.monotonic()

        return call

    def _watch(self) -> None:
        while True:
            time.sleep(0.1)
            kernel, spent = self._kernel, time.monotonic() - self._since
            if kernel and spent > self._kernel_seconds:
                self._late(f"the kernel {kernel} has not returned after {self._kernel_seconds:g} s")
            elif spent > self._rule_seconds:
                self._late(f"nothing has happened for {self._rule_seconds:g} s")


def why_outside(game: Game, kernels: GameKernels, name: str, arguments: tuple[Any, ...]) -> str:
    """Return why a kernel has left its arrays: too few slots, or too few words."""
    if name in LISTING and game.listed:
        try:
            count = int(kernels.actions(arguments[0], arguments[1], np.empty(ROOM, np.int64), 0))
        except IndexError:
            count = ROOM
        if count > game.slots:
            many = f"more than {ROOM}" if count == ROOM else str(count)
            return f"slots = {game.slots} is too small: the kernel actions lists {many} actions"
    words = ", ".join(f"{n}={size}" if size > 1 else n for n, size in game.state.sizes.items())
    return (
        f"the kernel {name} reads or writes outside its arrays: a state has "
        f"{game.words} words (state: {words}), a list of actions {game.slots} places (slots), "
        f"returns {game.players}"
    )
