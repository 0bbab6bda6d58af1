"""Two runs of one game, and all differences between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused
from joute.reports.compare.scores import Scores
from joute.reports.compare.searches import search_of
from joute.reports.compare.study_differences import Differences, differences
from joute.reports.reading.search import Search
from joute.reports.reading.winner import Winner
from joute.reports.telling import winner_of
from joute.results.frames import Results, load


@dataclass(frozen=True)
class Shared:
    """Games in both runs by id: those with the same course (`same`), and the number of those that began
    on the same opening and went differently; `games`: all of A and all of B, those of searches included.
    """

    same: frozenset[str]
    otherwise: int
    games: tuple[int, int]

    @property
    def all(self) -> bool:
        """Whether both runs hold the same games and no other."""
        return self.games == (len(self.same), len(self.same))


@dataclass(frozen=True)
class Comparison:
    """Two runs, their names, and their differences: in games, searches and recommendations, and
    before a game was played. Pairs are of A and B.
    """

    runs: tuple[Results, Results]
    labels: tuple[str, str]
    shared: Shared
    scores: Scores
    searches: tuple[Search | None, Search | None]
    winners: tuple[Winner | None, Winner | None]
    study: Differences


def compare(first: Path | str, second: Path | str) -> Comparison:
    """Load two run folders and compare them; Refused if they are one, or of different games."""
    first, second = Path(first), Path(second)
    if first.resolve() == second.resolve():
        raise Refused(f"{first} and {second} are the same run: give two different runs")
    a, b = load(first), load(second)
    games = [run.meta.game for run in (a, b)]
    if games[0] != games[1]:
        raise Refused(
            f"runs of different games cannot be compared: {a.folder} has {games[0]}, {b.folder} "
            f"has {games[1]}"
        )
    shared = shared_games(a, b)
    return Comparison(
        runs=(a, b),
        labels=labels_of(first.resolve(), second.resolve()),
        shared=shared,
        scores=Scores(a, b, shared.same),
        searches=(search_of(a), search_of(b)),
        winners=(winner_of(a), winner_of(b)),
        study=differences(a, b),
    )


def labels_of(a: Path, b: Path) -> tuple[str, str]:
    """Name two folders, with their parents if their names are equal."""
    if a.name != b.name:
        return a.name, b.name
    return f"{a.parent.name}/{a.name}", f"{b.parent.name}/{b.name}"


def shared_games(a: Results, b: Results) -> Shared:
    """Compare the moves and the results of all games that both runs have."""
    one, other = _played(a), _played(b)
    both = one.keys() & other.keys()
    same = frozenset(game for game in both if one[game] == other[game])
    began = {game for game in both if one[game][0] == other[game][0]}
    return Shared(same, len(began - same), (len(one), len(other)))


def _played(run: Results) -> dict[str, Any]:
    texts = run.texts(("id", "opening", "digest"), 0, len(run.games))
    returns = run.seats["returns"].to_numpy(float).reshape(-1, run.players).tolist()
    lines = zip(texts["opening"], texts["digest"], map(tuple, returns), strict=True)
    return dict(zip(texts["id"], lines, strict=True))
