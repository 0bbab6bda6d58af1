"""The dry run of a scan or a tune study: trials, games, time, and what they can resolve."""

from __future__ import annotations

import random
import tempfile
import time
from typing import Any

from engines.record import GameRecord
from engines.registry import plugin_files
from engines.shown import Shown
from harness.inflight import Slot
from harness.match import Rules
from harness.openings import Openings
from harness.schedule import Block, block_id, seatings
from harness.worker import Setting, Task, play_seating
from results.statistics import resolvable_elo
from studies.file.search import FINAL, SCREEN, ScanPlan, TunePlan, split
from studies.play.estimate import failures_of
from studies.play.study_run import code_of, warm
from studies.play.words import duration
from studies.study import Study

SAMPLE_SECONDS = 4.0


def estimate_search(study: Study, workers: int) -> Shown:
    """Play a few games of points drawn at random, store nothing, and tell what will be played."""
    plan = study.search
    assert plan is not None and study.budget is not None
    for entrant in study.entrants:
        warm(entrant.engine)
    code_of(plan.space)
    seconds, failing = sample(study, plan)
    rows = len(seatings(study.game.players, copies=True))
    budget = study.budget
    games = budget.in_games(rows)
    if games is None:
        assert budget.seconds is not None
        games = int(budget.seconds * workers / seconds)
    data: dict[str, Any] = {
        "games": games,
        "seconds": games * seconds / workers,
        "workers": workers,
    }
    lines = describe_tune(plan, games, rows, data) if isinstance(plan, TunePlan) else []
    if isinstance(plan, ScanPlan):
        blocks = games // rows
        lines = [f"scan: {blocks} blocks of {rows} games, each at a point of its own"]
        data["blocks"] = blocks
    about = "about " if budget.seconds is not None else ""
    lines.append(
        f"{about}{games} games in all, about {seconds * 1e3:.3g} ms each here: "
        f"{duration(data['seconds'])} on {workers} workers"
    )
    if isinstance(plan, TunePlan) and workers > plan.parallel:
        lines.append(
            f"only {plan.parallel} trials are in flight at once (tune.parallel_trials): "
            f"{workers} workers may wait for each other"
        )
    return Shown(data | {"failing": failing}, "\n".join([*lines, *failing]))


def describe_tune(plan: TunePlan, games: int, rows: int, data: dict[str, Any]) -> list[str]:
    """Return the lines on search, screening and final."""
    shares = split(games, rows, plan.kept, plan.own)
    trials = shares.search // (plan.trial_blocks * rows)
    paired = shares.final_rounds * len(plan.pool)
    found = resolvable_elo(paired)
    data |= {"trials": trials, "final_blocks": paired, "elo_resolved_final": found}
    more = ", more if some are given up early" if plan.prune_risk else ""
    return [
        f"search: {shares.search} games, {trials} trials of {plan.trial_blocks} blocks{more} "
        f"(sampler {plan.sampler})",
        f"screen: {plan.kept} candidates, {shares.screen_rounds} blocks against each of "
        f"{len(plan.pool)} opponents ({SCREEN:.0%} of the games)",
        f"final: the best candidate and the default, {shares.final_rounds} blocks against each "
        f"opponent ({FINAL:.0%} of the games)"
        + (f"; resolves a gain of about {found:.0f} Elo" if found else ""),
    ]


def sample(study: Study, plan: ScanPlan | TunePlan) -> tuple[float, list[str]]:
    """Return the mean seconds of a game between random points and the pool, and who failed."""
    chance = random.Random(study.seed)
    setting = Setting(
        study.game.label,
        {e.engine.id: e.engine.text for e in study.entrants},
        Rules(study.time.move_time_ms),
        "",
        tuple(plugin_files()),
    )
    openings = Openings(study.game, study.seed, study.openings)
    spent, games, begun = 0.0, 0, time.perf_counter()
    played: list[GameRecord] = []
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        slot = Slot(folder)
        while games < 64 and (games < 4 or time.perf_counter() - begun < SAMPLE_SECONDS):
            engine = plan.space.engine(plan.space.walk(lambda axis: axis.at(chance.random())))
            opponent = plan.pool[games % len(plan.pool)].engine.id
            table = (engine.id, *[opponent] * (study.game.players - 1))
            name = block_id(study.seed, study.game.label, "dry", games, table)
            block = Block(name, "dry", "", games, games, table)
            opening = openings.of(block, shared=True)
            clock = time.perf_counter()
            task = Task(games, block, opening, (0,), {engine.id: engine.text})
            played.append(play_seating(setting, task, 0, slot))
            spent, games = spent + time.perf_counter() - clock, games + 1
    return spent / games, failures_of(played, {e.engine.id: e.name for e in study.entrants})
