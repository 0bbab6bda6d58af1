"""Playing a scan: every block draws a point of the space and plays it against the pool in turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.kernels.compile import Floats
from joute.engines.kernels.random import seed_of
from joute.engines.record import TrialRecord
from joute.harness.openings import Openings
from joute.harness.runner import Numbered
from joute.harness.schedule import Block, block_id, seatings
from joute.harness.worker import Task
from joute.results.store import Returns
from joute.studies.play.scores import mean_return
from joute.studies.search.plan import ScanPlan
from joute.studies.search.trial import COMPLETE, UNPLAYED
from joute.studies.tuner.domain import Point

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun
    from joute.studies.study import Study

STAGE = "scan"
AHEAD = 4096  # points of a Sobol sequence computed at once
MOST = 1 << 30


class Draws:
    """The points of a scan: point k does not depend on what is played."""

    def __init__(self, plan: ScanPlan, seed: int) -> None:
        self.plan, self.seed = plan, seed
        self._games_per_block: Floats = np.zeros((0, len(plan.space.axes)))

    @cached_property
    def _sobol(self) -> object:
        from scipy.stats.qmc import Sobol

        rng = np.random.default_rng(seed_of("sobol", self.seed))
        return Sobol(len(self.plan.space.axes), scramble=True, rng=rng)

    def place(self, number: int) -> Floats:
        """Return the coordinates of a point, one number in [0, 1) per axis."""
        axes = len(self.plan.space.axes)
        if self.plan.draw == "uniform":
            place: Floats = np.random.default_rng([seed_of("scan", self.seed), number]).random(axes)
            return place
        while number >= len(self._games_per_block):
            more = self._sobol.random(AHEAD)  # type: ignore[attr-defined]
            self._games_per_block = np.vstack([self._games_per_block, more])
        row: Floats = self._games_per_block[number]
        return row

    def point(self, number: int) -> Point:
        """Return point number k."""
        units = dict(
            zip((axis.name for axis in self.plan.space.axes), self.place(number), strict=True)
        )
        return self.plan.space.walk(lambda axis: axis.at(float(units[axis.name])))


class Scan:
    """The blocks of one scan, stored or to be played."""

    def __init__(self, run: StudyRun, plan: ScanPlan) -> None:
        self.run, self.plan = run, plan
        self.study = run.study
        self.games_per_block = len(seatings(self.study.game.players, copies=True))
        self.draws = Draws(plan, self.study.seed)
        self.returns: dict[str, dict[int, Returns]] = {}  # by block, unfinished ones
        self.known: set[str] = {entrant.engine.id for entrant in self.study.entrants}
        self.waiting: dict[str, tuple[Block, Engine, Point]] = {}

    def play(self) -> None:
        """Play the missing blocks."""
        run, total = self.run, self.plan.blocks
        self.returns = run.stored_returns(STAGE)
        have = sum(len(games) for games in self.returns.values())
        wanted = (total or 0) * self.games_per_block or have
        run.progress.begin(STAGE, max(wanted, have), have)
        left = (total or MOST) - have // self.games_per_block
        for records in run.stream(Numbered(self._tasks(), left)):
            have += len(records)
            for record in records:
                returns = tuple(seat.returns for seat in record.seats)
                self.returns.setdefault(record.block, {})[record.seating] = returns
                self._finish(record.block)
        run.progress.end()
        if run.stop_asked:
            run.outcome.stopped = "interrupted"
            run.outcome.missing = max(0, wanted - have)

    def _tasks(self) -> Iterator[Task]:
        for number in range(self.plan.blocks or MOST):
            if self.run.stop_asked or self.run.late(1.0):
                return
            point = self.draws.point(number)
            engine = self.plan.space.engine(point)
            opponent = self.plan.pool[self._pick("opponent", number, len(self.plan.pool))].engine.id
            if engine.id == opponent:  # it scores 1/2 against itself, without a game
                self.run.trials.append(TrialRecord(number, engine.id, UNPLAYED, point, (0.5,)))
                continue
            block = self._block(number, engine.id, opponent)
            if engine.id not in self.known:
                self.known.add(engine.id)
                self.run.new_engines.append(engine.record(f"#{number}"))
            self.waiting[block.id] = (block, engine, point)
            returns = self.returns.get(block.id, {})
            missing = tuple(s for s in range(self.games_per_block) if s not in returns)
            if missing:
                which = self._pick("opening", number, self.plan.openings)
                opening = self.run.openings.of(block._replace(round=which), shared=True)
                yield Task(number, block, opening, missing, {engine.id: engine.text})
            else:
                self._finish(block.id)

    def _pick(self, what: str, number: int, count: int) -> int:
        """Pick by a hash: turns would correlate with the pattern of a Sobol sequence."""
        return seed_of("scan", what, self.study.seed, number) % count

    def _block(self, number: int, engine: str, opponent: str) -> Block:
        study = self.study
        table = (engine, *[opponent] * (study.game.players - 1))
        name = block_id(study.seed, study.game.label, STAGE, number, table)
        return Block(name, STAGE, "", number, number, table)

    def _finish(self, name: str) -> None:
        returns = self.returns[name]
        if len(returns) == self.games_per_block:
            block, engine, point = self.waiting.pop(name)
            score = mean_return(block, returns, engine.id)
            del self.returns[name]
            self.run.trials.append(TrialRecord(block.order, engine.id, COMPLETE, point, (score,)))


def check(study: Study) -> None:
    """Refuse a study that needs more openings than exist."""
    plan = study.own
    assert isinstance(plan, ScanPlan)
    try:
        Openings(study.game, study.seed, study.openings).foresee(STAGE, plan.openings)
    except Refused as error:
        raise Refused(f"scan.openings = {plan.openings}: {error}") from None


def scan(run: StudyRun) -> None:
    """Play a scan study."""
    plan = run.study.own
    assert isinstance(plan, ScanPlan)
    Scan(run, plan).play()
