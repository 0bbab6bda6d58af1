"""The dry run of a study: games, time expected, and the difference that they can resolve."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from tempfile import TemporaryDirectory
from typing import Any

from joute.engines.output import Output
from joute.engines.player import RESIGNED, brief
from joute.engines.record import GameRecord
from joute.engines.registry import load_plugin, make
from joute.harness.openings import Openings
from joute.harness.runner import Runner
from joute.harness.schedule import Block, Schedule, block_id, seatings, seatings_of
from joute.harness.worker import Task
from joute.results.statistics import resolvable_elo
from joute.results.store import Store
from joute.studies.play.run_folder import code_of, warm
from joute.studies.play.stages import groups_of, tables_of
from joute.studies.play.words import duration
from joute.studies.search.plan import FINAL, SCREEN, ScanPlan, TunePlan, split
from joute.studies.search.sampler import find_sampler
from joute.studies.study import Entrant, StagePlan, Study

SAMPLE_SECONDS = 4.0
POINTS = 64
"""Points of a space that are tried at most."""


def estimate_run(study: Study, workers: int, start: bool = True) -> Output:
    """Tell what the study will take; play a few games for that, unless nothing may be started."""
    kind = make("kind", study.kind)
    if start:
        for plugin in study.plugins:
            load_plugin(plugin)
        kind.check(study)
    own: Output | None = kind.estimate(study, workers, start)
    if own is not None:
        return own
    if not start:
        if study.search is not None:
            return estimate_search(study, study.search, workers, None)
        return estimate_stages(study, workers, None)
    for entrant in study.entrants:
        warm(entrant.engine)
    load = machine_load()
    if study.search is not None:
        code_of(study.search.space)
        seconds, failing = timed(study, points_tried(study, study.search), workers, least=4)
        found = estimate_search(study, study.search, workers, seconds)
    else:
        seconds, failing = timed(study, blocks_tried(study), workers)
        found = estimate_stages(study, workers, seconds)
    lines = [found.text, *([busy(load)] if load is not None else []), *failing]
    return Output({**found.data, "load": load, "failing": failing}, "\n".join(lines))


def machine_load() -> float | None:
    """Return how many cores of this machine were busy in the last minute; None where that is unknown."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def busy(load: float) -> str:
    """Say how busy the machine was before the games were tried."""
    cores = os.cpu_count() or 1
    more = ": it takes less when that is over" if load > cores / 2 else ""
    return f"measured with those workers, beside a load of {load:.1f} on {cores} cores{more}"


# --- the games that are tried -----------------------------------------------------------------


def timed(
    study: Study, tasks: Iterable[Task], workers: int, least: int = 1
) -> tuple[float, list[str]]:
    """Play the first seating of tasks on the workers for some seconds, `least` of them in any case.

    Returns the seconds that a worker spends on a game while all of them play, and who failed.
    """
    setting = study.setting()
    played: list[GameRecord] = []
    begun = time.perf_counter()
    first, early = begun, 0  # when the workers had started, and how many games that had brought
    with (
        TemporaryDirectory(prefix="joute-") as folder,
        Store.create(folder) as store,  # which takes its share of the time
        Runner(setting, workers) as runner,
    ):
        for records in runner.play(tasks):
            store.add_games(records)
            played += records
            now = time.perf_counter()
            if not early:
                first, early = now, len(played)
            if len(played) >= least and now - first > SAMPLE_SECONDS:
                runner.stop()
    last, later = time.perf_counter(), len(played) - early
    names = {e.engine.id: e.name for e in study.entrants}
    if later < workers:  # a few long games: their start does not matter
        first, later = begun, max(len(played), 1)
    played.sort(key=lambda game: (game.order, game.seating))
    return (last - first) * workers / later, failures_of(played, names)


def blocks_tried(study: Study) -> Iterator[Task]:
    """Yield blocks of the first stage round by round, in each spread across the pairings."""
    stage = study.stages[0]
    tables = tables_of(study, stage, study.entrants)
    openings = Openings(study.game, study.seed, study.openings, study.open_ended)
    every = Schedule(study.seed, study.game.label, stage.name, tables, stage.blocks)
    for _, blocks in groupby(every, key=lambda block: block.round):
        block_list = list(blocks)
        for i in sorted(range(len(block_list)), key=lambda i: (i * 0.6180339887) % 1.0):
            block = block_list[i]
            yield Task(block.order, block, openings.of(block, stage.shared), (0,))


def points_tried(study: Study, plan: ScanPlan | TunePlan) -> Iterator[Task]:
    """Yield blocks of points drawn at random against the pool."""
    chance = random.Random(study.seed)
    openings = Openings(study.game, study.seed, study.openings)
    for number in range(POINTS):
        engine = plan.space.engine(plan.space.walk(lambda axis: axis.at(chance.random())))
        opponent = plan.pool[number % len(plan.pool)].engine.id
        table = (engine.id, *[opponent] * (study.game.players - 1))
        name = block_id(study.seed, study.game.label, "dry", number, table)
        block = Block(name, "dry", "", number, number, table)
        yield Task(number, block, openings.of(block, shared=True), (0,), {engine.id: engine.text})


def failures_of(played: Iterable[GameRecord], names: Mapping[str, str]) -> list[str]:
    """Say of each engine that failed in the games tried how it did first; `names` by id."""
    found: dict[str, str] = {}
    seats = (seat for game in played for seat in game.seats)
    for seat in (seat for seat in seats if seat.failure not in ("", RESIGNED)):
        name = names.get(seat.engine, "the engine at a point of the space")
        said = brief(seat.failure_text)
        found.setdefault(name, f"{name} failed in the games tried here: {seat.failure}: {said}")
    return list(found.values())


# --- what a study will take -------------------------------------------------------------------


def estimate_stages(study: Study, workers: int, seconds: float | None) -> Output:
    """Tell what the stages of a tournament or a match will take, at `seconds` a game if known."""
    lines: list[str] = []
    stages = []
    for i, stage in enumerate(study.stages):
        entrants, note = likely(study, stage) if i else (study.entrants, "")
        data, said = estimate_stage(study, stage, entrants, note)
        stages.append(data)
        lines += said
    total = sum(stage["games"] for stage in stages)
    expected = None if seconds is None else total * seconds / workers
    if study.sprt:
        lines.append("an SPRT usually stops earlier: the games above are the most it can take")
    lines.append(in_all(total, seconds, expected, workers))
    data = {"stages": stages, "games": total, "seconds": expected, "workers": workers}
    return Output(data, "\n".join(lines))


def likely(study: Study, stage: StagePlan) -> tuple[tuple[Entrant, ...], str]:
    """Return as many entrants as a later stage will have if nobody ties, and a note if that is so."""
    if stage.entrants == "all":
        return study.entrants, ""
    rule, _, argument = stage.entrants.partition(":")
    if rule == "best":
        return study.entrants[: int(argument)], " if nobody ties"
    each = {e.parameters[argument]: e for e in study.entrants}
    return tuple(each.values()), " if nobody ties"


def estimate_stage(
    study: Study, stage: StagePlan, entrants: tuple[Entrant, ...], note: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the games of a stage and the Elo differences that they resolve, as data and as lines."""
    met = [table for _, table in tables_of(study, stage, entrants)(0)]
    tables, games_per_block = len(met), len(seatings_of(met[0])) if met else 0
    games = tables * stage.blocks * games_per_block
    members = max(len(m) for _, m in groups_of(stage, entrants))
    pair = resolvable_elo(stage.blocks)
    field = resolvable_elo(stage.blocks * max(members - 1, 1))
    noun = "pairings" if study.game.players == 2 else "tables"
    lines = [
        f"{stage.name}: {games} games{note} "
        f"({tables} {noun} x {stage.blocks} blocks x {games_per_block})"
    ]
    if pair is not None:
        lines.append(
            f"  resolves about {pair:.0f} Elo between two entrants by their own blocks"
            + (f", {field:.0f} Elo of one against its field" if field and members > 2 else "")
        )
    data = {
        "stage": stage.name,
        "games": games,
        "blocks_a_pairing": stage.blocks,
        "elo_resolved_pairing": pair,
        "elo_resolved_entrant": field,
    }
    return data, lines


def estimate_search(
    study: Study, plan: ScanPlan | TunePlan, workers: int, seconds: float | None
) -> Output:
    """Tell what a search will take, at `seconds` a game if known."""
    assert study.budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    games = study.budget.in_games(games_per_block)
    about = "about " if games is None else ""
    if games is None:
        assert study.budget.seconds is not None
        if seconds is None:
            spent = duration(study.budget.seconds)
            said = f"as many games as {spent} on {workers} workers allow: nothing was played here"
            return Output(
                {"games": None, "seconds": study.budget.seconds, "workers": workers}, said
            )
        games = int(study.budget.seconds * workers / seconds)
    expected = None if seconds is None else games * seconds / workers
    data: dict[str, Any] = {"games": games, "seconds": expected, "workers": workers}
    if isinstance(plan, ScanPlan):
        data["blocks"] = games // games_per_block
        lines = [
            f"scan: {data['blocks']} blocks of {games_per_block} games, each at a point of its own"
        ]
    else:
        lines = describe_tune(plan, games, games_per_block, data)
    lines.append(about + in_all(games, seconds, expected, workers))
    if isinstance(plan, TunePlan) and workers > plan.parallel:
        lines.append(
            f"only {plan.parallel} trials are in flight at once (tune.parallel_trials): "
            f"{workers} workers may wait for each other"
        )
    return Output(data, "\n".join(lines))


def describe_tune(
    plan: TunePlan, games: int, games_per_block: int, data: dict[str, Any]
) -> list[str]:
    """Return the lines on search, screening and final."""
    shares = split(games, games_per_block, plan)
    paired = shares.final_rounds * len(plan.pool)
    found = resolvable_elo(paired)
    data |= {"final_blocks": paired, "elo_resolved_final": found}
    if find_sampler(plan.sampler).sizes:
        lines = [f"search: {shares.search} games, a few at each point (sampler {plan.sampler})"]
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
        + (f"; alone it resolves a gain of about {found:.0f} Elo" if found else "")
    )
    return lines


def held_out(plan: TunePlan) -> str:
    """Say which opponents only the final meets."""
    names = " and ".join(one.name for one in plan.held_out)
    return f", {names} among them, whom the search never meets" if names else ""


def in_all(games: int, seconds: float | None, expected: float | None, workers: int) -> str:
    """Return the line that sums up games and time."""
    if seconds is None or expected is None:
        return f"{games} games in all; their time is not known: nothing was played here"
    return (
        f"{games} games in all, about {seconds * 1e3:.3g} ms each here: "
        f"{duration(expected)} on {workers} workers"
    )
