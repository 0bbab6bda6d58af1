"""Running a study: compile, play what is missing, store it, stop when the study says so.

`run.db` is the truth. The same command again plays exactly the games that are not in it.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engines.engine import Engine
from engines.errors import Refused
from engines.record import EngineRecord, GameRecord, TrialRecord
from engines.registry import find, load_plugin, plugin_files
from harness.match import Rules
from harness.openings import Openings
from harness.runner import Runner
from harness.schedule import Block, seatings
from harness.worker import Setting, Task
from results.database import DATABASE
from results.sprt import Sprt
from results.store import Store
from results.tables import write_atomically
from studies.file.search import TunePlan
from studies.play.stages import blocks_of, entrants_of
from studies.study import Entrant, StagePlan, Study, diff
from studies.tuner.space import Space

LIBRARIES = ("joute", "numba", "numpy", "pandas", "scipy", "matplotlib", "optuna")
OUTPUTS = (
    "*.csv",
    "optuna.journal",
    "report.html",
    "compare.html",
    "study.toml",
    "winner.json",
    "plots/*",
)


LONG, MOST = 200, 4  # characters of a difference, and differences, that are shown


class StudyChanged(Refused):
    """The folder holds a run of a study that differs in what may not change."""

    def __init__(self, folder: Path, differences: list[str]) -> None:
        shown = [text if len(text) <= LONG else f"{text[:LONG]} ..." for text in differences[:MOST]]
        if len(differences) > MOST:
            shown.append(f"and {len(differences) - MOST} more differences")
        super().__init__(
            f"{folder} holds a run of another study: {'; '.join(shown)}. "
            "Take another --out, or --fresh to start over"
        )
        self.differences = differences


@dataclass
class Progress:
    """What a run tells while it plays; every call may be ignored."""

    begin: Callable[[str, int, int], None] = lambda stage, total, done: None
    advance: Callable[[int], None] = lambda games: None
    end: Callable[[], None] = lambda: None
    say: Callable[[str], None] = lambda text: None


@dataclass
class Outcome:
    """How a run ended: games played now, and why it stopped if it did not play everything."""

    folder: Path
    played: int = 0
    failures: int = 0
    stopped: str = ""  # "", "budget" or "interrupted"
    missing: int = 0
    decided: str = ""
    notes: list[str] = field(default_factory=list)


def run_study(
    study: Study,
    folder: Path,
    workers: int,
    fresh: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Play a study in a run folder, or what is missing of it; raise Refused or StoreError."""
    progress = progress or Progress()
    for plugin in study.plugins:
        load_plugin(plugin)
    find("kind", study.kind)().check(study)
    with opened(study, folder, fresh, progress) as store:
        return Campaign(study, folder, store, workers, progress).run()


def check_openings(study: Study) -> None:
    """Refuse a study whose tables cannot get as many distinct openings as it has blocks."""
    stage = study.stages[0]
    openings = Openings(study.game, study.seed, study.openings)
    table = None
    for block in blocks_of(study, stage, study.entrants):
        table = table or block.table
        if block.table == table:
            openings.of(block)


@contextmanager
def opened(study: Study, folder: Path, fresh: bool, progress: Progress) -> Iterator[Store]:
    """Open the run's store, new or resumed, with the study and its engines written in it."""
    records = engine_records(study, progress)
    identity = {**study.identity(), "code": {r.name: r.digest for r in records}}
    if study.search:
        identity["search_code"] = code_of(study.search.space)
    if fresh and (folder / DATABASE).exists():
        with Store.open(folder, write=True):  # refuses while another process writes it
            pass
        clear(folder)
    resuming = (folder / DATABASE).exists()
    folder.mkdir(parents=True, exist_ok=True)
    store = Store.open(folder, write=True) if resuming else Store.create(folder)
    with store:
        meta = store.meta()
        if resuming and "identity" in meta:
            differences = diff(json.loads(meta["identity"]), identity)
            if differences:
                raise StudyChanged(folder, differences)
        store.add_engines(records)
        store.set_meta({**description(study), "identity": json.dumps(identity)})
        write_atomically(folder / "study.toml", study.resolved_toml())
        yield store


def engine_records(study: Study, progress: Progress) -> list[EngineRecord]:
    """Return the entrants as the store keeps them; compiles their kernels if need be."""
    found = []
    for entrant in study.entrants:
        warm(entrant.engine)
        found.append(
            EngineRecord(
                id=entrant.engine.id,
                name=entrant.name,
                spec=entrant.engine.text,
                parameters=dict(entrant.engine.settings),
                digest=entrant.engine.digest,
            )
        )
    return found


def code_of(space: Space) -> list[str]:
    """Return the digests of the engines that a space can hold; compiles their kernels."""
    found: set[str] = set()
    for point in space.corners():
        engine = space.engine(point)
        if engine.digest not in found:
            warm(engine)
            found.add(engine.digest)
    return sorted(found)


def warm(engine: Engine) -> None:
    """Compile an engine's kernels; one that cannot even start is left to fail in its games."""
    try:
        engine.player().close()
    except Refused:
        raise
    except (Exception, SystemExit):
        return


def clear(folder: Path) -> None:
    """Remove what an earlier run wrote into a folder, and nothing else."""
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        (folder / name).unlink(missing_ok=True)
    for pattern in OUTPUTS:
        for path in folder.glob(pattern):
            path.unlink()


def description(study: Study) -> dict[str, str]:
    """Return what the store says of a study, for reports."""
    time_rules = study.time

    def text(value: float | None) -> str:
        return "" if value is None else f"{value:g}"

    sprt = study.sprt
    return {
        "name": study.name,
        "kind": study.kind,
        "seed": str(study.seed),
        "game": study.game.label,
        "study": study.resolved_toml(),
        "stages": json.dumps(stage_names(study)),
        "search": json.dumps(search_said(study)) if study.search else "",
        "slow_after_ms": text(time_rules.slow_after_ms),
        "move_time_ms": text(time_rules.move_time_ms),
        "exclude_p99_over_ms": text(time_rules.exclude_p99_over_ms),
        "sprt": ""
        if sprt is None
        else json.dumps(
            {
                "elo0": sprt.elo0,
                "elo1": sprt.elo1,
                "alpha": sprt.alpha,
                "beta": sprt.beta,
                "model": sprt.model,
            }
        ),
        "versions": json.dumps(versions()),
        "machine": f"{platform.machine()} {platform.system()}, {os.cpu_count()} cores",
        "commit": commit(),
    }


def stage_names(study: Study) -> list[str]:
    """Return the names of the stages, in order; a search says its own."""
    return [*find("kind", study.kind).stages, *(stage.name for stage in study.stages)]


def search_said(study: Study) -> dict[str, Any]:
    """Return what reports need to know of a search."""
    plan = study.search
    assert plan is not None
    stages = find("kind", study.kind).stages
    return {
        "stage": stages[0],
        "axes": [asdict(axis) for axis in plan.space.axes],
        "default": plan.default.name,
        "pool": [entrant.name for entrant in plan.pool],
        "rows": len(seatings(study.game.players, copies=True)),
        "sampler": plan.sampler if isinstance(plan, TunePlan) else plan.draw,
        "blocks": plan.trial_blocks if isinstance(plan, TunePlan) else 1,
        "prune_risk": plan.prune_risk if isinstance(plan, TunePlan) else 0.0,
        "base": dict(plan.default.engine.settings),
    }


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that matter."""
    found = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """Return the commit of the checkout that this code runs from, or nothing."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        return ""
    asked = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout.strip()


class Campaign:
    """The stages of a study, played one after the other."""

    def __init__(
        self, study: Study, folder: Path, store: Store, workers: int, progress: Progress
    ) -> None:
        self.study, self.store, self.progress = study, store, progress
        self.workers = workers
        self.outcome = Outcome(folder)
        self._begun = time.monotonic()
        self.stop_asked = False
        self.trials: list[TrialRecord] = []
        self.openings = Openings(study.game, study.seed, study.openings)
        self.setting = Setting(
            game=study.game.label,
            engines={e.engine.id: e.engine.text for e in study.entrants},
            rules=Rules(study.time.move_time_ms),
            slots="",
            plugins=tuple(plugin_files()),
        )
        self.runner = Runner(self.setting, workers)

    def run(self) -> Outcome:
        """Play what the study's kind says; return how it ended."""
        kind = find("kind", self.study.kind)()
        try:
            with self.runner:  # one for all stages: its workers take a second to start
                kind.play(self)
        finally:
            self.store_trials()
        self.outcome.failures = self.store.rows("SELECT COUNT(*) FROM failures")[0][0]
        return self.outcome

    def stored_games(self) -> dict[str, list[GameRecord]]:
        """Return the games that the store holds, by stage."""
        stored: dict[str, list[GameRecord]] = {}
        for game in self.store.games():
            stored.setdefault(game.stage, []).append(game)
        return stored

    def store_trials(self) -> None:
        """Store the trials that have ended since the last time."""
        if self.trials:
            self.store.set_trials(self.trials)
            self.trials.clear()

    def add_engines(self, entrants: Iterable[Entrant]) -> None:
        """Let the workers know more engines than the study names."""
        self.setting.engines.update({e.engine.id: e.engine.text for e in entrants})

    def late(self, share: float) -> bool:
        """Whether this share of a time budget is spent."""
        budget = self.study.budget
        if budget is None or budget.seconds is None:
            return False
        return time.monotonic() - self._begun > share * budget.seconds

    def play(
        self, stage: StagePlan, entrants: list[Entrant], old: list[GameRecord]
    ) -> list[GameRecord]:
        """Play what is missing of a stage; return its games that count."""
        blocks = list(blocks_of(self.study, stage, entrants))
        self._put_in_order(blocks, old)
        games: dict[str, GameRecord] = {g.id: g for g in old}
        known = set(games)
        tally = Tally(self.study, blocks, games.values())
        tasks = (t for t in self._tasks(blocks, known, stage.shared) if not tally.decided)
        wanted = {b.game_id(s) for b in blocks for s in range(len(b.seatings))}
        total, have = len(wanted), len(wanted & known)
        self.progress.begin(stage.name, total, have)
        if have < total and not tally.decided:
            runner = self.runner
            with self.interruptible(runner):
                for records in runner.play(self._within_budget(tasks, runner, have)):
                    self.store.add_games(records)
                    for record in records:
                        games[record.id] = record
                        tally.add(record)
                    self.outcome.played += len(records)
                    self.progress.advance(len(records))
                    if tally.decided:
                        runner.stop()
        self.progress.end()
        self._mark_surplus(stage, blocks, tally, games.values())
        self.outcome.decided = tally.decided
        self.outcome.missing = 0 if tally.decided else len(wanted - set(games))
        if self.outcome.missing and not self.outcome.stopped:
            self.outcome.stopped = "interrupted" if self.stop_asked else "budget"
        counted = {b.id for b in tally.counted(blocks)}
        return [g for g in games.values() if g.block in counted]

    def _tasks(self, blocks: list[Block], known: set[str], shared: bool) -> Iterator[Task]:
        for block in blocks:
            rows = range(len(block.seatings))
            missing = tuple(s for s in rows if block.game_id(s) not in known)
            if missing:
                yield Task(block.order, block, self.openings.of(block, shared), missing)

    def _within_budget(self, tasks: Iterable[Task], runner: Runner, have: int) -> Iterator[Task]:
        budget = self.study.budget if self.study.search is None else None
        games = len(self.store.known_games())
        for task in tasks:
            if self.stop_asked:
                return
            if budget is not None:
                spent = time.monotonic() - self._begun
                over = budget.seconds is not None and spent > budget.seconds
                over = over or (budget.games is not None and games >= budget.games)
                over = over or (
                    budget.blocks is not None and games >= budget.blocks * len(task.block.seatings)
                )
                if over:
                    return
            games += len(task.seatings)
            yield task

    def _put_in_order(self, blocks: list[Block], old: list[GameRecord]) -> None:
        """Give stored blocks their place in the schedule, which moves when a study grows."""
        place = {b.id: b.order for b in blocks}
        moved = {g.block: place[g.block] for g in old if place.get(g.block, g.order) != g.order}
        if moved:
            self.store.set_orders(moved)

    def _mark_surplus(
        self, stage: StagePlan, blocks: list[Block], tally: Tally, games: Iterable[GameRecord]
    ) -> None:
        """Leave out what was played beyond a decision, or by entrants no longer in the stage."""
        counted = {b.id for b in tally.counted(blocks)}
        played = {g.block for g in games}
        self.store.set_surplus(played & counted, False)
        self.store.set_surplus(played - counted, True)

    @contextmanager
    def interruptible(self, runner: Runner) -> Iterator[None]:
        """Ctrl-C once: finish the games in hand. Twice: stop now."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def asked(number: int, frame: object) -> None:
            if self.stop_asked:
                raise KeyboardInterrupt
            self.stop_asked = True
            runner.stop()
            self.progress.say("finishing the games in hand (Ctrl-C again to stop now) ...")

        before = signal.signal(signal.SIGINT, asked)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def play_stages(campaign: Campaign) -> None:
    """Play the stages of a study one after the other, each among the best of the one before."""
    before: list[GameRecord] = []
    stored = campaign.stored_games()
    for stage in campaign.study.stages:
        entrants = entrants_of(stage, campaign.study.entrants, before)
        before = campaign.play(stage, entrants, stored.get(stage.name, []))
        if campaign.outcome.stopped:
            break


class Tally:
    """Follows the finished blocks of a stage in schedule order, and the SPRT if there is one.

    Only the contiguous finished prefix of the schedule is ever fed to the test, so its verdict does
    not depend on which game ends first, or on how many workers play.
    """

    def __init__(self, study: Study, blocks: list[Block], games: Iterable[GameRecord]) -> None:
        self.decided = ""
        self._last = -1  # order of the block that decided
        plan = study.sprt
        self._watch = (
            Sprt(plan.elo0, plan.elo1, plan.alpha, plan.beta, plan.model).watch() if plan else None
        )
        self._blocks = blocks
        self._rows = len(blocks[0].seatings) if blocks else 0
        self._returns: dict[str, list[float]] = {}
        self._counts = [0] * 5
        self._next = 0
        for game in games:
            self.add(game)

    def add(self, game: GameRecord) -> None:
        """Take one finished game."""
        if self._watch is None or self._next >= len(self._blocks):
            return
        found = self._returns.setdefault(game.block, [])
        tested = self._blocks[0].table[0]
        found += [seat.returns for seat in game.seats if seat.engine == tested]
        while not self.decided and self._next < len(self._blocks):
            values = self._returns.get(self._blocks[self._next].id, [])
            if len(values) < self._rows:
                return
            self._counts[round(4 * sum(values) / len(values))] += 1
            verdict = self._watch.feed(self._counts)
            if verdict != "continue":
                self.decided, self._last = verdict, self._next
            self._next += 1

    def counted(self, blocks: list[Block]) -> list[Block]:
        """Return the blocks that count: all, or those up to the one that decided."""
        return blocks if not self.decided else blocks[: self._last + 1]
