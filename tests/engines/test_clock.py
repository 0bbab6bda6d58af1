"""The clock of players: slices, limits, guards and what is learnt of speed, with a clock made of numbers."""

from __future__ import annotations

import math

import pytest

from joute.engines.clock import FOREVER, SLICE_MS, TRUST, Clock


class Hands:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.ms = 0.0

    def __call__(self) -> float:
        return self.ms / 1e3


def clock(hands: Hands) -> Clock:
    return Clock(slowest=2.0, usual=100.0, fastest=1000.0, now=hands)


def test_a_slice_is_what_its_time_allows() -> None:
    hands = Hands()
    ours = clock(hands)
    hands.ms = 5000.0
    ours.begin()
    assert ours.slice(20.0) == 100 * SLICE_MS
    hands.ms += 19.8
    assert ours.slice(20.0) == pytest.approx(20, abs=1)  # of the last 0.2 ms
    assert ours.slice(20.0 - 0.1) == pytest.approx(10, abs=1)
    hands.ms += 0.16
    assert ours.slice(20.0) == 0
    hands.ms += 10.0
    assert ours.slice(20.0) == 0 and ours.slice(math.inf) == FOREVER
    ours.begin()
    assert ours.slice(20.0) == 50


def test_a_guarded_player_begins_slowly() -> None:
    hands = Hands()
    ours = clock(hands)
    ours.begin(guard_ms=20.0)
    assert ours.slice(20.0) == 1
    hands.ms += 0.1
    ours.learn(40, ours.spent())  # 400 a millisecond
    assert ours.rate == pytest.approx(TRUST * 2.0)
    for _ in range(30):
        ours.learn(40, 0.1)
    assert ours.rate == pytest.approx(400.0) and ours.slice(20.0) == int(400 * SLICE_MS)


@pytest.mark.parametrize(
    ("work", "took", "rate"),
    [(110, 1.0, 110.0), (300, 1.0, TRUST * 100.0), (60, 3.0, 20.0), (0, 9.0, 2.0)],
)
def test_slower_is_believed_at_once_and_faster_by_and_by(
    work: int, took: float, rate: float
) -> None:
    hands = Hands()
    ours = clock(hands)
    ours.begin()
    ours.slice(100.0)
    hands.ms += took
    ours.learn(work, ours.spent())
    assert ours.rate == pytest.approx(rate)


def test_a_clock_without_beliefs_takes_the_first_measure() -> None:
    hands = Hands()
    ours = Clock(now=hands)
    ours.start()
    assert ours.spent() == 1e-3  # its grain: nothing is divided by 0
    hands.ms += 4.0
    ours.learn(100, ours.spent())
    assert ours.rate == pytest.approx(25.0)
    ours.learn(120, 4.0)
    assert ours.rate == pytest.approx(30.0)


def test_dear_work_after_cheap_work_ends_in_time() -> None:
    """Moves that begin with cheap pieces and go on with ones a hundred and fifty times as dear."""
    hands = Hands()
    ours, worst = clock(hands), list[float]()
    for _ in range(8):
        ours.begin()
        begun, done = hands.ms, 0
        while amount := ours.slice(20.0):
            cheap = max(0, min(amount, 400 - done))
            took = cheap / 600 + (amount - cheap) / 4
            hands.ms, done = hands.ms + took, done + amount
            ours.learn(amount, took)
        worst.append(hands.ms - begun - 20.0)
    assert max(worst) < 2.0
