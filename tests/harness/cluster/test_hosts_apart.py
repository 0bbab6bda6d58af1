"""Three hosts with addresses of their own: one is cut off, one is killed; nothing is lost or doubled."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.dask_hosts import Dask, needs_dask
from tests.support.marks import dear
from tests.support.namespaces import HERE, cut_off, hosts_apart, inside
from tests.support.runs import (
    joute,
    lines_of,
    rows,
    started,
    stored,
    study_text,
    wait_for_games,
)

SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s"}  # a silence after which a host is given up
HOSTS = ("a", "b", "c")


@needs_dask
@pytest.mark.slow
@dear
def test_of_three_hosts_one_is_cut_off_and_one_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SOON.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "s.toml"
    path.write_text(study_text(["sleepy:ms=15,salt=1", "sleepy:ms=15,salt=2", "random"], 20))
    with hosts_apart(HOSTS):
        dask = Dask(tmp_path, address=HERE)
        try:
            for name in HOSTS:
                dask.worker(name, inside=inside(name), **SOON)
            run = started(
                "run", path, "--out", tmp_path / "away", "--no-report", "--cluster", dask.address
            )
            wait_for_games(tmp_path / "away", 12, run)
            cut_off("a")
            wait_for_games(tmp_path / "away", 40, run)
            dask.kill("b")
            _, told = run.communicate(timeout=120)
        finally:
            dask.close()
    assert run.returncode == 0, told
    assert "worker a" in told and "worker b" in told
    assert joute("run", path, "--out", tmp_path / "home", "--no-report").returncode == 0
    assert lines_of(tmp_path / "away") == lines_of(tmp_path / "home")
    played = dict(rows(tmp_path / "away", "SELECT host, COUNT(*) FROM hosts GROUP BY host"))
    assert played.keys() <= {*HOSTS} and sum(played.values()) == stored(tmp_path / "away") == 120  # type: ignore[arg-type]
