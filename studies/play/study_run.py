"""Running a study: compile, play what is missing, store it, stop when the study says so.

`run.db` is the truth. The same command again plays exactly the games that are not in it.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from joute.engines.errors import Refused
from joute.engines.player import RESIGNED
from joute.engines.programs.option import Introduction
from joute.engines.record import EngineRecord, GameRecord, TrialRecord
from joute.engines.registry import find, load_plugin, make
from joute.harness.executor import Executor
from joute.harness.openings import CHECKED, Openings
from joute.harness.runner import Runner
from joute.harness.worker import Setting, Task
from joute.results.store import Returns, Store
from joute.studies.play.cores import games_at_once, threads_of
from joute.studies.play.early_failures import EarlyFailures
from joute.studies.play.ended import Ended
from joute.studies.play.eta import Eta
from joute.studies.play.progress import Outcome, Progress
from joute.studies.play.progress_log import ProgressLog
from joute.studies.play.run_folder import as_begun, left_now, opened
from joute.studies.study import ADAPTIVE, Entrant, Study

STOPPING = (signal.SIGINT, signal.SIGTERM)


def run_study(
    study: Study,
    folder: Path,
    workers: int,
    fresh: bool = False,
    progress: Progress | None = None,
    executor: Executor | None = None,
    has_changed: Callable[[], bool] | None = None,
) -> Outcome:
    """Play a study, or what is missing of it, in a run folder on an executor (default: processes of
    this machine); stop after the games in hand if it `has_changed`; raise Refused or StoreError.
    """
    progress, programs = progress or Progress(), dict[str, Introduction]()
    study = study if fresh else as_begun(study, folder)
    for plugin in study.plugins:
        load_plugin(plugin)
    kind = make("kind", study.kind)
    kind.check(study)
    if executor is not None:
        if executor.elsewhere and (bound := kind.only_here(study)):
            raise Refused(
                f"{bound} needs all workers on this machine: leave out the cluster (--cluster)"
            )
        executor.admit(study.setting())
    if executor is None or not executor.elsewhere:
        programs = kind.check_here(study)
    if executor is not None and executor.elsewhere and (threads := threads_of(study)) > 1:
        raise Refused(
            f"threads = {threads} is played on this machine alone: leave out the cluster (--cluster)"
        )
    if study.game.refereed and executor is not None and executor.elsewhere:
        raise Refused(
            f"{study.game.name} is played on this machine alone: leave out the cluster (--cluster)"
        )
    with opened(study, folder, fresh) as store:
        if names := {entrant: own.name for entrant, own in programs.items() if own.name}:
            store.set_meta({"programs": json.dumps(names)})
        ended = Ended(study, store, partial(kind.kept_beside, study, folder))
        if ended:
            return Outcome(folder, failures=failures_in(store))
        if left := left_now(study, store):
            progress.say(f"{', '.join(left)} left: their games are kept, but no longer count")
        for faults in unfair_programs(programs):
            progress.say(faults)
        workers = games_at_once(study, workers, progress.say)
        run = StudyRun(study, folder, store, workers, progress, executor, fresh, has_changed)
        outcome = run.run()
        ended.note(outcome)
        return outcome


class StudyRun:
    """A study being played: its store, its workers and its options.

    A run `within` another shares that one's workers and leaves them running; with `fresh` nothing
    is resumed. It stops after the games in hand once its study `has_changed`, asked after each batch.
    """

    def __init__(
        self,
        study: Study,
        folder: Path,
        store: Store,
        workers: int,
        progress: Progress,
        executor: Executor | None = None,
        fresh: bool = False,
        has_changed: Callable[[], bool] | None = None,
        within: StudyRun | None = None,
    ) -> None:
        self.study, self.store, self.progress, self.fresh = study, store, progress, fresh
        self.workers = workers = executor.workers if executor else workers
        self.eta: Eta | None = None
        games = make("kind", study.kind).expected(study, workers)
        if games is not None:
            self.eta = Eta(games, progress.say, most=study.open_ended)
            self.progress = self.eta.watching(progress)
        self.log = ProgressLog(store, workers, games, study.budget, study.open_ended)
        self.progress = self.log.watching(self.progress)
        self.outcome = Outcome(folder)
        self.failures = EarlyFailures(progress.say)
        self._begun = time.monotonic()
        self.stop_asked, self._changed, self._has_changed = False, False, has_changed
        self.trials: list[TrialRecord] = []  # ended, and not yet stored
        self.new_engines: list[EngineRecord] = []  # of points, and not yet stored
        self.openings = Openings(study.game, study.seed, study.openings, grows(study), progress.say)
        self.setting: Setting = within.setting if within else study.setting()
        most = max(games.values(), default=0) if games is not None else 2 * workers
        busy = max(
            1, min(workers, most // 2)
        )  # a block, which one worker plays, has two games or more
        self.runner: Runner = within.runner if within else Runner(self.setting, busy, executor)
        self._leave = ExitStack() if within else self.runner

    def run(self) -> Outcome:
        """Play the study by its kind; return how it ended."""
        kind = make("kind", self.study.kind)
        try:
            with self._leave:  # one for all stages: its workers take a second to start
                kind.play(self)
        finally:
            self.store_trials()
        if self._changed and self.outcome.stopped == "interrupted":
            self.outcome.stopped = "changed"
        self.log.paces(self.runner.paces, now=True)
        self.log.ended(self.outcome)
        self.outcome.failures = failures_in(self.store)
        self.outcome.seconds = self.seconds()
        self.outcome.expected = self.eta.first if self.eta else None
        return self.outcome

    def stream(self, tasks: Iterable[Task]) -> Iterator[list[GameRecord]]:
        """Play tasks; yield each batch of finished games once it is stored.

        New engines are stored before their games, ended trials after them.
        """
        with self.interruptible(self.runner):
            for records in self.runner.play(tasks):
                self.store_engines()
                self.store.add_games(records)
                self.outcome.played += len(records)
                self.failures.add(records)
                self.progress.advance(len(records))
                self.log.paces(self.runner.paces)
                yield records
                self.store_trials()
                if self._has_changed is not None and not self.stop_asked and self._has_changed():
                    self.stop_asked = self._changed = True
                    self.runner.stop()
        self.store_engines()

    def store_engines(self) -> None:
        """Store the engines added since the last call."""
        if self.new_engines:
            self.store.add_engines(self.new_engines)
            self.new_engines.clear()

    def stored_returns(self, stage: str) -> dict[str, dict[int, Returns]]:
        """Return the stored returns of a stage by block and seating, one for each seat."""
        stored: dict[str, dict[int, Returns]] = {}
        for block, _, seating, returns in self.store.returns(stage):
            stored.setdefault(block, {})[seating] = returns
        return stored

    def store_trials(self) -> None:
        """Store the trials that ended since the last call."""
        if self.trials:
            self.store.set_trials(self.trials)
            self.trials.clear()

    def add_engines(self, entrants: Iterable[Entrant]) -> None:
        """Tell the workers of engines that the study does not name."""
        self.setting.engines.update({e.engine.id: e.engine.text for e in entrants})

    def enlist(self, entrant: Entrant) -> Entrant:
        """Add an engine that the study does not name, store it at once, and return it."""
        engine = entrant.engine
        if not self.store.rows("SELECT 1 FROM engines WHERE id = ?", engine.id):
            self.store.add_engines([engine.record(entrant.name)])
        self.add_engines([entrant])
        return entrant

    def seconds(self) -> float:
        """Seconds since this run began."""
        return time.monotonic() - self._begun

    def is_spent(self, games: int, games_a_block: int) -> bool:
        """Whether so many games, or the time so far, spend the study's budget; never where its kind ends
        by itself.
        """
        budget = self.study.budget
        if budget is None or find("kind", self.study.kind).ends_itself:
            return False
        return (
            (budget.seconds is not None and self.seconds() > budget.seconds)
            or (budget.games is not None and games >= budget.games)
            or (budget.blocks is not None and games >= budget.blocks * games_a_block)
        )

    def falls_short(self, missing: int) -> None:
        """Note that a stage has ended with so many of its games missing; 0: it is complete."""
        self.outcome.missing = missing
        if missing and not self.outcome.stopped:
            self.outcome.stopped = "interrupted" if self.stop_asked else "budget"

    def late(self, share: float) -> bool:
        """Whether this share of a time budget is spent."""
        budget = self.study.budget
        if budget is None or budget.seconds is None:
            return False
        return self.seconds() > share * budget.seconds

    @contextmanager
    def interruptible(self, runner: Runner) -> Iterator[None]:
        """Handle Ctrl-C or SIGTERM: once, finish the games in hand; twice, stop now."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def asked(number: int, frame: object) -> None:
            if self.stop_asked:
                raise KeyboardInterrupt
            self.stop_asked = True
            runner.stop()
            self.progress.say("finishing the games in progress (Ctrl-C again to stop now) ...")

        before = {number: signal.signal(number, asked) for number in STOPPING}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def failures_in(store: Store) -> int:
    """Return how often an engine failed in the games of a run that count."""
    query = "SELECT COUNT(*) FROM failures f JOIN games g ON g.number = f.game"
    return int(store.rows(f"{query} WHERE f.kind <> ? AND NOT g.surplus", RESIGNED)[0][0])


def unfair_programs(programs: Mapping[str, Introduction]) -> list[str]:
    """Return a sentence for the entrants that share each unfair default of their programs."""
    entrants: dict[str, list[str]] = {}
    for entrant, own in programs.items():
        if own.unfair:
            entrants.setdefault(own.unfair, []).append(entrant)
    return [f"{', '.join(names)}: {text}" for text, names in entrants.items()]


def grows(study: Study) -> bool:
    """Whether openings may get longer: if the number needed is unknown, or too large to have been
    checked beforehand.
    """
    unknown = study.open_ended or make("kind", study.kind).openings_grow
    return unknown or any(
        stage.blocks > CHECKED or stage.type == ADAPTIVE for stage in study.stages
    )
