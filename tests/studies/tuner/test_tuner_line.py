"""With one number a tuner also plays where its model expects nothing."""

from __future__ import annotations

import numpy as np

from joute import Float, Int, Tuner
from joute.engines.kernels.compile import Floats
from joute.studies.tuner.domain import Point
from joute.studies.tuner.model.counts import Blocks, Counts
from joute.studies.tuner.model.team import Team
from joute.studies.tuner.parameters import ParameterTable
from joute.studies.tuner.propose import SPARE, by_record, unvisited
from tests.support.tuning import play

LINE = ParameterTable({"x": Float(-1, 1)})


def counts_of(rows: list[tuple[float, float, float]]) -> Counts:
    """Return counts at places on a line: place, points won, games."""
    counts = Counts(1)
    for x, won, games in rows:
        counts.add(np.array([x]), won, games)
    return counts


def team_of(counts: Counts) -> Team:
    team = Team(LINE.shape)
    team.settle(counts)
    return team


def test_a_place_that_is_far_lies_in_the_widest_gap_and_the_next_one_in_another() -> None:
    known = np.linspace(-1, 0.2, 25)[:, None]
    first, second, *_ = unvisited(LINE, known, np.random.default_rng(1))
    assert 0.5 < first[0] < 0.75 or first[0] > 0.9
    assert abs(second[0] - first[0]) > 0.15 and second[0] > 0.2


def test_where_every_value_has_been_visited_none_is_far() -> None:
    domain = ParameterTable({"n": Int(1, 6)})
    every = domain.places([{"n": n} for n in range(1, 7)])
    assert unvisited(domain, every, np.random.default_rng(1)).shape == (0, 1)
    [only] = np.unique(unvisited(domain, every[1:], np.random.default_rng(1)), axis=0)
    assert only == every[0]


def test_records_name_first_what_the_model_explains_least() -> None:
    """It believes in a level: one place won more often, and two games won are luck that may be more."""
    rows = [(x, 10.0, 40.0) for x in np.linspace(-1, 1, 21)]
    rows[4] = (rows[4][0], 24.0, 40.0)
    rows[17] = (rows[17][0], 2.0, 2.0)
    named = by_record(counts_of(rows), team_of(counts_of(rows)))
    assert named[:2, 0].tolist() == [rows[4][0], rows[17][0]]
    assert len(named) <= SPARE


def test_a_record_that_is_surprising_but_poor_names_no_place() -> None:
    rows = [(x, 30.0, 40.0) if x > 0 else (x, 0.0, 40.0) for x in np.linspace(-1, 1, 21)]
    rows[3] = (rows[3][0], 12.0, 40.0)
    named = by_record(counts_of(rows), team_of(counts_of(rows)))
    assert (named[:, 0] > 0).all()


def test_records_of_duels_name_no_place() -> None:
    counts = Counts(1)
    counts.add_duels(np.array([0.5]), np.array([-0.5]), Blocks(1, 4.0, 3.0))
    team = Team(LINE.shape)
    assert by_record(counts, team).shape == (0, 1)


def test_a_narrow_window_far_from_a_gentle_hill_is_found() -> None:
    """Five per cent of the range, of which the first 16 points see next to nothing."""

    def chance(point: Point) -> float:
        x = float(point["x"])
        return 0.75 if abs(x - 0.61) < 0.05 else 0.4 - 0.2 * (x + 0.4) ** 2

    found: list[Floats] = []
    for seed in (1, 2, 3):
        tuner = play(Tuner({"x": Float(-1, 1)}, seed=seed, budget=1000), 1000, chance, seed=seed)
        found.append(np.array(tuner.recommend()["x"]))
    assert np.abs(np.array(found) - 0.61).max() < 0.05, found
