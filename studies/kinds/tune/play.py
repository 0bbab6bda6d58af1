"""Playing a tune study: trials in rungs, then the best few and the default on fresh openings,
against the opponents of the search and the held-out ones.

Trials are asked for, given up and finished in the same order for any number of workers and after
any interruption (see `ask_tell.py`); stored games are not played again.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.record import EngineRecord, GameRecord, TrialRecord
from joute.harness.openings import CHECKED, NoMoreOpenings, Openings
from joute.harness.schedule import Block, block_id, seatings
from joute.harness.worker import Task
from joute.results.meta import BY_BLOCK, CONFIRMATION, Meta
from joute.results.store import Returns
from joute.studies.file.entrant import Entrant
from joute.studies.file.opponents import DEFAULT
from joute.studies.play.stage_run import play_stage
from joute.studies.search.ask_tell import Trials, hopeless
from joute.studies.search.estimate import default_outside
from joute.studies.search.optuna_mirror import Beside, OptunaMirror
from joute.studies.search.optuna_storage import storage_of
from joute.studies.search.plan import (
    FINAL,
    LongFinal,
    Shares,
    TunePlan,
    screen_share,
    split,
)
from joute.studies.search.recommend import best_of, candidates
from joute.studies.search.sampler import find_sampler
from joute.studies.search.trial import COMPLETE, ITSELF, POOL, PRUNED, Trial
from joute.studies.study import StagePlan, Study

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun

Results = tuple[float, float, float]
SEARCH_STAGE, SCREEN_STAGE, FINAL_STAGE = "search", "screen", "final"


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
        self.returns = run.stored_returns(SEARCH_STAGE)
        if not self.returns and not run.store.trials():
            run.store.set_meta({BY_BLOCK: "yes"})
        self.by_block = Meta(run.store.meta()).by_block
        have = sum(len(games) for games in self.returns.values())
        run.progress.begin(SEARCH_STAGE, max(self.left or have, have), have)
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
            run.store.count_only(SEARCH_STAGE, blocks)
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
            self.run.openings.of(Block("", SEARCH_STAGE, "", first + count - 1, 0, ()), shared=True)
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
            name = block_id(study.seed, study.game.label, SEARCH_STAGE, first + i, table)
            block = Block(name, SEARCH_STAGE, str(trial.number), first + i, self.blocks + i, table)
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
            self.run.new_engines.append(engine_record(engine, name))

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


def check(study: Study) -> None:
    """Refuse a study that needs more openings than exist."""
    plan, budget = study.own, study.budget
    assert isinstance(plan, TunePlan) and budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    check_rounds(study, SEARCH_STAGE, plan.trial_blocks)
    if plan.storage:
        storage_of(Path(), plan.storage)  # raises Refused if unreachable
    games = budget.in_games(games_per_block)
    if games is not None:
        shares = split(games, games_per_block, plan)
        if shares.screen_rounds:
            check_rounds(study, SCREEN_STAGE, shares.screen_rounds)
        check_rounds(study, FINAL_STAGE, shares.final_rounds)
        check_book(study, plan, shares.search // games_per_block)
    if plan.long is not None:
        try:
            check_rounds(study, CONFIRMATION, min(plan.long.blocks, CHECKED))
        except NoMoreOpenings as error:
            if plan.long.sprt is None:
                raise
            raise NoMoreOpenings(
                f"{error}; the test of the final may take {plan.long.blocks:,} blocks: say how many it "
                "gets (final.sprt.max_blocks)"
            ) from None


def check_book(study: Study, plan: TunePlan, blocks: int) -> None:
    """Refuse a search of more blocks than a book has openings: each block takes the next one."""
    book = len(study.openings.lines)
    if book and find_sampler(plan.sampler).sizes and blocks > book:
        raise NoMoreOpenings(
            f"only {book:,} openings are in {study.openings.records}, and the search takes {blocks:,}, one a "
            "block; give a larger book (openings.records), or a smaller budget"
        )


def check_rounds(study: Study, stage: str, rounds: int) -> None:
    """Refuse a study whose stage needs more distinct openings than the game has."""
    openings = Openings(study.game, study.seed, study.openings)
    openings.of(Block("", stage, "", rounds - 1, 0, ()), shared=True)


def returns_of(block: Block, games: Mapping[int, Returns], engine: str) -> list[float]:
    """Return an engine's returns in a block's games (by seating: returns of all seats)."""
    return [
        value
        for seating, returns in games.items()
        for name, value in zip(block.seats(seating), returns, strict=True)
        if name == engine
    ]


def mean_return(block: Block, games: Mapping[int, Returns], engine: str) -> float:
    """Return an engine's mean return in the games of a block."""
    values = returns_of(block, games, engine)
    return sum(values) / len(values)


def counted(returns: Sequence[float]) -> Results:
    """Return returns as games won, drawn and lost; any but 0, 1/2 and 1 as a share of a win."""
    draws = sum(value == 1 / 2 for value in returns)
    won = sum(value for value in returns if value != 1 / 2)
    return won, draws, len(returns) - draws - won


def engine_record(engine: Engine, name: str) -> EngineRecord:
    """Return an engine as the store keeps it."""
    return EngineRecord(engine.id, name, engine.text, dict(engine.settings), engine.digest)


def tune(run: StudyRun) -> None:
    """Play a tune study: search, screening, final."""
    study, plan = run.study, run.study.own
    assert isinstance(plan, TunePlan) and study.budget is not None
    games_per_block = len(seatings(study.game.players, copies=True))
    games = study.budget.in_games(games_per_block)
    shares = None if games is None else split(games, games_per_block, plan)
    search = TrialSearch(run, plan, shares.search if shares else None)
    if said := default_outside(plan):
        run.progress.say(said)
    search_and_confirm(run, plan, search, shares)
    if search.mirror is not None:
        search.mirror.catch_up()


def search_and_confirm(
    run: StudyRun, plan: TunePlan, search: TrialSearch, shares: Shares | None
) -> None:
    """Play a search and its confirmation; without shares the budget is a time."""
    games_per_block, budget = search.games_per_block, run.study.budget
    assert budget is not None
    trials = search.play()
    run.store_trials()
    if run.outcome.stopped or not trials:
        return
    if shares is None:
        run.store.set_meta({"search_ended": f"{len(trials)} {budget.text}"})
        shares = timed_shares(plan, games_per_block, trials)
    confirm(run, plan, trials, games_per_block, shares)


def timed_shares(plan: TunePlan, games_per_block: int, trials: Sequence[Trial]) -> Shares:
    """Return the rounds that fit into the rest of a time budget, at the pace so far."""
    played = sum(len(trial.values) for trial in trials) * games_per_block
    searched = 1 - screen_share(plan.candidates) - FINAL
    return split(round(played / searched), games_per_block, plan)


def confirm(
    run: StudyRun,
    plan: TunePlan,
    trials: Sequence[Trial],
    games_per_block: int,
    shares: Shares,
) -> None:
    """Screen the candidates; compare the best of them with the default, on fresh openings."""
    study = run.study
    default_point = plan.space.point_of(plan.default.engine) if all(plan.against_default) else None
    count = plan.candidates + len(plan.pool) + 1
    by_block = Meta(run.store.meta()).by_block
    run.progress.say("fitting the model to all games, to choose the point for the final ...")
    ranked = candidates(
        plan.space, trials, games_per_block, count, study.seed, default_point, by_block
    )
    taken = {entrant.engine.text for entrant in study.entrants}
    chosen = [(c, plan.space.engine(c.point)) for c in ranked]
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
    order = [0]
    if shares.screen_rounds:
        play_stage(run, stage, [*entrants, *plan.pool])
        if run.outcome.stopped:
            return
        screened = [
            Trial(i, c.point, run.store.scores(SCREEN_STAGE, e.engine.id))
            for i, ((c, _), e) in enumerate(zip(chosen, entrants, strict=True))
        ]
        order = best_of(
            plan.space, trials, games_per_block, screened, study.seed, default_point, by_block
        )
    best = entrants[order[0]]
    described = [
        {"name": e.name, "point": c.point, "expected": [c.score, c.low, c.high]}
        for (c, _), e in zip(chosen, entrants, strict=True)
    ]
    run.store.set_meta({"candidates": json.dumps(described), "finalist": best.name})
    default_text = plan.default.engine.text
    also_play = tuple(e.name for e in plan.pool if e.engine.text == default_text)
    stage = replace(
        stage,
        name=FINAL_STAGE,
        blocks=shares.final_rounds,
        against=(*against, *(e.name for e in plan.held_out)),
        also_play=also_play,
    )
    run.store.set_meta({"final_rounds": str(shares.final_rounds)})
    rest = [] if any(plan.against_default) else [plan.default]
    play_stage(run, stage, [best, *rest, *plan.pool, *plan.held_out])
    if plan.long is not None and not run.outcome.stopped:
        point = next(c.point for (c, _), e in zip(chosen, entrants, strict=True) if e is best)
        confirm_long(run, plan.long, best.name, plan.long.space.engine(point))


def confirm_long(run: StudyRun, long: LongFinal, name: str, engine: Engine) -> None:
    """Play the best point against the default at the final's own limit, on fresh openings."""
    known = {entrant.engine.id: entrant for entrant in run.study.entrants}
    entrants = [
        known.get(one.id, Entrant(f"{called} at {long.label}", one, dict(one.settings)))
        for called, one in ((name, engine), (DEFAULT, long.default))
    ]
    new = [entrant for entrant in entrants if entrant.engine.id not in known]
    run.store.add_engines([engine_record(e.engine, e.name) for e in new])
    run.add_engines(new)
    best, default = entrants
    noted = {"best": best.name, "default": default.name, "limit": long.label}
    noted["blocks"] = str(long.blocks)
    noted["sprt"] = json.dumps(long.sprt.test()) if long.sprt else ""
    run.store.set_meta({CONFIRMATION: json.dumps(noted)})
    stage = StagePlan(CONFIRMATION, "all", None, long.blocks, "round_robin")
    play_stage(run, stage, entrants, long.sprt)


def candidate_entrant(number: int, engine: Engine, taken: set[str]) -> Entrant:
    """Return a candidate as an entrant with a short unique name."""
    name = f"tuned-{number}"
    while name in taken:
        name += "'"
    return Entrant(name, engine, dict(engine.settings))
