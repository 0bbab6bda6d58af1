"""A match of a search's best point against its default, where that decides sooner than playing on.

A game between the two says more of their difference than a game of either against others.
"""

from __future__ import annotations

from joute.reports.reading.decision import Decision
from joute.reports.reading.final import Final
from joute.reports.reading.next_command import match_command, rounded_up
from joute.reports.reading.search import Search
from joute.reports.reading.unfinished import missing
from joute.results.statistics import elo_of, score_of
from joute.studies.tuner.answer import MOST_MORE, UNKNOWN, WORTH

DRIFT = 0.665
"""Over a x (gain - a / 2): the games that an SPRT of 5 % and 5 % takes on average, where a game has a variance
of 1/4, its alternative is a gain in score of a, and the gain is another, of more than a / 2 (Wald 1945).
"""
MOST = 60  # Elo of the largest alternative: a larger one would be given up after a few games
STEP = 5  # Elo to which the alternative is rounded


def settling_match(search: Search, final: Final, decision: Decision) -> tuple[str, str] | None:
    """Return what a match of two players' best point against the default saves, and its command; None if
    more games of the search may decide as soon.
    """
    results = search.results
    if decision.verdict != UNKNOWN or decision.gain < WORTH or results.players != 2:
        return None
    gain, more = decision.gain, decision.more
    asked = min(gain, score_of(MOST) - 0.5)
    games = rounded_up(round(DRIFT / (asked * (gain - asked / 2))))
    if missing(results) or (more is not None and more <= games):
        return None
    elo = max(STEP, STEP * round(elo_of(0.5 + asked) / STEP))
    on = f"more than {MOST_MORE} times those so far" if more is None else f"{more:,} more"
    return (
        f"of the best point against the default decides after some {games:,} games, if the gain is "
        f"real; to go on with the search would take {on}",
        match_command(results, final.finalist, final.default, f"--sprt 0 {elo}"),
    )
