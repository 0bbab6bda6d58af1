"""Our tuner as a sampler of an Optuna study: the same asks as the tuner's, whoever loads the study."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import optuna
import pytest
from optuna.storages import BaseStorage
from optuna.trial import Trial

from joute import Choice, Float, Int, JouteSampler, Tuner
from joute.engines.errors import Refused

SPACE = {
    "x": Float(-1, 1),
    "n": Int(1, 9, log=True),
    "c": Choice("a", "b"),
    "y": Float(0, 1, when={"c": "b"}),
}
GAMES = 4
optuna.logging.set_verbosity(optuna.logging.WARNING)


def study_with(sampler: JouteSampler, storage: BaseStorage | None = None) -> optuna.Study:
    return optuna.create_study(
        direction="maximize", sampler=sampler, storage=storage, study_name="s", load_if_exists=True
    )


def point_of(trial: Trial) -> dict[str, Any]:
    point = {
        "x": trial.suggest_float("x", -1, 1),
        "n": trial.suggest_int("n", 1, 9, log=True),
        "c": trial.suggest_categorical("c", ["a", "b"]),
    }
    if point["c"] == "b":
        point["y"] = trial.suggest_float("y", 0, 1)
    return point


def score(point: dict[str, Any], number: int) -> float:
    chance = 0.6 - 0.4 * (point["x"] - 0.5) ** 2 + 0.2 * (point["c"] == "b")
    dice = random.Random(number)
    return sum(dice.random() < chance for _ in range(GAMES)) / GAMES


def objective(trial: Trial) -> float:
    return score(point_of(trial), trial.number)


@pytest.mark.slow
def test_a_study_asks_as_the_tuner_does() -> None:
    sampler = JouteSampler(SPACE, seed=1, games=GAMES)
    study = study_with(sampler)
    study.optimize(objective, n_trials=40)
    tuner = Tuner(SPACE, seed=1, block=GAMES)
    for trial in study.trials:
        [(point, games)] = tuner.ask(GAMES)
        assert (trial.params, games) == (point, GAMES)
        won = score(point, trial.number) * GAMES
        tuner.tell(point, won, 0, GAMES - won)
    assert sampler.tuner(study).report() == tuner.report()
    assert tuner.recommend()["c"] == "b"


def test_a_study_that_is_loaded_again_goes_on() -> None:
    whole = study_with(JouteSampler(SPACE, seed=1, games=GAMES))
    whole.optimize(objective, n_trials=30)
    storage = optuna.storages.InMemoryStorage()
    for trials in (13, 17):
        parts = study_with(JouteSampler(SPACE, seed=1, games=GAMES), storage)
        parts.optimize(objective, n_trials=trials)
    assert [t.params for t in parts.trials] == [t.params for t in whole.trials]


def test_trials_in_flight_are_of_different_points() -> None:
    sampler = JouteSampler(SPACE, seed=1, games=GAMES)
    study = study_with(sampler)
    flying = [study.ask() for _ in range(6)]
    points = [point_of(trial) for trial in flying]
    assert len({str(point) for point in points}) == 6
    for trial, point in reversed(list(zip(flying, points, strict=True))):
        study.tell(trial, score(point, trial.number))
    saved = sampler.tuner(study).save()
    assert [entry[0] for entry in saved["log"]] == ["asked"] * 6 + ["told"] * 6


def test_threads_share_a_sampler() -> None:
    sampler = JouteSampler(SPACE, seed=1, games=GAMES)
    study = study_with(sampler)
    study.optimize(objective, n_trials=24, n_jobs=3)
    saved = sampler.tuner(study).save()
    assert sum(entry[0] == "told" for entry in saved["log"]) == 24


def test_a_sampler_of_two_studies_searches_each_on_its_own() -> None:
    def fresh() -> optuna.Study:
        return optuna.create_study(direction="maximize", sampler=sampler)

    sampler = JouteSampler(SPACE, seed=1, games=GAMES)
    first, second = fresh(), fresh()
    for study, trials in ((first, 5), (second, 8), (first, 3)):
        study.optimize(objective, n_trials=trials)
    assert [t.params for t in first.trials] == [t.params for t in second.trials]
    assert sampler.tuner(first) is not sampler.tuner(second)
    second.optimize(objective, n_trials=1)
    assert (sampler.tuner(first).told, sampler.tuner(second).told) == (8 * GAMES, 9 * GAMES)


def test_results_by_attributes_and_trials_that_are_not_read() -> None:
    def mixed(trial: Trial) -> float:
        point_of(trial)
        if trial.number == 1:
            raise ArithmeticError
        if trial.number == 2:
            raise optuna.TrialPruned
        for name, games in (("wins", 1), ("draws", 2), ("losses", 3)):
            trial.set_user_attr(name, games)
        if trial.number == 3:
            raise optuna.TrialPruned
        return 99.0  # unread

    sampler = JouteSampler(SPACE, games=GAMES)
    study = study_with(sampler)
    study.optimize(mixed, n_trials=5, catch=(ArithmeticError,))
    log = sampler.tuner(study).save()["log"]
    assert [entry[0] for entry in log[1::2]] == ["told", "withdrawn", "withdrawn", "told", "told"]
    assert log[1][2:] == [1, 2, 3]


def test_enqueued_and_added_trials_are_read() -> None:
    sampler = JouteSampler(SPACE, seed=1, games=GAMES)
    study = study_with(sampler)
    study.enqueue_trial({"x": 0.125, "c": "b"})
    study.optimize(objective, n_trials=2)
    first = study.trials[0].params
    assert first["x"] == 0.125 and 0 <= first["y"] <= 1
    counted = study.trials[0]
    study.add_trial(counted)
    log = sampler.tuner(study).save()["log"]
    assert [entry[1] for entry in log if entry[0] == "told"] == [
        first,
        study.trials[1].params,
        first,
    ]
    assert study.trials[1].params == Tuner(SPACE, seed=1, block=GAMES).ask(GAMES)[0][0]


def another(change: Callable[[Trial], object]) -> Callable[[Trial], float]:
    def changed(trial: Trial) -> float:
        change(trial)
        return 0.5

    return changed


def won_alone(trial: Trial) -> float:
    trial.set_user_attr("wins", 2)
    return objective(trial)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (another(lambda t: t.suggest_float("xx", -1, 1)), "suggests 'xx'; did you mean 'x'"),
        (won_alone, "trial 0: the user attribute draws is missing"),
        (another(lambda t: t.suggest_float("x", 5, 6)), "suggests x as FloatDistribution"),
        (lambda t: 5 + t.suggest_float("x", -1, 1), "trial 0: the objective returned .*; allowed"),
    ],
)
def test_an_objective_that_does_not_fit_is_refused(
    changed: Callable[[Trial], float], said: str
) -> None:
    with pytest.raises(Refused, match=said):
        study_with(JouteSampler(SPACE, games=GAMES)).optimize(changed, n_trials=2)


@pytest.mark.parametrize("directions", [["minimize"], ["maximize", "maximize"]])
def test_a_study_that_does_not_maximize_is_refused(directions: list[str]) -> None:
    study = optuna.create_study(directions=directions, sampler=JouteSampler(SPACE))
    with pytest.raises(Refused, match='allowed: direction="maximize"'):
        study.optimize(objective, n_trials=1)


def test_the_tuner_alone_does_not_load_optuna() -> None:
    code = "import sys, joute.studies.tuner.tuner; print('optuna' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
