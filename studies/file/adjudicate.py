"""[adjudicate]: when the referee ends a game by the values of both engines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from joute.engines.engine import Engine
from joute.engines.game import Game
from joute.harness.adjudication import Adjudication
from joute.studies.file.strict import Strict
from joute.studies.file.validation import Errors

Moves = Annotated[int, Field(ge=1, le=1000)]
Value = Annotated[float, Field(ge=0)]


class Draw(Strict):
    """[adjudicate.draw]."""

    moves: Moves = Field(examples=[8], title="moves of each player with an even value")
    within: Value = Field(examples=[10.0], title="how far from 0 an even value may be")
    from_move: Moves = Field(default=1, title="the first move after which a game may be drawn")


class Resign(Strict):
    """[adjudicate.resign]."""

    moves: Moves = Field(examples=[4], title="moves in a row with a lost value")
    beyond: Value = Field(examples=[600.0], title="a value of so much below 0 is lost")
    one_sided: bool = Field(
        default=False, title="the loser's values are enough; else the winner's must agree"
    )


class Adjudicate(Strict):
    """[adjudicate]."""

    draw: Draw | None = Field(None, description="a table", title="when a game is drawn")
    resign: Resign | None = Field(None, description="a table", title="when a game is lost")


def adjudication_of(given: Adjudicate, game: Game | None, errors: Errors) -> Adjudication | None:
    """Return the rules, None for none; note a game that has other players than two."""
    draw, resign = given.draw, given.resign
    if draw is None and resign is None:
        return None
    if game is not None and (game.players != 2 or game.refereed):
        errors.add("adjudicate", f"{game.label}: only games of two players that Joute plays")
        return None
    return Adjudication(
        draw_moves=draw.moves if draw else 0,
        draw_within=draw.within if draw else 0.0,
        draw_from=draw.from_move if draw else 1,
        resign_moves=resign.moves if resign else 0,
        resign_beyond=resign.beyond if resign else 0.0,
        resign_one_sided=resign.one_sided if resign else False,
    )


def check_values(engines: Iterable[Engine], errors: Errors) -> None:
    """Note an engine whose values are expected returns: they are not even at 0."""
    for engine in engines:
        if engine.search.tells == "return":
            text = f"{engine.search.name} tells expected returns, which are even at 1/2, not at 0"
            errors.add("adjudicate", text)
            return


def table_of(rules: Adjudication) -> dict[str, Any]:
    """Return the table of a study file."""
    table: dict[str, Any] = {}
    if rules.draw_moves:
        table["draw"] = {"moves": rules.draw_moves, "within": rules.draw_within}
        table["draw"] |= {"from_move": rules.draw_from} if rules.draw_from != 1 else {}
    if rules.resign_moves:
        table["resign"] = {"moves": rules.resign_moves, "beyond": rules.resign_beyond}
        table["resign"] |= {"one_sided": True} if rules.resign_one_sided else {}
    return table
