"""The tuner thinks with one thread of linear algebra, and leaves everything else as it was."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from joute import Float, Tuner
from joute.studies.tuner import tuner as module
from joute.studies.tuner.answer import TunerAnswer


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
