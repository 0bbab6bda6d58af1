"""Glaurung, a chess engine of others: by depth, by the clock, with its own options."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.results.store import Store
from joute.studies.adhoc import match_study
from joute.studies.file.uci_template import write_uci_study
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study

PROGRAM = shutil.which("glaurung") or "/usr/games/glaurung"
pytestmark = pytest.mark.skipif(not Path(PROGRAM).is_file(), reason="glaurung is not installed")
OPTIONS = 'options="Threads=1; Hash=16; OwnBook=false; Ponder=false"'
SPEC = f"chess/process:command={PROGRAM},protocol=uci,{OPTIONS}"


def test_it_plays_by_the_clock(tmp_path: Path) -> None:
    """No crash; where it loses by time or sees no move the failure says so, and the other game is played."""
    ours = "alphabeta:evaluation=material,quiescence=on,table=4,depth=30,clock=40"
    study = match_study(SPEC, ours, 1, clock="0.5+0.02", margin_ms=500)
    run_study(study, tmp_path / "run", workers=1)
    with Store.open(tmp_path / "run") as store:
        games = list(store.games())
    assert len(games) == 2
    for game in games:
        for seat in game.seats:
            assert seat.failure in ("", "illegal"), seat.failure_text
            assert sum(seat.move_ms) <= 500 + 20 * seat.plies + 500
            assert max(seat.move_depths) >= 2


def test_its_options_are_checked_before_any_game() -> None:
    for option, said in (
        ("Mobilty (Middle Game)=50", r"did you mean 'Mobility \(Middle Game\)'"),
        ("Space=900", "a whole number from 0 to 200"),
    ):
        engine = parse_engine(SPEC.replace("Threads=1", f"Threads=1; {option}") + ",depth=2")
        with pytest.raises(Refused, match=said):
            engine.search.check_here(engine.setup)
    engine = parse_engine(f"{SPEC},depth=2")
    assert engine.search.check_here(engine.setup).name == "Glaurung 2.2"


def test_a_study_of_all_its_numbers(tmp_path: Path) -> None:
    sketch = write_uci_study(PROGRAM, tmp_path / "study.toml")
    study = load_study(tmp_path / "study.toml")
    assert len(study.parameters) > 40 and len(sketch.parameters) == 5
