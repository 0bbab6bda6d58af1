"""The plies of a run's games as a table: mover, action, time, and the search's values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from joute.engines.game import Game
from joute.engines.record import GameRecord
from joute.reports.replay import line_of
from joute.results.frames import Results
from joute.results.store import Store
from joute.studies.stored import game_of

COLUMNS = {
    "game": "id of the game",
    "stage": "stage of the study",
    "ply": "plies before it, those of the opening included",
    "seat": "who moved: 0 is first",
    "engine": "the engine's name",
    "action": "what was played",
    "ms": "wall time in milliseconds",
    "nodes": "nodes searched, or iterations",
    "depth": "plies searched ahead",
    "value": "value for who moved, in its evaluation's units",
}
KINDS = {
    **{"ply": "int64", "seat": "int64", "ms": "Float64"},
    **{"nodes": "Int64", "depth": "Int64", "value": "Float64"},
}
"""Types of the columns that are not texts; those with a capital hold NA where something was not told."""


def plies_table(results: Results) -> pd.DataFrame:
    """Return one row a ply after the opening, of the games that count, in schedule order; NA for
    unknown values (`nodes` and `depth`: also in runs from before they were stored).

    Raise Refused if the game of the run is unknown here.
    """
    wanted = results.texts(("id",), 0, len(results.games))["id"].tolist()
    with Store.open(results.folder) as store:
        game = game_of(store.meta())
        names = dict(store.rows("SELECT id, name FROM engines"))
        rows_of: dict[str, list[tuple[Any, ...]]] = {game_id: [] for game_id in wanted}
        for record in store.games():
            if record.id in rows_of:
                rows_of[record.id] = list(plies_of(game, record, names))
    rows = [row for game_id in wanted for row in rows_of[game_id]]
    columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
    return pd.DataFrame(
        {
            name: pd.Series(values, dtype=KINDS.get(name, "object"))
            for name, values in zip(COLUMNS, columns, strict=True)
        }
    )


def plies_of(game: Game, record: GameRecord, names: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a game; none of one that a referee played, whose moves nobody here knows."""
    if game.refereed:
        return
    thoughts = [
        zip(
            seat.move_ms,
            seat.move_nodes or [None] * seat.plies,
            seat.move_depths or [None] * seat.plies,
            seat.values or [None] * seat.plies,
            strict=True,
        )
        for seat in record.seats
    ]
    mover: int | None = None
    for position, action in line_of(game, record):
        if mover is not None:
            engine = record.seats[mover].engine
            thought = next(thoughts[mover], (None, None, None, None))
            ply = position.ply - 1
            yield record.id, record.stage, ply, mover, names.get(engine, engine), action, *thought
        mover = None if position.over else position.to_move
