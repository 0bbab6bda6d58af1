"""`joute report A B`: what is different between two runs, and whether it is more than luck.

Run A comes first ("was"), run B second ("is now"); every difference is B less A.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from engines.errors import Refused
from reports import compare_search
from reports.compare_lines import Line, Scores
from reports.compare_study import differences
from reports.page.winner import Winner, winner_of
from results.frames import Results, load

PAGE = "compare.html"


class Comparison:
    """Two runs of one game, and all that follows from them."""

    def __init__(self, a: Results, b: Results) -> None:
        """Take two runs; Refused if they are of different games."""
        games = [run.meta.get("game", "") for run in (a, b)]
        if games[0] != games[1]:
            raise Refused(
                f"runs of different games cannot be compared: {a.folder} is of {games[0]}, "
                f"{b.folder} of {games[1]}"
            )
        self.a, self.b = a, b

    @cached_property
    def scores(self) -> Scores | None:
        """What their games say of engines; None if a run has none that engines played to compare."""
        if not len(self.a.matches.games) or not len(self.b.matches.games):
            return None
        return Scores(self.a, self.b)

    @cached_property
    def engines(self) -> list[Line]:
        """One line for each engine and stage in both."""
        return self.scores.engines if self.scores else []

    @cached_property
    def pairings(self) -> list[Line]:
        """One line for each pairing, where the opponents of an engine differ."""
        return self.scores.pairings if self.scores else []

    @cached_property
    def study(self) -> list[str]:
        """In what studies, code and versions differ, one line each."""
        return differences(self.a, self.b)

    @cached_property
    def winners(self) -> tuple[Winner | None, Winner | None]:
        """What the two runs recommend."""
        return winner_of(self.a), winner_of(self.b)

    @cached_property
    def searches(self) -> tuple[compare_search.Found | None, compare_search.Found | None]:
        """What the searches of the two runs found; None for runs without one."""
        return compare_search.found(self.a), compare_search.found(self.b)

    @cached_property
    def same_pool(self) -> bool:
        """Whether both searches tried their engines against the same opponents."""
        pools = []
        for run in (self.a, self.b):
            specs = dict(zip(run.engines["name"], run.engines["spec"], strict=True))
            pools.append({specs.get(name, name) for name in (run.search or {}).get("pool", [])})
        return pools[0] == pools[1]

    @cached_property
    def shared(self) -> Shared:
        """How many games are in both."""
        return Shared.of(self.a, self.b)

    @cached_property
    def labels(self) -> tuple[str, str]:
        """How the two runs are called: their folders' names, with the one above if these are equal."""
        paths = [run.folder.resolve() for run in (self.a, self.b)]
        if paths[0].name != paths[1].name:
            return paths[0].name, paths[1].name
        one, other = (f"{path.parent.name}/{path.name}" for path in paths)
        return one, other


@dataclass(frozen=True)
class Shared:
    """Games in both runs by their id: those that went the same way, and those that did not."""

    same: int
    otherwise: int
    a: int
    b: int

    @classmethod
    def of(cls, a: Results, b: Results) -> Shared:
        """Count them, the games of searches included."""
        known = dict(
            zip(a.games["id"], zip(a.games["digest"], _returns(a), strict=True), strict=True)
        )
        same = otherwise = 0
        for game, *now in zip(b.games["id"], b.games["digest"], _returns(b), strict=True):
            if game in known:
                alike = known[game] == tuple(now)
                same, otherwise = same + alike, otherwise + (not alike)
        return cls(same, otherwise, len(a.games), len(b.games))

    @property
    def all(self) -> bool:
        """Whether both runs hold the same games and no other."""
        return self.same == self.a == self.b


def _returns(run: Results) -> list[Any]:
    """Returns of all seats of each game, in the order of the games."""
    found = run.seats.groupby("game", sort=False)["returns"].agg(tuple)
    return list(found.reindex(run.games["id"]))


def compare(first: Path | str, second: Path | str) -> Comparison:
    """Load two run folders; Refused if they are one, or of different games."""
    first, second = Path(first), Path(second)
    if first.resolve() == second.resolve():
        raise Refused(f"{first} and {second} are the same run: give two different ones")
    return Comparison(load(first), load(second))


def page_path(comparison: Comparison, out: Path | None) -> Path:
    """Return where the page goes: `out`, or compare.html in the folder of run A."""
    path = out or comparison.a.folder / PAGE
    if path.suffix.lower() not in (".html", ".htm"):
        raise Refused(f"--out {path}: a page is named something.html")
    if not path.parent.is_dir():
        raise Refused(f"--out {path}: there is no folder {path.parent}")
    return path
