"""`python`: one file that plays, for whoever has Python and numpy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from reports.bot import Bot
from reports.exporters import Order, Written
from reports.player_file import GUARD, Kind, write_player

NAME = "python"
SUMMARY = "one file that plays, with Python and numpy alone (numba, if there, makes it fast)"
ENDING = "_bot.py"
PLAYS = True
USE = 'python {path} "startpos moves 1 2" prints the action; without arguments it reads positions'
USAGE = (
    'Use: python FILE "startpos moves 1 2" prints the action. Without arguments it answers '
    'positions line by line. From Python: choose("startpos moves 1 2"). Positions that go on with '
    "the last one's moves belong to the same game. Needs numpy 2; numba, if there, makes it fast "
    "after compiling for some seconds, once."
)
ENDING_CODE = '\n\nif __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n'


def write(order: Order) -> Written:
    """Return the file."""
    guard = None if order.move_ms is None else order.move_ms * GUARD
    kind = Kind(NAME, lambda bot: tail(bot, guard), USAGE, ENDING_CODE)
    return write_player(order, kind, order.move_ms)


def tail(bot: Bot, guard_ms: float | None) -> dict[str, Callable[..., Any]]:
    """Return what the file's users call."""

    def choose(position: str = "startpos", milliseconds: float | None = None) -> str:
        """Return the text of the action to play; raises ValueError for what is no such position.

        With `milliseconds` the answer comes after about that time at the latest, with the last
        finished iteration if the work could not be done.
        """
        choice = bot.choose(position, guard_ms if milliseconds is None else milliseconds)
        return bot.game.action_text(choice.action)

    def main(arguments: Sequence[str]) -> int:
        """Answer the position of the arguments, or those of stdin line by line."""
        wrong = 0
        for line in [" ".join(arguments)] if arguments else sys.stdin:
            try:
                print(choose(line.strip()), flush=True)
            except ValueError as error:
                wrong = 2
                print(error, file=sys.stderr, flush=True)
        return wrong

    return {"choose": choose, "main": main}
