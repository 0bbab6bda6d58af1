"""The games of a report: the clickable ones, as data inside the page, and their ids."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from joute.engines.errors import JouteError
from joute.engines.game import Game
from joute.reports.game_data import Marks, game_data, scene_data
from joute.reports.game_rows import row_of
from joute.reports.page.chosen import MOST, RULE, chosen
from joute.reports.values import Share, share_of
from joute.results.frames import Results
from joute.results.store import Store
from joute.studies.stored import game_of

LARGEST = 10_000_000
"""Bytes of a page."""
POSITIONS = 60_000
"""Positions of all games together: to play them again takes the report some seconds."""
UNSAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027"})


@dataclass(frozen=True)
class GamePart:
    """The data of clickable games: JSON for a script element, the games in it, a sentence on how they
    were chosen or why there are none, and what the rules call the players, if not first and second.
    """

    data: Markup
    ids: frozenset[str]
    note: str
    seats: tuple[str, ...] = ()


NOTHING = GamePart(Markup('{"games":[]}'), frozenset(), "")


def game_part(results: Results, room: int = LARGEST) -> GamePart:
    """Return the games of a run that a page shows, in at most `room` bytes."""
    total = len(results.games)
    if not total:
        return GamePart(_json({"games": []}), frozenset(), "No game was played.")
    try:
        game = game_of(results.meta)
        scene = scene_data(game)
    except JouteError as error:
        return GamePart(_json({"games": []}), frozenset(), f"No game can be shown: {error}")
    marks, shares = Marks(), dict[str, Share | None]()
    specs = dict(zip(results.engines["id"], results.engines["spec"], strict=True))
    names = dict(zip(results.engines["id"], results.engines["name"], strict=True))
    numbers = results.games["number"].to_numpy()
    shown: list[str] = []
    ids: list[str] = []
    size, positions = len(_json({"scene": scene})), 0
    with closing(Store.again(results.folder)) as store:
        for row, why in chosen(results, MOST):
            record = store.numbered(int(numbers[row]))
            if record is None:
                continue
            positions += record.plies + 1
            if positions > POSITIONS:
                break
            for seat in record.seats:
                if seat.engine not in shares:
                    shares[seat.engine] = share_of(str(specs.get(seat.engine, "")))
            players = tuple(str(names.get(seat.engine, seat.engine)) for seat in record.seats)
            own = [shares[seat.engine] for seat in record.seats]
            data = game_data(game, record, players, marks, own)
            facts = {
                **data,
                "row": {"key": record.id, "id": record.id, **row_of(results, row), "why": why},
            }
            text = str(_json(facts))
            size += len(text.encode()) + 1
            if size + sum(map(len, marks.texts)) * 2 > room:
                break
            shown.append(text)
            ids.append(record.id)
    head = str(_json({"scene": scene, "marks": marks.texts}))[:-1]
    return GamePart(
        Markup(f'{head},"games":[{",".join(shown)}]}}'),  # escaped by `_json`
        frozenset(ids),
        note_of(len(shown), total),
        () if game.seats is Game.seats else game.seats,
    )


def note_of(shown: int, total: int) -> str:
    """Say which games are clickable."""
    if shown == total:
        return "All games of the run are here."
    return (
        f"{shown} of {total} games are here: {RULE}, up to the size limit of this page. joute "
        f"watch and joute replay show all others."
    )


def _json(data: Any) -> Markup:
    """Return JSON that is safe in a script element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(UNSAFE))
