"""`tune`: the best point of a space, confirmed against the default on fresh openings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from joute.reports.kinds._search import SearchTelling
from joute.reports.reading.answer import Answer, three_lines
from joute.reports.reading.confirmation import STAGE, Confirmation, confirmation_of
from joute.reports.reading.decision import Decision, decide
from joute.reports.reading.failed import mostly_failed
from joute.reports.reading.final import Final
from joute.reports.reading.search import Search
from joute.reports.reading.search_answer import gain_text, point_text, read_text, tune_lines
from joute.reports.reading.settling_match import settling_match
from joute.reports.reading.winner import TOO_FEW, Winner, declared_kinds, origin, typed
from joute.reports.reading.words import counted, listed
from joute.results.quantity import SHARE, percent, percent_ends
from joute.results.standings import standings_table
from joute.results.statistics import Estimate, estimate_means
from joute.studies.tuner.answer import BETTER, KEEP, UNKNOWN

ENOUGH = 200  # games from which a search may say that most likely nothing matters


class TuneTelling(SearchTelling):
    """The best point of a space, confirmed against the default on fresh openings."""

    name = "tune"
    summary = "the recommended point, the verdict against the default, each parameter"

    @property
    def note(self) -> str:
        """How to read the table of parameters, by the verdict."""
        return (
            f"{self._point_note()} The interval holds the best value with 80 % (of a choice: the "
            f"values that may be best), by a model of all games. Effect: detected if some other "
            f"value is surely worse while the other parameters stay at the best point."
        )

    def _point_note(self) -> str:
        final = self.search.final()
        if mostly_failed(self.results):
            return "Most games were lost by failures, so they tell nothing of any value."
        if final is None:
            return "Best so far: where the model expects the best score; nothing is confirmed yet."
        if decide(self.search, final).verdict == BETTER:
            return f"Play with {final.finalist}: it is better than the default."
        return (
            f"Play with the default: {final.finalist}, the best point found, is not shown to be "
            "better."
        )

    def answer(self) -> Answer:
        """Return the answer, with what is still possible where the default stays."""
        answered, final = super().answer(), self.search.final() if self.results.trials else None
        if final is None:
            return answered
        decision = decide(self.search, final)
        if (longer := confirmation_of(self.results)) is not None:
            if not longer.finished or longer.outcome != "unknown":
                return answered
            gained = decision.verdict == BETTER  # at the search's limit: then the long games decide
            goes_on = gained or bool(longer.test)
            return replace(
                answered,
                undecided=True,
                more=None if goes_on else decision.more,
                longer=longer.planned if goes_on else None,
            )
        better = decision.verdict == BETTER
        other = final.theirs if better else final.mine
        name = "the default" if better else final.finalist
        found = estimate_means(other, pairs=True)
        ends = "" if better else f" ({percent_ends(found.score_low, found.score_high)})"
        return replace(
            answered,
            gain_below=decision.high if decision.verdict == KEEP else None,
            undecided=decision.verdict == UNKNOWN,
            more=decision.more,
            match=settling_match(self.search, final, decision),
            beside=f"{name}: {percent(found.score)}{ends}",
            gain=f"{gain_text(decision)}, {read_text(decision)}" if better else "",
            beyond=three_lines([*tune_lines(self.search, carded=True)[0], *self.claims()]),
        )

    def standing_note(self, stage: str) -> str:
        """Say where the answer gives an engine of the final another score than the standings."""
        final = self.search.final() if stage == "final" and self.results.trials else None
        if final is None:
            return ""
        table = standings_table(self.results.matches, stage).set_index("engine")["score"]
        scores = ((final.finalist, final.mine), (final.default, final.theirs))
        told = [(name, percent(float(np.mean(own)))) for name, own in scores]
        differ = [
            f"{name} {score}"
            for name, score in told
            if name in table.index and percent(float(table[name])) != score
        ]
        if not differ:
            return ""
        itself = " (50 % against itself)" if final.default in self.search.pool else ""
        return (
            f"Here all games of the stage count, in the answer those against {listed(self.search.pool)} "
            f"alone: that gives {listed(differ)}{itself}."
        )

    def detected(self) -> list[str]:
        """Return the parameters of which the model detects an effect."""
        return [effect.name for effect in self.search.effects if effect.detected]

    def lines(self) -> tuple[list[str], str | None]:
        """Return the results of all games and of the fresh ones: the best point and the default."""
        return tune_lines(self.search)

    def winner(self, answered: Answer) -> Winner | None:
        """Return the best point, or the default if it is kept."""
        return tune_winner(self.search, answered) if self.results.trials else None

    def answer_of_model(self, playing: bool) -> Answer:
        """Return the model's expectation, before the confirmation has begun."""
        if playing and self.results.trials and self.search.final() is None:
            return Answer(so_far(self.search))
        return self.answer()

    def to_come(self) -> list[str]:
        """Say what will decide."""
        return [
            "Nothing is recommended until the confirmation has been played: the best point against "
            "the default, on fresh openings."
        ]


def tune_winner(search: Search, answer: Answer) -> Winner | None:
    """Return the winner of a search; None while nothing can be recommended."""
    results = search.results
    final = search.final()
    if final is None or answer.winner is None:
        return None
    if (longer := confirmation_of(results)) is not None:
        return long_winner(search, answer.winner, longer)
    default_kept = answer.winner == final.default
    scores, played = (
        (final.own, final.own_blocks) if default_kept else (final.mine, len(final.mine))
    )
    why = (
        "no point was shown to be better than the default"
        if default_kept
        else why_better(decide(search, final), final)
    )
    found = estimate_means(scores, pairs=True)
    return winner_by(search, answer.winner, not default_kept, why, "final", found, played)


def long_winner(search: Search, name: str, longer: Confirmation) -> Winner | None:
    """Return the winner of the final at another limit, as it played there."""
    found = longer.estimate
    if found is None:
        return None
    if name == longer.best:
        why = f"better than the default at {longer.limit}"
        return winner_by(search, name, True, why, STAGE, found)
    why = f"no point was shown to be better than it at {longer.limit}"
    found = estimate_means([1 - score for score in longer.blocks], pairs=True)
    return winner_by(search, name, False, why, STAGE, found)


def winner_by(
    search: Search,
    name: str,
    confirmed: bool,
    why: str,
    stage: str,
    found: Estimate,
    played: int | None = None,
) -> Winner:
    """Return a winner with its score in the blocks of a stage; against one opponent that is an Elo, too.
    (Against several the standings have a rating.) `played`: blocks that were, if not all.
    """
    blocks = found.blocks if played is None else played
    results, one = search.results, stage == STAGE or len(search.pool) == 1
    other = search.pool[0] if stage != STAGE else search.default
    if stage == STAGE and name == search.default:
        other = search.finalist
    engines = results.engines.set_index("name")
    return Winner(
        name=name,
        engine=str(engines.loc[name, "spec"]) if name in engines.index else "",
        parameters=typed(results.values.get(name, {}), declared_kinds(results)),
        confirmed=confirmed,
        why=why,
        stage=stage,
        games=blocks * search.games_per_block,
        blocks=blocks,
        score=found.score,
        score_low=found.score_low,
        score_high=found.score_high,
        elo=found.elo if one else None,
        elo_low=found.elo_low if one else None,
        elo_high=found.elo_high if one else None,
        elo_above=other if one and found.elo is not None else "",
        **origin(results),
    )


def why_better(decision: Decision, final: Final) -> str:
    """Say which games show that the finalist is better than the default."""
    if decision.fresh or not decision.modelled:
        return "better than the default by the fresh games of the final"
    if final.gain.better:
        return "better than the default by the games of the search and by fresh ones"
    return f"better than the default by the model of all games; {TOO_FEW}"


def so_far(search: Search) -> list[str]:
    """Return the model's expectation for a tune study before its confirmation."""
    answer = search.answer
    low, mean, high = answer.estimate(answer.best)
    against = listed(search.against)
    lines = [
        f"So far {point_text(search.best)} is expected to score {percent(mean)} "
        f"({percent_ends(low, high)}) against {against}, by the model of "
        f"{counted(search.games_read, 'game')}."
    ]
    default = search.default_point
    if default and search.inside(default):
        place, other = search.space.places([search.best, default])
        if not np.array_equal(place, other):
            gain = answer.compare(place, other)
            decision = Decision(
                UNKNOWN, gain.mean, gain.low, gain.high, search.games_read, None, None, True
            )
            chance = percent(min(gain.sure, 0.999), 1)
            named, gained = point_text(default), gain_text(decision)
            few_gain = gain.sure < 0.5 < 0.5 + gain.mean  # few draws with a gain, and many of 0
            if few_gain and search.games_read >= ENOUGH:
                head = (
                    "Nothing is found yet: most likely what is searched does not matter. The chance that the "
                    f"best point so far beats the default, {named}, is only {chance}."
                )
                average = f"On average over all that is still possible, that is {gained} against the default."
                lines = [head, *lines, average]
            else:
                lines.append(
                    f"Compared with the default, {named}, that is {gained}; the chance that it is better "
                    f"at all is {chance}."
                )
    left = answer.regret
    lines.append(
        f"The best point of the space is expected to score {SHARE.number(left)} points more than this "
        "one: that is what the search can still find."
    )
    return lines
