"""Executors: the same games wherever they are played, and nothing on disk where nobody may die."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from harness.executor import Here
from harness.loky import Loky
from results.tables import write_tables
from studies.play.study_run import run_study
from tests.support.runs import csv_bytes, study_of, study_text
from tests.support.searches import tune_text

SPECS = ["random", "alphabeta:evaluation=static,depth=2", "uct:iterations=30"]


@pytest.mark.parametrize("kind", ["tournament", "tune"])
def test_this_process_plays_what_worker_processes_play(tmp_path: Path, kind: str) -> None:
    text = study_text(SPECS, 4) if kind == "tournament" else tune_text("200 games")
    study = study_of(tmp_path, text)
    for folder, executor in (("here", Here()), ("loky", Loky(2))):
        run_study(study, tmp_path / folder, 2, executor=executor)
        write_tables(tmp_path / folder)
    assert csv_bytes(tmp_path / "here") == csv_bytes(tmp_path / "loky")


def test_this_process_shares_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> str:
        raise AssertionError("a folder is made")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    monkeypatch.setattr("harness.worker.MappedInFlight", refused)
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    assert run_study(study, tmp_path / "run", 1, executor=Here()).played == 4
