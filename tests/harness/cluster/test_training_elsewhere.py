"""A network that learns from games which hosts play: nets travel there, and the games are those at home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.dask_hosts import dask_of, needs_dask
from tests.support.marks import dear
from tests.support.runs import csv_bytes, joute
from tests.support.training import TINY

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")


@needs_dask
@pytest.mark.slow
@dear
def test_self_play_and_gates_are_played_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    home, away = tmp_path / "home", tmp_path / "away"  # a net's path is in its engine's text
    home.mkdir()
    away.mkdir()
    with dask_of(tmp_path) as dask:
        done = joute("run", path, "--out", "run", "--cluster", dask.address, cwd=away)
        assert done.returncode == 0, done.stderr
    assert joute("run", path, "--out", "run", "-j", 1, cwd=home).returncode == 0
    assert csv_bytes(away / "run") == csv_bytes(home / "run")
    for net in sorted((home / "run" / "nets").glob("*.onnx")):
        assert (away / "run" / "nets" / net.name).read_bytes() == net.read_bytes()
