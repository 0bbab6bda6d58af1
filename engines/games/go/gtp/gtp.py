"""`gtp`: the Go Text Protocol, version 2, both ways; see docs/gtp.md."""

from __future__ import annotations

from collections.abc import Mapping

from engines.game import Game
from engines.parameter import Value
from engines.protocol import Conversation, Playing, Protocol, Read, Write


class Gtp(Protocol):
    """A program that speaks GTP plays many games; it is told board, komi, time and every move."""

    name = "gtp"
    summary = "the Go Text Protocol: gnugo --mode gtp and its like, or ours under their clients"
    turn_ms = 60_000.0
    first_ms = 60_000.0
    many_games = True
    games = ("go",)
    disputes = (
        "dead stones are left on the board, or it counts by other rules: here no stone is dead but what "
        "was captured. GNU Go needs --chinese-rules --positional-superko --capture-all-dead; other "
        'programs such rules and "play to the end"'
    )

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> Conversation:
        """Return the referee's side."""
        from engines.games.go.go import Go
        from engines.games.go.gtp.side import GtpSide

        assert isinstance(game, Go)
        return GtpSide(game)

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Answer a client's commands until it says quit or its lines end."""
        from engines.games.go.gtp.controller import Controller

        controller = Controller(engine)
        try:
            while not controller.ended:
                answer = controller.answer(read())
                if answer is not None:
                    write(answer)
        except EOFError:
            return
        finally:
            controller.close()
