"""Whether a search's best point beats the default, by all games: search and confirmation.

Two tests, each at 2.5 %: the model reads all games; the fresh games of the final need no model. Either
may find the point better. But what the model finds while the fresh games show no gain is not confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from joute.reports.reading.final import Final
from joute.reports.reading.search import Search
from joute.results.gain import Gain
from joute.studies.tuner.answer import BETTER, KEEP, UNKNOWN
from joute.studies.tuner.answer import Gain as ModelGain


@dataclass(frozen=True)
class Decision:
    """What all games say of the finalist against the default.

    `verdict`: "better", "keep" or "unknown"; then the gain in score with its 95 % interval; the
    games read; how many more would decide, if known; and the score that a still better point may
    gain over the recommendation. `modelled`: whether the search's games count; else the default
    lies outside the searched ranges, and the final decides alone. `fresh`: whether gain and interval
    are those of the final, which decided. `doubt`: why a gain of the model is not confirmed. `worth`: the
    model's chance of a gain above 5 Elo, where a default is taken to be good already more often than
    in the interval.
    """

    verdict: str
    gain: float
    low: float
    high: float
    games: int
    more: int | None
    regret: float | None
    modelled: bool
    fresh: bool = False
    doubt: str = ""
    worth: float | None = None


MADE: WeakKeyDictionary[Search, tuple[Final, Decision]] = WeakKeyDictionary()


def decide(search: Search, final: Final) -> Decision:
    """Return the decision on the finalist of a finished search; of the same final it is made once."""
    made = MADE.get(search)
    if made is None or made[0] != final:
        made = MADE[search] = final, _decided(search, final)
    return made[1]


def settled(model: ModelGain, fresh: Gain) -> tuple[str, bool]:
    """Return the verdict of the model of all games and of the fresh ones, and whether the latter changed
    it: they may show a gain by themselves, or deny what the model finds.
    """
    if model.verdict != BETTER and model.mean > 0 and fresh.better:
        return BETTER, True
    if model.verdict == BETTER and fresh.gain <= 0:
        return UNKNOWN, True
    return model.verdict, False


def _decided(search: Search, final: Final) -> Decision:
    finalist = search.point_of(final.finalist)
    default = search.default_point
    fresh = final.gain
    count = final.blocks * search.games_per_block
    if finalist is None or not default or not search.inside(default):
        verdict = BETTER if fresh.better else KEEP if fresh.worse else UNKNOWN
        return Decision(verdict, fresh.gain, fresh.low, fresh.high, count, None, None, False)
    place, other = search.space.places([finalist, default])
    gain = search.answer.compare(place, other)
    verdict, by_fresh = settled(gain, fresh)
    if by_fresh and verdict == BETTER:
        left = search.answer.regret_of(place)
        return Decision(
            BETTER, fresh.gain, fresh.low, fresh.high, count, None, left, True, fresh=True
        )
    played, doubt = search.games_read, ""
    more = gain.more if verdict == UNKNOWN else None
    if by_fresh:
        more, doubt = played, "The fresh games of the final show no gain. "
    left = search.answer.regret_of(place if verdict == BETTER else other)
    return Decision(
        verdict, gain.mean, gain.low, gain.high, played, more, left, True,
        doubt=doubt, worth=gain.worth,
    )  # fmt: skip
