"""Pairs and blocks: how much chance was in them is measured, and told to search and answer alike."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute import Choice, Float, Tuner, tune
from joute.engines.errors import Refused
from joute.studies.tuner.model.counts import Blocks, Counts
from joute.studies.tuner.model.kernel import KernelShape
from joute.studies.tuner.model.noise import Noise, free_results, spread_of
from joute.studies.tuner.model.team import Team
from joute.studies.tuner.results import scores_of_pairs
from joute.studies.tuner.saved import digest
from tests.support.tuning import pairs_of

X = Float(-1, 1)


def score(x: float) -> float:
    return 0.6 - 0.2 * (x - 0.3) ** 2


def played(correlation: float, by: str, games: int = 800, draws: float = 0.0) -> Tuner:
    """A tuner told of the same pairs, by pair or by game."""
    tuner, rng = Tuner({"x": X}, seed=1, default={"x": 0}), np.random.default_rng(3)
    for x in np.linspace(-1, 1, 20):
        n = games // 40
        pairs, results = pairs_of(n, score(x), draws, correlation, rng)
        if by == "pairs":
            tuner.tell({"x": float(x)}, pairs=pairs)
        elif by == "both":
            tuner.tell({"x": float(x)}, *results, pairs=pairs)
        else:
            tuner.tell({"x": float(x)}, *results)
    return tuner


def width(tuner: Tuner, x: float = 0.1) -> float:
    low, _, high = tuner.estimate({"x": x})
    return high - low


@pytest.mark.parametrize(
    ("correlation", "narrowest", "widest"), [(-0.5, 0.55, 0.85), (0.0, 0.9, 1.1), (0.5, 1.08, 1.3)]
)
def test_pairs_narrow_or_widen_the_interval(
    correlation: float, narrowest: float, widest: float
) -> None:
    for draws in (0.0, 0.3):
        by_pair, by_game = (played(correlation, by, 2000, draws) for by in ("pairs", "games"))
        assert narrowest < width(by_pair) / width(by_game) < widest


@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.5])
def test_the_correlation_is_measured(correlation: float) -> None:
    """At a level of 1/2, where it is what it is called; search and answer measure the same."""
    tuner = played(correlation, "both", 4000, 0.3)
    found = tuner.report().pair_variance
    assert found == pytest.approx(1 + correlation, abs=0.17)
    assert 1 + tuner._state.excess[2] == pytest.approx(found, abs=0.15)


def test_few_pairs_are_taken_for_free_games() -> None:
    tuner = Tuner({"x": X})
    tuner.tell({"x": 0.1}, 4, 0, 4, pairs=(0, 0, 4, 0, 0))
    assert tuner.report().pair_variance == pytest.approx(0.88, abs=0.05)
    tuner = Tuner({"x": X})
    tuner.tell({"x": 0.1}, 4, 0, 4)
    assert tuner.report().pair_variance is None


def test_pairs_at_a_lopsided_score_correlate_less() -> None:
    """A planted effect of the opening on both games, at an even and at a lopsided level."""
    rng, counts = np.random.default_rng(7), Counts(1)
    places, truth = np.linspace(-1, 1, 40), np.repeat([0.0, 2.5], 20)
    for place, z in zip(places, truth, strict=True):
        shift = rng.normal(0, 1.5, (150, 1)) * np.array([1, -1])
        won = rng.random((150, 2)) < 1 / (1 + np.exp(-(z + shift)))
        counts.add_blocks(np.array([place]), Blocks.of(list(won.mean(1)), 2))
    factors = Team(KernelShape(1)).learn_well(counts).factors(counts, 2)
    for half, most in ((slice(0, 20), 0.75), (slice(20, 40), 0.95)):
        count, total, squares = counts.blocks[2][:, half].sum(1)
        p = total / count
        planted = (squares / count - p * p) * 2 / (p * (1 - p))
        assert factors[half].mean() == pytest.approx(planted, abs=0.12) and planted < most
    assert factors[:20].mean() < factors[20:].mean() - 0.1


def test_singles_pairs_and_blocks_mix_at_one_place() -> None:
    tuner = Tuner({"x": X}, default={"x": 0.5})
    tuner.tell({"x": 0.1}, 10, 5, 5)
    tuner.tell({"x": 0.1}, pairs=(3, 4, 10, 5, 3))
    tuner.tell({"x": 0.1}, blocks=[0.5, 0.25, 0.8, 0.45], size=6)
    state = tuner._state
    assert state.games == 20 + 50 + 24 and len(state.raw) == 1
    assert state.raw.won[0] == pytest.approx(12.5 + 25.5 + 12.0)
    assert set(state.raw.blocks) == {2, 6}
    low, mean, high = tuner.estimate({"x": 0.1})
    assert low < mean < high and 0.4 < mean < 0.65
    assert tuner.ask(20)


def test_the_order_of_telling_changes_no_answer() -> None:
    rng = np.random.default_rng(2)
    told = [(float(x), pairs_of(6, 0.5, 0.2, -0.4, rng)[0]) for x in rng.uniform(-1, 1, 25)]
    one, other = Tuner({"x": X}), Tuner({"x": X})
    for x, pairs in told:
        one.tell({"x": x}, pairs=pairs)
    one.tell({"x": 0.3}, 5, 0, 5)
    other.tell({"x": 0.3}, 5, 0, 5)
    for x, pairs in reversed(told):
        other.tell({"x": x}, pairs=pairs)
    assert one.estimate({"x": 0.2}) == pytest.approx(other.estimate({"x": 0.2}), abs=1e-9)
    assert one.report().pair_variance == pytest.approx(other.report().pair_variance, abs=1e-9)


def test_a_loaded_tuner_goes_on_with_its_pairs() -> None:
    space = {"x": X, "c": Choice("a", "b")}
    tuner, rng = Tuner(space, seed=2, default={"x": 0, "c": "a"}), np.random.default_rng(4)
    for k in range(14):
        for point, games in tuner.ask(20):
            pairs, results = pairs_of(games // 2, 0.5, 0.3, -0.4, rng)
            tuner.tell(point, *(results if k % 2 else ()), pairs=pairs)
    tuner.tell({"x": 0.2, "c": "b"}, blocks=[0.5, 0.6], size=4)
    found = Tuner.load(space, json.loads(json.dumps(tuner.save())))
    assert found.save() == tuner.save()
    assert found.ask(60) == tuner.ask(60)
    assert found.report() == tuner.report()


def test_a_state_of_before_pairs_loads() -> None:
    tuner = Tuner({"x": X}, seed=1)
    for i in range(30):
        tuner.tell({"x": i / 30}, i % 2, 1, 1)
    state = json.loads(json.dumps(tuner.save()))
    for key in ("blocks", "excess"):
        assert state["model"].pop(key) == []
    state = {k: v for k, v in state.items() if k != "digest"} | {"format": 1}
    found = Tuner.load({"x": X}, state | {"digest": digest(state)})
    assert found.ask(40) == tuner.ask(40)
    state["format"] = 3
    with pytest.raises(Refused, match="has format 3; allowed: 1, 2"):
        Tuner.load({"x": X}, state | {"digest": digest(state)})


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"pairs": (1, 2, 3)}, "allowed: five numbers"),
        ({"pairs": "12345"}, "allowed: five numbers"),
        ({"pairs": 3}, "allowed: five numbers"),
        ({"pairs": (0, -1, 1, 0, 0)}, "pairs with 1/2 = -1"),
        ({"pairs": (0, 0, 0.5, 0, 0)}, "pairs with 1 = 0.5; allowed: whole numbers"),
        ({"pairs": (0, 0, math.nan, 0, 0)}, "pairs with 1 = nan"),
        ({"pairs": (0, 0, 0, 0, math.inf)}, "pairs with 2 = inf"),
        ({"pairs": (True, 0, 0, 0, 0)}, "pairs with 0 = True"),
        ({"pairs": (0, 0, 1, 0, 0), "blocks": [0.5]}, "both pairs and blocks"),
        ({"pairs": (0, 0, 1, 0, 1), "wins": 2, "losses": 1}, "pairs make 4 games and 3 points"),
        ({"pairs": (0, 0, 1, 0, 1), "wins": 2, "losses": 2}, "pairs make 4 games and 3 points"),
        ({"pairs": (0, 1, 0, 1, 0), "wins": 2, "losses": 2}, "draws = 0.0, but pairs with 1/2"),
        ({"pairs": (0, 0, 2, 0, 0), "wins": 1.5, "draws": 1, "losses": 1.5}, "draws = 1.0"),
        ({"blocks": [0.5, 1.2]}, "blocks hold 1.2"),
        ({"blocks": [math.nan]}, "blocks hold nan"),
        ({"blocks": ["0.5"]}, "blocks hold '0.5'"),
        ({"blocks": 0.5}, "allowed: a list of mean scores"),
        ({"blocks": [0.5], "size": 0}, "size = 0; allowed: whole numbers from 1"),
        ({"blocks": [0.5], "size": 6, "wins": 1, "losses": 1}, "blocks make 6 games"),
        ({"draws": 2}, "draws or losses without wins"),
        ({}, "no results"),
    ],
)  # fmt: skip
def test_bad_results_are_refused_and_change_nothing(told: dict[str, Any], words: str) -> None:
    tuner = Tuner({"x": X})
    before = tuner.save()
    with pytest.raises(Refused, match=words) as refused:
        tuner.tell({"x": 0}, **told)
    assert "\n" not in str(refused.value)
    assert tuner.save() == before


def test_no_pairs_are_no_results_and_count_nothing() -> None:
    tuner = Tuner({"x": X})
    before = tuner.save()
    tuner.tell({"x": 0}, pairs=(0, 0, 0, 0, 0))
    tuner.tell({"x": 0}, blocks=[])
    assert tuner.save() == before


def test_pairs_that_were_out_come_back() -> None:
    tuner = Tuner({"x": X}, budget=40)
    asked = tuner.ask(40)
    for point, games in asked:
        tuner.tell(point, pairs=(0, 0, games // 2, 0, 0))
    assert tuner._state.out.games == 0 and tuner.ask(10) == []
    with pytest.raises(Refused, match="at most the 0"):
        tuner.withdraw(asked[0][0], 2)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 300), min_size=5, max_size=5))
def test_the_free_games_of_pairs_make_their_points(pairs: list[int]) -> None:
    wins, draws, losses = free_results(np.array(pairs, float))
    assert wins + draws + losses == pytest.approx(2 * sum(pairs))
    assert wins + draws / 2 == pytest.approx(sum(n * k / 2 for k, n in enumerate(pairs)))
    assert min(wins, draws, losses) >= 0


def test_the_draws_of_free_pairs_are_found() -> None:
    for w, d in ((0.5, 0.0), (0.3, 0.5), (0.1, 0.85), (0.7, 0.1)):
        lost = 1 - w - d
        pairs = [lost**2, 2 * d * lost, d * d + 2 * w * lost, 2 * w * d, w * w]
        found = free_results(1e6 * np.array(pairs))
        assert found / found.sum() == pytest.approx([w, d, lost], abs=0.01)
        assert spread_of(*found) == pytest.approx(
            1 - d / (4 * (w + d / 2) * (1 - w - d / 2)), abs=0.02
        )


@pytest.mark.parametrize("pairs", [(10, 0, 120, 0, 14), (3, 0, 30, 0, 3), (5, 1, 30, 0, 6)])
def test_pairs_that_openings_decide_are_not_taken_for_draws(pairs: tuple[int, ...]) -> None:
    """Hardly any pair has a single draw, so two in one are rare as well."""
    _, draws, _ = free_results(np.array(pairs, float))
    assert draws <= 0.05 * 2 * sum(pairs)


def test_counts_of_blocks_are_kept_by_order_copy_and_merging() -> None:
    rng, counts = np.random.default_rng(3), Counts(2)
    for i, place in enumerate(rng.uniform(-1, 1, (400, 2))):
        if i % 3:
            counts.add_blocks(place, Blocks.of(list(rng.random(3)), 2 + 4 * (i % 2)))
        else:
            counts.add(place, 1.0, 2.0)
    sums = {size: block.sum(1) for size, block in counts.blocks.items()}
    merged = counts.ordered().copy()
    merged.merge(np.eye(2), 2)
    assert len(merged) == 170 and set(merged.blocks) == {2, 6}
    for size, block in merged.blocks.items():
        assert block.shape == (3, 170) and block.sum(1) == pytest.approx(sums[size])
    assert merged.games.sum() == pytest.approx(counts.games.sum())


def test_free_games_are_read_as_before() -> None:
    """Without blocks the noise divides by its spread and nothing else."""
    rng, counts = np.random.default_rng(5), Counts(1)
    for x in rng.uniform(-1, 1, 12):
        counts.add(np.array([x]), float(rng.integers(5)), 4.0)
    one, other = Team(KernelShape(1)), Team(KernelShape(1))
    one.learn_well(counts, 0.7)
    noise = other.learn_well(counts, Noise(0.7))
    assert noise == Noise(0.7) and np.array_equal(one.weights, other.weights)


def test_means_that_are_no_wins_draws_and_losses_are_no_pairs() -> None:
    assert scores_of_pairs([0.0, 0.25, 0.5, 0.5, 1.0]) == [1, 1, 2, 0, 1]
    assert scores_of_pairs([0.5, 0.4]) is None


def test_an_objective_may_return_pairs() -> None:
    tuned = tune(lambda point, games: (0, 0, games // 2, 0, 0), {"x": X}, 40, progress=False)
    assert tuned.games == 40 and tuned.tuner._state.raw.blocks.keys() == {2}
    for returned in ((0, 0, 5, 0, 0), (1, 2), (0, -1, 2, 0, 0), (0, math.nan, 2), None):
        with pytest.raises(Refused, match=r"the objective returned .*; allowed"):
            tune(lambda point, games: returned, {"x": X}, 40, progress=False)  # type: ignore[arg-type]  # noqa: B023
