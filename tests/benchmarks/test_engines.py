"""The benchmark of real engines: what two samplers recommend meets, and is counted right."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import engines
from joute.engines.errors import JouteError
from tests.support.marks import dear
from tests.support.searches import tune_text


def test_an_interval_over_repetitions_is_students() -> None:
    mean, low, high = engines.interval([0.4, 0.5, 0.6])
    assert mean == pytest.approx(0.5)
    assert high - mean == pytest.approx(mean - low) == pytest.approx(4.302653 * 0.1 / 3**0.5)


def test_an_engine_against_itself_needs_no_game(tmp_path: Path) -> None:
    assert engines.score_of("a", "a", 1, 10, tmp_path / "none") == 0.5
    assert not list(tmp_path.iterdir())


def test_what_goes_wrong_is_one_line() -> None:
    with pytest.raises(JouteError, match="no-such-study"):
        engines.joute("run", "no-such-study")


@pytest.mark.slow
@dear
def test_two_samplers_tune_and_meet_and_nothing_is_played_twice(tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(tune_text())
    command = [str(study), "--games", "200", "--seeds", "2", "--blocks", "4",
               "--set", "tune.candidates=1", "--set", "tune.trial_blocks=2", "--out", str(tmp_path / "runs")]  # fmt: skip
    first = CliRunner().invoke(engines.main, command)
    assert first.exit_code == 0, first.output
    runs = {f.name: (f / "run.db").stat().st_mtime_ns for f in (tmp_path / "runs").iterdir()}
    assert {"s-200-1-joute", "s-200-2-tpe"} < set(runs)
    again = CliRunner().invoke(engines.main, command)
    assert again.output == first.output and "2 repetitions" in first.output
