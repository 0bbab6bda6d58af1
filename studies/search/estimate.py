"""The dry run of a search: games, trials, resolution of the confirmation, and points to try."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from joute.engines.engine import Engine
from joute.engines.output import Output
from joute.engines.parameter import text_of
from joute.harness.openings import NoMoreOpenings, Openings
from joute.harness.schedule import Block, block_id, seatings
from joute.harness.worker import Task
from joute.results.quantity import duration
from joute.results.statistics import resolvable_elo
from joute.studies.play.estimate import in_all
from joute.studies.search.plan import FINAL, SCREEN, ScanPlan, TunePlan, split
from joute.studies.search.sampler import find_sampler
from joute.studies.search.space import Space
from joute.studies.search.trial import BOTH, ITSELF, POOL
from joute.studies.study import Study

POINTS = 64  # most points of a space that are tried


def estimate_search(
    study: Study, plan: ScanPlan | TunePlan, workers: int, seconds: float | None
) -> Output:
    """Estimate the cost of a search, at `seconds` a game if known."""
    assert study.budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    games = study.budget.in_games(games_per_block)
    about = "about " if games is None else ""
    if games is None:
        assert study.budget.seconds is not None
        if seconds is None:
            spent = duration(study.budget.seconds)
            line = f"as many games as {spent} on {workers} workers allow: nothing was played here"
            return Output(
                {"games": None, "seconds": study.budget.seconds, "workers": workers}, line
            )
        games = int(study.budget.seconds * workers / seconds)
    expected = None if seconds is None else games * seconds / workers
    data: dict[str, Any] = {"games": games, "seconds": expected, "workers": workers}
    if isinstance(plan, ScanPlan):
        data["blocks"] = games // games_per_block
        lines = [f"scan: {data['blocks']} blocks of {games_per_block} games, each at its own point"]
    else:
        lines = describe_tune(plan, games, games_per_block, data)
    lines.append(about + in_all(games, seconds, expected, workers))
    if isinstance(plan, TunePlan) and workers > plan.parallel:
        lines.append(
            f"only {plan.parallel} trials run at once (tune.parallel_trials), so {workers} "
            f"workers may wait for each other"
        )
    return Output(data, "\n".join(lines))


def describe_tune(
    plan: TunePlan, games: int, games_per_block: int, data: dict[str, Any]
) -> list[str]:
    """Return the lines on search, screening and final."""
    shares = split(games, games_per_block, plan)
    paired = shares.final_rounds * len(plan.pool)
    elo = resolvable_elo(paired)
    data |= {"final_blocks": paired, "elo_resolved_final": elo}
    if find_sampler(plan.sampler).sizes:
        played = {
            POOL: "a few at each point",
            ITSELF: "a few between each two points",
            BOTH: "a few at each point, or between two, in turn",
        }[plan.against]
        lines = [f"search: {shares.search} games, {played} (sampler {plan.sampler})"]
    else:
        data["trials"] = shares.search // (plan.trial_blocks * games_per_block)
        more = ", more if some are given up early" if plan.prune_risk else ""
        lines = [
            f"search: {shares.search} games, {data['trials']} trials of {plan.trial_blocks} blocks"
            f"{more} (sampler {plan.sampler})"
        ]
    if shares.screen_rounds:
        lines.append(
            f"screen: {plan.candidates} candidates, {shares.screen_rounds} blocks against each of "
            f"{len(plan.pool)} opponents ({100 * SCREEN:.0f} % of the games)"
        )
    lines.append(
        f"final: the best candidate and the default, {shares.final_rounds} blocks against each "
        f"opponent{held_out(plan)} ({100 * FINAL:.0f} % of the games)"
        + (
            f"; alone they show gains from {elo:.0f} Elo, with the games of the search smaller ones"
            if elo
            else ""
        )
    )
    return [*lines, *filter(None, [default_outside(plan)])]


def default_outside(plan: TunePlan) -> str:
    """Say where the default lies outside the searched ranges; "" where it does not."""
    values = plan.default.engine.settings
    ends = [
        f"{axis.name} = {text_of(value)}"
        for axis in plan.space.axes
        if (value := values.get(axis.name)) is not None and not axis.holds(value)
    ]
    if not ends:
        return ""
    return f"the default lies outside [space] ({', '.join(ends)}), so only the games of the final tell how good it is"


def held_out(plan: TunePlan) -> str:
    """Name the opponents that only the final meets."""
    names = " and ".join(entrant.name for entrant in plan.held_out)
    return f", including {names}, which the search never meets" if names else ""


def points_tried(
    study: Study, space: Space, pool: Sequence[Engine], stage: str = "dry"
) -> Iterator[Task]:
    """Yield blocks of points drawn at random against the pool, by the rules of a stage."""
    chance = random.Random(study.seed)
    openings = Openings(study.game, study.seed, study.openings)
    for number in range(POINTS):
        engine = space.engine(space.walk(lambda axis: axis.at(chance.random())))
        opponent = pool[number % len(pool)]
        table = (engine.id, *[opponent.id] * (study.game.players - 1))
        name = block_id(study.seed, study.game.label, "dry", number, table)
        block = Block(name, stage, "", number, number, table)
        texts = {engine.id: engine.text, opponent.id: opponent.text}
        try:
            opening = openings.of(block, shared=True)
        except NoMoreOpenings:
            if not number:
                raise
            return  # a small book
        yield Task(number, block, opening, (0,), texts)
