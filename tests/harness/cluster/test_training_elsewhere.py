"""A network that learns from games which hosts play: nets travel there, and the games are those at home."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.dask_hosts import dask_of, needs_dask
from tests.support.runs import csv_bytes, joute
from tests.support.training import TINY

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")


@needs_dask
@pytest.mark.slow
def test_self_play_and_gates_are_played_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    with dask_of(tmp_path) as dask:
        done = joute("run", path, "--out", tmp_path / "away", "--cluster", dask.address)
        assert done.returncode == 0, done.stderr
    assert joute("run", path, "--out", tmp_path / "home", "-j", 1).returncode == 0
    assert csv_bytes(tmp_path / "away") == csv_bytes(tmp_path / "home")
    for net in sorted((tmp_path / "home" / "nets").glob("*.onnx")):
        assert (tmp_path / "away" / "nets" / net.name).read_bytes() == net.read_bytes()
