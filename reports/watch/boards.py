"""The games of a run for its page: a list, a page at a time, and each game played on a board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import JouteError, cut
from joute.engines.game import Game
from joute.engines.record import NORMAL
from joute.reports.game_data import Marks, game_data, scene_data
from joute.reports.game_rows import LONG, row_of
from joute.reports.values import Share, share_of
from joute.results.frames import Ints, Results
from joute.results.store import Store
from joute.studies.stored import game_of

PAGE = 50
ENGINES = 40  # that can be chosen by name
KINDS = (
    ("latest", "the latest first"),
    ("schedule", "in the order of the schedule"),
    ("failures", "with a failure"),
    ("longest", "the longest first"),
    ("shortest", "the shortest wins first"),
)
OF = "engine:"
NUMBER, ID = re.compile(r"[0-9]{1,12}"), re.compile(r"[0-9a-f]{16,64}")


def kinds_of(results: Results) -> list[tuple[str, str]]:
    """Return the lists of games that can be chosen: a value and its meaning, each."""
    met = results.seats["engine"].cat.categories if len(results.seats) else ()
    known = {*met}
    every = results.matches.engines["name"]
    names = [name for name in every if name in known and len(name) <= LONG][:ENGINES]
    return [*KINDS, *((f"{OF}{name}", f"of {name}") for name in names)]


def rows_of(results: Results, kind: str) -> Ints:
    """Return the rows of `Results.games` to list, in order; none for an unknown kind."""
    games, seats = results.games, results.seats
    every: Ints = np.arange(len(games))
    plies = games["plies"].to_numpy()
    if kind == "latest":
        return np.argsort(-games["number"].to_numpy(), kind="stable")
    if kind == "longest":
        return np.argsort(-plies, kind="stable")
    if kind == "schedule":
        return every
    if kind == "failures":
        return np.unique(seats["game"].to_numpy()[(seats["failure"] != "").to_numpy()])
    if kind == "shortest":
        won = np.unique(seats["game"].to_numpy()[seats["returns"].to_numpy() == 1])
        won = won[(games["termination"] == NORMAL).to_numpy()[won]]
        shortest: Ints = won[np.argsort(plies[won], kind="stable")]
        return shortest
    if kind.startswith(OF):
        of_engine = (seats["engine"] == kind.removeprefix(OF)).to_numpy()
        latest: Ints = np.unique(seats["game"].to_numpy()[of_engine])[::-1]
        return latest
    return every[:0]


def listed(results: Results, kind: str, page: int) -> dict[str, Any]:
    """Return a page of a list of games: rows, number of games, page number and number of pages."""
    rows = rows_of(results, kind)
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(page, 0), pages - 1)
    chosen = rows[page * PAGE : (page + 1) * PAGE].tolist()
    numbers = results.games["number"].to_numpy()[chosen].tolist()
    ids = ids_of(results.folder, numbers)
    return {
        "rows": [
            {"key": str(number), "id": ids.get(number, str(number)), **row_of(results, row)}
            for row, number in zip(chosen, numbers, strict=True)
        ],
        "total": len(rows),
        "number": page,
        "pages": pages,
        "kinds": kinds_of(results),
    }


def ids_of(folder: Path, numbers: list[int]) -> dict[int, str]:
    """Return the ids of games by their numbers."""
    if not numbers:
        return {}
    marks = ", ".join("?" * len(numbers))
    with closing(Store.again(folder)) as store:
        query = f"SELECT number, id FROM games WHERE number IN ({marks})"
        return dict(store.rows(query, *numbers))


class Boards:
    """Games of one run as data for its viewer, with one shared table of cell contents."""

    def __init__(self) -> None:
        self._marks = Marks()
        self._shares: dict[str, Share | None] = {}

    def game(self, folder: Path, key: str) -> dict[str, Any] | None:
        """Return a game by its number or its id, with the board and the table; None if there is none."""
        with closing(Store.again(folder)) as store:
            record = None
            if NUMBER.fullmatch(key):
                record = store.numbered(int(key))
            elif ID.fullmatch(key):
                record = store.game(key)
            if record is None:
                return None
            meta = store.meta()
            ids = [seat.engine for seat in record.seats]
            query = f"SELECT id, name, spec FROM engines WHERE id IN ({', '.join('?' * len(ids))})"
            engines = {key: (name, spec) for key, name, spec in store.rows(query, *ids)}
        names = tuple(cut(engines.get(key, (key, ""))[0], LONG) for key in ids)
        shares = [self.share(engines.get(key, ("", ""))[1]) for key in ids]
        try:
            game = game_of(meta)
        except JouteError as error:
            return without_board(names, key, str(error))
        return {
            "scene": self.scene(game),
            "game": game_data(game, record, names, self._marks, shares),
            "marks": self._marks.texts,
        }

    def share(self, spec: str) -> Share | None:
        """Return the meaning of an engine's values, asked once."""
        if spec not in self._shares:
            self._shares[spec] = share_of(spec) if spec else None
        return self._shares[spec]

    @staticmethod
    def scene(game: Game) -> Mapping[str, Any] | None:
        """Return the board of a game."""
        return scene_data(game)


def without_board(names: tuple[str, ...], key: str, why: str) -> dict[str, Any]:
    """Return a game that cannot be shown, with the reason."""
    head = {
        "id": key,
        "title": f"game {key}",
        "names": list(names),
        "called": list(Game.seats[: len(names)]),
        "turns": [],
    }
    return {"scene": None, "marks": [""], "game": {**head, "seats": [""] * len(names), "result": [], "fault": why}}  # fmt: skip
