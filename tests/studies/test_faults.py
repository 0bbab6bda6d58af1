"""Study files and runs at the edge: faults told at once, and sentences instead of NaN."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joute.reports.page.page import report
from joute.reports.telling import answer
from joute.results.tables import load
from joute.studies.play.run_folder import opened
from tests.support.runs import here, play, study_of, study_text

SMALL = "connect4[columns=4,rows=4]"
AB = "alphabeta:evaluation=static,depth={}"
NUMBERLESS = re.compile(r"\b(nan|NaN|NAN|inf|Infinity|undefined)\b")

FAULTY = """
name = "many"
kind = "tournament"
game = "connect4[columns=77]"
seed = "x"
budget = "0 games"
[engine]
search = "alphabta"
[grid]
depth = [2, 3]
width = { from = 0.4, to = 0.3, step = 0.05 }
[schedule]
blocks = 0
wihtin = "depth"
[time]
slow_after_ms = -1
[[stage]]
entrants = "bset:2"
blocks = 1
"""
FAULTS = {
    "game": "connect4: columns = 77 is not a whole number from 4 to 16",
    "seed": '"x" is not a whole number from 0 up',
    "budget": "\"0 games\" is not a text like '8h', '2h30m' or '500 games'",
    "schedule.blocks": "0 is not a whole number from 1 up",
    "schedule.wihtin": "unknown key; did you mean 'within'?",
    "time.slow_after_ms": "-1 is not a number of milliseconds above 0",
    "stage.0.entrants": "\"bset:2\" is not 'all', 'best:N' or 'best-per:PARAMETER'",
    "grid.width": "",
}


def test_every_fault_of_a_file_is_told_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("many.toml").write_text(FAULTY)
    for words in (["run", "many.toml"], ["run", "many.toml", "--dry-run"]):
        done = here(*words)
        assert done.exit_code == 2 and done.stdout == ""
        told = dict(
            line.removeprefix("joute: ").split(": ", 1) for line in done.stderr.splitlines()
        )
        assert set(FAULTS) <= set(told), done.stderr
        for path, text in FAULTS.items():
            assert told[path].startswith(text)
    assert sorted(path.name for path in Path().iterdir()) == ["many.toml"]


def test_a_plugin_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    plugin = tmp_path / "broken.py"
    plugin.write_text("1 / 0\n")
    (tmp_path / "s.toml").write_text(study_text(["random", AB.format(2)]))
    done = here("run", tmp_path / "s.toml", "--set", f'plugins=["{plugin}"]')
    assert done.exit_code == 2
    assert done.stderr == (
        f"joute: plugins.0: plugin {plugin} cannot be loaded: "
        "ZeroDivisionError('division by zero')\n"
    )


def test_too_few_openings_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    text = study_text(["random", AB.format(2)], 3, SMALL, "[openings]\nplies = 1")
    study_of(tmp_path, text)
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert done.stderr.endswith(  # after a word on compiling, where kernels are new
        "joute: only 2 distinct openings of 1 plies were found for connect4[columns=4,rows=4]; "
        "ask for fewer blocks or more plies (openings.plies)\n"
    )
    assert not (tmp_path / "run").exists()


def said(folder: Path) -> str:
    """Return the answer of a run, all of whose files hold numbers or nothing."""
    page = report(folder).page
    tables = list(folder.glob("*.csv"))
    assert len(tables) >= 6
    for path in (page, *tables):
        found = NUMBERLESS.search(path.read_text())
        assert found is None, f"{path.name}: {found}"
    return " ".join(answer(load(folder)).lines)


# id: engines, blocks, opening plies, overrides, games, what the answer says
EDGES: dict[str, tuple[list[str], int, int, list[str], int, str]] = {
    "one block": (
        [AB.format(2), "random"], 1, 6, [], 2,
        "a single block was played: the spread is unknown.",
    ),
    "one block of four": (
        [AB.format(2), "random"], 4, 6, ["budget=1 games"], 2,
        "a single block was played: the spread is unknown.",
    ),
    "all draws": (
        [AB.format(16), AB.format(15)], 2, 1, [], 4,
        "Cannot tell e0 from e1: e0 scores 50.0 % (11.2 % to 88.8 %) in 2 blocks; Elo 0; "
        "all 2 blocks ended the same way",
    ),
    "against itself": (
        [AB.format(2), AB.format(2) + ",nodes=1000000,deepening=off"], 6, 0, ["schedule.blocks=1"],
        2, "Cannot tell e0 from e1: e0 scores 50.0 %",
    ),
    "three, one block": (
        [AB.format(1), AB.format(2), "random"], 1, 6, [], 6, "Cannot tell the engines apart: ",
    ),
    "a failing engine": (
        ["bad:how=illegal", "bad:how=raise"], 2, 6, [], 4, "Cannot tell e0 from e1: e0 scores 50.0 %",
    ),
}  # fmt: skip


@pytest.mark.parametrize("edge", EDGES)
def test_little_data_is_answered_in_words(tmp_path: Path, edge: str) -> None:
    specs, blocks, plies, overrides, games, text = EDGES[edge]
    more = f"[openings]\nplies = {plies}"
    outcome = play(
        study_of(tmp_path, study_text(specs, blocks, SMALL, more), *overrides), tmp_path / "run"
    )
    assert outcome.played == games
    assert text in said(tmp_path / "run")


def test_no_game_at_all_is_answered_in_words(tmp_path: Path) -> None:
    study = study_of(tmp_path, study_text(["random", AB.format(2)]))
    with opened(study, tmp_path / "run", False):
        pass
    assert said(tmp_path / "run") == "No game was played, so there is no answer."
    done = here("report", tmp_path / "run")
    assert done.exit_code == 0
    assert done.stdout.startswith("No game was played, so there is no answer.\nreport: ")


def test_one_entrant_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(study_text(["random"]))
    done = here("run", tmp_path / "s.toml")
    assert done.exit_code == 2
    assert done.stderr == (
        "joute: entrants: one entrant; allowed: at least two, from [grid] or [[entrants]]\n"
    )
