"""`gtp`: the Go Text Protocol, version 2, both ways; see docs/gtp.md."""

from __future__ import annotations

from collections.abc import Mapping

from joute.engines.game import Game
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.protocol import DialogueSession, Playing, Protocol, Read, Write

AGREED = "agreed"


def is_agreed(values: Values) -> bool:
    """Whether dead stones may be taken off; otherwise texts and names do not mention them."""
    return values["dead"] == AGREED


DEAD = Parameter(
    "dead", "choice", "stay", choices=("stay", AGREED), active=is_agreed,
    meaning="stones left at the end: stay, or agreed: those that the programs of both seats call "
        "dead are removed (both seats must set agreed)",
)  # fmt: skip


class Gtp(Protocol):
    """A program that speaks GTP plays many games; it receives board, komi, time and every move."""

    name = "gtp"
    summary = "the Go Text Protocol: for programs such as gnugo --mode gtp, and for clients of such programs"
    turn_ms = 60_000.0
    first_ms = 60_000.0
    many_games = True
    games = ("go",)
    disputes = (
        "dead stones are left on the board, or it counts by other rules: here no stone is dead "
        "but what "
        "was captured. GNU Go needs --chinese-rules --positional-superko --capture-all-dead; other "
        'programs such rules and "play to the end", or dead=agreed for both'
    )

    def settings(self, game: Game | None) -> tuple[Parameter, ...]:
        """Return the parameter for the treatment of dead stones."""
        return (DEAD,)

    def conversation(self, game: Game, parameters: Mapping[str, Value]) -> DialogueSession:
        """Return the referee's side."""
        from joute.engines.games.go.go import Go
        from joute.engines.games.go.gtp.side import GtpSide

        assert isinstance(game, Go)
        return GtpSide(game, parameters.get(DEAD.name) == AGREED)

    def serve(self, engine: Playing, read: Read, write: Write) -> None:
        """Answer a client's commands until `quit` or the end of its lines."""
        from joute.engines.games.go.gtp.controller import Controller

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
