"""Whether a tune study can be played: asked before anything is written."""

from __future__ import annotations

from pathlib import Path

from joute.harness.openings import NoMoreOpenings, Openings
from joute.harness.schedule import seatings
from joute.results.meta import CONFIRMATION
from joute.studies.kinds.tune.confirm import FINAL_STAGE, SCREEN_STAGE
from joute.studies.kinds.tune.trial_search import STAGE
from joute.studies.search.optuna_storage import storage_of
from joute.studies.search.plan import TunePlan, split
from joute.studies.search.sampler import find_sampler
from joute.studies.study import Study


def check(study: Study) -> None:
    """Refuse a study that needs more openings than exist, or a storage that cannot be reached."""
    plan, budget = study.own, study.budget
    assert isinstance(plan, TunePlan) and budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    openings = Openings(study.game, study.seed, study.openings)
    openings.foresee(STAGE, plan.trial_blocks)
    if plan.storage:
        storage_of(Path(), plan.storage)  # raises Refused if unreachable
    games = budget.in_games(games_per_block)
    if games is not None:
        shares = split(games, games_per_block, plan)
        if shares.screen_rounds:
            openings.foresee(SCREEN_STAGE, shares.screen_rounds)
        openings.foresee(FINAL_STAGE, shares.final_rounds)
        check_book(study, plan, shares.search // games_per_block)
    if plan.long is not None:
        try:
            openings.foresee(CONFIRMATION, plan.long.blocks)
        except NoMoreOpenings as error:
            if plan.long.sprt is None:
                raise
            raise NoMoreOpenings(
                f"{error}; the test of the final may take {plan.long.blocks:,} blocks: say how many it "
                "gets (final.sprt.max_blocks)"
            ) from None


def check_book(study: Study, plan: TunePlan, blocks: int) -> None:
    """Refuse a search of more blocks than a book has openings: each block takes the next one."""
    book = len(study.openings.lines)
    if book and find_sampler(plan.sampler).sizes and blocks > book:
        raise NoMoreOpenings(
            f"only {book:,} openings are in {study.openings.records}, and the search takes {blocks:,}, one a "
            "block; give a larger book (openings.records), or a smaller budget"
        )
