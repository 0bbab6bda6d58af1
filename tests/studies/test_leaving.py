"""Entrants that leave a tournament: what is left is as if they had never been there, and they may return."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.results.following import Following
from joute.results.tables import load
from joute.studies.play.merge import merge
from joute.studies.play.progress import Outcome, Progress
from joute.studies.play.run_folder import StudyChanged
from joute.studies.play.study_run import run_study
from joute.studies.study import Study
from tests.support.here import Here
from tests.support.runs import ROOT, joute, lines_of, play, stored, study_of, study_text, tables

FIELD = [
    "random",
    "uct:iterations=5",
    *(f"alphabeta:evaluation=static,depth={d}" for d in (1, 2, 3)),
]
BEST = '[[stage]]\nentrants = "best:2"\nblocks = 3\n'
ADAPTIVE = 'type = "adaptive"\n'


def league(folder: Path, *out: int, more: str = "", blocks: int = 6) -> Study:
    """Return a tournament of the field without some."""
    text = study_text(FIELD, blocks)
    for number in out:
        text = text.replace(f'[[entrants]]\nname = "e{number}"\nspec = "{FIELD[number]}"\n', "")
    return study_of(folder, text + more)


@pytest.mark.parametrize("more", ["", BEST], ids=["one stage", "two stages"])
def test_it_is_as_if_they_had_never_been_there(tmp_path: Path, more: str) -> None:
    run, never = tmp_path / "run", tmp_path / "never"
    play(league(tmp_path, more=more), run)
    before = tables(run)
    play(league(tmp_path, 0, 3, more=more), run)
    play(league(tmp_path, 0, 3, more=more), never)
    assert tables(run) == tables(never)
    assert {line[9] for line in lines_of(never)} < {line[9] for line in lines_of(run)}
    assert play(league(tmp_path, more=more), run).played == 0
    assert tables(run) == before


def test_adaptive_pairings_keep_all_other_games(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(league(tmp_path, more=ADAPTIVE), run)
    before, others = tables(run), 2 * 15 - games_with(run, "e2")
    outcome = play(league(tmp_path, 2, more=ADAPTIVE), run)
    results = load(run)
    assert "e2" not in {*results.engines["name"]} | {*results.seats["engine"]}
    assert outcome.played == 2 * 12 - others and len(results.games) == 2 * 12
    assert play(league(tmp_path, more=ADAPTIVE), run).played == 0
    assert tables(run) == before


def games_with(folder: Path, engine: str) -> int:
    """Return how many games an engine has played."""
    return int((load(folder).seats["engine"] == engine).sum())


def test_who_looks_on_sees_it_leave_at_once(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(league(tmp_path), run)
    looking = Following(run)
    assert {*looking.look().engines["name"]} == {f"e{i}" for i in range(5)}
    said, seen = [], list[set[str]]()

    def look(games: int) -> None:
        results = looking.look()
        seen.append({*results.engines["name"]} | {*map(str, results.seats["engine"].unique())})

    progress = Progress(advance=look, say=said.append)
    run_study(league(tmp_path, 4, blocks=8), run, 1, False, progress, Here())
    assert seen and all(names == {"e0", "e1", "e2", "e3"} for names in seen)
    assert said == ["e4 left: their games are kept, but no longer count"]


def test_a_faulty_one_that_left_is_no_failure_any_more(tmp_path: Path) -> None:
    run = tmp_path / "run"

    def played(specs: list[str]) -> Outcome:
        return play(study_of(tmp_path, study_text(specs, 3)), run)

    assert played([*FIELD[1:3], "bad:how=illegal"]).failures > 0
    assert played(FIELD[1:3]).failures == 0
    assert "of entrants that have left" in " ".join(warned(run))


def warned(folder: Path) -> list[str]:
    """Return the caveats of a run's tables."""
    from joute.reports.reading.caveats import warnings

    return warnings(load(folder))


def test_what_is_another_study_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(league(tmp_path, 3, 4), run)
    with pytest.raises(StudyChanged, match="entrant e0: is gone"):
        play(league(tmp_path, 0, 1), run)  # one stays: what it played counts for nothing
    changed = study_text(FIELD[:3], 6).replace("iterations=5", "iterations=6")
    with pytest.raises(StudyChanged, match=r"iterations: was 5, is now 6; .* takes another name"):
        play(study_of(tmp_path, changed), run)
    assert stored(run) == 36


def test_corrected_rules_are_another_study(tmp_path: Path) -> None:
    plugin = tmp_path / "toe.py"
    source = (ROOT / "examples" / "tictactoe.py").read_text()
    words = ["--plugin", plugin, "match", "tictactoe/random", "uct:iterations=9", "--blocks", 2]
    more = ["--out", tmp_path / "run", "-j", 1, "--no-report"]
    plugin.write_text(source)
    assert joute(*words, *more).returncode == 0
    assert "nothing to do" in joute(*words, *more).stderr
    wrong = "W[at + first]):\n                return np.int64("
    plugin.write_text(source.replace(f"{wrong}1)", f"{wrong}2)"))  # who wins
    again = joute(*words, *more)
    assert again.returncode == 2 and "the rules" in again.stderr


def test_a_name_is_free_again(tmp_path: Path) -> None:
    run = tmp_path / "run"
    play(league(tmp_path), run)
    play(league(tmp_path, 4), run)
    play(study_of(tmp_path, study_text([*FIELD[:4], "uct:iterations=9"], 6)), run)
    results = load(run)
    assert {*results.engines["name"]} == {f"e{i}" for i in range(5)}
    assert "iterations=9" in " ".join(results.engines["spec"])


def test_a_run_that_some_have_left_is_not_merged(tmp_path: Path) -> None:
    for name, out in (("one", ()), ("two", (4,))):
        play(league(tmp_path), tmp_path / name)
        play(league(tmp_path, *out), tmp_path / name)
    with pytest.raises(Refused, match="without 1 of its former entrants"):
        merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both")
