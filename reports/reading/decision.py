"""Whether a search's best point beats the default, by all games: search and confirmation.

The fresh games of the final alone need no model; but they are few, and the games of the search are
evidence, too. So the model reads all of them, and the final is shown beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from joute.reports.reading.final import Final
from joute.reports.reading.search import Search
from joute.studies.tuner.answer import BETTER, KEEP, SURE, UNKNOWN

MOST_MORE = 20  # times the games so far, beyond which no number of further games is named


@dataclass(frozen=True)
class Decision:
    """What all games say of the finalist against the default.

    `verdict`: "better", "keep" or "unknown"; then the gain in score with its 95 % interval; the
    games read; how many more would decide, if known; and the score that a still better point may
    gain over the recommendation. `modelled`: whether the search's games count; else the default
    lies outside the searched ranges, and the final decides alone.
    """

    verdict: str
    gain: float
    low: float
    high: float
    games: int
    more: int | None
    regret: float | None
    modelled: bool


def decide(search: Search, final: Final) -> Decision:
    """Return the decision on the finalist of a finished search, made once."""
    known: dict[str, Decision] = vars(search)
    if "_decision" not in known:
        known["_decision"] = _decided(search, final)
    return known["_decision"]


def _decided(search: Search, final: Final) -> Decision:
    finalist = search.point_of(final.finalist)
    default = search.default_point
    games = search.games_per_block
    if finalist is None or not default or not search.inside(default):
        fresh = final.gain
        verdict = BETTER if fresh.better else KEEP if fresh.worse else UNKNOWN
        count = 2 * fresh.blocks * games
        return Decision(verdict, fresh.gain, fresh.low, fresh.high, count, None, None, False)
    place, other = search.space.places([finalist, default])
    gain = search.answer.compare(place, other)
    played = search.games_read
    more = None if gain.verdict != UNKNOWN else further(played, gain.sure)
    left = search.answer.regret_of(place if gain.verdict == BETTER else other)
    return Decision(gain.verdict, gain.mean, gain.low, gain.high, played, more, left, True)


def further(games: int, sure: float) -> int | None:
    """Return about how many more games would confirm the present difference; None: too many."""
    from scipy.stats import norm

    now, wanted = float(norm.ppf(sure)), float(norm.ppf(SURE))
    if now <= 0:
        return None
    times = (wanted / now) ** 2 - 1
    if times > MOST_MORE:
        return None
    digits = 1 - len(str(games))
    return max(int(round(games * times, digits)), 100)
