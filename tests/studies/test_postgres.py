"""Trials in a PostgreSQL that machines and dashboards share: beside a real server, and without one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="needs psycopg: the extra postgres")

import optuna

import joute.studies.search.optuna_mirror as mirror
import joute.studies.search.optuna_storage as storage
from joute.results.store import Store
from joute.studies.load import load_study
from joute.studies.play.progress import Outcome, Progress
from joute.studies.play.study_run import run_study
from joute.studies.search.dashboard import up_to_date
from joute.studies.search.optuna_mirror import OptunaMirror
from joute.studies.search.optuna_storage import database
from joute.studies.search.space import Space
from joute.studies.search.trial import Trial
from joute.studies.tuner.axis import Axis
from tests.support.here import Here
from tests.support.postgres import PASSWORD, WITHOUT, Server, programs, running
from tests.support.runs import here, lines_of, play, study_of
from tests.support.searches import one_axis


def shared(name: str, url: str) -> str:
    """Return the text of a small search whose trials go to a database."""
    own = f'[tune]\nsampler = "random"\ntrial_blocks = 4\nparallel_trials = 1\nstorage = "{url}"\n'
    return one_axis("tune", "100 games", own, name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if programs() is None:
        pytest.skip(WITHOUT)
    with running() as found:
        yield found


def trials_at(url: str, name: str) -> list[tuple[int, dict[str, object]]]:
    study = optuna.load_study(study_name=name, storage=database(url))
    return [(t.number, t.params) for t in study.get_trials()]


def trials_in(folder: Path) -> list[tuple[int, dict[str, object]]]:
    with Store.open(folder) as store:
        return [(t.number, dict(t.point)) for t in store.trials()]


def run(
    tmp_path: Path, heard: list[str], after: dict[int, Callable[[], None]] | None = None
) -> Outcome:
    """Play the study; do something after so many games."""
    games, left = [0], dict(after or {})

    def advance(more: int) -> None:
        games[0] += more
        for due in [count for count in left if count <= games[0]]:
            left.pop(due)()

    progress = Progress(advance=advance, say=heard.append)
    study = load_study(tmp_path / "s.toml")
    return run_study(study, tmp_path / "run", 1, progress=progress, executor=Here())


def test_a_run_and_a_dashboard_share_it_and_no_password_is_kept(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shared("shared", server.url)
    play(study_of(tmp_path, text), tmp_path / "run")
    kept = trials_in(tmp_path / "run")
    assert trials_at(server.url, "shared") == kept and len(kept) > 5
    play(study_of(tmp_path, text), tmp_path / "elsewhere")  # another machine, the same study
    assert trials_at(server.url, "shared") == kept
    for file in (tmp_path / "run").rglob("*"):
        assert not file.is_file() or PASSWORD.encode() not in file.read_bytes(), file
    optuna.delete_study(study_name="shared", storage=database(server.url))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    url = up_to_date(tmp_path / "run")
    assert url == server.url.replace(f":{PASSWORD}", "")
    assert trials_at(url, "shared") == kept
    other = here("run", tmp_path / "s.toml", "--out", tmp_path / "other", "--set", "seed=5")
    assert other.exit_code == 2 and "holds another study named 'shared'" in other.stderr


def test_machines_at_the_same_study_at_once_write_each_trial_once(server: Server) -> None:
    with database(server.url).engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
            "CREATE DATABASE fresh"
        )
    url = server.url.replace("/postgres", "/fresh")
    space = Space(None, {}, (Axis("width", "float", 0.0, 1.0),))
    points = [{"width": round(i / 100, 2)} for i in range(15)]
    faults: list[BaseException] = []

    def machine() -> None:
        try:
            one = OptunaMirror(Path(), url, "many", space, 2)
            for number, point in enumerate(points):
                one.follow(Trial(number, dict(point), [0.5, 1.0], "complete"))
        except BaseException as error:
            faults.append(error)

    machines = [threading.Thread(target=machine) for _ in range(3)]
    for one in machines:
        one.start()
    for one in machines:
        one.join()
    assert not faults and trials_at(url, "many") == [*enumerate(points)]


def test_a_machine_that_keeps_its_turn_holds_nobody_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "WAIT", 1)
    monkeypatch.setattr(mirror, "AGAIN", 0.0)
    space, heard = Space(None, {}, (Axis("width", "float", 0.0, 1.0),)), list[str]()
    one = OptunaMirror(Path(), server.url, "turns", space, 2, heard.append)
    with storage.alone(database(server.url), "turns"):
        one.follow(Trial(0, {"width": 0.5}, [0.5], "complete"))
    one.follow(Trial(1, {"width": 0.6}, [0.5], "complete"))
    assert "statement timeout" in heard[0] and "is back, with 2 more trials" in heard[1]
    assert trials_at(server.url, "turns") == [(0, {"width": 0.5}), (1, {"width": 0.6})]


def test_a_run_goes_on_while_it_is_gone_and_brings_what_it_lacks(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(shared("gone", server.url))
    heard: list[str] = []
    try:
        assert not run(tmp_path, heard, {30: server.stop}).stopped
        gone = [line for line in heard if "tune.storage" in line]
        assert len(gone) == 1 and "the run continues without it" in gone[0] and "***" in gone[0]
        before = lines_of(tmp_path / "run")
        refused = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
        assert refused.exit_code == 2 and len(refused.stderr.splitlines()) == 1
        assert "tune.storage" in refused.stderr and "cannot be reached" in refused.stderr
        assert lines_of(tmp_path / "run") == before
    finally:
        server.start()
    assert len(trials_at(server.url, "gone")) < len(trials_in(tmp_path / "run"))
    assert not run(tmp_path, []).played
    assert trials_at(server.url, "gone") == trials_in(tmp_path / "run")


def test_a_run_finds_it_there_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(shared("again", server.url))
    monkeypatch.setattr(mirror, "AGAIN", 0.0)
    heard: list[str] = []

    run(tmp_path, heard, {20: server.stop, 50: server.start})
    told = [line for line in heard if "tune.storage" in line]
    assert len(told) == 2 and "is back, with" in told[1]
    assert trials_at(server.url, "again") == trials_in(tmp_path / "run")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((PASSWORD, "guess"), "password authentication failed for user"),
        (("/postgres", "/nothing"), 'database "nothing" does not exist'),
        (("joute:", "nobody-else:"), "authentication failed"),
    ],
)
def test_who_is_not_let_in_is_told_in_one_line(
    server: Server, tmp_path: Path, wrong: tuple[str, str], said: str
) -> None:
    refuse(tmp_path, server.url.replace(*wrong), said)


def test_where_nobody_listens_is_told_in_one_line(tmp_path: Path) -> None:
    refuse(tmp_path, f"postgresql://joute:{PASSWORD}@127.0.0.1:1/postgres", "onnection refused")
    refuse(tmp_path, f"postgresql://joute:{PASSWORD}@localhost:1/postgres", "onnection refused")
    refuse(tmp_path, f"postgresql+nonsense://joute:{PASSWORD}@127.0.0.1:1/x", "nonsense")
    refuse(tmp_path, f"nonsense:{PASSWORD}@127.0.0.1", "cannot be reached", secret="")


def test_a_missing_driver_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    refuse(tmp_path, "postgresql://joute@127.0.0.1:1/x", "pip install 'psycopg[binary]'")


def refuse(tmp_path: Path, url: str, said: str, secret: str = PASSWORD) -> None:
    (tmp_path / "s.toml").write_text(shared("refused", url))
    refused = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert refused.exit_code == 2 and len(refused.stderr.splitlines()) == 1, refused.stderr
    assert "tune.storage" in refused.stderr and said in refused.stderr, refused.stderr
    assert not secret or secret not in refused.stderr
    assert "guess" not in refused.stderr
    assert not (tmp_path / "run").exists()
