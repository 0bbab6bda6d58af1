"""A match of a search's best point against its default, where that decides sooner than playing on.

A game between the two says more of their difference than a game of either against others.
"""

from __future__ import annotations

from shlex import quote

from joute.reports.plugins import program
from joute.reports.reading.decision import Decision
from joute.reports.reading.final import Final
from joute.reports.reading.search import Search
from joute.results.statistics import elo_of
from joute.studies.tuner.answer import UNKNOWN, WORTH

GAMES = (
    1.33  # over the square of a gain in score: games that an SPRT of 5 % and 5 % takes on average
)
# where a game has a variance of 1/4 and its alternative is true (Wald 1945)
STEP = 5  # Elo to which that alternative is rounded


def settling_match(search: Search, final: Final, decision: Decision) -> tuple[int, str] | None:
    """Return about how many games a match of two players' best point against the default takes, and its
    command; None if more games of the search may decide as soon.
    """
    results = search.results
    if decision.verdict != UNKNOWN or decision.gain < WORTH or results.players != 2:
        return None
    specs = dict(zip(results.engines["name"], results.engines["spec"], strict=True))
    gain = min(decision.gain, 0.49)
    games = round(GAMES / gain**2)
    sooner = decision.more is None or games < decision.more
    if not sooner or final.finalist not in specs or final.default not in specs:
        return None
    elo = max(STEP, STEP * round(elo_of(0.5 + gain) / STEP))
    two = " ".join(quote(str(specs[name])) for name in (final.finalist, final.default))
    plies = results.meta.study.get("openings", {}).get("plies")
    opened = "" if plies is None else f" --plies {plies}"
    return games, f"{program(results.meta)} match {two} --sprt 0 {elo}{opened}"
