"""Engines that failed in more than half of their games: of such a run nothing is said of strength; and
those that failed in many: they had better be mended first.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from joute.engines.player import brief
from joute.reports.reading.caveats import NAMED, failures_of
from joute.reports.reading.words import listed_first
from joute.results.frames import Results

MUCH = 0.5
"""Share of an engine's games from above which its failures leave no verdict."""
MANY = 0.1
"""Share from which on the failures are told beside the verdict."""
BUSY = "for a processor"
"""In the texts of turns that were late although the program was given the time for which it had to wait."""
POINTS = "the points of the search"


@dataclass(frozen=True)
class Failed:
    """An engine, or all points of a search together, with its text (that of the first which failed),
    the number of its games with a failure, of all its games, the first failure in a line, and the id of
    that game. `busy`: it was never but late, while the machine was busy.
    """

    name: str
    engine: str
    failed: int
    games: int
    reason: str
    game: str
    busy: bool = False

    @property
    def mend(self) -> str:
        """Say what to do before the games are played again."""
        if not self.busy:
            return f"Mend {self.name}, then play anew."
        return (
            f"Play anew with fewer workers (-j 1) or longer turns: {self.name} was late while the machine "
            "was busy."
        )

    def __str__(self) -> str:
        """Say how often it failed."""
        return f"{self.name} failed in {self.failed:,} of its {self.games:,} games"


MADE: WeakKeyDictionary[Results, dict[float, list[Failed]]] = WeakKeyDictionary()


def mostly_failed(results: Results) -> list[Failed]:
    """Return the engines that failed in more than half of their games; of a field of many none, unless
    most of them did: who fails loses there, and the others have met.
    """
    found = counted_once(results, MUCH)
    if not found or results.search is not None:
        return found
    played = int(results.seats["engine"].nunique())
    return [] if played > 2 and 2 * len(found) <= played else found


def often_failed(results: Results) -> list[Failed]:
    """Return the engines that failed in more than a tenth of their games, as `counted`; none where some
    failed in most.
    """
    return [] if mostly_failed(results) else counted_once(results, MANY)


def counted_once(results: Results, share: float) -> list[Failed]:
    """Return those of `counted`, counted once, because several parts of a page ask."""
    made = MADE.setdefault(results, {})
    if share not in made:
        made[share] = counted(results, share)
    return made[share]


def counted(results: Results, share: float) -> list[Failed]:
    """Return the engines that failed in more than that share of their games, those of the study first. The
    points of a search count together: that some values crash a program is an answer. Of a training
    none: others than its anchors decide.
    """
    failures = failures_of(results)
    if failures.empty or results.training or results.training_search:
        return []
    known = dict.fromkeys((results.meta.identity or {}).get("entrants", ()))
    points = results.search is not None and bool(known)
    games, broken = (
        dict(frame.groupby("engine", observed=True)["game"].nunique())
        for frame in (results.seats, failures)
    )
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys([*known, *games]):
        if name in games:
            groups.setdefault(POINTS if points and name not in known else name, []).append(name)
    specs = dict(zip(results.engines["name"], results.engines["spec"], strict=True))
    found = []
    for label, names in groups.items():
        failed, all_games = (sum(int(of.get(n, 0)) for n in names) for of in (broken, games))
        if failed > share * all_games:
            own = failures[failures["engine"].isin(names)]
            first, busy = own.iloc[0], all(BUSY in str(text) for text in own["text"])
            text = str(specs[str(first["engine"])])
            reason, game = brief(str(first["text"])), str(first["game"])
            found.append(Failed(label, text, failed, all_games, reason, game, busy))
    return found


def no_verdict(failed: list[Failed]) -> str:
    """Say in a line that there is no verdict, and why."""
    names = [one.name for one in failed[1:]]
    share = "all" if all(one.failed == one.games for one in failed[1:]) else "most"
    more = f", and {listed_first(names, NAMED, 'others')} in {share} of theirs" if names else ""
    return f"No verdict about strength: {failed[0]}{more}. The first failure: {failed[0].reason}"
