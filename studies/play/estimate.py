"""The dry run of a study: games, time expected, and the difference that they can resolve."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping

from engines.record import GameRecord
from engines.registry import load_plugin, plugin_files
from engines.shown import Shown
from harness.inflight import Slot
from harness.match import Rules
from harness.openings import Openings
from harness.schedule import schedule, seatings_of
from harness.worker import Setting, Task, play_seating
from results.statistics import resolvable_elo
from studies.play.stages import groups_of, tables_of
from studies.play.study_run import check_openings, warm
from studies.play.words import duration
from studies.study import Study

SAMPLE_SECONDS = 4.0


def estimate_run(study: Study, workers: int) -> Shown:
    """Play a few blocks of the first stage, store nothing, and tell what the study will take."""
    for plugin in study.plugins:
        load_plugin(plugin)
    check_openings(study)
    if study.search is not None:
        from studies.play.estimate_search import estimate_search

        return estimate_search(study, workers)
    seconds, failing = sample(study)
    lines, stages, total = [], [], 0
    for i, stage in enumerate(study.stages):
        entrants = study.entrants
        note = ""
        if i and stage.entrants != "all":
            rule, _, argument = stage.entrants.partition(":")
            if rule == "best":
                entrants = entrants[: int(argument)]
            else:
                entrants = tuple({e.parameters[argument]: e for e in entrants}.values())
            note = " if nobody ties"
        met = [table for _, table in tables_of(study, stage, entrants)(0)]
        tables, rows = len(met), len(seatings_of(met[0])) if met else 0
        games = tables * stage.blocks * rows
        total += games
        members = max(len(m) for _, m in groups_of(stage, entrants))
        blocks = stage.blocks * max(members - 1, 1)
        found = resolvable_elo(blocks)
        pair = resolvable_elo(stage.blocks)
        stages.append(
            {
                "stage": stage.name,
                "games": games,
                "blocks_a_pairing": stage.blocks,
                "elo_resolved_pairing": pair,
                "elo_resolved_entrant": found,
            }
        )
        lines.append(
            f"{stage.name}: {games} games{note} ({tables} {'pairings' if study.game.players == 2 else 'tables'} x {stage.blocks} blocks x {rows})"
        )
        if pair is not None:
            lines.append(
                f"  resolves about {pair:.0f} Elo between two entrants by their own blocks"
                + (f", {found:.0f} Elo of one against its field" if found and members > 2 else "")
            )
    expected = total * seconds / workers
    if study.sprt:
        lines.append("an SPRT usually stops earlier: the games above are the most it can take")
    lines.append(
        f"{total} games in all, about {seconds * 1e3:.3g} ms each here: "
        f"{duration(expected)} on {workers} workers"
    )
    lines += failing
    data = {"stages": stages, "games": total, "seconds": expected, "workers": workers}
    return Shown(data | {"failing": failing}, "\n".join(lines))


def failures_of(played: Iterable[GameRecord], names: Mapping[str, str]) -> list[str]:
    """Say of each engine that failed in the games tried how it did first; `names` by id."""
    found: dict[str, str] = {}
    for seat in (seat for game in played for seat in game.seats if seat.failure):
        name = names.get(seat.engine, "the engine at a point of the space")
        first = next((line for line in seat.failure_text.splitlines() if line.strip()), "")
        found.setdefault(name, f"{name} failed in the games tried here: {seat.failure}: {first}")
    return list(found.values())


def sample(study: Study) -> tuple[float, list[str]]:
    """Return the mean seconds of a game over blocks spread across the first stage's pairings, and
    who failed in them.
    """
    stage = study.stages[0]
    tables = tables_of(study, stage, study.entrants)
    setting = Setting(
        study.game.label,
        {e.engine.id: e.engine.text for e in study.entrants},
        Rules(study.time.move_time_ms),
        "",
        tuple(plugin_files()),
    )
    for entrant in study.entrants:
        warm(entrant.engine)
    openings = Openings(study.game, study.seed, study.openings)
    blocks = list(schedule(study.seed, study.game.label, stage.name, tables, 1))
    order = sorted(range(len(blocks)), key=lambda i: (i * 0.6180339887) % 1.0)
    spent, begun = 0.0, time.perf_counter()
    played: list[GameRecord] = []
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        slot = Slot(folder)
        for i in order:
            task = Task(i, blocks[i], openings.of(blocks[i]), (0,))
            clock = time.perf_counter()
            played.append(play_seating(setting, task, 0, slot))
            spent += time.perf_counter() - clock
            if time.perf_counter() - begun > SAMPLE_SECONDS:
                break
    names = {e.engine.id: e.name for e in study.entrants}
    return spent / max(len(played), 1), failures_of(played, names)
