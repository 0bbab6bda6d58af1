"""[adjudicate]: when the referee ends a game by the values of both engines, or by tablebases."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.harness.adjudication import Adjudication, opened
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
    tablebases: list[str] = Field(
        [],
        description="a list of folders",
        examples=[["/path/to/syzygy"]],
        title="the files of endings whose result is known (Syzygy's)",
    )


def adjudication_of(
    given: Adjudicate, game: Game | None, folder: Path, errors: Errors
) -> Adjudication | None:
    """Return the rules, None for none; note a game that has other players than two, and tablebases that
    cannot be opened. Their paths are relative to the study's folder.
    """
    draw, resign = given.draw, given.resign
    tables = tuple(str((folder / path).resolve()) for path in given.tablebases)
    if draw is None and resign is None and not tables:
        return None
    if game is not None and (game.players != 2 or game.refereed):
        errors.add("adjudicate", f"{game.label}: only games of two players that Joute plays")
        return None
    if game is not None and tables:
        try:
            opened(game, tables)
        except Refused as error:
            errors.add("adjudicate.tablebases", str(error))
            return None
    return Adjudication(
        draw_moves=draw.moves if draw else 0,
        draw_within=draw.within if draw else 0.0,
        draw_from=draw.from_move if draw else 1,
        resign_moves=resign.moves if resign else 0,
        resign_beyond=resign.beyond if resign else 0.0,
        resign_one_sided=resign.one_sided if resign else False,
        tablebases=tables,
    )


def check_values(rules: Adjudication, engines: Iterable[Engine], errors: Errors) -> None:
    """Note an engine whose values are expected returns, where values count: they are not even at 0."""
    if not rules.draw_moves and not rules.resign_moves:
        return
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
    if rules.tablebases:
        table["tablebases"] = [*rules.tablebases]
    return table


def identity_of(rules: Adjudication, game: Game) -> dict[str, Any]:
    """Return the same, with tablebases by their content."""
    table = table_of(rules)
    if rules.tablebases:
        table["tablebases"] = opened(game, rules.tablebases).content
    return table
