"""A search that is over is not searched again by the same command."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.studies.kinds.tune.tune import TuneKind
from tests.support.runs import play, study_of

STUDY = """
name = "small"
kind = "tune"
game = "connect4[columns=4,rows=4]"
seed = 3
budget = "180 games"
[engine]
search = "uct"
iterations = 20
k = 1.0
[space]
k = { from = 0.1, to = 2.0 }
[[opponents]]
spec = "random"
"""


class AskedAgain(Exception):
    """The kind of study was asked to play."""


def refuse(*_: object) -> None:
    raise AskedAgain


def test_only_a_run_that_is_over_plays_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    first = play(study_of(tmp_path, STUDY), run)
    assert first.played > 0 and not first.missing
    with monkeypatch.context() as patch:
        patch.setattr(TuneKind, "play", refuse)
        again = play(study_of(tmp_path, STUDY), run)
        assert (again.played, again.stopped, again.failures) == (0, "", first.failures)
        with pytest.raises(AskedAgain):
            play(study_of(tmp_path, STUDY, "budget=240 games"), run)
        with pytest.raises(AskedAgain):
            play(study_of(tmp_path, STUDY), run, fresh=True)
    assert play(study_of(tmp_path, STUDY), run).played > 0  # begun anew, and refused: not over
    assert play(study_of(tmp_path, STUDY, "budget=240 games"), run).played > 0
