"""The list of games in a run folder: the first so many, numbered as the rows of games.csv."""

from __future__ import annotations

from pathlib import Path

from tabulate import tabulate

from joute.engines.errors import Refused
from joute.engines.output import Output
from joute.reports.reading.words import counted
from joute.reports.replay import MOST_LISTED
from joute.results.store import Store
from joute.studies.kinds.train.archive import games_kept, iterations_kept, name_of, spans


def game_list(folder: Path, most: int = MOST_LISTED) -> Output:
    """Return the ids of a run's first games with their players and results."""
    with Store.open(folder) as store:
        engines = {key: known for key, known in store.rows("SELECT id, name FROM engines")}
        total = int(store.rows("SELECT COUNT(*) FROM games")[0][0])
        games = list(store.rows_of_csv(most=most))
    rows = [
        {
            "number": number,
            "id": game.id,
            "stage": game.stage,
            "round": game.round,
            "players": ", ".join(engines.get(seat.engine, seat.engine) for seat in game.seats),
            "returns": " ".join(f"{seat.returns:g}" for seat in game.seats),
            "plies": game.plies,
            "ended": game.termination,
        }
        for number, game in enumerate(games, 1)
    ]
    own = {number: len(games_kept(files)) for number, files in iterations_kept(folder).items()}
    if not rows and not own:
        raise Refused(f"{folder}: no game is stored yet")
    lines = [tabulate(rows, headers="keys", disable_numparse=True)] if rows else []
    if total > len(rows):
        lines.append(f"{total - len(rows)} more of {total} games: a number is a row of games.csv")
    if own:
        lines.append(
            f"{counted(sum(own.values()), 'game')} of self-play in the iterations {spans(own)}: "
            f"{name_of(min(own), 0)} is one"
        )
    more = {"self_play": own} if own else {}
    return Output({"games": rows, "total": total, **more}, "\n".join(lines))
