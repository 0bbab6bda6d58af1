"""[sprt]: a sequential test of two strengths, in study files and in plans."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from pydantic import Field

from joute.studies.file.models import Count, Strict
from joute.studies.file.study_checker import StudyChecker

Risk = Annotated[float, Field(gt=0, lt=0.5)]


@dataclass(frozen=True)
class SprtPlan:
    """A sequential test of elo0 against elo1, given up undecided after `max_blocks`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"
    max_blocks: int = 20_000

    def test(self) -> dict[str, float | str]:
        """Return what is tested, as the store keeps it: all but the length, which may grow."""
        return {name: value for name, value in asdict(self).items() if name != "max_blocks"}


class Sprt(Strict):
    """[sprt]: stop as soon as elo0 or elo1 is the better guess, with the stated risks."""

    elo0: float = Field(0.0, title="H0: A is stronger than B by at most this")
    elo1: float = Field(
        description="a number above elo0",
        examples=[1e9],
        title="H1: A is stronger than B by at least this",
    )
    alpha: Risk = Field(0.05, title="the risk of accepting H1 although H0 holds")
    beta: Risk = Field(0.05, title="the risk of accepting H0 although H1 holds")
    model: Literal["logistic", "normalized"] = Field(
        "logistic",
        title="the unit of elo0 and elo1: Elo, or normalised Elo",
    )
    max_blocks: Count = Field(20_000, title="blocks after which the test stops undecided")


def sprt_of(model: Sprt | None, path: str, checker: StudyChecker) -> SprtPlan | None:
    """Return the test of a table at `path`; note its errors."""
    if model is None:
        return None
    plan = SprtPlan(**model.model_dump())
    if plan.elo1 <= plan.elo0:
        checker.error(f"{path}.elo1", f"{plan.elo1:g} is not above elo0 = {plan.elo0:g}")
    elif not checker.errors.under(path) and (fault := fault_of(plan)):
        checker.error(path, fault)
    if checker.game is not None and checker.game.players > 2:
        checker.error(
            path,
            f"is for two players; {checker.game.label} has {checker.game.players}: give blocks",
        )
    return plan


def fault_of(plan: SprtPlan) -> str:
    """Return the error of a test, or ""."""
    from joute.results.sprt import Sprt as Test

    try:
        Test(plan.elo0, plan.elo1, plan.alpha, plan.beta, plan.model)
    except ValueError as error:
        return str(error)
    return ""
