"""`train`: a network learns from its own games or from stored ones, and is measured by matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.engines.check import check
from joute.engines.errors import Refused, nearest
from joute.engines.nets.net import content_of, digest_of, shipped
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.output import Output
from joute.engines.registry import entries
from joute.engines.view import View, view_of
from joute.results.database import DATABASE
from joute.studies.file.entrant import Entrant
from joute.studies.file.entrants import LONGEST, Draft, named
from joute.studies.file.sprt import sprt_of
from joute.studies.file.study_checker import StudyChecker
from joute.studies.kind import Kind
from joute.studies.kinds.train.model import TrainModel
from joute.studies.learning.plan import (
    LADDER,
    TIMED,
    GatePlan,
    RecordsPlan,
    SelfPlayPlan,
    TrainPlan,
    selfplay_settings,
    training_of,
)
from joute.studies.study import Planned, Study, without_absent

if TYPE_CHECKING:
    from joute.engines.programs.option import Introduction
    from joute.studies.play.study_run import StudyRun


UNMERGEABLE = (
    "is a training run and cannot be merged: its networks learnt from its own games one after the "
    "other"
)


class TrainKind(Kind):
    """A network learns from its own games, or from stored ones, and is measured by matches."""

    name = "train"
    summary = "a network learns from its own games or from stored ones, and is measured by matches"
    model = TrainModel
    ends_itself = True
    unmergeable = UNMERGEABLE
    stages = (TIMED, LADDER)

    def plan(self, model: TrainModel, checker: StudyChecker) -> Planned:
        """Return the plan of the training; the entrants are the anchors."""
        anchors = anchors_of(model, checker)
        view = view_in(model, checker)
        own = model.selfplay
        engine_in(checker, model.engine)
        if own is not None:
            engine_in(checker, model.engine, own.engine, own.policy_target == "visits")
            shares_in(checker, own, selfplay_settings(model.engine, own.engine))
        if own is None and model.records is None and not checker.errors.under("records"):
            checker.error("selfplay", "is missing; allowed: [selfplay], [records], or both")
        gate = model.gate
        sprt = sprt_of(gate.sprt, "gate.sprt", checker)
        for name in ("blocks", "score"):
            if sprt is not None and getattr(gate, name) is not None:
                checker.error(f"gate.{name}", "cannot be combined with gate.sprt, which decides")
        start = start_in(model, checker)
        training = TrainPlan(
            engine=dict(model.engine),
            net=model.net,
            learn=model.learn,
            view=view.name if view else "",
            settings=dict(view.values) if view else {},
            selfplay=own,
            gate=GatePlan(
                gate.blocks or GatePlan.blocks, gate.score or GatePlan.score, sprt, gate.rejected
            ),
            ladder=model.ladder,
            records=records_in(model, checker),
            start=str(start.resolve()) if start else "",
            start_digest=digest_of(content_of(start)) if start else "",
        )
        return Planned(anchors, (), own=training)

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the training's part of the resolved file."""
        plan = training_of(study)
        records = plan.records
        gate = asdict(plan.gate)
        if plan.gate.sprt is not None:
            del gate["blocks"], gate["score"]
        table: dict[str, Any] = {
            "engine": dict(plan.engine),
            "net": plan.net.model_dump(),
            "view": {"name": plan.view, **plan.settings} if plan.view else {},
            "learn": plan.learn.model_dump(),
            "gate": without_absent(gate),
            "ladder": plan.ladder.model_dump(exclude_none=True),
            "anchors": [
                {"name": anchor.name, "spec": anchor.engine.text.partition("/")[2]}
                for anchor in study.entrants
            ],
        }
        if plan.selfplay is not None:
            table["selfplay"] = plan.selfplay.model_dump()
        if records is not None:
            source = {"run" if records.is_run else "folder": records.source}
            settings = {**asdict(records), **source}
            table["records"] = {k: v for k, v in settings.items() if k not in ("source", "is_run")}
        if plan.start:
            table["start"] = {"net": plan.start}
        return table

    def only_here(self, study: Study) -> str:
        """An inference server is a process of this machine."""
        plan = training_of(study).selfplay
        apart = plan is not None and plan.inference != "worker"
        return f"selfplay.inference = '{plan.inference}'" if plan and apart else ""

    def check(self, study: Study) -> None:
        """Refuse an impossible training, before anything is written."""
        from joute.studies.kinds.train.prepare import check_all

        check_all(study)

    def check_here(self, study: Study) -> dict[str, Introduction]:
        """Refuse anchors that cannot be started: the ladder comes last."""
        from joute.studies.kinds.train.prepare import need_programs

        need_programs(study)
        return {}

    def estimate(self, study: Study, workers: int, start: bool) -> Output:
        """Estimate games, network calls and time."""
        from joute.studies.kinds.train.estimate import estimate_training

        return estimate_training(study, workers, start)

    def expected(self, study: Study, workers: int) -> dict[str, int] | None:
        """Return nothing: the time is not that of the games alone."""
        return None

    def play(self, run: StudyRun) -> None:
        """Train."""
        from joute.studies.kinds.train.play import Training

        Training(run).play()


def anchors_of(model: TrainModel, checker: StudyChecker) -> tuple[Entrant, ...]:
    """Return the anchors, named by their texts where they have no name."""
    drafts = []
    for i, anchor in enumerate(model.anchors):
        path = f"anchors.{i}" if anchor.name is None else f"anchors.{i}.spec"
        engine = checker.spec(anchor.spec, path)
        name = anchor.name or anchor.spec
        if len(name) > LONGEST and engine is not None:
            name = f"{name[: LONGEST - 9]}…{engine.id[:8]}"
        drafts.append(Draft(path, name, engine))
    return named(drafts, checker)


def view_in(model: TrainModel, checker: StudyChecker) -> View | None:
    """Return the network's view of the game."""
    if checker.game is None:
        return None
    settings = dict(model.view)
    name = str(settings.pop("name", ""))
    try:
        return view_of(checker.game, name, settings)
    except Refused as error:
        checker.error("view" if model.view else "game", str(error))
        return None


def start_in(model: TrainModel, checker: StudyChecker) -> Path | None:
    """Return the file of the start network: a path relative to the study, or the name of a
    ready-made network.
    """
    if model.start is None:
        return None
    file, known = checker.folder / model.start.net, shipped()
    if file.is_file():
        return file
    if model.start.net not in known:
        checker.error(
            "start.net",
            f"{str(file)!r} is not a file{nearest(model.start.net, known)}; networks that come "
            f"with "
            f"Joute: {', '.join(known)}",
        )
    return known.get(model.start.net)


def engine_in(
    checker: StudyChecker,
    base: Mapping[str, Any],
    own: Mapping[str, Any] | None = None,
    by_tree: bool = False,
) -> None:
    """Note errors in the settings of the networks' engine, as far as visible without a network;
    `own`: settings of self-play, which may need a tree.
    """

    def place(setting: str) -> str:
        return f"selfplay.engine.{setting}" if setting in (own or ()) else f"engine.{setting}"

    settings = selfplay_settings(base, own or {})
    if NETWORK.name in settings:
        checker.error(place(NETWORK.name), "is what the study trains, so leave it out")
    if "search" not in settings:
        checker.error("engine.search", f"is missing; allowed: {', '.join(able())}")
        return
    checked = check(None, settings)
    for setting, text in checked.faults.items():
        checker.error(place(setting), text)
    search = checked.parts.get("search")
    if search is None:
        return
    if NETWORK.name not in {p.name for p in checked.parameters}:
        fit = ", ".join(able())
        checker.error(place("search"), f"{search.name} takes no network; allowed: {fit}")
    elif by_tree and not hasattr(search, "suspended"):
        checker.error(
            place("search"),
            f"{search.name} cannot play many games with one network; allowed: "
            "selfplay.policy_target = 'values'",
        )
    elif by_tree and "milliseconds" in settings:
        checker.error(
            place("milliseconds"),
            "does not limit self-play, whose games follow from the seed; give "
            "selfplay.engine.iterations (matches keep the time limit)",
        )


def shares_in(checker: StudyChecker, own: SelfPlayPlan, settings: Mapping[str, Any]) -> None:
    """Note errors in the settings of self-play about moves that are not searched in full."""
    full = settings.get("iterations")
    if own.full_share < 1 and not own.cheap:
        checker.error("selfplay.cheap", "is missing: full_share < 1 needs it")
    elif own.full_share == 1 and own.cheap:
        checker.error("selfplay.cheap", "has no effect: selfplay.full_share is 1, all moves")
    elif isinstance(full, int) and own.cheap >= full:
        checker.error("selfplay.cheap", f"{own.cheap} is not below the {full} of a full move")


def able() -> list[str]:
    """Return the searches that take a network."""
    return [
        name
        for name, entry in entries("search").items()
        if NETWORK.name in {p.name for p in entry.load().parameters}
    ]


def records_in(model: TrainModel, checker: StudyChecker) -> RecordsPlan | None:
    """Return the source of the stored games."""
    given = model.records
    if given is None:
        return None
    if (given.run is None) == (given.folder is None):
        checker.error("records", "has run and folder, or neither; allowed: one of them")
        return None
    if given.run is not None:
        place = Path(given.run)
    else:
        place = checker.folder / str(given.folder)
        if not place.exists():
            checker.error("records.folder", f"{place} is neither a file nor a folder")
        if given.players:
            checker.error("records.players", "names engines of a run; game records have none")
    return RecordsPlan(
        str(place.resolve()), given.run is not None, given.held_out, given.epochs,
        tuple(given.players), tuple(str(tested(test, checker.folder)) for test in given.tests),
    )  # fmt: skip


def tested(source: str, folder: Path) -> Path:
    """Return the place of a source of tests: a run's, as it is, or that of records in the study's folder."""
    records = folder / source
    is_run = (Path(source) / DATABASE).is_file()
    return (records if records.exists() and not is_run else Path(source)).resolve()
