"""A kind of study: what its files may say, what is planned from them, and how that is played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from joute.engines.output import Output
from joute.engines.registry import Member
from joute.studies.file.models import Common
from joute.studies.file.study_checker import StudyChecker
from joute.studies.study import Planned, Study

if TYPE_CHECKING:
    from joute.harness.worker import Task
    from joute.studies.play.study_run import StudyRun


class Kind(Member, ABC, kind="kind"):
    """A kind of study.

    `model` is the pydantic model of its files; `stages` names the stages of a kind that makes its
    own, beside those that it plans. `ends_itself`: it sees to the budget of its games itself. `least_tried`:
    games that a dry run plays in any case. `unmergeable`: why its runs cannot be united, if so.
    """

    model: ClassVar[type[Common]]
    stages: ClassVar[tuple[str, ...]] = ()
    ends_itself: ClassVar[bool] = False
    least_tried: ClassVar[int] = 1
    unmergeable: ClassVar[str] = ""

    @abstractmethod
    def plan(self, model: Any, checker: StudyChecker) -> Planned:
        """Return the kind's part of the plan; errors go to the checker."""

    @abstractmethod
    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the kind's part of the resolved study file."""

    def check(self, study: Study) -> None:
        """Raise Refused for what cannot be played, before anything is written."""
        from joute.studies.play.stage_run import check_openings

        check_openings(study)

    def code(self, study: Study) -> dict[str, Any]:
        """Return the digests of what plays beside the entrants, by a key of its own: a run with others
        is not gone on with. Compiles it if need be.
        """
        return {}

    def noted(self, study: Study) -> dict[str, Any]:
        """Return what is noted in the run for those who read it, by key, as JSON can hold it."""
        return {}

    def tried(self, study: Study) -> Iterable[Task]:
        """Return the games of which a dry run plays as many as some seconds allow."""
        from joute.studies.play.estimate import blocks_tried

        return blocks_tried(study)

    def cost(self, study: Study, workers: int, seconds: float | None) -> Output:
        """Tell what a study takes, at so many seconds a game if that is known."""
        from joute.studies.play.estimate import estimate_stages

        return estimate_stages(study, workers, seconds)

    def expected(self, study: Study, workers: int) -> dict[str, int] | None:
        """Return the games that a study takes, by stage as far as that is known; None where a time or
        another budget ends it.
        """
        if study.budget is not None:
            return None
        stages = self.cost(study, workers, None).data["stages"]
        return {stage["stage"]: stage["games"] for stage in stages}

    def estimate(self, study: Study, workers: int, start: bool) -> Output | None:
        """Tell what a study will take, for a kind that plays more than matches; None for the others.
        Unless it may `start`, nothing is played for that.
        """
        return None

    def play(self, run: StudyRun) -> None:
        """Play the study: by default its stages, one after the other."""
        from joute.studies.play.stage_run import play_stages

        play_stages(run)
