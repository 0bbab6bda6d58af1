"""Adaptive pairings: shares, determinism, the model against slow twins, and what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit, ndtr

from joute.harness.adaptive import (
    FLOOR,
    LEAST,
    PRIOR,
    START,
    Chooser,
    Pairings,
    believed,
    blocks_in_all,
)
from joute.harness.schedule import Table, seatings


def names_of(count: int) -> list[str]:
    return [f"e{i:02}" for i in range(count)]


def played(
    pairings: Pairings, strengths: dict[str, float], players: int = 2, seed: int = 1
) -> list[Table]:
    """Play all blocks, each part planned while the one before it is played; return their tables."""
    rng, every = np.random.default_rng(seed), list[list[Table]]()

    def learn(part: Sequence[Table]) -> None:
        for table in part:
            for number, seating in enumerate(seatings(players)):
                luck = [strengths[table[i]] + rng.gumbel() for i in seating]
                order = np.argsort(np.argsort(-np.array(luck)))
                pairings.learn(table, number, [1 - place / (players - 1) for place in order])

    while part := pairings.next_part():
        for table in part:
            assert pairings.can_meet(table)
            pairings.take(table)
        every.append(part)
        if len(every) > 1:
            learn(every[-2])
    return [table for part in every for table in part][: pairings.total]


@pytest.mark.parametrize(
    ("count", "players", "blocks"), [(9, 2, 12), (6, 3, 8), (7, 4, 9), (2, 2, 5)]
)
def test_everybody_plays_its_share(count: int, players: int, blocks: int) -> None:
    names = names_of(count)
    tables = played(Pairings(names, players, blocks, 3), dict.fromkeys(names, 0.0), players)
    assert len(tables) == blocks_in_all(count, players, blocks) == -(-count * blocks // players)
    met = Counter(name for table in tables for name in table)
    assert min(met[name] for name in names) >= min(START, FLOOR * blocks)
    assert all(len({*table}) == players for table in tables)


def test_there_are_no_blocks_without_enough_entrants() -> None:
    assert blocks_in_all(2, 3, 10) == 0 and Pairings(names_of(2), 3, 10, 1).next_part() == []


def test_a_plan_follows_from_seed_and_results_alone() -> None:
    strengths = {name: 0.2 * i for i, name in enumerate(names_of(8))}
    one, two = (played(Pairings(names_of(8), 2, 20, 4), strengths) for _ in range(2))
    assert one == two != played(Pairings(names_of(8), 2, 20, 5), strengths)
    assert played(Pairings(names_of(8), 2, 30, 4), strengths)[: len(one)] == one
    assert played(Pairings(names_of(8)[::-1], 2, 20, 4), strengths) == one


def test_early_blocks_spread_over_all_opponents() -> None:
    """As in a round robin: nobody meets anybody again while there is somebody new."""
    names = names_of(12)
    tables = played(Pairings(names, 2, 20, 2), dict.fromkeys(names, 0.0))
    early = Counter(tables[: 12 * START // 2])
    assert max(early.values()) == 1


def test_a_table_meets_no_more_often_than_there_are_openings() -> None:
    names = names_of(4)
    tables = played(Pairings(names, 2, 100, 1, most=7), dict.fromkeys(names, 0.0))
    assert Counter(tables) == dict.fromkeys(combinations(names, 2), 7)  # and then it is over


def test_the_first_is_found_more_often_than_by_a_round_robin() -> None:
    """20 fields of 16 engines (200 Elo), 15 blocks each: a round robin of as many games."""
    found = Counter[str]()
    for seed in range(20):
        names, rng = names_of(16), np.random.default_rng([seed, 1])
        strengths = dict(zip(names, rng.normal(0, 1.15, 16), strict=True))
        best = max(names, key=strengths.__getitem__)
        adaptive, robin = Pairings(names, 2, 15, seed), Pairings(names, 2, 15, seed)
        played(adaptive, strengths, seed=seed)
        for table in combinations(names, 2):
            for number, seating in enumerate(seatings(2)):
                one, other = (strengths[table[i]] + rng.gumbel() for i in seating)
                robin.learn(table, number, [float(one > other), float(one < other)])
        for name, pairings in (("adaptive", adaptive), ("robin", robin)):
            mean, _ = believed(pairings._points, pairings._games)
            found[name] += names[int(mean.argmax())] == best
    assert found["adaptive"] >= found["robin"] + 3


def test_the_best_two_meet_most() -> None:
    names = names_of(10)
    strengths = {name: -2.0 for name in names} | {"e03": 1.0, "e07": 0.9}
    tables = played(Pairings(names, 2, 30, 1), strengths)
    assert Counter(tables).most_common(1)[0][0] == ("e03", "e07")


def test_beliefs_are_those_of_a_slow_twin() -> None:
    """Minimised numerically, in a model written from its definition."""
    rng = np.random.default_rng(3)
    games = np.triu(rng.integers(0, 9, (6, 6)), 1)
    games = (games + games.T).astype(float)
    won = np.triu(rng.binomial(np.triu(games).astype(int), 0.6), 1).astype(float)
    points = won + (games - won.T) * np.tri(6, k=-1)

    def loss(x: np.ndarray) -> float:
        value = (x**2).sum() / (2 * PRIOR**2)
        for i, j in combinations(range(6), 2):
            value -= points[i, j] * log_expit(x[i] - x[j]) + points[j, i] * log_expit(x[j] - x[i])
        return float(value)

    mean, covariance = believed(points, games)
    slow = minimize(loss, np.zeros(6), tol=1e-12)
    assert mean == pytest.approx(slow.x, abs=1e-4)
    step, curvature = 1e-4, np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            ends = [
                sign * other * loss(mean + step * (sign * np.eye(6)[i] + other * np.eye(6)[j]))
                for sign in (1, -1)
                for other in (1, -1)
            ]
            curvature[i, j] = sum(ends) / (4 * step * step)
    assert covariance == pytest.approx(np.linalg.inv(curvature), rel=1e-3)


def test_what_a_meeting_tells_is_what_a_slow_twin_says() -> None:
    """The variance of each difference to the first, before and after a block, by Kalman's rule."""
    rng = np.random.default_rng(5)
    A = rng.normal(size=(5, 5))
    mean, V = rng.normal(size=5), A @ A.T / 5 + np.eye(5)
    chooser, first = Chooser(mean, V, 2), int(mean.argmax())
    told = np.zeros((5, 5))
    for i, j in combinations(range(5), 2):
        p = expit(mean[i] - mean[j])
        row = np.eye(5)[i] - np.eye(5)[j]
        gain = V @ row / (row @ V @ row + 1 / (2 * p * (1 - p)))
        after = V - np.outer(gain, row @ V)
        for k in range(5):
            gap = np.eye(5)[k] - np.eye(5)[first]
            before = gap @ V @ gap
            error = np.sqrt(V[k, k] + V[first, first] - 2 * V[k, first])
            hope = ndtr((mean[k] - mean[first]) / error) if k != first else 0.0
            told[i, j] += hope * (before - gap @ after @ gap)
        told[j, i] = told[i, j]
    assert chooser.told() == pytest.approx(told / told.max(), abs=1e-8)
    pairs = chooser.pairs([3, 1, 4, 0, 2])
    best = np.unravel_index(told.argmax(), told.shape)
    assert sorted(pairs[0]) == sorted(map(int, best)) and len(pairs) == 10
    chooser.assume(pairs[0])
    i, j = pairs[0]
    p = expit(mean[i] - mean[j])
    row = np.eye(5)[i] - np.eye(5)[j]
    gain = V @ row / (row @ V @ row + 1 / (2 * p * (1 - p)))
    assert pytest.approx(V - np.outer(gain, row @ V)) == chooser._V


def test_a_part_of_many_entrants_is_a_round() -> None:
    assert len(Pairings(names_of(100), 2, 20, 1).next_part()) == 50
    assert len(Pairings(names_of(8), 2, 20, 1).next_part()) == LEAST
