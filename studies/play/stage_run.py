"""Playing the stages of a tournament or a match, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np

from joute.engines.kernels.random import seed_of
from joute.harness.openings import NoMoreOpenings, Openings
from joute.harness.runner import Numbered
from joute.harness.schedule import Schedule, seatings_of
from joute.harness.worker import Task
from joute.results.blocks import Stored
from joute.results.meta import USED_UP
from joute.studies.play.adaptive import play_adaptive
from joute.studies.play.stages import blocks_of, entrants_of, groups_of, mean_of
from joute.studies.play.stop_rule import StopRule
from joute.studies.play.study_run import StudyRun
from joute.studies.study import ADAPTIVE, Entrant, SprtPlan, StagePlan, Study


def play_stages(run: StudyRun) -> None:
    """Play the stages of a study one after the other, each with the best of the one before."""
    before: StagePlan | None = None
    for stage in run.study.stages:
        marks = marks_of(run, before) if before else {}
        entrants = entrants_of(stage, run.study.entrants, marks)
        if stage.type == ADAPTIVE:
            play_adaptive(run, stage, entrants)
        else:
            play_stage(run, stage, entrants, run.study.sprt)
        if run.outcome.stopped:
            break
        before = stage


def marks_of(run: StudyRun, stage: StagePlan) -> dict[str, Fraction | float]:
    """Return the mark of each engine (by id) in a stage that was played: its mean return, or, where
    opponents differ in strength, its rating.
    """
    if stage.type != ADAPTIVE:
        totals = run.store.totals(stage.name)
        return {engine: mean_of(got) for engine, got in totals.items()}
    from joute.results.ratings.ratings import ROUNDED  # which need pandas
    from joute.results.standings import groups_of
    from joute.results.tables import load

    ids = {entrant.name: entrant.engine.id for entrant in run.study.entrants}
    return {
        ids[name]: round(float(elo), ROUNDED)
        for group in groups_of(load(run.outcome.folder), stage.name)
        if group.ratings is not None
        for name, elo in zip(group.ratings.names, group.ratings.elo, strict=True)
    }


def play_stage(
    run: StudyRun, stage: StagePlan, entrants: list[Entrant], sprt: SprtPlan | None = None
) -> None:
    """Play the missing games of a stage, until its test (if any) has decided; mark the games that
    count.
    """
    blocks = blocks_of(run.study, stage, entrants)
    done, have = take_up(run, stage, blocks)
    rule = StopRule(sprt, blocks)
    if rule.watch is not None and have:
        for _, order, seating, returns in run.store.returns(stage.name):
            rule.add(order, seating, returns)
    if rule.watch is not None and not rule.decided:
        run.store.set_meta({USED_UP: ""})
    left = (t for t in tasks_of(run, blocks, done, stage.shared) if not rule.decided)
    tasks = Numbered(within_budget(run, left), len(blocks) - sum(done))
    test = {"test": True} if rule.watch is not None else {}
    run.progress.begin(stage.name, blocks.games, have, **test)
    run.progress.tell(rule.state)
    if have < blocks.games and not rule.decided:
        for records in run.stream(tasks):
            have += len(records)
            for record in records:
                rule.add(record.order, record.seating, tuple(s.returns for s in record.seats))
            run.progress.tell(rule.state)
            if rule.decided:
                run.runner.stop()
    run.progress.end()
    run.store.count_first(stage.name, rule.blocks)
    run.outcome.decided = rule.decided
    over = rule.decided or run.outcome.exhausted
    run.outcome.at_most = rule.watch is not None
    run.falls_short(0 if over else blocks.games - have)


def take_up(run: StudyRun, stage: StagePlan, blocks: Schedule) -> tuple[bytearray, int]:
    """Match stored games with the schedule of a stage; return which blocks are complete, by place,
    and the number of games.

    If the study has changed, blocks move to their new places, obsolete ones to none. Openings that
    were dealt are not drawn again.
    """
    store, noted = run.store, f"tables of {stage.name}"
    tables = f"{seed_of(*blocks.tables(0)):016x}" if len(blocks) else ""
    stored = store.blocks(stage.name)
    if store.meta().get(noted) != tables or (stored.places < 0).any():
        stored = in_order(run, blocks, stored)
        store.set_meta({noted: tables})
    listed = (stored.places >= 0) & (stored.places < len(blocks))
    places, keys, draws, games = (column[listed] for column in stored[1:])
    if not len(places):
        return bytearray(), 0
    rounds = places // blocks.width
    met, which = blocks.tables_at(places)
    for i, table in enumerate(met):
        at = which == i
        run.openings.take_over(stage.name, table, rounds[at], keys[at], draws[at], stage.shared)
    done = np.zeros(int(places.max()) + 1, np.uint8)
    done[places] = games == np.array([len(seatings_of(table)) for table in met])[which]
    return bytearray(done.tobytes()), int(games.sum())


def in_order(run: StudyRun, blocks: Schedule, stored: Stored) -> Stored:
    """Move the stored blocks to their places in the schedule; return them with these places."""
    rest = {name: i for i, name in enumerate(stored.names)}
    places = np.full(len(rest), -1)
    for block in blocks:
        if not rest:
            break
        if block.id in rest:
            places[rest.pop(block.id)] = block.order
    moved = np.flatnonzero(places != stored.places).tolist()
    run.store.set_orders({stored.names[i]: int(places[i]) for i in moved})
    return stored._replace(places=places)


def tasks_of(run: StudyRun, blocks: Schedule, done: bytearray, shared: bool) -> Iterator[Task]:
    """Yield the missing seatings of blocks; an open-ended stage ends early when there are no more
    openings.
    """
    played = run.store.played
    for block in blocks.blocks(done):
        mask = played.get(block.id, 0)
        missing = tuple(s for s in range(len(block.seatings)) if not mask >> s & 1)
        try:
            opening = run.openings.of(block, shared)
        except NoMoreOpenings as error:
            if not run.study.open_ended:
                raise
            run.progress.say(f"{error}: the match ends here")
            run.store.set_meta({USED_UP: str(error)})
            run.outcome.exhausted = True
            return
        yield Task(block.order, block, opening, missing)


def within_budget(run: StudyRun, tasks: Iterable[Task]) -> Iterator[Task]:
    """Yield tasks until the study's budget is spent or a stop is requested."""
    games = run.store.count()
    for task in tasks:
        if run.stop_asked or run.is_spent(games, len(task.block.seatings)):
            return
        games += len(task.seatings)
        yield task


def check_openings(study: Study) -> None:
    """Refuse a study whose tables need more distinct openings than exist."""
    if study.open_ended:
        return
    stage = study.stages[0]
    if (
        stage.type == ADAPTIVE
    ):  # one of each table, as many as it meets on average: more may be asked
        most = max(len(members) for _, members in groups_of(stage, study.entrants))
        stage = replace(stage, blocks=-(-stage.blocks // max(most - 1, 1)))
    openings = Openings(study.game, study.seed, study.openings)
    for block in islice(blocks_of(study, replace(stage, blocks=1), study.entrants), 1):
        openings.foresee(block.stage, stage.blocks, block.table)
