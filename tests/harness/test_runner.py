"""Bad engines and dying workers: nothing ends a run, and nobody else is blamed."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from typing import Any

import pytest

from joute.harness import runner as runner_module
from joute.harness.executor import Alone, Executor
from joute.harness.inflight import Doing, InFlight
from joute.harness.match import Rules
from joute.harness.runner import Numbered, Runner, VoidGame
from joute.harness.worker import Batch, Setting, Work
from tests.support.here import Here
from tests.support.marks import dear
from tests.support.processes import killing_one
from tests.support.runs import BAD, SLEEPY, joute, play, played_by, rows, study_of, study_text

KINDS = {
    "illegal": "illegal",
    "nonsense": "illegal",
    "giveup": "timeout",
    "dream": "timeout",
    "raise": "crash",
    "sysexit": "crash",
    "constructor": "crash",
    "newgame": "crash",
    "segfault": "crash",
    "exit3": "crash",
    "exit0": "crash",
}
FINE = ("good", "print")
TEXTS = {
    "illegal": "played '100', which is not legal",
    "raise": "ZeroDivisionError: the engine is wrong",
    "giveup": "the engine gives up",
    "constructor": "cannot start: OSError('its weights are missing')",
    "newgame": "cannot start: ValueError('no new game')",
    "segfault": "died by SIGSEGV",
    "exit3": "died by exit status 3",
    "exit0": "died by exit status 0",
    "sysexit": "SystemExit",
}


@pytest.fixture(scope="module")
def gauntlet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str]:
    """Every bad engine against `random`: the run folder, the exit code and stdout."""
    tmp_path = tmp_path_factory.mktemp("gauntlet")
    entrants = "\n".join(
        f'[[entrants]]\nname = "{how}"\nspec = "bad:how={how},after=1"' for how in (*KINDS, *FINE)
    )
    path = tmp_path / "gauntlet.toml"
    path.write_text(
        f'name = "g"\nkind = "tournament"\ngame = "connect4"\nseed = 5\nplugins = ["{BAD}"]\n'
        f'[[entrants]]\nname = "random"\nspec = "random"\n{entrants}\n'
        '[schedule]\nblocks = 1\ntype = "gauntlet"\nagainst = ["random"]\n'
        "[openings]\nplies = 2\n[time]\nmove_time_ms = 40\n"
    )
    done = joute("run", path, "-j", 2, "--out", tmp_path / "out", "--json")
    return tmp_path / "out", done.returncode, done.stdout


@pytest.mark.slow
def test_a_run_with_bad_engines_ends_with_exit_1_and_plays_every_game(
    gauntlet: tuple[Path, int, str],
) -> None:
    folder, code, out = gauntlet
    assert code == 1
    assert rows(folder, "SELECT COUNT(*) FROM games") == [(2 * len((*KINDS, *FINE)),)]
    failures = rows(folder, "SELECT COUNT(*) FROM failures")[0][0]
    assert json.loads(out)["failures"] == failures  # and no engine's chatter on stdout
    assert not list(folder.parent.glob("*.slot"))


@pytest.mark.parametrize(("how", "kind"), KINDS.items())
def test_a_bad_engine_fails_alone(gauntlet: tuple[Path, int, str], how: str, kind: str) -> None:
    found = played_by(gauntlet[0], how)
    assert len(found) == 2
    for game in found:
        assert (game.own.failure, game.own.returns, game.own.rank) == (kind, 0.0, 2.0)
        assert (game.other.failure, game.other.returns, game.other.rank) == ("", 1.0, 1.0)
        assert game.termination == "failure" and TEXTS.get(how, "") in game.text
    # After two plies of opening the second own move is ply 4 in the first seat, else ply 5.
    unborn = how in ("constructor", "newgame")
    assert [game.own.failure_ply for game in found] == ([2, 3] if unborn else [4, 5])


@pytest.mark.parametrize("how", FINE)
def test_engines_that_only_talk_play_on(gauntlet: tuple[Path, int, str], how: str) -> None:
    found = played_by(gauntlet[0], how)
    assert [(game.termination, game.own.failure) for game in found] == [("normal", "")] * 2


def test_a_killed_worker_costs_no_game_and_blames_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recovered: list[int] = []
    whole = runner_module.Runner._recover

    def counted(self: runner_module.Runner, *arguments: object) -> object:
        recovered.append(len(recovered))
        return whole(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(runner_module.Runner, "_recover", counted)
    study = study_of(tmp_path, study_text([SLEEPY.format(i) for i in range(3)], blocks=6))
    kills: list[int] = []
    outcome = play(study, tmp_path / "run", 2, killing_one(kills))
    assert len(kills) == len(recovered) == 1
    assert (outcome.failures, outcome.missing, outcome.stopped) == (0, 0, "")
    assert outcome.played == 36
    games = rows(tmp_path / "run", "SELECT block, seating, termination FROM games")
    assert Counter(row[2] for row in games) == {"normal": 36}
    assert len({row[:2] for row in games}) == 36
    play(study, tmp_path / "calm")
    query = "SELECT id, opening, actions, digest FROM games ORDER BY id"
    assert rows(tmp_path / "run", query) == rows(tmp_path / "calm", query)


class Dying(Executor):
    """Plays nothing: a task that is alone dies like this, every time."""

    workers = 1

    def __init__(self, *deaths: tuple[int, Doing | None]) -> None:
        self.deaths = list(deaths)

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        future: Future[Batch] = Future()
        future.set_exception(BrokenExecutor())
        return future

    def recover(self) -> list[Doing]:
        return [Doing(0, 0, 2, 1, [])]

    def alone(self, setting: Setting, task: Work) -> Alone:
        return Alone([], *self.deaths.pop(0))

    def close(self, kill: bool = False) -> None:
        pass


class Piece:
    """A piece of work whose result is what is said of it."""

    number = 0

    def pieces(self) -> list[Piece]:
        return [self]

    def play(self, setting: Setting, inflight: InFlight) -> list[Any]:
        return []

    def crashed(self, setting: Setting, doing: Doing, text: str) -> tuple[int, str]:
        return doing.seat, text


def test_who_is_killed_three_times_alone_has_lost_the_game() -> None:
    doing = [Doing(0, 0, ply, seat, []) for ply, seat in ((4, 0), (5, 1), (6, 1))]
    executor = Dying(*((-signal.SIGKILL, one) for one in doing))
    runner = Runner(Setting("connect4", {}, Rules()), 1, executor)
    [[(seat, text)]] = runner.play([Piece()])
    assert seat == 1 and "3 times, the last time by SIGKILL; memory may be short" in text
    unborn = Dying(*[(-signal.SIGKILL, None)] * 3)
    with pytest.raises(VoidGame, match="fewer workers"):
        list(Runner(Setting("connect4", {}, Rules()), 1, unborn).play([Piece()]))


@pytest.mark.slow
@dear
def test_a_game_that_is_killed_from_outside_three_times_is_lost(tmp_path: Path) -> None:
    """An engine that sends SIGKILL to its own process looks like the outside."""
    good = ["random", SLEEPY.format(0)]
    play(study_of(tmp_path, study_text(good, blocks=2)), tmp_path / "run")
    query = "SELECT id, digest FROM games"
    before = set(rows(tmp_path / "run", query))
    study_of(tmp_path, study_text([*good, "bad:how=kill,after=2"], blocks=2))
    done = joute("run", tmp_path / "s.toml", "-j", 2, "--out", tmp_path / "run")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert len(before) == 4 and before <= set(rows(tmp_path / "run", query))
    failures = rows(tmp_path / "run", "SELECT kind, text FROM failures")
    assert len(failures) == 8 and {kind for kind, _ in failures} == {"crash"}
    assert all("SIGKILL" in str(text) for _, text in failures)


class Three(Here):
    """Plays here as if there were three workers; keeps how many tasks each batch had."""

    workers = 3

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        self.sizes.append(len(tasks))
        return super().submit(setting, tasks)


class Quick(Piece):
    """A piece of work that is done at once."""

    def __init__(self, number: int) -> None:
        self.number = number

    def play(self, setting: Setting, inflight: InFlight) -> list[Any]:
        return [self.number]


def test_the_last_tasks_are_shared_out_so_that_no_worker_waits_for_another() -> None:
    done, sizes = [], {}
    for known in (True, False):
        executor, tasks = Three(), [Quick(n) for n in range(2000)]
        left = Numbered(tasks, len(tasks)) if known else iter(tasks)
        with Runner(Setting("connect4", {}, Rules()), 3, executor) as runner:
            done.append(sorted(n for batch in runner.play(left) for n in batch))
        sizes[known] = executor.sizes
    assert done == [list(range(2000))] * 2
    assert max(sizes[True]) <= 667 and sizes[True][-1] == 1
    assert max(sizes[False]) > 1000  # the others would have had nothing


class Counted(Three):
    """Says that every task took so long, and keeps how many batches were in hand at most."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds, self.hand, self.most = seconds, 0, 0

    def submit(self, setting: Setting, tasks: Sequence[Work]) -> Future[Batch]:
        self.hand += 1
        self.most = max(self.most, self.hand)
        return super().submit(setting, tasks)

    def result(self, future: Future[Batch]) -> Batch:
        self.hand -= 1
        results = super().result(future).results
        return Batch(results, self.seconds * len(results))


@pytest.mark.parametrize(("seconds", "batches"), [(0.001, 6), (1.0, 4)])
def test_every_worker_has_a_quick_batch_waiting_and_of_slow_games_one_waits(
    seconds: float, batches: int
) -> None:
    executor = Counted(seconds)
    with Runner(Setting("connect4", {}, Rules()), 3, executor) as runner:
        done = [n for batch in runner.play(Quick(n) for n in range(4000)) for n in batch]
    assert sorted(done) == list(range(4000)) and executor.most == batches
