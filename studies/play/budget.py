"""Whether a run may play on: its study's budget."""

from __future__ import annotations

from joute.engines.registry import find
from joute.studies.play.study_run import StudyRun


def is_spent(run: StudyRun, games: int, games_a_block: int) -> bool:
    """Whether so many games, or the time so far, spend the study's budget; never where its kind ends by
    itself.
    """
    budget = run.study.budget
    if budget is None or find("kind", run.study.kind).ends_itself:
        return False
    return (
        (budget.seconds is not None and run.seconds() > budget.seconds)
        or (budget.games is not None and games >= budget.games)
        or (budget.blocks is not None and games >= budget.blocks * games_a_block)
    )
