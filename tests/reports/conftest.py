"""What the tests of reports share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.exports import BEST, GAME
from tests.support.runs import play, study_of, study_text


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run whose winner is confirmed."""
    folder = tmp_path_factory.mktemp("study")
    text = study_text(["random", BEST.partition("/")[2]], blocks=8, game=GAME)
    play(study_of(folder, text), folder / "run")
    return folder / "run"
