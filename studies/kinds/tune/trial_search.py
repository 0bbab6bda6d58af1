"""The search of a tune study: trials in rungs, asked for, told and given up in one order, for any number
of workers and after any interruption (see `ask_tell.py`); stored games are not played again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.record import GameRecord, TrialRecord
from joute.harness.schedule import Block, block_id, seatings
from joute.harness.worker import Task
from joute.results.meta import BY_BLOCK, Meta
from joute.results.store import Returns
from joute.studies.play.scores import returns_of
from joute.studies.search.ask_tell import Trials, hopeless
from joute.studies.search.optuna_mirror import Beside, OptunaMirror
from joute.studies.search.plan import FINAL, TunePlan, screen_share
from joute.studies.search.sampler import find_sampler
from joute.studies.search.trial import COMPLETE, ITSELF, POOL, PRUNED, Trial

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

STAGE = "search"
Results = tuple[float, float, float]


class Feed:
    """The tasks that are ready now; more may follow after the next results."""

    def __init__(self) -> None:
        self.tasks: deque[Task] = deque()
        self.closed = False

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        if self.closed or not self.tasks:
            raise StopIteration
        return self.tasks.popleft()

    def __len__(self) -> int:
        return len(self.tasks)


class Running:
    """A trial in flight: its engine, its blocks, and the incumbent it is compared with; of a duel also
    the `other` engine.
    """

    def __init__(
        self,
        trial: Trial,
        engine: Engine,
        blocks: list[Block],
        best: Trial | None,
        other: Engine | None = None,
    ) -> None:
        self.trial, self.engine, self.blocks, self.other = trial, engine, blocks, other
        self.best = list(best.values) if best else None
        self.scores: dict[str, float] = {}
        self.results: dict[str, Results] = {}
        self.due = 0  # blocks handed out


class TrialSearch:
    """The search of one tune study."""

    def __init__(self, run: StudyRun, plan: TunePlan, games: int | None) -> None:
        self.run, self.plan, self.left = run, plan, games
        study = run.study
        self.games_per_block = len(seatings(study.game.players, copies=True))
        self.pooled = len(plan.pool) * self.games_per_block  # a block against each opponent
        self.sizes = find_sampler(plan.sampler).sizes
        self.full = self.pooled if self.sizes else plan.trial_blocks * self.games_per_block
        if plan.against == ITSELF:
            self.full = self.games_per_block
        first = plan.space.point_of(plan.default.engine)
        if plan.against == POOL and all(plan.against_default):
            first = None  # its score is known
        self.trials = Trials(
            *(plan.space, plan.sampler, study.seed, plan.parallel),
            *(first, self.pooled, plan.against),
        )
        self.flying: dict[int, Running] = {}
        self.known = {entrant.engine.id for entrant in study.entrants}  # engines that have names
        self.feed = Feed()
        self.returns: dict[str, dict[int, Returns]] = {}
        self.owner: dict[str, tuple[int, Block]] = {}
        self.places: dict[str, int] = {}  # the next opening of each engine
        self.blocks = 0  # of all trials so far
        self.by_block = False  # as a run that was begun before blocks were told goes on
        self.mirror = mirror_of(run, plan, self.games_per_block)
        self.exhausted = False  # an engine came so often that there are no openings left for it
        self.ended: int | None = None  # trials after which a time budget ended the search
        budget = study.budget
        if budget is not None and budget.seconds is not None:
            ended, _, text = run.store.meta().get("search_ended", "").partition(" ")
            self.ended = int(ended) if ended and text == budget.text else None

    def play(self) -> list[Trial]:
        """Play the missing trials; return all finished ones."""
        run = self.run
        self.returns = run.stored_returns(STAGE)
        if not self.returns and not run.store.trials():
            run.store.set_meta({BY_BLOCK: "yes"})
        self.by_block = Meta(run.store.meta()).by_block
        have = sum(len(games) for games in self.returns.values())
        run.progress.begin(STAGE, max(self.left or have, have), have)
        self._advance()
        for records in run.stream(self.feed):
            for record in records:
                self._take(record)
            self._advance()
            self.feed.closed = run.stop_asked
        run.progress.end()
        if self.flying or (run.stop_asked and self._lacks_trials()):
            run.outcome.stopped = "interrupted"
            full = self.full * len(self.flying)
            run.outcome.missing = full if self.left is None else max(self.left, full)
        elif (
            have
        ):  # a smaller budget may have cut its last trials, and then the next took other blocks
            blocks = {name: (block.group, block.order) for name, (_, block) in self.owner.items()}
            run.store.count_only(STAGE, blocks)
            run.store.keep_trials(len(self.trials.finished))
        return self.trials.finished

    def _advance(self) -> None:
        """Judge, tell and ask until new games are needed."""
        moved = True
        while moved:
            moved = False
            for running in list(self.flying.values()):
                self._judge(running)
            while self._may_ask():
                self._ask()
                moved = True
            number = len(self.trials.finished)
            head = self.flying.get(number)
            if head is not None and head.trial.state:
                self._tell(head)
                moved = True

    def _may_ask(self) -> bool:
        return not self.run.stop_asked and self._lacks_trials()

    def _lacks_trials(self) -> bool:
        """Whether the search goes on with another trial, if nobody stops it."""
        trials, run = self.trials, self.run
        asked = len(trials.finished) + len(self.flying)
        if trials.due is not None or self.exhausted:
            return False
        if trials.most is not None and asked >= trials.most:
            return False
        if self.ended is not None:
            return asked < self.ended
        if self.left is None:
            return not run.late(1 - screen_share(self.plan.candidates) - FINAL)
        return self.left >= self.full + self._reserved()

    def _reserved(self) -> int:
        """Return the games of the trials in flight."""
        if not self.sizes:
            return self.full * len(self.flying)
        return sum(len(trial.blocks) for trial in self.flying.values()) * self.games_per_block

    def _size(self, trial: Trial) -> int:
        """Return a trial's number of blocks: what its sampler asks, as far as games are left."""
        if trial.blocks is None:
            return self.plan.trial_blocks
        pool, most = len(self.plan.pool) if trial.other is None else 1, trial.blocks
        if self.left is not None:
            most = min(most, (self.left - self._reserved()) // (pool * self.games_per_block))
        return max(most, 1) * pool

    def _place(self, engine: str, count: int) -> int:
        """Return the first opening of a trial: the first that its engine has not played.

        Trials of a few blocks each get distinct openings, or all would share the same few.
        """
        first = self.blocks if self.sizes else self.places.get(engine, 0)
        self.places[engine] = first + count
        return first

    def _ask(self) -> None:
        plan, study = self.plan, self.run.study
        best = self.trials.incumbent()
        trial = self.trials.ask()
        engine = plan.space.engine(trial.point)
        other = None if trial.other is None else plan.space.engine(trial.other)
        count = self._size(trial)
        first = self._place(engine.id, count)
        try:
            self.run.openings.require(STAGE, first + count)
        except Refused as error:
            self.exhausted = True
            self.run.progress.say(
                f"the search ends after {self.blocks * self.games_per_block:,} games: {error}"
            )
            return
        blocks = []
        for i in range(count):
            opponent = other or plan.pool[i % len(plan.pool)].engine
            table = (engine.id, *[opponent.id] * (study.game.players - 1))
            name = block_id(study.seed, study.game.label, STAGE, first + i, table)
            block = Block(name, STAGE, str(trial.number), first + i, self.blocks + i, table)
            blocks.append(block)
            self.owner[name] = trial.number, block
        self.blocks += count
        self._name(engine, f"#{trial.number}")
        if other is not None:
            self._name(other, f"#{trial.number}b")
        self.flying[trial.number] = Running(trial, engine, blocks, best, other)
        self._hand_out(self.flying[trial.number])

    def _name(self, engine: Engine, name: str) -> None:
        """Store an engine under its name, unless it has one."""
        if engine.id not in self.known:
            self.known.add(engine.id)
            self.run.new_engines.append(engine.record(name))

    def _hand_out(self, running: Running) -> None:
        """Hand out the next rung; stored games count at once."""
        plan = self.plan
        until = len(running.blocks) if self.sizes else running.due + plan.rung_blocks
        rung = running.blocks[running.due : until]
        running.due += len(rung)
        for block in rung:
            if len(set(block.table)) == 1:
                half = self.games_per_block / 2  # against itself an engine scores 1/2
                running.scores[block.id], running.results[block.id] = 1 / 2, (half, 0, half)
                continue
            returns = self.returns.get(block.id, {})
            missing = tuple(s for s in range(self.games_per_block) if s not in returns)
            if missing:
                opening = self.run.openings.of(block, shared=True)
                engines = {e.id: e.text for e in (running.engine, running.other) if e is not None}
                self.feed.tasks.append(Task(block.order, block, opening, missing, engines))
            else:
                self._score(running, block, returns)

    def _take(self, record: GameRecord) -> None:
        returns = self.returns.setdefault(record.block, {})
        returns[record.seating] = tuple(seat.returns for seat in record.seats)
        number, block = self.owner[record.block]
        running = self.flying.get(number)
        if running is not None and len(returns) == self.games_per_block:
            self._score(running, block, returns)

    def _score(self, running: Running, block: Block, games: Mapping[int, Returns]) -> None:
        values = returns_of(block, games, running.engine.id)
        running.scores[block.id] = sum(values) / len(values)
        running.results[block.id] = counted(values)

    def _judge(self, running: Running) -> None:
        """After each complete rung: give the trial up, continue, or end it."""
        trial = running.trial
        while not trial.state and all(
            b.id in running.scores for b in running.blocks[: running.due]
        ):
            trial.values = [running.scores[b.id] for b in running.blocks[: running.due]]
            if running.due == len(running.blocks):
                trial.state = COMPLETE
                each = [running.results[b.id] for b in running.blocks]
                trial.results = (
                    sum(r[0] for r in each),
                    sum(r[1] for r in each),
                    sum(r[2] for r in each),
                )
                trial.block_games = self.games_per_block if self.by_block else None
            elif hopeless(trial.values, running.best, self.plan.prune_risk):
                trial.state = PRUNED
            else:
                self._hand_out(running)

    def _tell(self, running: Running) -> None:
        trial = self.flying.pop(running.trial.number).trial
        self.trials.tell(trial)
        if self.mirror is not None:
            self.mirror.follow(trial)
        if self.left is not None:
            blocks = running.blocks[: len(trial.values)]
            played = sum(len(set(block.table)) > 1 for block in blocks)
            # At least 1: trials without games come to an end too.
            self.left -= max(1, played * self.games_per_block)
        self.run.trials.append(
            TrialRecord(
                *(trial.number, running.engine.id, trial.state, trial.point, tuple(trial.values)),
                *((trial.other, running.other.id) if running.other else ()),
            )
        )


def mirror_of(run: StudyRun, plan: TunePlan, games: int) -> OptunaMirror | Beside | None:
    """Return Optuna's copy of the trials; None if all are duels, which have no score of their own."""
    if plan.against == ITSELF:
        return None
    mirror = OptunaMirror(
        *(run.outcome.folder, plan.storage, run.study.name, plan.space, games), say=run.progress.say
    )
    return Beside(mirror) if plan.storage else mirror


def counted(returns: Sequence[float]) -> Results:
    """Return returns as games won, drawn and lost; any but 0, 1/2 and 1 as a share of a win."""
    draws = sum(value == 1 / 2 for value in returns)
    won = sum(value for value in returns if value != 1 / 2)
    return won, draws, len(returns) - draws - won
