"""Playing a tune study: its search, then the confirmation of what it found. Stored games are not played
again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from joute.harness.schedule import seatings
from joute.studies.kinds.tune.confirm import Confirmation
from joute.studies.kinds.tune.trial_search import TrialSearch
from joute.studies.search.estimate import default_outside
from joute.studies.search.plan import FINAL, Shares, TunePlan, screen_share, split
from joute.studies.search.trial import Trial

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun


def tune(run: StudyRun) -> None:
    """Play a tune study: search, screening, final."""
    study, plan = run.study, run.study.own
    assert isinstance(plan, TunePlan) and study.budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    games = study.budget.in_games(games_per_block)
    shares = None if games is None else split(games, games_per_block, plan)
    search = TrialSearch(run, plan, shares.search if shares else None)
    if said := default_outside(plan):
        run.progress.say(said)
    search_and_confirm(run, plan, search, shares)
    if search.mirror is not None:
        search.mirror.catch_up()


def search_and_confirm(
    run: StudyRun, plan: TunePlan, search: TrialSearch, shares: Shares | None
) -> None:
    """Play a search and its confirmation; without shares the budget is a time."""
    games_per_block, budget = search.games_per_block, run.study.budget
    assert budget is not None
    trials = search.play()
    run.store_trials()
    if run.outcome.stopped or not trials:
        return
    if shares is None:
        run.store.set_meta({"search_ended": f"{len(trials)} {budget.text}"})
        shares = timed_shares(plan, games_per_block, trials)
    Confirmation(run, plan, trials, games_per_block, shares).play()


def timed_shares(plan: TunePlan, games_per_block: int, trials: Sequence[Trial]) -> Shares:
    """Return the rounds that fit into the rest of a time budget, at the pace so far."""
    played = sum(len(trial.values) for trial in trials) * games_per_block
    searched = 1 - screen_share(plan.candidates) - FINAL
    return split(round(played / searched), games_per_block, plan)
