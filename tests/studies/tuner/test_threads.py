"""The tuner thinks with one thread of linear algebra, leaves everything else as it was, and may be shared."""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from joute import Float, Tuner
from joute.engines.kernels.compile import Floats
from joute.studies.tuner import tuner as module
from joute.studies.tuner.answer import TunerAnswer
from joute.studies.tuner.model import gp
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.parameters import ParameterTable


def threads() -> set[int]:
    """Return how many threads the libraries of linear algebra may use."""
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_plans_and_answers_take_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []

    class Watched(TunerAnswer):
        def __init__(self, *arguments: object) -> None:
            seen.append(threads())
            super().__init__(*arguments)  # type: ignore[arg-type]

    def planned(*arguments: object) -> object:
        seen.append(threads())
        return propose(*arguments)  # type: ignore[arg-type]

    propose = module.propose
    monkeypatch.setattr(module, "propose", planned)
    monkeypatch.setattr(module, "TunerAnswer", Watched)
    with threadpool_limits(2, "blas"):
        tuner = Tuner({"x": Float(-1, 1)}, budget=60, default={"x": 0.0})
        while batch := tuner.ask(20):
            for point, games in batch:
                tuner.tell(point, wins=games)
        answers = (tuner.recommend, tuner.gain, tuner.report, lambda: tuner.estimate({"x": 0.0}))
        planned_so_far = len(seen)
        for answer in answers:
            tuner._answer = None
            answer()
        assert threads() == {2}
    assert planned_so_far and len(seen) == planned_so_far + len(answers)
    assert seen == [{1}] * len(seen)


def test_reading_takes_one_thread_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[int]] = []
    factor = gp.factor

    def watched(matrix: Floats) -> Floats:
        seen.append(threads())
        return factor(matrix)

    monkeypatch.setattr(gp, "factor", watched)
    domain = ParameterTable({"x": Float(-1, 1)})
    places = np.linspace(-1, 1, 12)[:, None]

    def answered(seed: int) -> float:
        counts = Counts(1)
        for i, place in enumerate(places):
            counts.add(place, 1.0 + i % 2, 4.0)
        return TunerAnswer(domain, counts, 1.0, seed).regret

    with threadpool_limits(2, "blas"):
        assert answered(1) == answered(1)
        assert threads() == {2}
    assert len(seen) > 6 and seen == [{1}] * len(seen)


@pytest.fixture
def often() -> Iterator[None]:
    """Let threads take turns much more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often")
def test_threads_may_ask_and_tell_one_tuner() -> None:
    tuner = Tuner({"x": Float(-1, 1)}, default={"x": 0.0}, budget=400)
    dice = random.Random(1)

    def play() -> None:
        while batch := tuner.ask(2):
            for point, games in batch:
                wins = sum(dice.random() < 0.7 - 0.3 * abs(float(point["x"])) for _ in range(games))
                tuner.tell(point, wins, 0, games - wins)
        tuner.recommend()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(play), pool.submit(play)]:
            done.result()
    assert tuner.told == 400 and tuner.ask(2) == []
    twin = pickle.loads(pickle.dumps(tuner))
    assert twin.report() == tuner.report() == Tuner.load(tuner.domain, tuner.save()).report()
