"""A search among trainings: each trial is a separate training run in `trials/` of the run folder.

Trials run one after the other, each on all workers; the sampler's points follow from the seed and
the earlier trials. Then the best settings and the study's own are trained anew with other seeds,
and their champions meet. Finished work is noted in `run.db` and never repeated.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from joute.engines.errors import Refused
from joute.engines.kernels.random import seed_of
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.parameter import Value
from joute.results.meta import TRAINING_SEARCH
from joute.results.quantity import SHARE, Quantity, duration
from joute.results.statistics import estimate_means
from joute.studies.file.entrant import Entrant
from joute.studies.file.validation import Errors
from joute.studies.kinds.train.history import History
from joute.studies.kinds.train.prepare import Workshop, check_all, check_openings
from joute.studies.kinds.train_search.training_space import point_of, trial_table
from joute.studies.learning.learn import Diverged
from joute.studies.learning.plan import ANEW, DUEL, TRIED, TrialsPlan, training_of
from joute.studies.play.run_folder import opened
from joute.studies.play.stage_run import play_stage
from joute.studies.search.ask_tell import Trials
from joute.studies.search.sampler import find_sampler
from joute.studies.search.trial import COMPLETE
from joute.studies.study import StagePlan, Study
from joute.studies.tuner.domain import Point

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

FOLDER = "trials"
DEFAULT = "default"


class Stopped(Exception):
    """A stop was requested; the same command does the rest."""


def plan_of(study: Study) -> TrialsPlan:
    """Return the plan of a search among trainings."""
    trials = training_of(study).trials
    assert trials is not None
    return trials


def training_study(study: Study, name: str, point: Mapping[str, Value]) -> Study:
    """Return the study of one training; raise Refused if its settings do not fit together."""
    from joute.studies.load import StudyRefused, read

    plan = plan_of(study)
    table = trial_table(plan.base, plan.space.axes, point, plan.games)
    table["name"] = f"{study.name[:60]}-{name}"
    table["seed"] = seed_of("training", study.seed, name) >> 1
    errors = Errors()
    training = read(table, tomli_w.dumps(table), plan.folder, errors)
    if training is None or errors.lines():
        raise StudyRefused(name, errors.lines())
    return training


def trials_of(plan: TrialsPlan) -> int:
    """Return the number of trainings; of a grid at most its number of points."""
    most = find_sampler(plan.sampler).most(plan.space)
    return plan.trials if most is None else min(plan.trials, most)


def default_point(study: Study) -> Point | None:
    """Return the point of the study's own settings; None if it is outside the space."""
    own = training_study(study, DEFAULT, {})
    return point_of(plan_of(study).space, own.resolved())


def check_trials(study: Study) -> None:
    """Refuse, before anything is written, a study whose training cannot run with its own settings
    or at an end of an axis.
    """
    plan = plan_of(study)
    if trials_of(plan) == 1 and default_point(study) is not None:
        raise Refused(
            "trials.trials: one trial, the study's own settings, leaves nothing to compare; allowed: 2 or more"
        )
    check_all(training_study(study, DEFAULT, {}))
    stages = [
        ("trial-000", "trials.blocks", plan.blocks),
        (DUEL, "trials.final_blocks", plan.final_blocks),
    ]
    check_openings(study, stages)
    for axis in plan.space.axes:
        for end in axis.choices or (axis.at(0.0), axis.at(1.0)):
            try:
                Workshop(training_study(study, DEFAULT, {axis.name: end}))
            except Refused as error:
                raise Refused(f"space.{axis.name} = {end}: {error}") from None


class TrainingSearch:
    """A running search among trainings."""

    def __init__(self, run: StudyRun) -> None:
        self.run, self.plan = run, plan_of(run.study)
        self.folder = run.outcome.folder / FOLDER
        stored = json.loads(run.store.meta().get(TRAINING_SEARCH) or "{}")
        self.entries: dict[str, dict[str, Any]] = {e["name"]: e for e in stored.get("entries", [])}
        self.duels: dict[str, dict[str, Any]] = {d["name"]: d for d in stored.get("duels", [])}
        self.stages: list[str] = stored.get("stages", [])
        self.best = ""
        self.begun, self.made = time.monotonic(), 0

    def play(self) -> None:
        """Play the missing trials, then the final."""
        with self.run.interruptible(self.run.runner):
            try:
                self._final(*self._search())
            except Stopped:
                self.run.outcome.stopped = "interrupted"

    def _search(self) -> tuple[str, Point]:
        """Return the best trial and its point; the study's own settings do not count."""
        study, plan = self.run.study, self.plan
        first = default_point(study)
        trials = Trials(plan.space, plan.sampler, study.seed, 1, first)
        tried: list[tuple[float, str, Point]] = []
        for number in range(trials_of(plan)):
            trial = trials.ask()
            entry = self._training(f"trial-{number:03}", TRIED, trial.point)
            trial.values, trial.state = [entry["score"]], COMPLETE
            trials.tell(trial)
            tried.append((entry["score"], entry["name"], trial.point))
        others = [trial for trial in tried if trial[2] != first] or tried
        _, name, point = max(others, key=lambda trial: trial[0])
        return name, point

    def _final(self, best: str, point: Point) -> None:
        """Train the best settings and the study's own anew; play their champions' match."""
        self.best = best
        for seed in range(1, self.plan.seeds + 1):
            pair = [(f"{best}-{seed}", point), (f"{DEFAULT}-{seed}", dict[str, Value]())]
            entries = [self._training(name, ANEW, settings, seed) for name, settings in pair]
            duel = f"{DUEL}-{best.removeprefix('trial-')}-{seed}"
            if duel in self.duels:
                self._note()
                continue
            sides = [
                self._champion(name, settings, e["generation"])
                for (name, settings), e in zip(pair, entries, strict=True)
            ]
            scores = self._played(
                StagePlan(duel, "all", None, self.plan.final_blocks, "round_robin"), sides
            )
            outcome = {"name": duel, "best": best, "seed": seed, **measured(scores)}
            self.duels[duel] = outcome
            self._note()
            self.run.progress.say(f"{pair[0][0]} scores {said(outcome)} against {pair[1][0]}")

    def _training(self, name: str, role: str, point: Point, seed: int = 0) -> dict[str, Any]:
        """Train with the settings of a point and measure the champion; return the entry."""
        if name in self.entries:
            return self.entries[name]
        self._announce(name, point)
        begun = time.monotonic()
        entry: dict[str, Any] = {
            "name": name,
            "role": role,
            "seed": seed,
            "point": point,
            "note": "",
        }
        try:
            entry |= self._train(training_study(self.run.study, name, point), self.folder / name)
        except Refused as error:
            entry |= {"note": str(error), "generation": None, "games": 0, **measured([])}
        else:
            champion = self._champion(name, point, entry["generation"])
            stage = StagePlan(name, "all", None, self.plan.blocks, "gauntlet", (name,), shared=True)
            entry |= measured(self._played(stage, [champion, *self.run.study.entrants]))
            entry["net"] = (
                Path(str(champion.engine.settings[NETWORK.name]))
                .relative_to(self.folder.parent)
                .as_posix()
            )
        entry["seconds"] = time.monotonic() - begun
        self.entries[name] = entry
        self.made += 1
        self._note()
        self.run.progress.say(
            f"{name} ({shown(point)}): {entry['note'] or said(entry) + ' against the anchors'}"
        )
        return entry

    def _announce(self, name: str, point: Point) -> None:
        """Announce the next training and the time that all missing ones will take."""
        every = trials_of(self.plan) + 2 * self.plan.seeds
        each = (time.monotonic() - self.begun) / self.made if self.made else None
        left = (
            "" if each is None else f"; about {duration(each * (every - len(self.entries)))} left"
        )
        self.run.progress.say(
            f"training {len(self.entries) + 1} of {every}: {name} ({shown(point)}){left}"
        )

    def _train(self, study: Study, folder: Path) -> dict[str, Any]:
        """Play one training to its end; return its champion's generation and its cost."""
        from joute.studies.play.study_run import StudyRun

        run, note = self.run, ""
        with opened(study, folder, run.fresh) as store:
            inner = StudyRun(study, folder, store, run.workers, run.progress, within=run)
            try:
                outcome = inner.run()
            except Diverged as error:
                note = str(error)
            else:
                if outcome.stopped or run.stop_asked:
                    raise Stopped
            history = History(store)
            games = sum(e.get("games", 0) for k, e in history.entries.items() if k)
            return {"generation": history.champion, "games": games, "note": note}

    def _champion(self, name: str, point: Point, generation: int) -> Entrant:
        """Return the champion of a training, named after it, as an entrant that may play."""
        shop = Workshop(training_study(self.run.study, name, point))
        champion = shop.entrant(self.folder / name / "nets" / f"{generation:04}.onnx", generation)
        return self.run.enlist(replace(champion, name=name))

    def _played(self, stage: StagePlan, entrants: list[Entrant]) -> list[float]:
        """Play the missing games of a stage; return the first entrant's mean of each block."""
        if stage.name not in self.stages:
            self.stages.append(stage.name)
        self._note()
        play_stage(self.run, stage, entrants)
        if self.run.outcome.stopped:
            raise Stopped
        return self.run.store.scores(stage.name, entrants[0].engine.id)

    def _note(self) -> None:
        state = {
            "axes": [asdict(axis) for axis in self.plan.space.axes],
            "own": default_point(self.run.study) or {}, "stages": self.stages, "best": self.best,
            "entries": [*self.entries.values()], "duels": [*self.duels.values()],
        }  # fmt: skip
        self.run.store.set_meta(
            {TRAINING_SEARCH: json.dumps(state), "stages": json.dumps(self.stages)}
        )


def measured(scores: list[float]) -> dict[str, Any]:
    """Return the score of blocks with its interval; zeros if there are none."""
    if not scores:
        return {"score": 0.0, "low": 0.0, "high": 0.0, "blocks": 0}
    estimate = estimate_means(scores, elo=False)
    return {
        "score": estimate.score,
        "low": estimate.score_low,
        "high": estimate.score_high,
        "blocks": len(scores),
    }


def said(measures: Mapping[str, Any]) -> str:
    """Return a score with its interval as text."""
    return Quantity("", SHARE, *(measures[key] for key in ("score", "low", "high"))).cell


def shown(point: Mapping[str, Value]) -> str:
    """Return a point as text, or that it is the study's own."""
    return (
        ", ".join(f"{name} = {value}" for name, value in point.items())
        or "the study's own settings"
    )
