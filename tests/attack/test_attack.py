"""The attack in its shortest form; the whole one is `python -m tests.attack`."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable

import pytest

from tests.attack import bots, files, inputs, kills
from tests.attack.findings import Findings
from tests.support.marks import dear_case
from tests.support.runs import here
from tests.support.searches import tune_text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "number"),
    [
        (inputs.attack, 40),
        (files.attack, 120),
        dear_case(bots.attack, 2),
        dear_case(kills.attack, 1),
    ],
)
def test_nothing_is_found(part: Callable[[int, int], Findings], number: int) -> None:
    found = part(2, number)
    assert found.done and not found.faults, found.table()


FALSIFIED = {
    "trials.csv differs": "UPDATE trials SET scores = '[0.5]' WHERE number = 1",
    "parameters.csv differs": "UPDATE trials SET scores = '[0.5]' WHERE number = 1",
    "other games than undisturbed": "UPDATE seats SET nodes = nodes + 1 WHERE game = 3",
    "does not play to its end": "DELETE FROM games WHERE number = 3",
}


@pytest.fixture(scope="module")
def siege(tmp_path_factory: pytest.TempPathFactory) -> kills.Siege:
    """A search that nobody has disturbed yet."""
    place = tmp_path_factory.mktemp("siege")
    return kills.Siege(
        Findings("kills"),
        random.Random(1),
        place,
        "tune",
        tune_text("200 games"),
        "mark",
        "--seed 1",
    )


@pytest.mark.slow
@pytest.mark.parametrize(("fault", "sabotage"), FALSIFIED.items())
def test_a_sabotaged_run_is_found(siege: kills.Siege, fault: str, sabotage: str) -> None:
    folder = siege.place / "run"
    shutil.copytree(siege.calm, folder)
    siege.found = Findings("kills")
    siege.check(folder)
    assert not siege.found.faults, siege.found.table()
    with sqlite3.connect(folder / "run.db") as db:
        db.execute(sabotage)
    db.close()
    here("report", folder)
    siege.check(folder)
    assert fault in "".join(siege.found.faults), siege.found.table()
    shutil.rmtree(folder)
