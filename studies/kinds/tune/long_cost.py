"""The dry run of a final at another limit: its games, and their time by some that are played."""

from __future__ import annotations

import random
from collections.abc import Iterator

from joute.engines.output import Output
from joute.harness.openings import Openings
from joute.harness.schedule import Block, block_id
from joute.harness.worker import Task
from joute.results.quantity import duration
from joute.results.statistics import resolvable_elo
from joute.studies.play.estimate import timed
from joute.studies.search.plan import CONFIRMATION, LongFinal
from joute.studies.study import Study

TRIED = 64  # points of the space, at most


def cost_of(study: Study, long: LongFinal, workers: int, play: bool) -> Output:
    """Return the cost of the final; games are played for it if `play`."""
    games = 2 * long.blocks
    elo = resolvable_elo(long.blocks)
    blocks = f"{long.blocks:,} blocks ({games:,} games)"
    if long.sprt is not None:
        blocks = f"at most {blocks}, until SPRT({long.sprt.elo0:g}, {long.sprt.elo1:g}) decides"
    line = f"confirmation: the best point against the default at {long.label}, {blocks}"
    if long.sprt is None and elo:
        line += f"; can show a gain of {elo:.0f} Elo or more"
    data: dict[str, object] = {"confirmation_games": games, "further_seconds": None}
    if not play:
        return Output(data, line)
    each, failing = timed(study, tasks_of(study, long), workers)
    seconds = games * each / workers
    data["further_seconds"] = seconds
    most = "at most " if long.sprt is not None else "about "
    line += f"; {most}{duration(seconds)} more on {workers} workers"
    return Output(data, "\n".join([line, *failing]))


def tasks_of(study: Study, long: LongFinal) -> Iterator[Task]:
    """Yield blocks of points drawn at random against the default, at the final's limit."""
    chance = random.Random(study.seed)
    openings = Openings(study.game, study.seed, study.openings)
    for number in range(TRIED):
        engine = long.space.engine(long.space.walk(lambda axis: axis.at(chance.random())))
        table = (engine.id, long.default.id)
        name = block_id(study.seed, study.game.label, f"dry {CONFIRMATION}", number, table)
        block = Block(name, CONFIRMATION, "", number, number, table)
        texts = {engine.id: engine.text, long.default.id: long.default.text}
        yield Task(number, block, openings.of(block, shared=True), (0,), texts)
