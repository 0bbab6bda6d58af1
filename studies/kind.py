"""A kind of study: what its files may say, what is planned from them, and how that is played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from joute.engines.output import Output
from joute.engines.registry import Member
from joute.studies.file.engines import StudyChecker
from joute.studies.file.models import Common
from joute.studies.study import Planned, Study

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun


class Kind(Member, ABC, kind="kind"):
    """A kind of study.

    `model` is the pydantic model of its files; `stages` names the stages of a kind that makes its
    own, beside those that it plans.
    """

    model: ClassVar[type[Common]]
    stages: ClassVar[tuple[str, ...]] = ()

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

    def estimate(self, study: Study, workers: int, start: bool) -> Output | None:
        """Tell what a study will take, for a kind that plays more than matches; None for the others.
        Unless it may `start`, nothing is played for that.
        """
        return None

    def play(self, run: StudyRun) -> None:
        """Play the study: by default its stages, one after the other."""
        from joute.studies.play.stage_run import play_stages

        play_stages(run)
