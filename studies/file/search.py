"""What scan and tune studies plan: space, pool, trials, and how the games are shared out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.schedule import seatings
from studies.file.budget import budget_of
from studies.file.entrant import Entrant
from studies.tuner.space import Space

SCREEN, FINAL = 0.10, 0.15
"""Shares of the games that screen the candidates, and that set the best one against the default."""


@dataclass(frozen=True)
class Shares:
    """Games of the search; rounds of the screening and of the final (a round: each pairing once)."""

    search: int
    screen_rounds: int
    final_rounds: int


def split(games: int, rows: int, kept: int, own: Sequence[bool]) -> Shares:
    """Share out games; a block has `rows` of them, `kept` candidates are screened.

    `own` says for each opponent of the pool whether it is the default itself, which then needs no
    games against itself.
    """
    pool = len(own)
    screen = int(games * SCREEN) // (rows * kept * pool)
    final = int(games * FINAL) // (rows * (2 * pool - sum(own)))
    spent = rows * (screen * kept * pool + final * (2 * pool - sum(own)))
    return Shares(games - spent, screen, final)


@dataclass(frozen=True)
class ScanPlan:
    """Points drawn one a block, at random or by a Sobol sequence, against a pool in turn.

    `default` is the base engine; the pool is the default itself where the study names none.
    """

    space: Space
    default: Entrant
    pool: tuple[Entrant, ...]
    draw: str
    openings: int
    blocks: int | None

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed."""
        drawn = {"draw": self.draw, "openings_of_the_scan": self.openings}
        return {**common(self.space, self.pool), **drawn}


@dataclass(frozen=True)
class TunePlan:
    """Trials of `trial_blocks` blocks, `parallel` of them in flight, then a confirmation.

    A trial is given up after a rung of `rung_blocks` when it is hopeless at `prune_risk` (0: never).
    `kept` candidates are screened; the best of them meets the default in the final.
    """

    space: Space
    default: Entrant
    pool: tuple[Entrant, ...]
    sampler: str
    trial_blocks: int
    rung_blocks: int
    parallel: int
    prune_risk: float
    kept: int
    storage: str | None

    @property
    def own(self) -> list[bool]:
        """For each opponent of the pool, whether it is the default itself."""
        return [one.engine.text == self.default.engine.text for one in self.pool]

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed."""
        return {
            **common(self.space, self.pool),
            "sampler": self.sampler,
            "trial_blocks": self.trial_blocks,
            "rung_blocks": self.rung_blocks,
            "parallel_trials": self.parallel,
            "prune_risk": self.prune_risk,
            "candidates": self.kept,
        }


def common(space: Space, pool: Sequence[Entrant]) -> dict[str, Any]:
    """Return the identity that all searches share."""
    return {
        "space": {axis.name: replace(axis, marks=()).said() for axis in space.axes},
        "pool": [entrant.engine.text for entrant in pool],
    }


def budget_fault(text: str | None, plan: TunePlan, players: int) -> str:
    """Return what is wrong with a budget of games for a plan, or ""."""
    budget = budget_of(text) if text else None
    if budget is None or budget.seconds is not None:
        return ""
    rows = len(seatings(players, copies=True))
    games = budget.in_games(rows)
    assert games is not None
    if enough(games, rows, plan):
        return ""
    need = enough_games(rows, plan)
    return f"{text} is too little for ten trials and a confirmation; allowed: from {need} games up"


def enough(games: int, rows: int, plan: TunePlan) -> bool:
    """Whether games make ten full trials, and two rounds of the screening and of the final."""
    shares = split(games, rows, plan.kept, plan.own)
    rounds = min(shares.screen_rounds, shares.final_rounds)
    return rounds >= 2 and shares.search >= 10 * plan.trial_blocks * rows


def enough_games(rows: int, plan: TunePlan) -> int:
    """Return a number of games from which up all are enough; the search gets its share or more."""
    pool = len(plan.own)
    wanted = {
        SCREEN: 2 * plan.kept * pool,
        FINAL: 2 * (2 * pool - sum(plan.own)),
        1 - SCREEN - FINAL: 10 * plan.trial_blocks,
    }
    need = max(math.ceil(blocks * rows / share) for share, blocks in wanted.items())
    while not enough(need, rows, plan):  # shares are rounded down
        need += 1
    return need
