"""`train-search`: search the settings of a training; every trial is a small training run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from joute.engines.errors import Refused
from joute.engines.output import Output
from joute.studies.file.study_checker import StudyChecker
from joute.studies.file.validation import Errors
from joute.studies.kind import Kind
from joute.studies.kinds.train.train import UNMERGEABLE, TrainKind
from joute.studies.kinds.train_search.model import TrainSearchModel
from joute.studies.kinds.train_search.training_space import (
    TrainingSpace,
    read,
    training_space_of,
    trial_table,
)
from joute.studies.learning.plan import DUEL, TrainPlan, TrialsPlan, training_of
from joute.studies.search.sampler import find_sampler
from joute.studies.study import Planned, Study
from joute.studies.tuner.axis import Axis

if TYPE_CHECKING:
    from joute.engines.programs.option import Introduction
    from joute.studies.play.study_run import StudyRun

OWN = {
    "kind",
    "space",
    "trials",
    "ladder",
    "anchors",
    "budget",
}  # keys that a trial does not take over


class TrainSearchKind(Kind):
    """Settings of a training are searched; every trial is a small training run."""

    name = "train-search"
    summary = "search the settings of a training; every trial is a small training run"
    model = TrainSearchModel
    ends_itself = True
    unmergeable = UNMERGEABLE
    stages = (DUEL,)

    def plan(self, model: TrainSearchModel, checker: StudyChecker) -> Planned:
        """Return the plan of the study's own training, with that of the search in it."""
        planned = TrainKind().plan(model, checker)
        if model.budget is not None:
            checker.error("budget", "cannot be combined with trials, which say how much is played")
        if not model.anchors and not checker.errors.under("anchors"):
            checker.error(
                "anchors", "is missing: the opponents that the champions of all trials meet"
            )
        space, table, training = (
            training_space_of(model.space, checker.errors),
            model.trials,
            planned.own,
        )
        sampler_fits(table.sampler, space, checker)
        own = model.selfplay
        games = table.games or (own.iterations * own.games if own is not None else 1)
        if own is not None and games < own.games:
            checker.error("trials.games", f"{games} is less than selfplay.games = {own.games}")
        if space is None or not isinstance(training, TrainPlan):
            return planned
        base = model.model_dump(exclude_unset=True, exclude=OWN)
        ends_fit(space, base, games, checker)
        trials = TrialsPlan(
            space, base, checker.folder, games, table.trials, table.sampler, table.blocks,
            table.seeds, table.final_blocks,
        )  # fmt: skip
        return planned._replace(own=replace(training, trials=trials))

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the study's part of the resolved file."""
        table, trials = TrainKind().resolve(study), training_of(study).trials
        assert trials is not None
        del table["ladder"]
        settings = ("trials", "games", "sampler", "blocks", "seeds", "final_blocks")
        return {
            **table,
            "space": {axis.name: as_given(axis) for axis in trials.space.axes},
            "trials": {name: getattr(trials, name) for name in settings},
        }

    def only_here(self, study: Study) -> str:
        """What binds each of its trainings."""
        return TrainKind().only_here(study)

    def check(self, study: Study) -> None:
        """Refuse an impossible training, before anything is written."""
        from joute.studies.kinds.train_search.play import check_trials

        check_trials(study)

    def check_here(self, study: Study) -> dict[str, Introduction]:
        """Refuse what cannot be started in each of its trainings."""
        return TrainKind().check_here(study)

    def estimate(self, study: Study, workers: int, start: bool) -> Output:
        """Estimate games, network calls and time of all trainings."""
        from joute.studies.kinds.train.estimate import estimate_trials

        return estimate_trials(study, workers, start)

    def expected(self, study: Study, workers: int) -> dict[str, int] | None:
        """Return nothing: the time is not that of the games alone."""
        return None

    def play(self, run: StudyRun) -> None:
        """Play all trainings."""
        from joute.studies.kinds.train_search.play import TrainingSearch

        TrainingSearch(run).play()


def as_given(axis: Axis) -> Any:
    """Return an axis as a study file writes it, choices as their values."""
    return [read(text) for text in axis.choices] if axis.kind == "choice" else axis.as_written()


def sampler_fits(name: str, space: TrainingSpace | None, checker: StudyChecker) -> None:
    """Note a sampler that is unknown or cannot search such a space. A missing torch is reported
    elsewhere: training needs it, too.
    """
    try:
        sampler = find_sampler(name)
    except Refused as error:
        checker.error("trials.sampler", str(error))
        return
    why = "sizes its trials in games, which trainings do not allow" if sampler.sizes else ""
    if why or (space is not None and (why := sampler.refuse(space))):
        checker.error("trials.sampler", f"{name} {why}; allowed: gp, tpe, qmc, random, grid")


def ends_fit(space: TrainingSpace, base: dict[str, Any], games: int, checker: StudyChecker) -> None:
    """Note the errors of a training study at each end or choice of an axis, the others unset;
    nothing while the study has other errors.
    """
    from joute.studies import load

    if checker.errors.lines():
        return
    for axis in space.axes:
        for end in axis.choices or (axis.at(0.0), axis.at(1.0)):
            errors = Errors()
            load.read(
                trial_table(base, space.axes, {axis.name: end}, games), "", checker.folder, errors
            )
            for line in errors.lines():
                own, same = line.removeprefix(f"{axis.name}: "), line.startswith(f"{axis.name}: ")
                place = f"space.{axis.name}"
                checker.error(place if same else f"{place} = {end}", own)
