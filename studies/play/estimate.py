"""The dry run of a study: games, expected time, and the Elo difference that they resolve."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from tempfile import TemporaryDirectory
from typing import Any

from joute.engines.forced import PLIES
from joute.engines.output import Output
from joute.engines.player import RESIGNED, brief
from joute.engines.programs.cpu_time import Usage
from joute.engines.record import GameRecord
from joute.engines.registry import load_plugin, make
from joute.harness.adaptive import FLOOR, blocks_in_all
from joute.harness.openings import Openings, share_forced
from joute.harness.runner import Runner
from joute.harness.schedule import Schedule, seatings, seatings_of
from joute.harness.worker import Task
from joute.results.quantity import duration, milliseconds, percent
from joute.results.statistics import resolvable_elo
from joute.results.store import Store
from joute.studies.play.cores import games_on
from joute.studies.play.run_folder import warm
from joute.studies.play.stages import groups_of, tables_of
from joute.studies.study import ADAPTIVE, Entrant, StagePlan, Study

SAMPLE_SECONDS = 4.0
FAILED = "do not trust the time above: a game in which an engine fails ends early"
BESIDES = "starting, compiling and the report (10 s to a minute)"
SLOWED = 1.5  # times as long that a busy machine takes, from which it is said


def estimate_run(study: Study, workers: int, start: bool = True) -> Output:
    """Estimate the cost of a study from a few games; nothing is played unless `start`."""
    workers = games_on(study, workers)
    kind = make("kind", study.kind)
    if start:
        for plugin in study.plugins:
            load_plugin(plugin)
        kind.check(study)
    own: Output | None = kind.estimate(study, workers, start)
    if own is not None:
        return own
    if not start:
        cost: Output = kind.cost(study, workers, None)
        return together(cost, kind.further(study, workers, play=False))
    for entrant in study.entrants:
        warm(entrant.engine)
    kind.code(study)
    load = machine_load()
    seconds, failing = timed(study, kind.tried(study), workers, kind.least_tried)
    cost_of_run = together(
        kind.cost(study, workers, seconds), kind.further(study, workers, play=True)
    )
    lines = [
        cost_of_run.text,
        *left_out(study),
        *([busy(load, workers)] if load is not None else []),
    ]
    if workers > (cores := os.cpu_count() or 1):
        lines.append(f"{workers} workers share {cores} cores: they play no faster than {cores}")
    lines += [FAILED, *failing] if failing else []
    return Output({**cost_of_run.data, "load": load, "failing": failing}, "\n".join(lines))


def left_out(study: Study) -> list[str]:
    """Say how many random openings are left out because their end is forced."""
    rules = study.openings
    if not rules.drop_forced or rules.lines:
        return []
    share = share_forced(study.game, rules.plies)
    if not share:
        return []
    return [
        f"{percent(share)} of random openings are decided within {PLIES} plies and left out "
        "(openings.forced_ends)"
    ]


def together(cost: Output, further: Output | None) -> Output:
    """Return the cost of a run with that of stages of another kind."""
    if further is None:
        return cost
    data = {**cost.data, **further.data}
    known = cost.data.get("seconds"), further.data.get("further_seconds")
    if known[0] is not None and known[1] is not None:
        data["seconds"] = known[0] + known[1]
    return Output(data, f"{cost.text}\n{further.text}")


def machine_load() -> float | None:
    """Return the number of cores that were busy in the last minute; None if unknown."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def busy(load: float, workers: int) -> str:
    """Say how busy the machine was before the games were tried, and what that does to the time."""
    cores = os.cpu_count() or 1
    more = "; an idle machine needs less" if load > cores / 2 else ""
    if Usage().told:
        more, times = "; time spent waiting for a processor is left out", (load + workers) / cores
        if times >= SLOWED:
            more += f": while it stays so busy, count on {times:.0f} times as long"
    return f"measured with these workers while the machine's load was {load:.1f} on {cores} cores{more}"


# --- the games that are tried -----------------------------------------------------------------


def timed(
    study: Study, tasks: Iterable[Task], workers: int, least: int = 1
) -> tuple[float, list[str]]:
    """Play the first seating of tasks on the workers for some seconds, at least `least` tasks.

    Returns a worker's seconds a game while all of them play, on a machine that does nothing else as
    far as the system tells that, and lines on failing engines.
    """
    setting = study.setting()
    played: list[GameRecord] = []
    usage, begun = Usage(), time.perf_counter()
    start = (begun, usage.cpu, usage.waited)
    first, early = start, 0  # when the workers had started, and the games played by then
    with (
        TemporaryDirectory(prefix="joute-") as folder,
        Store.create(folder) as store,  # which takes its share of the time
        Runner(setting, workers) as runner,
    ):
        for records in runner.play(tasks):
            store.add_games(records)
            played += records
            last = (time.perf_counter(), *usage.look())
            if not early:
                first, early = last, len(played)
            if len(played) >= least and last[0] - first[0] > SAMPLE_SECONDS:
                runner.stop()
        last = (time.perf_counter(), *usage.look())
    later = len(played) - early
    names = {e.engine.id: e.name for e in study.entrants}
    if later < workers:  # a few long games: their start does not matter
        first, later = start, max(len(played), 1)
    played.sort(key=lambda game: (game.order, game.seating))
    wall, cpu, waited = (end - begin for begin, end in zip(first, last, strict=True))
    return alone(wall, cpu, waited, workers) / later, failures_of(played, names)


def alone(wall: float, cpu: float, waited: float, workers: int) -> float:
    """Return the seconds that the workers would have taken in sum on a machine that does nothing else,
    from those that passed, the CPU time of all and their waits for a processor.

    The processors have to do the work, and no worker is quicker than without its waits.
    """
    cores = os.cpu_count() or 1
    return min(wall * workers, max(wall * workers - waited, cpu * workers / min(workers, cores)))


def blocks_tried(study: Study) -> Iterator[Task]:
    """Yield blocks of the first stage round by round, spread across the pairings."""
    stage = study.stages[0]
    tables = tables_of(study, stage, study.entrants)
    openings = Openings(study.game, study.seed, study.openings, study.open_ended)
    every = Schedule(study.seed, study.game.label, stage.name, tables, stage.blocks)
    for _, blocks in groupby(every, key=lambda block: block.round):
        block_list = list(blocks)
        for i in sorted(range(len(block_list)), key=lambda i: (i * 0.6180339887) % 1.0):
            block = block_list[i]
            yield Task(block.order, block, openings.of(block, stage.shared), (0,))


def failures_of(played: Iterable[GameRecord], names: Mapping[str, str]) -> list[str]:
    """Describe the first failure of each engine in the games tried; `names` by id."""
    lines: dict[str, str] = {}
    seats = (seat for game in played for seat in game.seats)
    for seat in (seat for seat in seats if seat.failure not in ("", RESIGNED)):
        name = names.get(seat.engine, "the engine at a point of the space")
        text = brief(seat.failure_text)
        lines.setdefault(
            name, f"{name} failed in the games played for this estimate: {seat.failure}: {text}"
        )
    return list(lines.values())


# --- what a study will take -------------------------------------------------------------------


def estimate_stages(study: Study, workers: int, seconds: float | None) -> Output:
    """Estimate the cost of the stages of a tournament or a match, at `seconds` a game if known."""
    lines: list[str] = []
    stages = []
    for i, stage in enumerate(study.stages):
        entrants, note = likely(study, stage) if i else (study.entrants, "")
        data, more = estimate_stage(study, stage, entrants, note)
        stages.append(data)
        lines += more
    total = sum(stage["games"] for stage in stages)
    expected = None if seconds is None else total * seconds / workers
    if study.sprt:
        lines.append("an SPRT usually stops earlier: these are the most games it can take")
    lines.append(in_all(total, seconds, expected, workers))
    data = {"stages": stages, "games": total, "seconds": expected, "workers": workers}
    return Output(data, "\n".join(lines))


def likely(study: Study, stage: StagePlan) -> tuple[tuple[Entrant, ...], str]:
    """Return as many entrants as a later stage has without ties, and a note on that if needed."""
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
    if stage.type == ADAPTIVE:
        return estimate_adaptive(study, stage, entrants, note)
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
            f"  resolves about {pair:.0f} Elo between two entrants from their own blocks"
            + (
                f", {field:.0f} Elo of one entrant against the field"
                if field and members > 2
                else ""
            )
        )
    data = {
        "stage": stage.name,
        "games": games,
        "blocks_a_pairing": stage.blocks,
        "elo_resolved_pairing": pair,
        "elo_resolved_entrant": field,
    }
    return data, lines


def estimate_adaptive(
    study: Study, stage: StagePlan, entrants: tuple[Entrant, ...], note: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the games of a stage with adaptive pairings, and what they resolve, as data and as lines."""
    players = study.game.players
    blocks = sum(
        blocks_in_all(len(members), players, stage.blocks)
        for _, members in groups_of(stage, entrants)
    )
    games_per_block = len(seatings(players))
    field = resolvable_elo(max(1, round(FLOOR * stage.blocks)))
    lines = [
        f"{stage.name}: {blocks * games_per_block} games{note} "
        f"({len(entrants)} entrants x {stage.blocks} blocks on average, {players} in each, "
        f"x {games_per_block} games)"
    ]
    if field is not None:
        lines.append(
            f"  resolves about {field:.0f} Elo of any entrant against the field, and less where it is "
            "open who is first"
        )
    data = {
        "stage": stage.name,
        "games": blocks * games_per_block,
        "blocks_an_entrant": stage.blocks,
        "elo_resolved_entrant": field,
    }
    return data, lines


def counted_workers(workers: int) -> str:
    """Return a number of workers in words."""
    return f"{workers} worker{'' if workers == 1 else 's'}"


def in_all(games: int, seconds: float | None, expected: float | None, workers: int) -> str:
    """Return the line that sums up games and time."""
    if seconds is None or expected is None:
        return f"{games:,} games in all; their time is unknown: nothing was played here"
    return (
        f"{games:,} games in all, about {milliseconds(seconds * 1e3)} each here: {duration(expected)} of "
        f"play "
        f"on {counted_workers(workers)}; {BESIDES} come on top"
    )
