"""The benchmark of tuners: runs, what is stored of them, tables, pictures and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import joute
from benchmarks.tuners import ours, run, table
from benchmarks.tuners.plot import pictures
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.run import Task, luck, pair_luck, play
from benchmarks.tuners.space import Point
from benchmarks.tuners.store import Store, identity
from joute.engines.errors import JouteError, Refused
from tests.support.marks import dear
from tests.support.processes import lives

ROOT = Path(__file__).resolve().parents[2]


class Known:
    """A tuner that recommends a given point, is sure of its score, and calls it better from 200 games."""

    def __init__(self, point: Point, span: float, batches: list[int]) -> None:
        self.point, self.span, self.batches, self.games = point, span, batches, 0
        self.told: list[Point] = []

    def ask(self, games: int) -> list[tuple[Point, int]]:
        self.batches.append(games)
        return [({"x1": -1.0}, 1), (self.point, games - 1)]

    def tell(self, point: Point, wins: int, draws: int, losses: int) -> None:
        self.games += wins + draws + losses
        self.told.append(point)

    def recommend(self) -> Point:
        return self.point

    def estimate(self, point: Point) -> tuple[float, float, float]:
        return 0.6 - self.span, 0.6, 0.6 + self.span

    def report(self) -> SimpleNamespace:
        return SimpleNamespace(regret=0.02)

    def verdict(self) -> str:
        return "better" if self.games >= 200 else "unknown"


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> list[Known]:
    made: list[Known] = []

    def make(axes: object, **settings: object) -> Known:
        assert settings["block"] == 1
        made.append(Known({"x1": -0.5}, 0.05, []))
        return made[-1]

    room = {"Tuner": make, "Float": tuple, "Int": tuple, "Choice": tuple}
    room["Float"] = lambda low, high, when: (low, high)
    for name, value in room.items():
        monkeypatch.setattr(joute, name, value, raising=False)
    monkeypatch.setattr(run, "_warm", lambda *task: None)
    return made


def test_a_run_is_looked_at_as_it_goes(known: list[Known]) -> None:
    row = play(Task("LOG", "joute", 1, 330))
    assert [c["games"] for c in row["checkpoints"]] == [100, 300, 330]
    problem = find_problem("LOG")
    for look in row["checkpoints"]:
        assert look["regret"] == problem.regret({"x1": -0.5})
        assert (look["low"], look["mean"], look["high"]) == (0.6 - 0.05, 0.6, 0.6 + 0.05)
        assert look["true"] == problem.score({"x1": -0.5}) and look["told"] == 0.02
    assert max(known[0].batches) == 20 and known[0].batches[-1] == 10
    assert known[0].told[:4] == [{"x1": -1.0}, {"x1": -0.5}] * 2
    assert "verdict" not in row


def test_a_run_with_a_default_is_judged(known: list[Known]) -> None:
    problem = find_problem("LOG")
    right = play(Task("LOG", "joute", 1, 200, "centre"))
    assert (right["verdict"], right["wrong"], right["ever_better"]) == ("better", False, True)
    assert right["answer_regret"] == problem.regret({"x1": -0.5})
    wrong = play(Task("LOG", "joute", 1, 200, "best"))
    assert (wrong["wrong"], wrong["ever_wrong"]) == (True, True)
    early = play(Task("LOG", "joute", 1, 150, "centre"))
    assert (early["verdict"], early["ever_better"]) == ("unknown", False)
    assert early["answer_regret"] == problem.regret({"x1": 0.0})
    said = table.answer_table([right], 200)
    assert "0.950" in said  # of one run, none wrong: at most 95 %


def test_a_tuner_that_asks_for_too_much_or_nothing_is_named(
    known: list[Known], monkeypatch: pytest.MonkeyPatch
) -> None:
    for answer in ([], [({"x1": 0.0}, 21)], [({"x1": 0.0}, 2), ({"x1": 0.0}, 0)]):
        monkeypatch.setattr(Known, "ask", lambda self, games, answer=answer: answer)
        with pytest.raises(JouteError, match="joute on LOG, seed 1, 100 games"):
            play(Task("LOG", "joute", 1, 100))


def test_luck_is_of_the_place_in_the_run() -> None:
    assert luck("LOG", 1, 50).tolist() == luck("LOG", 1, 500)[:50].tolist()
    assert luck("LOG", 1, 50).tolist() != luck("LOG2", 1, 50).tolist()
    assert luck("LOG", 1, 50).tolist() != luck("LOG", 2, 50).tolist()
    np.random.seed(1)
    one = play(Task("LOG2", "tpe", 3, 200))
    np.random.seed(2)
    other = play(Task("LOG2", "tpe", 3, 200))
    for row in (one, other):
        for look in row["checkpoints"]:
            look["cpu"] = 0
    assert one == other


def test_a_store_survives_what_kills_its_writer(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [play(Task("STEP", "random", seed, 100)) for seed in range(3)]
    store = Store(path)
    for row in rows[:2]:
        store.add(row)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])  # the last line is torn
    again = Store(path)
    assert (len(again), again.torn) == (1, 1)
    assert again.get(rows[0]) == rows[0] and again.get(rows[1]) is None
    again.add(rows[1])
    again.add(rows[2])
    last = Store(path)
    assert (len(last), last.torn) == (3, 1)
    assert last.rows(rows) == rows


def test_a_store_keeps_runs_of_other_code_apart(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.jsonl")
    row = play(Task("STEP", "random", 1, 100))
    store.add({**row, "version": "before"})
    assert store.get(row) is None
    for name in ("shape", "seed", "games", "default"):
        store.add({**row, name: "other"})
    assert store.get(row) is None


def test_a_file_of_somebody_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("milk\n")
    with pytest.raises(Refused, match="not a file of runs"):
        Store(path)
    assert path.read_text() == "milk\n"
    with pytest.raises(Refused, match="is no folder"):
        Store(tmp_path / "nowhere" / "runs.jsonl")


def test_versions_follow_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {name: run.version(name) for name in run.tuner_names()}
    files = {run.RIVALS[name].__module__ for name in versions if name in run.RIVALS}
    assert len(set(versions.values())) == 1 + len(files)
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(ours, "FOLDER", tmp_path)
    before = run.version.__wrapped__("joute")
    monkeypatch.setattr(run, "version", run.version.__wrapped__)
    seed = run.test_seed()
    assert f"{seed:08x}" == before[:8]
    (tmp_path / "a.py").write_text("x = 2\n")
    assert run.version("joute") != before and run.test_seed() != seed


def rows_of(tuner: str, regrets: list[float], games: int = 1000) -> list[dict[str, object]]:
    """Return runs on LOG that ended with these regrets; their intervals miss the first one's truth."""
    found = []
    for seed, value in enumerate(regrets):
        look = {"games": games, "regret": value, "true": 0.6, "cpu": 1.0, "mean": 0.62,
                "low": 0.61 if seed == 0 else 0.5, "high": 0.7, "told": 0.02 + seed}  # fmt: skip
        found.append({**Task("LOG", tuner, seed, games).key(), "checkpoints": [look]})
    return found


def test_tables_tell_means_coverage_and_the_best_rival() -> None:
    rows = rows_of("joute", [0.002, 0.004]) + rows_of("clop", [0.008, 0.010])
    rows += rows_of("random", [0.03, 0.05]) + rows_of("spsa-log", [0.001, 0.001])
    said = table.tables(rows)
    ours_line = next(line for line in said.splitlines() if "| joute" in line)
    assert "0.0030 ± 0.0010" in ours_line and "0.0045" in ours_line
    assert "0.50" in ours_line and "+0.020" in ours_line
    verdict = next(line for line in said.splitlines() if line.endswith("better    |"))
    assert "clop" in verdict  # an oracle is no rival
    least, most = said.splitlines()[-2:]  # of ours alone, by what it expects
    assert [cell.strip() for cell in least.split("|")[2:5]] == ["1", "0.0200", "0.0020"]
    assert "1.0200" in most and "0.0040" in most


def test_words_for_a_comparison() -> None:
    mean = table.Mean
    assert table.against(mean(0.01, 0.003, 9), mean(0.012, 0.002, 9)) == "level"
    assert table.against(mean(0.02, 0.003, 9), mean(0.012, 0.002, 9)) == "behind"
    assert table.against(mean(0.02, float("nan"), 1), mean(0.1, 0.002, 9)).startswith("one run")
    assert table.upper_bound(0, 59) == pytest.approx(0.0495, abs=2e-4)  # 1 - 0.05^(1 / 59)
    assert table.upper_bound(3, 3) == 1


def test_pictures_are_written_and_dead_problems_are_not_drawn(tmp_path: Path) -> None:
    rows = [play(Task(name, "random", seed, 300)) for name in ("LOG", "DEAD2") for seed in (1, 2)]
    (path,) = pictures(rows, tmp_path / "plots")
    assert path.read_bytes()[:4] == b"\x89PNG"
    assert pictures([row for row in rows if row["problem"] == "DEAD2"], tmp_path) == []


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "benchmarks.tuners", *map(str, words)]


def children(pid: int) -> list[int]:
    """Return the processes that a process started, where the system tells."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def called(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--problems", "LOGG"), "unknown problem 'LOGG'; did you mean 'LOG'?"),
        (("--tuners", "clopp"), "unknown tuner 'clopp'; did you mean 'clop'?"),
        (("--defaults", "center"), "unknown default 'center'; did you mean 'centre'?"),
        (("--games", "1e3"), "'1e3' is no whole number from 100 up"),
        (("--tuners", "clop", "--problems", "CATEGORY"), "clop: cannot tune names (c)"),
    ],
)
def test_bad_words_are_told_in_one_line(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.tuners.__main__ import main

    store = tmp_path / "runs.jsonl"
    with pytest.raises(Refused) as refused:
        main.main([*words, "--store", str(store)], standalone_mode=False)
    assert said in refused.value.lines()[0] and len(refused.value.lines()) == 1
    assert refused.value.exit_code == 2 and not store.exists()


@pytest.mark.slow
@dear
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_killed_benchmark_goes_on_and_leaves_nobody_behind(tmp_path: Path) -> None:
    store = tmp_path / "runs.jsonl"
    asked = ("--problems", "LOG", "--tuners", "clop", "--seeds", 30, "--store", store)
    killed = subprocess.Popen(
        command(*asked), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not store.exists() or store.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    workers = children(killed.pid)
    assert len(workers) >= 2
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    deadline = time.monotonic() + 60
    while any(map(lives, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    before = store.read_bytes().splitlines()
    shown = called(*asked, "--show")
    assert f"{len(before) - 1} of 30 runs" in shown.stderr
    done = called(*asked)
    assert done.returncode == 0, done.stderr
    after = store.read_bytes().splitlines()
    assert after[: len(before)] == before and len(after) == 31
    assert sorted(json.loads(line)["seed"] for line in after[1:]) == list(range(30))


def test_pairs_correlate_as_they_are_called() -> None:
    """Of even games without draws; each game by itself is as likely as before."""
    free = luck("LOG", 1, 40_000)
    for correlation in (-0.5, 0.0, 0.5):
        joined = pair_luck(free.copy(), correlation)
        assert joined.mean() == pytest.approx(0.5, abs=0.01) and joined.min() > 0
        won = (joined < 0.5).reshape(-1, 2)
        assert np.corrcoef(won.T)[0, 1] == pytest.approx(correlation, abs=0.02)
    assert pair_luck(free.copy(), 0.0) == pytest.approx(free)


def test_our_tuner_is_told_pairs_and_their_games(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, list[int]]] = []
    tell = joute.Tuner.tell

    def noting(self, point, *results, pairs=None):  # type: ignore[no-untyped-def]
        told.append((sum(results), pairs))
        tell(self, point, *results, pairs=pairs)

    monkeypatch.setattr(joute.Tuner, "tell", noting)
    monkeypatch.setattr(run, "_warm", lambda *task: None)
    row = play(Task("DRAWS", "joute", 1, 100, correlation=-0.5))
    assert row["correlation"] == -0.5 and sum(games for games, _ in told) == 100
    assert all(2 * sum(pairs) == games for games, pairs in told)
    free, paired = Task("LOG", "clop", 1, 100).key(), Task("LOG", "clop", 1, 100, correlation=0.5)
    assert "correlation" not in free and identity(paired.key()) != identity(free)
    with pytest.raises(JouteError, match="no pairs"):
        pair_luck(np.full(3, 0.5), 0.5)


def test_an_odd_number_of_games_is_no_number_of_pairs() -> None:
    from click.testing import CliRunner

    from benchmarks.tuners.__main__ import main

    done = CliRunner().invoke(main, ["--games", "101", "--correlation", "0.5"])
    assert isinstance(done.exception, Refused) and "allowed: even numbers" in str(done.exception)


def test_a_run_with_a_default_is_judged_often_at_first_and_less_often_later() -> None:
    assert sorted(run.looks_of(250)) == [100, 200, 250]
    assert sorted(run.looks_of(1000)) == list(range(100, 1001, 100))
    assert sorted(run.looks_of(3500)) == [*range(100, 1000, 100), 1000, 2000, 3000, 3500]
