"""The notebook of the examples runs from its first cell to its last, in a real Jupyter kernel."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.support.runs import ROOT

BOOK = ROOT / "examples" / "first_steps.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What each cell of code shows, in the form that a notebook prefers."""
    folder: Path = tmp_path_factory.mktemp("notebook")
    book = nbformat.read(BOOK, as_version=4)
    NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    assert (folder / "runs" / "depths" / "run.db").is_file()
    return ["".join(map(shown, cell.outputs)) for cell in book.cells if cell.cell_type == "code"]


def shown(output: nbformat.NotebookNode) -> str:
    """Return an output as text: HTML where there is any, the name of a picture's type."""
    data = output.get("data", {})
    if "image/png" in data:
        return "picture"
    return str(data.get("text/html") or data.get("text/plain") or output.get("text", ""))


def test_results_show_themselves(outputs: list[str]) -> None:
    match, games, _, depths, names, plot, numbers, position, best, returns, tuned, elo = outputs
    assert "40 games" in match and "<table" in match
    assert "termination" in games
    assert "search=" in depths or "depth=" in depths
    assert "ladder" in names and plot == "picture" and "elo_low" in numbers
    assert "<pre>" in position and "move=" in best and returns.strip("[]").count(",") == 1
    assert "best point so far" in tuned and "Elo" in elo


def test_no_output_is_kept_in_the_file() -> None:
    """They hold times, which differ: whoever opens it runs it."""
    book = nbformat.read(BOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells)


def test_a_refusal_is_shown_as_one_line(tmp_path: Path) -> None:
    cell = nbformat.v4.new_code_cell("import joute\njoute.load('nothing')")
    book = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(
        book, timeout=120, kernel_name="python3", allow_errors=True,
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()  # fmt: skip
    (output,) = book.cells[0].outputs
    assert output["traceback"] == ["RunMissing: there is no run in nothing (no run.db)"]
