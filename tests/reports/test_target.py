"""A study's target: its engines get the budget that the target's bot can afford."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.reports.export.target_limit import limit_setting
from tests.support.marks import dear
from tests.support.runs import play, study_of
from tests.support.searches import tune_text

TARGET = tune_text("300 games").replace("seed = 3", 'seed = 3\ntarget = "kaggle"')
LIMITED = TARGET.replace("depth = 2", "depth = 2\nnodes = 1000000").replace("to = 4 }", "to = 14 }")


@pytest.mark.slow
@dear
def test_a_target_sets_the_limit(tmp_path: Path) -> None:
    said: list[str] = []
    study = study_of(tmp_path, LIMITED)
    found = limit_setting(study, tmp_path / "run", said.append)
    assert found is not None and found.startswith("engine.nodes=")
    assert 10 <= float(found.partition("=")[2]) < 1_000_000
    assert any("is what its bot can afford" in text for text in said)


def test_a_resumed_run_keeps_its_limit(tmp_path: Path) -> None:
    play(study_of(tmp_path, LIMITED, "engine.nodes=300"), tmp_path / "run")
    study = study_of(tmp_path, LIMITED)
    assert limit_setting(study, tmp_path / "run", print) == "engine.nodes=300"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TARGET, "needs nodes or iterations under .engine."),
        (TARGET.replace("kaggle", "kagle"), "kagle.*did you mean 'kaggle'"),
    ],
)
def test_a_target_that_cannot_be_set(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        limit_setting(study_of(tmp_path, text), tmp_path / "run", print)


def test_a_study_without_a_target(tmp_path: Path) -> None:
    study = study_of(tmp_path, tune_text())
    assert limit_setting(study, tmp_path / "run", print) is None
