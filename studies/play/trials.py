"""Playing a tune study: trials in rungs, then the best few and the default on fresh openings.

Trials are asked for, given up and finished at the same place of the same sequence for any number of
workers and after any kill (see `tuner`); games that are stored already are taken, not played again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engines.engine import Engine
from engines.errors import Refused
from engines.record import EngineRecord, GameRecord, TrialRecord
from harness.openings import Openings
from harness.schedule import Block, block_id, seatings
from harness.worker import Task
from results.store import Returns
from studies.file.entrant import Entrant
from studies.file.search import FINAL, SCREEN, Shares, TunePlan, split
from studies.play.stage_run import play_stage
from studies.study import StagePlan, Study
from studies.tuner.ask_tell import COMPLETE, PRUNED, Trial, Tuner, hopeless
from studies.tuner.optuna_mirror import OptunaMirror, reach
from studies.tuner.recommend import best_of, candidates

if TYPE_CHECKING:
    from studies.play.study_run import StudyRun

SEARCH_STAGE, SCREEN_STAGE, FINAL_STAGE = "search", "screen", "final"


class Feed:
    """Tasks that can be had now; more may come after the next results."""

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
    """A trial in flight: its engine, its blocks, the incumbent it is measured against."""

    def __init__(
        self, trial: Trial, engine: Engine, blocks: list[Block], best: Trial | None
    ) -> None:
        self.trial, self.engine, self.blocks = trial, engine, blocks
        self.best = list(best.values) if best else None
        self.scores: dict[str, float] = {}
        self.due = 0  # blocks handed out


class TrialSearch:
    """The search of one tune study."""

    def __init__(self, run: StudyRun, plan: TunePlan, games: int | None) -> None:
        self.run, self.plan, self.left = run, plan, games
        study = run.study
        self.games_per_block = len(seatings(study.game.players, copies=True))
        self.full = plan.trial_blocks * self.games_per_block
        first = None if any(plan.against_default) else plan.space.point_of(plan.default.engine)
        self.tuner = Tuner(plan.space, plan.sampler, study.seed, plan.parallel, first)
        self.flying: dict[int, Running] = {}
        self.feed = Feed()
        self.returns: dict[str, dict[int, Returns]] = {}
        self.owner: dict[str, tuple[int, Block]] = {}
        self.seen: dict[str, int] = {}  # trials of each engine so far
        self.mirror = OptunaMirror(
            run.outcome.folder, plan.storage, study.name, plan.space, self.games_per_block
        )
        self.exhausted = False  # an engine came so often that there are no openings left for it
        self.ended: int | None = None  # a time budget has ended the search after so many trials
        budget = study.budget
        if budget is not None and budget.seconds is not None:
            ended, _, text = run.store.meta().get("search_ended", "").partition(" ")
            self.ended = int(ended) if ended and text == budget.text else None

    def play(self) -> list[Trial]:
        """Play the trials that are missing; return all that finished."""
        run = self.run
        self.returns = run.stored_returns(SEARCH_STAGE)
        have = sum(len(found) for found in self.returns.values())
        run.progress.begin(SEARCH_STAGE, max(self.left or have, have), have)
        self._advance()
        for records in run.stream(self.feed):
            for record in records:
                self._take(record)
            self._advance()
            self.feed.closed = run.stop_asked
        run.progress.end()
        if self.flying:
            run.outcome.stopped = "interrupted"
            full = self.full * len(self.flying)
            run.outcome.missing = full if self.left is None else max(self.left, full)
        return self.tuner.finished

    def _advance(self) -> None:
        """Judge, tell and ask until nothing more can be done without new games."""
        moved = True
        while moved:
            moved = False
            for running in list(self.flying.values()):
                self._judge(running)
            while self._may_ask():
                self._ask()
                moved = True
            number = len(self.tuner.finished)
            head = self.flying.get(number)
            if head is not None and head.trial.state:
                self._tell(head)
                moved = True

    def _may_ask(self) -> bool:
        tuner, run = self.tuner, self.run
        asked = len(tuner.finished) + len(self.flying)
        if tuner.due is not None or run.stop_asked or self.exhausted:
            return False
        if tuner.most is not None and asked >= tuner.most:
            return False
        if self.ended is not None:
            return asked < self.ended
        if self.left is None:
            return not run.late(1 - SCREEN - FINAL)
        return self.left >= self.full * (len(self.flying) + 1)

    def _ask(self) -> None:
        plan, study = self.plan, self.run.study
        best = self.tuner.incumbent()
        trial = self.tuner.ask()
        engine = plan.space.engine(trial.point)
        first = self.seen.get(engine.id, 0) * plan.trial_blocks
        try:
            self.run.openings.of(
                Block("", SEARCH_STAGE, "", first + plan.trial_blocks - 1, 0, ()), shared=True
            )
        except Refused:
            self.exhausted = True
            return
        self.seen[engine.id] = self.seen.get(engine.id, 0) + 1
        blocks = []
        for i in range(plan.trial_blocks):
            opponent = plan.pool[i % len(plan.pool)].engine.id
            table = (engine.id, *[opponent] * (study.game.players - 1))
            name = block_id(study.seed, study.game.label, SEARCH_STAGE, first + i, table)
            order = trial.number * plan.trial_blocks + i
            block = Block(name, SEARCH_STAGE, str(trial.number), first + i, order, table)
            blocks.append(block)
            self.owner[name] = trial.number, block
        if not first and engine.id not in {entrant.engine.id for entrant in study.entrants}:
            self.run.new_engines.append(engine_record(engine, f"#{trial.number}"))
        self.flying[trial.number] = Running(trial, engine, blocks, best)
        self._hand_out(self.flying[trial.number])

    def _hand_out(self, running: Running) -> None:
        """Hand out the next rung; what is stored already counts at once."""
        plan = self.plan
        rung = running.blocks[running.due : running.due + plan.rung_blocks]
        running.due += len(rung)
        for block in rung:
            if len(set(block.table)) == 1:
                running.scores[block.id] = 1 / 2  # against itself an engine scores 1/2
                continue
            found = self.returns.get(block.id, {})
            missing = tuple(s for s in range(self.games_per_block) if s not in found)
            if missing:
                opening = self.run.openings.of(block, shared=True)
                engines = {running.engine.id: running.engine.text}
                self.feed.tasks.append(Task(block.order, block, opening, missing, engines))
            else:
                running.scores[block.id] = score_of(block, found, block.table[0])

    def _take(self, record: GameRecord) -> None:
        found = self.returns.setdefault(record.block, {})
        found[record.seating] = tuple(seat.returns for seat in record.seats)
        number, block = self.owner[record.block]
        running = self.flying.get(number)
        if running is not None and len(found) == self.games_per_block:
            running.scores[block.id] = score_of(block, found, running.engine.id)

    def _judge(self, running: Running) -> None:
        """After each complete rung: give the trial up, go on, or end it."""
        trial = running.trial
        while not trial.state and all(
            b.id in running.scores for b in running.blocks[: running.due]
        ):
            trial.values = [running.scores[b.id] for b in running.blocks[: running.due]]
            if running.due == len(running.blocks):
                trial.state = COMPLETE
            elif hopeless(trial.values, running.best, self.plan.prune_risk):
                trial.state = PRUNED
            else:
                self._hand_out(running)

    def _tell(self, running: Running) -> None:
        trial = self.flying.pop(running.trial.number).trial
        self.tuner.tell(trial)
        self.mirror.follow(trial)
        if self.left is not None:
            met = [self.plan.pool[i % len(self.plan.pool)] for i in range(len(trial.values))]
            played = sum(one.engine.id != running.engine.id for one in met)
            # At least 1: trials without games come to an end too.
            self.left -= max(1, played * self.games_per_block)
        self.run.trials.append(
            TrialRecord(
                trial.number, running.engine.id, trial.state, trial.point, tuple(trial.values)
            )
        )


def check(study: Study) -> None:
    """Refuse a study that asks for more openings than there are."""
    plan, budget = study.search, study.budget
    assert isinstance(plan, TunePlan) and budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    check_rounds(study, SEARCH_STAGE, plan.trial_blocks)
    if plan.storage:
        reach(plan.storage)
    games = budget.in_games(games_per_block)
    if games is not None:
        shares = split(games, games_per_block, plan.candidates, plan.against_default)
        check_rounds(study, SCREEN_STAGE, shares.screen_rounds)
        check_rounds(study, FINAL_STAGE, shares.final_rounds)


def check_rounds(study: Study, stage: str, rounds: int) -> None:
    """Refuse a study whose stage needs more distinct openings than the game has."""
    openings = Openings(study.game, study.seed, study.openings)
    openings.of(Block("", stage, "", rounds - 1, 0, ()), shared=True)


def score_of(block: Block, games: Mapping[int, Returns], engine: str) -> float:
    """Return the mean return of an engine over the games of a block (by seating: what each seat got)."""
    mine = [
        value
        for seating, returns in games.items()
        for who, value in zip(block.seats(seating), returns, strict=True)
        if who == engine
    ]
    return sum(mine) / len(mine)


def engine_record(engine: Engine, name: str) -> EngineRecord:
    """Return an engine as the store keeps it."""
    return EngineRecord(engine.id, name, engine.text, dict(engine.settings), engine.digest)


def tune(run: StudyRun) -> None:
    """Play a tune study: search, screening, final."""
    study, plan = run.study, run.study.search
    assert isinstance(plan, TunePlan)
    games_per_block = len(seatings(study.game.players, copies=True))
    budget = study.budget
    assert budget is not None
    games = budget.in_games(games_per_block)
    shares = None
    if games is not None:
        shares = split(games, games_per_block, plan.candidates, plan.against_default)
    trials = TrialSearch(run, plan, shares.search if shares else None).play()
    run.store_trials()
    if run.outcome.stopped or not trials:
        return
    if shares is None:
        run.store.set_meta({"search_ended": f"{len(trials)} {budget.text}"})
        shares = timed_shares(run, plan, games_per_block, trials)
    confirm(run, plan, trials, games_per_block, shares)


def timed_shares(
    run: StudyRun, plan: TunePlan, games_per_block: int, trials: Sequence[Trial]
) -> Shares:
    """Return the rounds that the rest of a time budget has room for, at the pace so far."""
    played = sum(len(trial.values) for trial in trials) * games_per_block
    return split(
        round(played / (1 - SCREEN - FINAL)), games_per_block, plan.candidates, plan.against_default
    )


def confirm(
    run: StudyRun,
    plan: TunePlan,
    trials: Sequence[Trial],
    games_per_block: int,
    shares: Shares,
) -> None:
    """Screen the candidates; set the best of them against the default, on fresh openings."""
    study = run.study
    default_point = plan.space.point_of(plan.default.engine) if all(plan.against_default) else None
    count = plan.candidates + len(plan.pool) + 1
    found = candidates(plan.space, trials, games_per_block, count, study.seed, default_point)
    taken = {entrant.engine.text for entrant in study.entrants}
    chosen = [(c, plan.space.engine(c.point)) for c in found]
    chosen = list({e.text: (c, e) for c, e in chosen if e.text not in taken}.values())[
        : plan.candidates
    ]
    if not chosen:
        run.store.set_meta({"candidates": "[]", "finalist": ""})
        return
    names = {entrant.name for entrant in study.entrants}
    entrants = [candidate_entrant(i, e, names) for i, (_, e) in enumerate(chosen, 1)]
    run.store.add_engines([engine_record(e.engine, e.name) for e in entrants])
    run.add_engines(entrants)
    against = tuple(entrant.name for entrant in plan.pool)
    stage = StagePlan(SCREEN_STAGE, "all", None, shares.screen_rounds, "gauntlet", against, True)
    play_stage(run, stage, [*entrants, *plan.pool])
    if run.outcome.stopped:
        return
    screened = [
        Trial(i, c.point, run.store.scores(SCREEN_STAGE, e.engine.id))
        for i, ((c, _), e) in enumerate(zip(chosen, entrants, strict=True))
    ]
    order = best_of(plan.space, trials, games_per_block, screened)
    best = entrants[order[0]]
    described = [
        {"name": e.name, "point": c.point, "expected": [c.score, c.low, c.high]}
        for (c, _), e in zip(chosen, entrants, strict=True)
    ]
    run.store.set_meta({"candidates": json.dumps(described), "finalist": best.name})
    default_text = plan.default.engine.text
    also_play = tuple(e.name for e in plan.pool if e.engine.text == default_text)
    stage = replace(stage, name=FINAL_STAGE, blocks=shares.final_rounds, also_play=also_play)
    run.store.set_meta({"final_rounds": str(shares.final_rounds)})
    rest = [] if any(plan.against_default) else [plan.default]
    play_stage(run, stage, [best, *rest, *plan.pool])


def candidate_entrant(number: int, engine: Engine, taken: set[str]) -> Entrant:
    """Return a candidate as an entrant, with a short name that nobody else has."""
    name = f"tuned-{number}"
    while name in taken:
        name += "'"
    return Entrant(name, engine, dict(engine.settings))
