"""A form: how a referee is told the bots and the seed, and how its answer is read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from joute.engines.errors import JouteError, cut
from joute.engines.record import FAILURES
from joute.engines.registry import Member

SEEDS = 1 << 31
"""Seeds of referees are below: what a signed integer of 32 bits holds."""
SHOWN = 200  # characters of an answer in an error


class NoResult(JouteError):
    """The answer of a referee is no result: nothing can be said of the game."""


class Result(NamedTuple):
    """The result of a game, by seat: `points`, the more the better; `failed`, "" or how the referee
    says that this bot failed; the referee's own `log`. With `ranked` only the order of the points means
    anything, so that there are no margins.
    """

    points: tuple[float, ...]
    failed: tuple[str, ...]
    ranked: bool = False
    log: str = ""

    def returns(self) -> list[float]:
        """Return (n - rank) / (n - 1) of each seat, in [0, 1], ties averaged."""
        most = len(self.points) - 1
        return [
            (sum(p < own for p in self.points) + (sum(p == own for p in self.points) - 1) / 2)
            / most
            for own in self.points
        ]

    def margins(self) -> list[float | None]:
        """Return how much each seat's points are above the best of the others'; None of ranks."""
        if self.ranked:
            return [None] * len(self.points)
        return [
            own - max(p for other, p in enumerate(self.points) if other != seat)
            for seat, own in enumerate(self.points)
        ]

    def failure(self, seat: int) -> str:
        """Return the kind of a seat's failure, one of FAILURES; "" if it did not fail."""
        said = self.failed[seat]
        return said if said in FAILURES else "crash" if said else ""


class Form(Member, ABC, kind="form"):
    """How referees of one family are started and understood. One file each, a plugin's alike.

    `seeded`: whether every command of this form is told the seed.
    """

    seeded: ClassVar[bool] = True

    def check(self, command: Sequence[str], players: int) -> None:
        """Raise Refused for the words of a command that cannot be one of this form."""

    @abstractmethod
    def words(self, command: Sequence[str], bots: Sequence[str], seed: int, log: Path) -> list[str]:
        """Return the words that start the referee: its `command`, with the command lines of the bots
        by seat, the seed (from 0 to below 2^31), and the path at which it may write a log.
        """

    def greeting(self, players: int) -> str:
        """Return what is written to the referee's input, which is then closed."""
        return ""

    def has_seed(self, command: Sequence[str]) -> bool:
        """Whether the referee of a command is told the seed."""
        return self.seeded

    @abstractmethod
    def result(self, output: str, players: int, seed: int | None) -> Result:
        """Return the result in what the referee has printed; raise NoResult with what is wrong, or
        Refused for a referee of another form. `seed`: the one that it has to have played, None if it
        draws its own.
        """


def one_each(values: Any, players: int, what: str) -> tuple[float, ...]:
    """Return a number for each player; raise NoResult for anything else."""
    if not isinstance(values, list):
        raise NoResult(f"{what} = {shown(values)}; allowed: a list of {players} numbers")
    if len(values) != players:
        raise NoResult(f"{len(values)} {what} for {players} players: {shown(values)}")
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise NoResult(f"{what} = {shown(values)}: {value!r} is not a finite number")
    return tuple(map(float, values))


def same_seed(told: object, seed: int | None) -> None:
    """Raise NoResult where a referee says that it has played another seed than `seed`, if that counts."""
    if seed is not None and str(told) != str(seed):
        raise NoResult(
            f"it played the seed {shown(told)}, and was told {seed}; if it takes none, say seeded=no"
        )


def shown(value: object) -> str:
    """Return a value as a short text."""
    return cut(str(value) if isinstance(value, str) else repr(value), SHOWN)
