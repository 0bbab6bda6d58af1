"""Games as pages play them: the board once, and the changes of each position, as plain data.

A page's script draws it (templates/viewer.js.jinja); many games share one table of cell contents.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import ne
from typing import Any

from joute.engines.colours import html, plain
from joute.engines.errors import JouteError
from joute.engines.game import Game
from joute.engines.record import GameRecord
from joute.reports.replay import Replay, ending, line_of, log_text, work
from joute.reports.values import Share, curve


class Marks:
    """Contents of cells, each text once, by number; 0 is empty."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._numbers = {"": 0}

    def changes(self, before: Sequence[str], now: Sequence[str]) -> list[int]:
        """Return the changes as a flat list: cell, content, cell, content, ..."""
        numbers, changes = self._numbers, list[int]()
        for cell in compress(count(), map(ne, before, now)):
            mark = now[cell]
            if mark not in numbers:
                numbers[mark] = len(self.texts)
                self.texts.append(mark)
            changes += [cell, numbers[mark]]
        return changes


def scene_data(game: Game) -> dict[str, Any] | None:
    """Return the board of a game; None if it has no picture."""
    scene = game.scene
    if scene is None:
        return None
    return {
        "box": " ".join(f"{number:g}" for number in scene.box),
        "ground": scene.ground,
        "cell": scene.cell,
        "at": [[round(x, 2), round(y, 2)] for x, y in scene.middles],
        "names": list(scene.names),
        "left": scene.left,
        "kind": scene.kind,
    }


def game_data(
    game: Game,
    record: GameRecord,
    names: tuple[str, ...],
    marks: Marks,
    shares: Sequence[Share | None] = (),
) -> dict[str, Any]:
    """Return a game: players, what their seats are called, results, and `turns`, each a list of seat (null: the opening),
    action, milliseconds, failure, caption, and the changed cells with their contents; of a game
    without pictures its drawing instead. `curves`: of each seat whether its values are shares, its values along its moves, and up to
    what size they are drawn.
    """
    shown = Replay(record, game.label, names, (), (), game)
    data: dict[str, Any] = {
        "id": record.id,
        "title": shown.title(),
        "names": list(names),
        "called": list(shown.seat_names),
        "seats": [f"{ending(seat, len(names))}{plain(work(seat))}" for seat in record.seats],
        "result": shown.result(),
    }
    try:
        data["turns"] = _steps(game, record, marks)
    except (JouteError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        data["fault"] = f"this game cannot be shown: {error}"
        data["turns"] = []
    curves = [
        curve(seat.values, share)
        for seat, share in zip(record.seats, shares or [None] * len(names), strict=True)
    ]
    if any(one.told for one in curves):
        data["curves"] = [[int(one.shares), list(one.values), one.bound] for one in curves]
    return data


def _steps(game: Game, record: GameRecord, marks: Marks) -> list[list[Any]]:
    if game.refereed:
        return [[None, "", None, "", "", html(log_text(record))]]
    spent = [iter(seat.move_ms) for seat in record.seats]
    scene, before = game.scene, list[str]()
    mover: int | None = None
    steps: list[list[Any]] = []
    for position, action in line_of(game, record):
        ms, failure = None, ""
        if mover is not None:
            ms, mover_seat = next(spent[mover], None), record.seats[mover]
            failure = mover_seat.failure if mover_seat.failure_ply == position.ply - 1 else ""
        board: list[int] | str
        caption = ""
        if scene is None:
            board = html(position.draw())
        else:
            now = game.marks(position.W, position.at)
            caption = game.caption(position.W, position.at)
            board = marks.changes(before or [""] * len(now), now)
            before = now
        steps.append([mover, action, None if ms is None else round(ms, 2), failure, caption, board])
        mover = None if position.over else position.to_move
    return steps
