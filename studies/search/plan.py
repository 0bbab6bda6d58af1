"""The plans of scan and tune studies: space, pool, trials, and shares of the games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joute.engines.engine import Engine
from joute.engines.parameter import text_of
from joute.engines.time_control import TimeControl
from joute.harness.schedule import seatings
from joute.studies.file.budget import budget_of
from joute.studies.file.entrant import Entrant
from joute.studies.file.sprt import SprtPlan
from joute.studies.search.space import Space
from joute.studies.search.trial import POOL

JOURNAL = "optuna.journal"  # in a run's folder: Optuna's copy of the trials
SCREEN, FINAL = 0.10, 0.08
"""Shares of the games that screen the candidates, if there are several, and that set the best one
against the default. The games of the search count in the answer as well, so these can be few."""


@dataclass(frozen=True)
class Shares:
    """Games of the search; rounds of the screening and of the final (a round: each pairing once)."""

    search: int
    screen_rounds: int
    final_rounds: int


def split(games: int, games_per_block: int, plan: TunePlan) -> Shares:
    """Divide the games into shares."""
    screened = plan.candidates * len(plan.pool)
    screen = int(games * screen_share(plan.candidates)) // (games_per_block * screened)
    final = int(games * FINAL) // (games_per_block * plan.final_tables)
    spent = games_per_block * (screen * screened + final * plan.final_tables)
    return Shares(games - spent, screen, final)


def screen_share(candidates: int) -> float:
    """Return the share of the games for screening so many candidates: a single one needs none."""
    return SCREEN if candidates > 1 else 0.0


@dataclass(frozen=True)
class ScanPlan:
    """Points drawn one a block, at random or by a Sobol sequence, against a pool in turn.

    `default`: the base engine; without opponents in the study, the pool is the default itself.
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
        return {"search": {**common(self.space, self.pool), **drawn}}


@dataclass(frozen=True)
class LongFinal:
    """The best point against the default once more, at a limit of its own: `limit`, the settings that
    differ, or a `clock`. `space` has them as its base, and `default` plays so; until `blocks`, or until
    the `sprt` decides.
    """

    space: Space
    default: Engine
    limit: Mapping[str, Any]
    clock: TimeControl | None
    blocks: int
    sprt: SprtPlan | None

    @property
    def label(self) -> str:
        """The limit in words: `depth=8`, `10+0.1`; a setting of 0 is none."""
        words = [f"{name}={text_of(value)}" for name, value in self.limit.items() if value != 0]
        return ",".join([*words, *([self.clock.text] if self.clock else [])])

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed; it may get longer."""
        clock = {"clock": self.clock.text} if self.clock else {}
        return {"limit": dict(self.limit), **clock, "sprt": self.sprt and self.sprt.test()}


@dataclass(frozen=True)
class TunePlan:
    """Trials of `trial_blocks` blocks, `parallel` of them in flight, then a confirmation.

    A trial is given up after a rung of `rung_blocks` when it is hopeless at `prune_risk` (0:
    never). `candidates` points are screened; in the final the best of them and the default meet the
    pool and the opponents `held_out`, which no trial has met. With a `long` final these two meet once
    more, at another limit. `against`: whom the points of the search play, the pool or each other;
    `by_default`: the study does not say.
    """

    space: Space
    default: Entrant
    pool: tuple[Entrant, ...]
    sampler: str
    trial_blocks: int
    rung_blocks: int
    parallel: int
    prune_risk: float
    candidates: int
    storage: str | None
    held_out: tuple[Entrant, ...] = ()
    long: LongFinal | None = None
    against: str = POOL
    by_default: bool = False

    @property
    def against_default(self) -> list[bool]:
        """For each opponent of the pool, whether it is the default itself."""
        return [entrant.engine.text == self.default.engine.text for entrant in self.pool]

    @property
    def final_tables(self) -> int:
        """Meetings of a round of the final: the default does not play itself."""
        return 2 * (len(self.pool) + len(self.held_out)) - sum(self.against_default)

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed."""
        own = {
            "held_out": [entrant.engine.text for entrant in self.held_out],
            "sampler": self.sampler,
            "trial_blocks": self.trial_blocks,
            "rung_blocks": self.rung_blocks,
            "parallel_trials": self.parallel,
            "prune_risk": self.prune_risk,
            "candidates": self.candidates,
            **({"final": self.long.identity()} if self.long else {}),
            **({"against": self.against} if self.against != POOL else {}),
        }
        return {"search": {**common(self.space, self.pool), **own}}


def common(space: Space, pool: Sequence[Entrant]) -> dict[str, Any]:
    """Return the identity that all searches share."""
    return {
        "space": {axis.name: replace(axis, marks=()).as_written() for axis in space.axes},
        "pool": [entrant.engine.text for entrant in pool],
    }


def budget_fault(text: str | None, plan: TunePlan, players: int) -> str:
    """Return the error of a game budget for a plan, or ""."""
    budget = budget_of(text) if text else None
    if budget is None or budget.seconds is not None:
        return ""
    games_per_block = len(seatings(players, copies=True))
    games = budget.in_games(games_per_block)
    assert games is not None
    if enough(games, games_per_block, plan):
        return ""
    need = enough_games(games_per_block, plan)
    return f"{text} is too little for a search and a confirmation; allowed: from {need} games up"


def enough(games: int, games_per_block: int, plan: TunePlan) -> bool:
    """Whether games suffice for ten full trials and two rounds of screening and final."""
    shares = split(games, games_per_block, plan)
    screened = plan.candidates == 1 or shares.screen_rounds >= 2
    return (
        screened
        and shares.final_rounds >= 2
        and shares.search >= 10 * plan.trial_blocks * games_per_block
    )


def enough_games(games_per_block: int, plan: TunePlan) -> int:
    """Return the number of games from which on all suffice; the search gets its share or more."""
    screen = screen_share(plan.candidates)
    wanted = [
        (screen, 2 * plan.candidates * len(plan.pool)),
        (FINAL, 2 * plan.final_tables),
        (1 - screen - FINAL, 10 * plan.trial_blocks),
    ]
    need = max(math.ceil(blocks * games_per_block / share) for share, blocks in wanted if share)
    while not enough(need, games_per_block, plan):  # shares are rounded down
        need += 1
    return need
