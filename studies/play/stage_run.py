"""Playing the stages of a tournament or a match, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engines.record import GameRecord
from harness.openings import NoMoreOpenings, Openings
from harness.schedule import Block
from harness.worker import Task
from studies.play.stages import blocks_of, entrants_of
from studies.play.stop_rule import StopRule
from studies.play.study_run import StudyRun
from studies.study import Entrant, StagePlan, Study


def play_stages(run: StudyRun) -> None:
    """Play the stages of a study one after the other, each among the best of the one before."""
    before: list[GameRecord] = []
    stored = run.stored_games()
    for stage in run.study.stages:
        entrants = entrants_of(stage, run.study.entrants, before)
        before = play_stage(run, stage, entrants, stored.get(stage.name, []))
        if run.outcome.stopped:
            break


def play_stage(
    run: StudyRun, stage: StagePlan, entrants: list[Entrant], old: list[GameRecord]
) -> list[GameRecord]:
    """Play what is missing of a stage; return its games that count."""
    blocks = list(blocks_of(run.study, stage, entrants))
    put_in_order(run, blocks, old)
    games: dict[str, GameRecord] = {g.id: g for g in old}
    known = set(games)
    rule = StopRule(run.study, blocks, games.values())
    tasks = (t for t in tasks_of(run, blocks, known, stage.shared) if not rule.decided)
    wanted = {b.game_id(s) for b in blocks for s in range(len(b.seatings))}
    total, have = len(wanted), len(wanted & known)
    run.progress.begin(stage.name, total, have)
    if have < total and not rule.decided:
        for records in run.stream(within_budget(run, tasks)):
            for record in records:
                games[record.id] = record
                rule.add(record)
            if rule.decided:
                run.runner.stop()
    run.progress.end()
    mark_surplus(run, blocks, rule, games.values())
    run.outcome.decided = rule.decided
    over = rule.decided or run.outcome.exhausted
    run.outcome.missing = 0 if over else len(wanted - set(games))
    if run.outcome.missing and not run.outcome.stopped:
        run.outcome.stopped = "interrupted" if run.stop_asked else "budget"
    counted = {b.id for b in rule.counted(blocks)}
    return [g for g in games.values() if g.block in counted]


def tasks_of(run: StudyRun, blocks: list[Block], known: set[str], shared: bool) -> Iterator[Task]:
    """Yield the seatings of blocks that were not played yet; an open-ended stage may have fewer
    blocks than it has room for, as many as there are openings.
    """
    for block in blocks:
        seatings = range(len(block.seatings))
        missing = tuple(s for s in seatings if block.game_id(s) not in known)
        if not missing:
            continue
        try:
            opening = run.openings.of(block, shared)
        except NoMoreOpenings as error:
            if not run.study.open_ended:
                raise
            run.progress.say(f"{error}: the match ends with them")
            run.outcome.exhausted = True
            return
        yield Task(block.order, block, opening, missing)


def within_budget(run: StudyRun, tasks: Iterable[Task]) -> Iterator[Task]:
    """Yield tasks until the study's budget is spent, or somebody asks to stop."""
    budget = run.study.budget if run.study.search is None else None
    games = len(run.store.known_games())
    for task in tasks:
        if run.stop_asked:
            return
        if budget is not None:
            over = budget.seconds is not None and run.seconds() > budget.seconds
            over = over or (budget.games is not None and games >= budget.games)
            over = over or (
                budget.blocks is not None and games >= budget.blocks * len(task.block.seatings)
            )
            if over:
                return
        games += len(task.seatings)
        yield task


def put_in_order(run: StudyRun, blocks: list[Block], old: list[GameRecord]) -> None:
    """Give stored blocks their place in the schedule, which moves when a study grows."""
    place = {b.id: b.order for b in blocks}
    moved = {g.block: place[g.block] for g in old if place.get(g.block, g.order) != g.order}
    if moved:
        run.store.set_orders(moved)


def mark_surplus(
    run: StudyRun, blocks: list[Block], rule: StopRule, games: Iterable[GameRecord]
) -> None:
    """Leave out what was played beyond a decision, or by entrants no longer in the stage."""
    counted = {b.id for b in rule.counted(blocks)}
    played = {g.block for g in games}
    run.store.set_surplus(played & counted, False)
    run.store.set_surplus(played - counted, True)


def check_openings(study: Study) -> None:
    """Refuse a study whose tables cannot get as many distinct openings as it asks for."""
    if study.open_ended:
        return
    stage = study.stages[0]
    openings = Openings(study.game, study.seed, study.openings)
    table = None
    for block in blocks_of(study, stage, study.entrants):
        table = table or block.table
        if block.table == table:
            openings.of(block)
