"""`ia02`: one file with the three functions of UTC's course IA02, for its client and server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.engines.protocols.ia02.ia02 import Ia02
from joute.engines.protocols.ia02.words import State, cells_of_action, followed
from joute.engines.registry import find, names
from joute.reports.export.bot import Bot
from joute.reports.export.bot_file import GUARD, Kind, write_player
from joute.reports.export.target import Order, Target, Written

SHARE = 20  # a move takes at most one so-many-th of what is left of the clock
USAGE = (
    f"Use: pass initialize, strategy and final_result to the course's client, or import them. A "
    f"move takes at most a {SHARE}th of the time left. Needs numpy 2; numba, if installed, makes "
    f"it fast after compiling once for some seconds: import the file before the clock runs."
)


class Ia02Target(Target):
    """One file with `initialize`, `strategy` and `final_result`."""

    name = "ia02"
    summary = "one file with initialize, strategy and final_result, for UTC's course IA02"
    ending = "_ia02.py"
    plays = True
    use = "pass the functions of {path} to the course's client"

    def write(self, order: Order) -> Written:
        """Return the file."""
        game = order.engine.game
        if game.name not in Ia02.games:
            able = [name for name in names("game") if name in Ia02.games]
            raise Refused(
                f"game = {game.label}: --to {self.name} writes players of {', '.join(able)}"
            )
        assert find("protocol", self.name) is Ia02
        guard = None if order.move_ms is None else order.move_ms * GUARD
        return write_player(
            order, Kind(self.name, lambda bot: tail(bot, guard), USAGE), order.move_ms
        )


def tail(bot: Bot, guard_ms: float | None) -> dict[str, Callable[..., Any]]:
    """Return what the course's client calls."""

    def initialize(
        game: str, state: State, player: int, hex_size: int, total_time: int
    ) -> dict[str, Any]:
        """Return the environment of a new game; raises ValueError for a game that this file does not
        play.
        """
        if (game.lower(), hex_size) != (bot.game.name, bot.game.side):  # type: ignore[attr-defined]
            raise ValueError(f"this file plays {bot.game.label}, not {game} of side {hex_size}")
        bot.start = ""
        bot.ready()
        return {"position": None}

    def strategy(
        env: dict[str, Any], state: State, player: int, time_left: int
    ) -> tuple[dict[str, Any], Any]:
        """Return the environment and the action: (x, y), or ((x, y), (x, y)) from where to where."""
        with np.errstate(over="ignore"):
            position = followed(bot.game, env["position"], state, player)
            guard = max(1.0, 1000.0 * time_left / SHARE)
            if guard_ms is not None:
                guard = min(guard, guard_ms)
            action = bot.answer(position, position.start, guard).action
            cells = cells_of_action(bot.game, action)
            position.play(action)
        return {"position": position}, cells[0] if len(cells) == 1 else (cells[0], cells[1])

    def final_result(state: State, score: int, player: int) -> None:
        """Hear who has won."""

    def choose(position: str = "startpos") -> str:
        """Return the text of the action in a position as Joute writes it."""
        return bot.game.action_text(bot.choose(position, guard_ms).action)

    return {
        "initialize": initialize,
        "strategy": strategy,
        "final_result": final_result,
        "choose": choose,
    }
