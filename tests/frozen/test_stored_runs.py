"""Runs that an older version left on a disk go on: what it stored is not played again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from joute.results.store import Store
from joute.studies.load import load_study
from tests.frozen.facts import VERSIONS
from tests.support.runs import play

HERE = Path(__file__).resolve().parent / "run_of_0_2"
BLOCKS = 6 * 2  # pairings of four entrants, blocks of each


@pytest.mark.skipif(VERSIONS != "python3.11-numba0.68.1", reason="digests hold these versions")
def test_a_run_of_compiled_engines_goes_on(tmp_path: Path) -> None:
    """The run was stored by the first commit whose kernels write a word only once."""
    shutil.copytree(HERE, tmp_path / "run")
    study = HERE / "study.toml"
    with Store.open(tmp_path / "run") as store:
        before = list(store.games())
        assert len(before) == 2 * BLOCKS
    assert play(load_study(study), tmp_path / "run").played == 0
    grown = play(load_study(study, ["schedule.blocks=3"]), tmp_path / "run")
    assert grown.played == BLOCKS
    with Store.open(tmp_path / "run") as store:
        assert list(store.games())[: len(before)] == before
