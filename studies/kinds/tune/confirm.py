"""The confirmation of a search: the best few points on fresh openings, then the best of these and the
default against the opponents and those held out; then the two against each other, if there is a final at
another limit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from joute.engines.engine import Engine
from joute.results.meta import CONFIRMATION, Meta
from joute.studies.file.entrant import Entrant
from joute.studies.file.opponents import DEFAULT
from joute.studies.play.stage_run import play_stage
from joute.studies.search.plan import LongFinal, Shares, TunePlan
from joute.studies.search.recommend import Candidate, best_of, candidates
from joute.studies.search.trial import Trial
from joute.studies.study import StagePlan

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

SCREEN_STAGE, FINAL_STAGE = "screen", "final"


@dataclass(frozen=True)
class Finalist:
    """A point that is confirmed: what the search expects of it, and the engine that plays it."""

    expected: Candidate
    entrant: Entrant

    def told(self) -> dict[str, object]:
        """Return it as a run's notes keep it."""
        found = self.expected
        return {
            "name": self.entrant.name,
            "point": found.point,
            "expected": [found.score, found.low, found.high],
        }


class Confirmation:
    """The stages that follow a search of `trials`, in so many rounds as `shares` says."""

    def __init__(
        self, run: StudyRun, plan: TunePlan, trials: Sequence[Trial], games: int, shares: Shares
    ) -> None:
        self.run, self.plan, self.shares = run, plan, shares
        self._trials, self._games_per_block = trials, games
        known = all(plan.against_default)  # the default's score, if it is the only opponent
        self._default_point = plan.space.point_of(plan.default.engine) if known else None
        self._by_block = Meta(run.store.meta()).by_block
        against = tuple(entrant.name for entrant in plan.pool)
        self._screen = StagePlan(
            SCREEN_STAGE, "all", None, shares.screen_rounds, "gauntlet", against, shared=True
        )

    def play(self) -> None:
        """Screen the finalists; compare the best of them with the default, on fresh openings."""
        run, store = self.run, self.run.store
        finalists = self._finalists()
        if not finalists:
            store.set_meta({"candidates": "[]", "finalist": ""})
            return
        entrants = [one.entrant for one in finalists]
        store.add_engines([one.engine.record(one.name) for one in entrants])
        run.add_engines(entrants)
        best = self._best_of(finalists) if self._screen.blocks else finalists[0]
        if best is None:
            return
        notes = [one.told() for one in finalists]
        store.set_meta({"candidates": json.dumps(notes), "finalist": best.entrant.name})
        self._play_final(best.entrant)
        long = self.plan.long
        if long is not None and not run.outcome.stopped:
            engine = long.space.engine(best.expected.point)
            confirm_long(run, long, best.entrant.name, engine)

    def _finalists(self) -> list[Finalist]:
        """Return the points that the model of all games expects most of, which are not entrants yet."""
        plan, study = self.plan, self.run.study
        self.run.progress.say(
            "fitting the model to all games, to choose the point for the final ..."
        )
        count = plan.candidates + len(plan.pool) + 1  # some may be an opponent, or the default
        ranked = candidates(
            *(plan.space, self._trials, self._games_per_block, count, study.seed),
            *(self._default_point, self._by_block),
        )
        taken = {entrant.engine.text for entrant in study.entrants}
        chosen: dict[str, tuple[Candidate, Engine]] = {}
        for candidate in ranked:
            engine = plan.space.engine(candidate.point)
            if engine.text not in taken:
                chosen[engine.text] = candidate, engine
        names = {entrant.name for entrant in study.entrants}
        return [
            Finalist(candidate, candidate_entrant(number, engine, names))
            for number, (candidate, engine) in enumerate(
                list(chosen.values())[: plan.candidates], start=1
            )
        ]

    def _best_of(self, finalists: Sequence[Finalist]) -> Finalist | None:
        """Play the screening and return its best; None if the run was stopped."""
        run, plan = self.run, self.plan
        play_stage(run, self._screen, [*(one.entrant for one in finalists), *plan.pool])
        if run.outcome.stopped:
            return None
        screened = [
            Trial(i, one.expected.point, run.store.scores(SCREEN_STAGE, one.entrant.engine.id))
            for i, one in enumerate(finalists)
        ]
        order = best_of(
            *(plan.space, self._trials, self._games_per_block, screened, run.study.seed),
            *(self._default_point, self._by_block),
        )
        return finalists[order[0]]

    def _play_final(self, best: Entrant) -> None:
        """Play the best and the default against the pool and those held out."""
        run, plan = self.run, self.plan
        default_text = plan.default.engine.text
        stage = replace(
            self._screen,
            name=FINAL_STAGE,
            blocks=self.shares.final_rounds,
            against=(*self._screen.against, *(e.name for e in plan.held_out)),
            also_play=tuple(e.name for e in plan.pool if e.engine.text == default_text),
        )
        run.store.set_meta({"final_rounds": str(stage.blocks)})
        rest = [] if any(plan.against_default) else [plan.default]
        play_stage(run, stage, [best, *rest, *plan.pool, *plan.held_out])


def candidate_entrant(number: int, engine: Engine, taken: set[str]) -> Entrant:
    """Return a candidate as an entrant with a short unique name."""
    name = f"tuned-{number}"
    while name in taken:
        name += "'"
    return Entrant(name, engine, dict(engine.settings))


def confirm_long(run: StudyRun, long: LongFinal, name: str, engine: Engine) -> None:
    """Play the best point against the default at the final's own limit, on fresh openings."""
    known = {entrant.engine.id: entrant for entrant in run.study.entrants}
    entrants = [
        known.get(one.id, Entrant(f"{called} at {long.label}", one, dict(one.settings)))
        for called, one in ((name, engine), (DEFAULT, long.default))
    ]
    new = [entrant for entrant in entrants if entrant.engine.id not in known]
    run.store.add_engines([e.engine.record(e.name) for e in new])
    run.add_engines(new)
    best, default = entrants
    noted = {"best": best.name, "default": default.name, "limit": long.label}
    noted["blocks"] = str(long.blocks)
    noted["sprt"] = json.dumps(long.sprt.test()) if long.sprt else ""
    run.store.set_meta({CONFIRMATION: json.dumps(noted)})
    stage = StagePlan(CONFIRMATION, "all", None, long.blocks, "round_robin")
    play_stage(run, stage, entrants, long.sprt)
