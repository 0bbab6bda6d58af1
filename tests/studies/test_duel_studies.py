"""Searches whose points play each other: `[tune] against = "itself"` or `"both"`."""

from __future__ import annotations

import csv
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

from joute.reports.reading.binned import binned
from joute.reports.reading.search import Search
from joute.reports.telling import answer, winner_of
from joute.results.frames import load
from joute.results.store import RunDamaged, Store
from joute.results.tables import write_tables
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.estimate import estimate_run
from joute.studies.play.run_folder import as_begun, opened, own_folder
from joute.studies.play.study_run import run_study
from joute.studies.search.ask_tell import Trials
from joute.studies.search.dashboard import up_to_date
from joute.studies.search.optuna_storage import storage_of
from joute.studies.search.recommend import read
from joute.studies.search.surrogate import observed_blocks
from joute.studies.search.trial import COMPLETE, Trial
from tests.support.runs import here, rows

POOL = [{"name": "other", "depth": 2}]


def study_of(against: str = "itself", **more: Any) -> dict[str, Any]:
    given = dict(more)
    table: dict[str, Any] = {
        "name": "duels", "kind": "tune", "game": "connect4[columns=5,rows=4]", "seed": 3,
        "budget": "200 games",
        "engine": {"search": "alphabeta", "evaluation": "lines", "depth": 1, "width": 0.6},
        "space": {"width": {"from": 0.1, "to": 1.0}},
        "tune": {"against": against, **given.pop("tune", {})},
        **given,
    }  # fmt: skip
    return table


# --- the file


def test_a_study_says_whom_its_points_play() -> None:
    study = load_study(study_of())
    assert study.resolved()["tune"]["against"] == "itself"
    assert load_study(study.resolved()) == study
    pool = load_study(study_of("pool"))
    assert pool.resolved()["tune"]["against"] == "pool"
    assert load_study(pool.resolved()) == pool
    assert "against" not in pool.identity()["search"]  # as studies of before
    assert study.identity() != pool.identity()


THREE = {
    "game": "tron[players=3]",
    "budget": "300 games",
    "engine": {"search": "paranoid", "evaluation": "zones", "depth": 1},
    "space": {"depth": {"from": 1, "to": 2}},
}


@pytest.mark.parametrize(
    ("more", "usual"),
    [
        ({"opponents": POOL}, "both"),
        ({}, "itself"),  # the default is the one opponent
        ({"tune": {"sampler": "tpe"}}, "pool"),
        ({"space": {"width": {"from": 0.7, "to": 1.0}}}, "pool"),  # without the default
        (THREE, "pool"),
        ({"opponents": POOL, "tune": {"storage": "sqlite:///x.db"}}, "both"),
        ({"tune": {"storage": "sqlite:///x.db"}}, "pool"),  # which holds no duel
    ],
)
def test_points_play_each_other_where_they_can(more: dict[str, Any], usual: str) -> None:
    table = study_of(**more)
    del table["tune"]["against"]
    resolved = load_study(table).resolved()
    assert resolved["tune"]["against"] == usual
    assert load_study(resolved).resolved() == resolved


def test_a_run_of_before_goes_on_against_its_opponents(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    table = study_of("pool", opponents=POOL)
    begun = load_study(table)
    with opened(begun, folder, fresh=False):
        pass
    del table["tune"]["against"]  # a file that says nothing
    now = load_study(table)
    assert now.resolved()["tune"]["against"] == "both"
    assert as_begun(now, folder).resolved()["tune"]["against"] == "pool"
    assert own_folder(now, folder, False) == folder
    asked = load_study(study_of("both", opponents=POOL))
    assert as_begun(asked, folder) is asked
    assert own_folder(asked, folder, False) == tmp_path / "run-2"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (study_of("selves"), r"tune\.against: .* is not pool, itself or both"),
        (study_of(tune={"sampler": "tpe"}), "needs the sampler joute, and tpe is chosen"),
        (study_of(tune={"storage": "sqlite:///x.db"}), r"tune\.storage: a game between two points"),
        (study_of("both"), "both needs an opponent besides the default"),
        (study_of(space={"width": {"from": 0.7, "to": 1.0}}), "which is outside"),
        (study_of(**THREE), "itself is for games of two players; allowed: pool"),
    ],
)
def test_what_is_refused(table: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        load_study(table)


def test_the_dry_run_says_it() -> None:
    text = str(estimate_run(load_study(study_of()), 2, False).text)
    assert "a few between each two points" in text
    both = load_study(study_of("both", opponents=POOL))
    assert "or between two, in turn" in str(estimate_run(both, 2, False).text)


# --- a run


@pytest.fixture(scope="module", params=["itself", pytest.param("both", marks=pytest.mark.slow)])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    against: str = request.param
    folder = tmp_path_factory.mktemp(against) / "run"
    more = {"opponents": POOL} if against == "both" else {}
    run_study(load_study(study_of(against, **more)), folder, 1)
    return folder


def test_trials_are_games_between_two_points(run: Path) -> None:
    results = load(run)
    both = any(trial.other is None for trial in results.trials)
    assert both == (run.parent.name.startswith("both"))
    names = dict(zip(results.engines["id"], results.engines["name"], strict=True))
    seats = results.seats[results.seats["stage"] == "search"]
    met = {frozenset(own) for _, own in seats.groupby("block")["engine"]}
    for trial in results.trials:
        if trial.other is not None:
            assert trial.other != trial.point
            assert frozenset((names[trial.engine], names[trial.other_engine])) in met
        elif both:
            assert frozenset((names[trial.engine], "other")) in met


def test_trials_csv_holds_both_points(run: Path) -> None:
    write_tables(run)
    with (run / "trials.csv").open() as file:
        written = list(csv.DictReader(file))
    trials = load(run).trials
    assert len(written) == len(trials)
    for row, trial in zip(written, trials, strict=True):
        assert bool(row["other"]) == (trial.other is not None)
        if trial.other is not None:
            assert float(row["other_width"]) == pytest.approx(float(trial.other["width"]))
    assert sum(int(row["games"]) for row in written) == sum(load(run).games["stage"] == "search")


def test_scores_are_against_the_default_or_the_pool(run: Path) -> None:
    search = Search.of(load(run))
    assert search.duels
    itself = run.parent.name.startswith("itself")
    assert search.against == (["default"] if itself else ["other"])
    low, mean, high = search.answer.estimate(search.space.places([search.default_point])[0])
    if itself:  # for certain
        assert (low, mean, high) == pytest.approx((0.5, 0.5, 0.5), abs=0.01)
    else:
        assert high - low > 0.02


def test_the_report_is_written_and_says_whom_scores_are_against(run: Path) -> None:
    assert here("report", run).exit_code == 0
    text = " ".join(answer(load(run)).lines)
    assert "default" in text and "finished trials scored" not in text  # the luck of a duel
    assert winner_of(load(run)) is not None
    page = (run / "report.html").read_text()
    name = "default" if run.parent.name.startswith("itself") else "other"
    assert f"Score against {name} over each parameter" in page


def test_optuna_gets_a_copy_of_the_trials_against_the_pool(run: Path) -> None:
    if run.parent.name.startswith("itself"):
        assert not list(run.glob("*.log"))
        refused = here("dashboard", run)
        assert refused.exit_code == 2 and "no trials of Optuna's" in refused.stderr
        return
    up_to_date(run)
    pooled = [trial for trial in load(run).trials if trial.other is None]
    copied = optuna.load_study(study_name="duels", storage=storage_of(run, None))
    assert [t.params for t in copied.get_trials()] == [dict(t.point) for t in pooled]


def test_a_duel_counts_at_both_points_of_a_curve(run: Path) -> None:
    search = Search.of(load(run))
    [axis] = search.axes
    dots = binned(search, axis, search.curve(axis))
    twice = sum(len(t.values) * (2 if t.other else 1) for t in search.trials)
    assert sum(dot["games"] for dot in dots) == 2 * twice
    alone = sum(len(t.values) for t in search.trials if t.other is None)
    assert sum(dot["games"] for dot in binned(search, axis)) == 2 * alone


def test_a_model_of_duels_expects_their_scores(run: Path) -> None:
    search = Search.of(load(run))
    point, other = {"width": 0.3}, {"width": 0.9}
    first, second = search.modelled([Trial(0, point, other=other), Trial(1, other, other=point)])
    assert first + second == pytest.approx(1.0)


def test_the_same_run_again_plays_nothing(run: Path) -> None:
    against = "itself" if run.parent.name.startswith("itself") else "both"
    more = {"opponents": POOL} if against == "both" else {}
    before = rows(run, "SELECT * FROM duels ORDER BY trial")
    outcome = run_study(load_study(study_of(against, **more)), run, 1)
    assert (outcome.played, outcome.missing) == (0, 0)
    assert rows(run, "SELECT * FROM duels ORDER BY trial") == before


@pytest.mark.slow
def test_a_grown_budget_goes_on(tmp_path: Path) -> None:
    small, large = study_of(budget="180 games"), study_of(budget="220 games")
    run_study(load_study(small), tmp_path / "run", 1)
    before = load(tmp_path / "run").trials
    run_study(load_study(large), tmp_path / "run", 1)
    run_study(load_study(large), tmp_path / "fresh", 1)
    after = load(tmp_path / "run").trials
    assert after[: len(before)] == before and len(after) > len(before)
    assert after == load(tmp_path / "fresh").trials


# --- the store


@pytest.mark.slow
def test_a_run_of_an_earlier_schema_reads_as_before(tmp_path: Path) -> None:
    run_study(load_study(study_of("pool", budget="180 games")), tmp_path / "run", 1)
    trials = load(tmp_path / "run").trials
    with sqlite3.connect(tmp_path / "run" / "run.db") as db:
        db.execute("DROP TABLE duels")
        db.execute("PRAGMA user_version = 7")
    db.close()
    assert load(tmp_path / "run").trials == trials
    outcome = run_study(load_study(study_of("pool", budget="240 games")), tmp_path / "run", 1)
    assert outcome.played > 0
    with Store.open(tmp_path / "run") as store:
        assert store.rows("SELECT COUNT(*) FROM duels") == [(0,)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE duels SET point = '[1]'", "no JSON object"),
        ("UPDATE duels SET point = '{\"width\": null}'", "neither number nor text"),
        (
            'UPDATE duels SET engine = 3.5, point = \'{"width": "wide"}\'',
            "not what its search says",
        ),
        ("INSERT INTO duels VALUES (99999, 'x', '{}')", "a trial that there is not"),
    ],
)
def test_a_damaged_duel_is_one_line(run: Path, tmp_path: Path, change: str, said: str) -> None:
    shutil.copytree(run, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "run.db") as db:
        db.execute(change)
    db.close()
    with pytest.raises(RunDamaged, match=said):
        load(tmp_path / "run")


# --- the search alone


def strengths(width: float) -> float:
    """Return log-odds whose top is at 0.8."""
    return -6.0 * (width - 0.8) ** 2


def searched_by_duels(seed: int) -> tuple[float, float, float, float]:
    """Search the known landscape with 600 games.

    Returns:
        the width that was found; the lower end, the middle and the upper end of its expected score against
        the default.
    """
    space, rng = load_study(study_of()).own.space, np.random.default_rng(seed)  # type: ignore[union-attr]
    trials = Trials(space, "joute", 5, 1, {"width": 0.3}, 2, "itself")
    while sum(2 * len(trial.values) for trial in trials.finished) < 600:
        trial = trials.ask()
        assert trial.other is not None and trial.blocks is not None
        gap = strengths(float(trial.point["width"])) - strengths(float(trial.other["width"]))
        won = rng.random((trial.blocks, 2)) < 1 / (1 + np.exp(-gap))
        trial.values = [float(mean) for mean in won.mean(axis=1)]
        trial.state, trial.block_games = COMPLETE, 2
        trials.tell(trial)
    found = read(space, trials.finished, 2, 5, {"width": 0.3})
    return float(found.point["width"]), *found.estimate(found.best)


@pytest.mark.slow
def test_a_search_by_duels_finds_the_top_of_a_known_landscape() -> None:
    # Several searches: which games one of them plays hangs on the last bits that a processor computes.
    widths, lows, middles, highs = np.transpose([searched_by_duels(seed) for seed in range(6)])
    truth = 1 / (1 + np.exp(strengths(0.3) - strengths(0.8)))
    assert np.all(np.abs(widths - 0.8) < 0.2) and abs(widths.mean() - 0.8) < 0.1
    assert abs(middles.mean() - truth) < 0.12
    assert np.sum((lows < truth) & (truth < highs)) >= 3
    assert np.all(highs - lows < 0.35)


def test_games_against_the_default_are_duels_where_others_are() -> None:
    space = load_study(study_of()).own.space  # type: ignore[union-attr]
    default = {"width": 0.6}
    trials = [
        Trial(0, {"width": 0.2}, [0.5, 1.0], COMPLETE, other={"width": 0.9}),
        Trial(1, {"width": 0.2}, [0.0, 0.5], COMPLETE),
    ]
    counts, _ = observed_blocks(space, trials, 2, default)
    assert counts.duels.all() and len(counts) == 2
    counts, _ = observed_blocks(space, trials, 2)  # an opponent outside the space
    assert counts.duels.sum() == 1 and counts.levelled
