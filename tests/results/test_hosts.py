"""What hosts of a cluster played, and how fast they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines import files
from joute.reports.page.hosts import host_columns, host_notes
from joute.results.hosts import HOME, HostPace, by_host, speeds
from joute.results.store import Store
from joute.studies.play.study_run import run_study
from tests.support.here import Here
from tests.support.runs import study_of, study_text

SPECS = ["random", "alphabeta:evaluation=static,depth=2"]


def test_a_run_at_home_has_no_hosts(tmp_path: Path) -> None:
    run_study(study_of(tmp_path, study_text(SPECS, 3)), tmp_path / "run", 1, executor=Here())
    assert by_host(tmp_path / "run") == ([], 0) and host_notes([], 0, True) == []
    assert not any(column.cells for column in host_columns([]))


def test_hosts_are_stored_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is resumed elsewhere: every game knows its host, blocks that were parted are counted."""
    for blocks, host in ((3, "one"), (6, "two"), (8, "")):
        monkeypatch.setattr(files, "host", host)
        study = study_of(tmp_path, study_text(SPECS, blocks))
        run_study(study, tmp_path / "run", 1, executor=Here())
    found, parted = by_host(tmp_path / "run")
    assert {(p.host, p.games) for p in found} == {("one", 6), ("two", 6), (HOME, 4)}
    assert parted == 0
    with Store.open(tmp_path / "run") as store:
        hosts = sorted(game.host for game in store.games())
        assert hosts == [""] * 4 + ["one"] * 6 + ["two"] * 6
        part = [game._replace(stage="more", order=0, block="b", id=f"b{i}", seating=i, host=host)
                for i, (game, host) in enumerate(zip(store.games(), ("one", "two"), strict=False))]  # fmt: skip
    with Store.open(tmp_path / "run", write=True) as store:
        store.add_games(part)
    found, parted = by_host(tmp_path / "run")
    assert "1 block had games on several hosts" in host_notes(found, parted, True)[-1]


def test_speed_is_the_nodes_of_the_same_engine() -> None:
    found = [
        HostPace("quick", "a", 9, 100, 100.0, 5000),
        HostPace("slow", "a", 9, 100, 100.0, 2500),
        HostPace("quick", "b", 9, 100, 50.0, 0),
        HostPace("slow", "b", 9, 100, 100.0, 0),
        HostPace("new", "a", 1, 3, 1.0, 9999),
        HostPace("quick", "c", 9, 100, 1.0, 7),
    ]
    assert speeds(found) == pytest.approx({"quick": 1.0, "slow": 0.5})
