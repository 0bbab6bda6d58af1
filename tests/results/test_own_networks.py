"""A run that was moved, copied, or is read from another folder has its own networks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from joute.results.own_networks import at_home

TEXT = "connect4/puct:network={},root=puct,iterations=12"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a network, seen from the folder in which the run was begun."""
    monkeypatch.chdir(tmp_path)
    folder = Path("runs", "tiny")
    (folder / "nets").mkdir(parents=True)
    (folder / "nets" / "0004.onnx").write_text("a network")
    return folder


def read(folder: Path, network: str = "runs/tiny/nets/0004.onnx") -> str:
    text, parameters = at_home(TEXT.format(network), {"network": network, "c": 1.5}, folder)
    assert text == TEXT.format(parameters["network"]) and parameters["c"] == 1.5
    return str(parameters["network"])


def test_where_it_was_begun_nothing_changes(run: Path) -> None:
    assert read(run) == "runs/tiny/nets/0004.onnx"
    assert read(Path("elsewhere")) == "runs/tiny/nets/0004.onnx"


def test_a_moved_run_and_another_folder_find_it(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = Path("other") / "renamed"
    shutil.move(run, moved)
    assert read(moved) == "other/renamed/nets/0004.onnx"
    os.mkdir("sub")
    monkeypatch.chdir("sub")
    assert read(Path("../other/renamed")) == "../other/renamed/nets/0004.onnx"


def test_a_folder_with_a_space_is_quoted(run: Path) -> None:
    shutil.move(run, "my run")
    text, _ = at_home(
        TEXT.format("runs/nets/0004.onnx"), {"network": "runs/nets/0004.onnx"}, Path("my run")
    )
    assert text == TEXT.format('"my run/nets/0004.onnx"')


def test_a_copy_has_its_own(run: Path) -> None:
    shutil.copytree(run, "copy")
    assert read(Path("copy")) == "copy/nets/0004.onnx"


def test_networks_of_others_stay_as_they_are(run: Path) -> None:
    assert read(run, "connect4") == "connect4"  # one that comes with Joute
    assert read(run, "nets/0009.onnx") == "nets/0009.onnx"  # not of this run
    assert read(run, "models/0004.onnx") == "models/0004.onnx"
