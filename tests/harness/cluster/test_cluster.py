"""A study on dask's workers: the same bytes as at home, whoever dies meanwhile; real processes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.dask_hosts import Dask, dask_of, needs_dask
from tests.support.marks import dear, quick
from tests.support.processes import nobody_left
from tests.support.runs import (
    BAD,
    csv_bytes,
    joute,
    kill_group,
    lines_of,
    played_by,
    rows,
    started,
    stored,
    study_text,
    wait_for_games,
)
from tests.support.searches import scan_text, tune_text

pytestmark = [pytest.mark.slow, needs_dask]

SPECS = ["random", "alphabeta:evaluation=static,depth=2", "uct:iterations=30"]
SLOW = ["sleepy:ms=15,salt=1", "sleepy:ms=15,salt=2", "random"]


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A scheduler with workers on two hosts."""
    with dask_of(tmp_path_factory.mktemp("dask")) as found:
        yield found


def written(folder: Path, text: str) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


KINDS = {
    "tournament": study_text(SPECS, 6),
    "tune": tune_text("200 games"),
    "scan": scan_text(),
}


@pytest.mark.parametrize("kind", quick(KINDS, dear="tournament".__ne__))
def test_hosts_play_what_processes_here_play(tmp_path: Path, dask: Dask, kind: str) -> None:
    path = written(tmp_path, KINDS[kind])
    for folder, where in (("home", ["-j", 1]), ("away", ["--cluster", dask.address])):
        done = joute("run", path, "--out", tmp_path / folder, *where)
        assert done.returncode == 0, done.stderr
    assert csv_bytes(tmp_path / "away") == csv_bytes(tmp_path / "home")


def test_workers_of_this_machine_can_be_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, study_text(SPECS, 4))
    done = joute("run", path, "--out", tmp_path / "run", "--cluster", "local:2", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "2 slots on 2 workers of 1 host" in done.stderr and stored(tmp_path / "run") == 24


@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="pip install dask-jobqueue")
def test_a_queueing_system_starts_workers(tmp_path: Path) -> None:
    """Of dask-jobqueue's, the one that needs none: its jobs are processes of this machine."""
    path, place = written(tmp_path, study_text(SPECS, 1)), tmp_path / "cluster.toml"
    options = 'cores = 1\nprocesses = 1\nmemory = "1GB"'
    place.write_text(f'provider = "local"\nworkers = 2\n[options]\n{options}\n')
    done = joute("run", path, "--out", tmp_path / "run", "--no-report", "--cluster", place)
    assert done.returncode == 0 and stored(tmp_path / "run") == 6, done.stderr
    assert nobody_left("distributed.cli.dask_worker")


def test_plugins_maps_and_bots_travel(tmp_path: Path, dask: Dask) -> None:
    """None of these files is where the workers are; a bot named relatively comes along."""
    home = tmp_path / "home"
    home.mkdir()
    bot = Path(__file__).parents[2] / "support" / "talking_bot.py"
    (home / "bot.py").write_text(bot.read_text())
    text = study_text(["random", "process:command='python3 bot.py'", "bad:how=good"], 2)
    path = written(home, text.replace(str(BAD), "mine.py").replace('"process', "'process"))
    path.write_text(path.read_text().replace("bot.py'\"", "bot.py\"'").replace("='py", '="py'))
    (home / "mine.py").write_text(BAD.read_text())
    done = joute(
        "run", "s.toml", "--out", tmp_path / "run", "--no-report", "--cluster", dask.address,
        cwd=home,
    )  # fmt: skip
    assert stored(tmp_path / "run") == 12, done.stderr
    mine = rows(tmp_path / "run", "SELECT DISTINCT kind, text FROM failures")
    assert not [text for _, text in mine if "cannot" in str(text) or "No such" in str(text)]


@dear
def test_a_suite_and_a_match_are_played_elsewhere(tmp_path: Path, dask: Dask) -> None:
    spec = "connect4/alphabeta:evaluation=lines,depth=3"
    here, there = (
        joute("suite", "connect4-tactics", spec, "--json", *more)
        for more in ([], ["--cluster", dask.address])
    )
    assert there.returncode == here.returncode, there.stderr
    match = joute(
        "match", spec, "connect4/random", "--blocks", 3, "--out", tmp_path / "run", "--no-report",
        "--cluster", dask.address,
    )  # fmt: skip
    assert match.returncode == 0 and stored(tmp_path / "run") == 6, match.stderr


def test_a_bad_engine_loses_its_game_and_no_more(tmp_path: Path, dask: Dask) -> None:
    path = written(tmp_path, study_text(["random", "bad:how=segfault,after=1", "bad:how=raise"], 2))
    done = joute("run", path, "--out", tmp_path / "run", "--no-report", "--cluster", dask.address)
    assert done.returncode == 1 and stored(tmp_path / "run") == 12, done.stderr
    kinds = {
        name: {g.own.failure for g in played_by(tmp_path / "run", name)} for name in ("e1", "e2")
    }
    assert all("crash" in found for found in kinds.values()) and len(dask.workers) == 2


def test_a_host_that_dies_costs_nothing_and_a_new_one_helps(tmp_path: Path) -> None:
    path = written(tmp_path, study_text(SLOW, 16))
    with dask_of(tmp_path) as dask:
        run = started(
            "run", path, "--out", tmp_path / "away", "--cluster", dask.address, "--no-report"
        )
        wait_for_games(tmp_path / "away", 10, run)
        dask.kill("one")
        wait_for_games(tmp_path / "away", 30, run)
        dask.worker("three")
        wait_for_games(tmp_path / "away", 50, run)
        dask.kill("two")
        _, told = run.communicate(timeout=120)
        assert run.returncode == 0, told
        assert "worker one" in told and "has left" in told
        assert nobody_left(str(tmp_path / "one"))
    assert joute("run", path, "--out", tmp_path / "home", "--no-report").returncode == 0
    assert lines_of(tmp_path / "away") == lines_of(tmp_path / "home")


def test_dask_says_nothing_itself() -> None:
    """Its loggers have levels of their own: of a lost scheduler one told thirty lines."""
    from joute.harness.cluster import connection

    logging.getLogger("distributed.client").setLevel(logging.WARNING)
    connection.silence()
    names = [n for n in logging.root.manager.loggerDict if n.startswith("distributed")]
    assert "distributed.client" in names
    assert not any(logging.getLogger(n).isEnabledFor(logging.ERROR) for n in names)


@dear
def test_a_scheduler_that_dies_ends_the_run_with_the_way_on(tmp_path: Path) -> None:
    path = written(tmp_path, study_text(SLOW, 12))
    with dask_of(tmp_path) as dask:
        run = started(
            "run", path, "--out", tmp_path / "away", "--cluster", dask.address, "--no-report"
        )
        wait_for_games(tmp_path / "away", 10, run)
        dask.kill_scheduler()
        _, told = run.communicate(timeout=120)
    last = told.strip().splitlines()[-1]
    assert run.returncode == 1 and "is gone" in last and "to continue: " in last, told
    assert "Traceback" not in told and "distributed" not in told
    assert "--cluster" in last and 10 <= stored(tmp_path / "away") < 72
    for folder in ("away", "home"):
        assert joute("run", path, "--out", tmp_path / folder, "--no-report").returncode == 0
    assert lines_of(tmp_path / "away") == lines_of(tmp_path / "home")


@dear
def test_a_parent_that_dies_leaves_nothing_and_loses_nothing(tmp_path: Path, dask: Dask) -> None:
    path = written(tmp_path, study_text(SLOW, 12))
    command = ("run", path, "--out", tmp_path / "away", "--no-report", "--cluster", dask.address)
    run = started(*command)
    wait_for_games(tmp_path / "away", 10, run)
    kill_group(run)
    run.communicate()
    assert joute(*command).returncode == 0
    assert joute("run", path, "--out", tmp_path / "home", "--no-report").returncode == 0
    assert lines_of(tmp_path / "away") == lines_of(tmp_path / "home")


@dear
def test_an_engine_that_takes_its_host_along_is_found_out(tmp_path: Path) -> None:
    path = written(tmp_path, study_text(["random", "bad:how=kill_its_parent,after=1"], 1))
    with dask_of(tmp_path, workers=0) as dask:
        dask.worker("one", nanny=True)
        done = joute(
            "run", path, "--out", tmp_path / "run", "--no-report", "--cluster", dask.address
        )
    assert done.returncode == 1, done.stderr
    found = rows(tmp_path / "run", "SELECT kind, text FROM failures")
    assert [kind for kind, _ in found] == ["crash", "crash"] and "killed" in str(found[0][1])
