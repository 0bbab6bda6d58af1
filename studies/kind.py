"""A kind of study: its file, its plan, and how it is played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from joute.engines.errors import Refused
from joute.engines.output import Output
from joute.engines.registry import Member
from joute.studies.file.models import Common
from joute.studies.file.study_checker import StudyChecker
from joute.studies.study import Planned, Study

if TYPE_CHECKING:
    from joute.engines.programs.option import Introduction, Reach
    from joute.harness.worker import Task
    from joute.studies.file.entrant import Entrant
    from joute.studies.play.study_run import StudyRun


class Kind(Member, ABC, kind="kind"):
    """A kind of study.

    `model`: the pydantic model of its files. `stages`: names of stages that it makes besides
    planned ones. `ends_itself`: it watches the budget of its games itself. `openings_grow`: they get
    longer when those of so many plies are used up, as nobody knows beforehand how many it takes.
    `entrants_leave`: an entrant that a study names no longer has left its run, which goes on without it.
    `least_tried`: games that a dry run plays at least. `unmergeable`: why its runs cannot be merged, or "".
    """

    model: ClassVar[type[Common]]
    stages: ClassVar[tuple[str, ...]] = ()
    ends_itself: ClassVar[bool] = False
    openings_grow: ClassVar[bool] = False
    entrants_leave: ClassVar[bool] = False
    least_tried: ClassVar[int] = 1
    unmergeable: ClassVar[str] = ""

    @abstractmethod
    def plan(self, model: Any, checker: StudyChecker) -> Planned:
        """Return the kind's part of the plan; errors go to the checker."""

    @abstractmethod
    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the kind's part of the resolved study file."""

    def check(self, study: Study) -> None:
        """Raise Refused for an unplayable study, before anything is written."""
        from joute.studies.play.stage_run import check_openings

        check_openings(study)

    def kept_beside(self, study: Study, folder: Path) -> str | None:
        """Return what identifies all that a run keeps beside its store. While that and its games are as
        they were when it was over, the run is not asked again what is missing, which takes long. None: it
        is always asked.
        """
        return None

    def only_here(self, study: Study) -> str:
        """Return what of a study runs on this machine alone, so that no cluster can play it; "" for
        nothing.
        """
        return ""

    def as_begun(self, study: Study, identity: Mapping[str, Any]) -> Study:
        """Return a study as a run was begun that noted this identity: with the defaults of that time."""
        return study

    def check_here(self, study: Study) -> dict[str, Introduction]:
        """Raise Refused, before anything is written, if this machine lacks a program or what the study
        needs only after long work, or if a program does not take its settings. Not asked where other
        machines play. Return what programs say of themselves, by the entrant's name.
        """
        said = {}
        for entrant in study.entrants:
            try:
                said[entrant.name] = entrant.engine.search.check_here(
                    entrant.engine.setup, self.reach(study, entrant)
                )
            except Refused as error:
                raise Refused(f"{error} (engine {entrant.name})") from None
        return {entrant: own for entrant, own in said.items() if any(own)}

    def reach(self, study: Study, entrant: Entrant) -> Sequence[Reach]:
        """Return values that the study may give to an entrant's parameters, the ends among them."""
        return ()

    def code(self, study: Study) -> dict[str, Any]:
        """Return the digests of code that plays besides the entrants, by a unique key; compile it
        if needed. A run with other digests is not resumed.
        """
        return {}

    def noted(self, study: Study) -> dict[str, Any]:
        """Return the notes for readers of the run, by key, as JSON data."""
        return {}

    def tried(self, study: Study) -> Iterable[Task]:
        """Return games for the dry run, which plays as many as fit into a few seconds."""
        from joute.studies.play.estimate import blocks_tried

        return blocks_tried(study)

    def cost(self, study: Study, workers: int, seconds: float | None) -> Output:
        """Describe the cost of a study, at so many seconds a game if known."""
        from joute.studies.play.estimate import estimate_stages

        return estimate_stages(study, workers, seconds)

    def further(self, study: Study, workers: int, play: bool) -> Output | None:
        """Describe the cost of stages at another limit, timed by games of their own if `play`;
        None without such.
        """
        return None

    def expected(self, study: Study, workers: int) -> dict[str, int] | None:
        """Return the expected games by stage, as far as known; None where a time or another budget
        ends the study.
        """
        if study.budget is not None:
            return None
        stages = self.cost(study, workers, None).data["stages"]
        return {stage["stage"]: stage["games"] for stage in stages}

    def estimate(self, study: Study, workers: int, start: bool) -> Output | None:
        """Return the estimate of a kind that plays more than matches; None for the others. Nothing
        is played for it unless `start`.
        """
        return None

    def play(self, run: StudyRun) -> None:
        """Play the study: by default its stages, one after the other."""
        from joute.studies.play.stage_run import play_stages

        play_stages(run)
