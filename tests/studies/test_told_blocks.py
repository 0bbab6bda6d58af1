"""A study tells its tuner its blocks; a run that was begun before that goes on as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute import Float
from joute.reports.reading.search import Search, results_of
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
        won = size * sum(means) - 0.5
        trial.results = (won, 1.0, size * len(means) - won - 1.0)
        proposer.tell(trial)
        state = proposer.tuner._state  # type: ignore[attr-defined]
        counts, noise = observed_blocks(SPACE, [trial], size)
        assert state.raw.blocks.keys() == counts.blocks.keys() == {size}
        assert state.raw.blocks[size] == pytest.approx(counts.blocks[size])
        assert state.free == noise


def test_draws_are_counted_where_pairs_would_have_them_guessed() -> None:
    """Where openings decide, most pairs have a point each, as pairs of draws do."""
    even = Trial(0, {"x": 0.5}, [0.5] * 90 + [0.0, 1.0, 0.25, 0.75] * 5)
    _, guessed = observed_blocks(SPACE, [even], 2)
    assert guessed.spread < 0.5
    even.results = results_of(even.values, 2, 10)
    _, counted = observed_blocks(SPACE, [even], 2)
    assert counted.spread == pytest.approx(1 - 10 / 220)


def test_a_report_counts_the_draws_of_trials(tmp_path: Path) -> None:
    play(study_of(tmp_path, one_axis("tune", "300 games", "")), tmp_path / "run")
    with Store.open(tmp_path / "run") as store:
        searched = [game for game in store.games() if game.stage == "search"]
    draws = sum(game.seats[0].returns == 0.5 for game in searched)
    trials = Search(load(tmp_path / "run")).trials
    assert draws and sum(trial.results[1] for trial in trials) == draws
    for trial in trials:
        won, draws, lost = trial.results
        assert won + draws + lost == 2 * len(trial.values) and min(trial.results) >= 0
        assert won + draws / 2 == pytest.approx(2 * sum(trial.values))


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
