"""A study tells its tuner its blocks; a run that was begun before that goes on as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute import Float
from joute.reports.reading.search import Search
from joute.results.meta import BY_BLOCK, Meta
from joute.results.store import Store
from joute.results.tables import load
from joute.studies.search.samplers.joute import Joute
from joute.studies.search.surrogate import observed_blocks
from joute.studies.search.trial import COMPLETE, Trial
from joute.studies.tuner.parameters import ParameterTable
from tests.support.runs import play, rows, study_of
from tests.support.searches import one_axis

SPACE = ParameterTable({"x": Float(0, 1)})
TOLD = "SELECT number, engine, scores FROM trials ORDER BY number"


def test_a_proposer_is_told_pairs_and_blocks() -> None:
    """Of a finished trial the search reads what the answer reads: the same counts, the same noise."""
    for size, means in ((2, [0.0, 0.25, 0.5, 1.0]), (6, [0.5, 0.55, 0.8]), (2, [0.3, 0.5])):
        proposer = Joute().proposer(SPACE, 1, None, size)
        trial = proposer.ask(0)
        trial.values, trial.state, trial.block_games = list(means), COMPLETE, size
        trial.results = (0.0, 1.0, 1.0)  # not read: a report does not have them
        proposer.tell(trial)
        state = proposer.tuner._state  # type: ignore[attr-defined]
        counts, noise = observed_blocks(SPACE, [trial], size)
        assert state.raw.blocks.keys() == counts.blocks.keys() == {size}
        assert state.raw.blocks[size] == pytest.approx(counts.blocks[size])
        assert state.free == noise


def test_an_opponent_of_the_space_scores_a_half_for_certain() -> None:
    point = {"x": 0.5}
    trials = [Trial(0, point, [0.5, 0.5]), Trial(1, {"x": 0.2}, [0.25, 0.5])]
    counts, noise = observed_blocks(SPACE, trials, 2, point)
    assert counts.blocks[2][0].sum() == 2  # its trials against itself were not played
    assert noise.thinned(counts)[1].max() == pytest.approx(400)


def test_a_run_of_before_goes_on_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without the note tells its tuner games, now as then; a new one, blocks."""

    def text(games: int) -> str:
        return one_axis("tune", f"{games} games", "[tune]\nparallel_trials = 2\n")

    with monkeypatch.context() as then:
        then.setattr(Meta, "by_block", False)
        for name, games in (("before", 260), ("whole", 320)):
            play(study_of(tmp_path, text(games)), tmp_path / name)
            with Store.open(tmp_path / name, write=True) as store:
                store.set_meta({BY_BLOCK: ""})
    play(study_of(tmp_path, text(320)), tmp_path / "before")
    play(study_of(tmp_path, text(320)), tmp_path / "now")
    assert rows(tmp_path / "before", TOLD) == rows(tmp_path / "whole", TOLD)
    assert rows(tmp_path / "now", TOLD) != rows(tmp_path / "whole", TOLD)
    before, now = (Search.of(load(tmp_path / name)) for name in ("before", "now"))
    assert not before.by_block and not before.answer.noise.excess
    assert now.by_block and now.answer.noise.excess.keys() == {2}
