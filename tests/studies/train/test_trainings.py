"""Searches among trainings: what they leave, that they go on after a kill, and their faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

import joute.studies.kinds.train.play as training
from joute.engines.errors import Refused
from joute.reports.telling import winner_of
from joute.results.frames import load
from joute.results.meta import TRAINING_SEARCH
from joute.results.store import Store
from joute.studies.file.differences import diff
from joute.studies.kinds.train_search.play import (
    check_trials,
    default_point,
    plan_of,
    training_study,
)
from joute.studies.learning.learn import Diverged
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.estimate import estimate_run
from tests.support.marks import dear
from tests.support.runs import joute, kill_group, lines_of, play, started, study_of, wait_for_games
from tests.support.training import TRAINING_SEARCH as TEXT


def told(folder: Path) -> dict[str, Any]:
    """What a run notes of its trainings, without what the clock says."""
    with Store.open(folder) as store:
        found: dict[str, Any] = json.loads(store.meta()[TRAINING_SEARCH])
    for entry in found["entries"]:
        del entry["seconds"]
    return found


def nets(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.glob("trials/*/nets/*"))
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A search that nothing has stopped."""
    folder = tmp_path_factory.mktemp("trainings")
    outcome = play(study_of(folder, TEXT), folder / "run")
    assert not outcome.stopped and not outcome.failures
    return folder / "run"


def test_a_search_leaves_trainings_duels_and_an_answer(whole: Path) -> None:
    found = told(whole)
    names = [entry["name"] for entry in found["entries"]]
    best = found["duels"][0]["best"]
    assert names[:3] == ["trial-000", "trial-001", "trial-002"]
    assert names[3:] == [f"{best}-1", "default-1", f"{best}-2", "default-2"]
    assert found["entries"][0]["point"] == {"learn.rate": 0.01, "net.filters": "4"}
    for entry in found["entries"]:
        assert entry["games"] == 24 and entry["blocks"] == 3 and not entry["note"]
        assert (whole / entry["net"]).is_file() and 0 <= entry["low"] <= entry["score"] <= 1
        stored = [row for row in lines_of(whole) if row[1] == entry["name"]]
        assert len(stored) == 2 * 6  # seats
    seeds = {load_study(whole / "trials" / name / "study.toml").seed for name in names}
    assert len(seeds) == len(names)
    rates = {load_study(whole / "trials" / n / "study.toml").own.learn.rate for n in names}  # type: ignore[union-attr]
    assert len(rates) == 3
    results = load(whole)
    assert results.finals == [duel["name"] for duel in found["duels"]] == results.matches.stages
    winner = winner_of(load(whole))
    assert winner is not None and winner.stage in results.finals
    assert not winner.confirmed or winner.name.startswith(best)


@pytest.mark.parametrize("workers", [pytest.param(2, marks=dear)])
def test_any_number_of_workers_finds_the_same(whole: Path, tmp_path: Path, workers: int) -> None:
    play(study_of(tmp_path, TEXT), tmp_path / "run", workers)
    assert told(tmp_path / "run") == told(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole) and nets(tmp_path / "run") == nets(whole)


def test_a_killed_search_goes_on_and_comes_to_the_same(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(TEXT, "utf-8")
    command = ("run", path, "--out", tmp_path / "run", "-j", "1", "--no-report")
    run = started(*command)
    wait_for_games(tmp_path / "run", 13, run)  # in the third training
    kill_group(run)
    run.communicate()
    done = joute(*command)
    assert done.returncode == 0, done.stderr
    assert "training 1 of" not in done.stderr
    assert told(tmp_path / "run") == told(whole)
    assert lines_of(tmp_path / "run") == lines_of(whole) and nets(tmp_path / "run") == nets(whole)


def test_more_trials_go_on_from_those_that_there_are(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    text = (
        TEXT.replace("trials = 3", "trials = 1")
        .replace("net.filters = [4, 8]", "")
        .replace("seeds = 2", "seeds = 1")
    )
    text = text.replace("learn.rate = {", "learn.batch = [32, 64]\nlearn.rate = {")
    with pytest.raises(Refused, match="one trial, the study's own settings"):
        play(study_of(tmp_path, text), folder)
    play(study_of(tmp_path, text.replace("trials = 1", "trials = 2")), folder)
    before = told(folder)
    play(study_of(tmp_path, text.replace("trials = 1", "trials = 3")), folder)
    after = told(folder)
    known = {entry["name"]: entry for entry in after["entries"]}
    assert all(known[entry["name"]] == entry for entry in before["entries"])
    assert "trial-002" in known and len(known) >= 5


def test_a_training_that_diverges_loses_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = training.learn

    def sometimes(network: Any, samples: Any, symmetries: Any, plan: Any, *more: Any) -> Any:
        if plan.rate > 0.05:
            raise Diverged("the loss is no number")
        return real(network, samples, symmetries, plan, *more)

    monkeypatch.setattr(training, "learn", sometimes)
    text = TEXT.replace(
        "learn.rate = { from = 0.001, to = 0.1, log = true }", "learn.rate = [0.01, 0.09]"
    )
    text = (
        text.replace("net.filters = [4, 8]\n", "")
        .replace("seeds = 2", "seeds = 1")
        .replace("trials = 3", "trials = 2\nsampler = 'grid'")
    )
    outcome = play(study_of(tmp_path, text), tmp_path / "run")
    assert not outcome.stopped
    noted = {e["name"]: e["note"] for e in told(tmp_path / "run")["entries"] if e["note"]}
    assert len(noted) == 2 and all("no number" in note for note in noted.values())


def test_a_trial_is_the_study_with_its_settings(tmp_path: Path) -> None:
    study = study_of(tmp_path, TEXT.replace("games = 24", "games = 60"))
    found = training_study(study, "trial-007", {"learn.rate": 0.003, "net.filters": "8"})
    plan = found.own
    assert plan is not None and plan.selfplay is not None
    assert (plan.learn.rate, plan.net.filters, plan.ladder.generations) == (0.003, 8, 0)
    assert plan.selfplay.iterations * plan.selfplay.games == 60 and found.kind == "train"
    assert found.seed != study.seed and not found.entrants
    assert default_point(study) == {"learn.rate": 0.01, "net.filters": "4"}
    again = load_study(study_file(tmp_path, study.resolved_toml()))
    assert again == study and not diff(again.identity(), study.identity())
    assert plan_of(study).trials == 3


def study_file(folder: Path, text: str) -> Path:
    path = folder / "again.toml"
    path.write_text(text, "utf-8")
    return path


def test_the_dry_run_counts_every_training(tmp_path: Path) -> None:
    study = study_of(tmp_path, TEXT)
    found = estimate_run(study, 2, start=False)
    assert (
        found.data["trainings"] == 7
        and found.data["measuring"] == 7 * 6
        and found.data["final"] == 12
    )
    assert found.data["games"] == 7 * (24 + 12) + 42 + 12
    assert "3 trainings of the search, 4 at the end" in found.text
    timed = estimate_run(study, 2)
    assert (
        timed.data["seconds"] > 0 and "if all settings cost what the study's own do" in timed.text
    )


FAULTS = {
    "space.learn.rat": ("learn.rat = [1, 2]", "space.learn.rat: unknown key; did you mean 'rate'?"),
    "an end out of range": ("learn.rate = { from = 0.1, to = 20 }", "space.learn.rate: 20.0 is not a number above 0, at most 10"),
    "another table": ("ladder.blocks = [1, 2]", "space.ladder.blocks: unknown setting of a training 'ladder.blocks'"),
    "iterations": ("selfplay.iterations = [1, 2]", "space.selfplay.iterations: follows from trials.games: leave it out"),
    "one value": ("net.filters = [4]", "space.net.filters: [4] is not a list of two or more values"),
    "no range": ("net.filters = 4", "space.net.filters: 4 is not a list of two or more values"),
    "the wrong way round": ("net.filters = { from = 8, to = 4 }", "space.net.filters: from = 8 is not below to = 4"),
    "log of nothing": ("learn.decay = { from = 0, to = 1, log = true }", "space.learn.decay.log: needs from above 0 and no step"),
    "a word too many": ("learn.decay = { from = 0, too = 1 }", "space.learn.decay.too: unknown key; did you mean 'to'?"),
    "nothing": ("", "space: is empty; allowed: settings such as learn.rate"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "fault"), FAULTS.values(), ids=FAULTS)
def test_faults_of_a_space(tmp_path: Path, line: str, fault: str) -> None:
    before, _, rest = TEXT.partition("[space]\n")
    text = f"{before}[space]\n{line}\n[trials]{rest.partition('[trials]')[2]}"
    with pytest.raises(StudyRefused) as refused:
        study_of(tmp_path, text)
    assert any(error.startswith(fault) for error in refused.value.errors), refused.value.errors


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("seed = 7", 'seed = 7\nbudget = "2h"', "budget: cannot be combined with trials"),
        ('anchors = ["random"]', "", "anchors: is missing: the opponents that the champions"),
        ("trials = 3", "trials = 3\nsampler = 'joute'", "trials.sampler: joute sizes its trials"),
        ("trials = 3", "trials = 3\nsampler = 'cmaes'", "trials.sampler: cmaes takes no choices"),
        ("trials = 3", "trials = 3\nsampler = 'gpp'", "trials.sampler: unknown sampler 'gpp'"),
        ("games = 24", "games = 8", "trials.games: 8 is less than selfplay.games = 12"),
    ],
)  # fmt: skip
def test_faults_of_trials(tmp_path: Path, old: str, new: str, fault: str) -> None:
    with pytest.raises(StudyRefused) as refused:
        study_of(tmp_path, TEXT.replace(old, new))
    assert any(error.startswith(fault) for error in refused.value.errors), refused.value.errors


def test_too_few_openings_are_told_before_anything_is_written(tmp_path: Path) -> None:
    study = study_of(tmp_path, TEXT.replace("plies = 3", "plies = 0"))
    with pytest.raises(Refused, match=r"^gate: |^trials"):
        check_trials(study)
