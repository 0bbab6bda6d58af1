"""`python`: one file that plays, needing Python and numpy.

If a game has a protocol over TCP, the file also plays by it: then it takes HOST and PORT.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from joute.engines.engine import Engine
from joute.engines.game import Game
from joute.engines.position import example_of
from joute.engines.protocol import Client, protocol_over_tcp
from joute.reports.export.bot import Bot
from joute.reports.export.bot_file import GUARD, Kind, recipe_of, write_player
from joute.reports.export.target import Order, Target, Written
from joute.reports.export.tcp_client import at_server

USAGE = (
    'Use: python FILE "{position}" prints the action. Without arguments it answers '
    'positions line by line. From Python: choose("{position}"). Positions that go on with '
    "the last one's moves belong to the same game. Needs numpy 2; numba, if installed, makes it "
    "fast after compiling once for some seconds."
)
SERVER_USE = "python {path} HOST PORT plays at a server"
SERVER_USAGE = (
    "python FILE HOST PORT plays at a server of the protocol {name} until the server ends the "
    "series. A search stops at 90 % of a turn's {turn_ms:g} ms, or of --turn-ms; a turn that is "
    "late anyway is not sent. --name is the name to register with."
)
ENDING_CODE = '\n\nif __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n'


class PythonTarget(Target):
    """One file that plays, needing Python and numpy."""

    name = "python"
    summary = "one file that plays, with Python and numpy only (numba, if installed, makes it fast)"
    ending = "_bot.py"
    plays = True
    use = 'python {path} "{position}" prints the action; without arguments it reads positions'

    def check(self, engine: Engine, language: str) -> None:
        """Raise Refused for an engine of which there is no player."""
        recipe_of(engine, self.name)

    def write(self, order: Order) -> Written:
        """Return the file."""
        game = order.engine.game
        use = SERVER_USE if client_of(game) else ""
        return write_player(order, kind_of(game, order.move_ms), order.move_ms)._replace(use=use)


def client_of(game: Game) -> Client | None:
    """Return the client of the protocol over TCP that a game has; None without one."""
    protocol = protocol_over_tcp(game)
    return protocol.client() if protocol is not None else None


def kind_of(game: Game, move_ms: float | None) -> Kind:
    """Return this target's part of a player: a command line, and a client if there are servers."""
    guard = None if move_ms is None else move_ms * GUARD
    usage = USAGE.format(position=example_of(game))
    protocol, client = protocol_over_tcp(game), client_of(game)
    if protocol is None or client is None:
        return Kind(PythonTarget.name, lambda bot: tail(bot, guard), usage, ENDING_CODE)
    turn_ms = move_ms or protocol.turn_ms
    usage = f"{usage}\n\n{SERVER_USAGE.format(name=protocol.name, turn_ms=turn_ms)}"
    return Kind(
        PythonTarget.name, lambda bot: server_tail(bot, guard, client, turn_ms), usage, ENDING_CODE
    )


def server_tail(
    bot: Bot, guard_ms: float | None, client: Client, turn_ms: float
) -> dict[str, Callable[..., Any]]:
    """Return what the file's users call, where it can play at a server besides."""
    usual, join = tail(bot, guard_ms), at_server(bot, client, turn_ms)
    answer = usual["main"]

    def main(arguments: Sequence[str]) -> int:
        """Play at the server of the arguments, or answer positions."""
        options = any(word[:1] == "-" for word in arguments)
        if options or (len(arguments) == 2 and arguments[1].isdecimal()):
            return join(arguments)
        return answer(arguments)  # type: ignore[no-any-return]

    return {**usual, "join": join, "main": main}


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
