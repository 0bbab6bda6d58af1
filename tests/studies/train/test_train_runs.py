"""Whole training runs: what they leave, that they go on after any kill, and their faults."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

import joute.studies.kinds.train.play as training
from joute.engines.errors import JouteError, Refused
from joute.engines.nets.net import Net, Note
from joute.reports.page.page import report
from joute.reports.telling import telling_of
from joute.results.store import Store
from joute.results.tables import load
from joute.studies.kinds.train.prepare import Workshop, check_all
from joute.studies.learning.learn import Diverged
from joute.studies.learning.onnx_file import write_net
from joute.studies.learning.sample_file import SampleFile, read_about
from joute.studies.learning.samples import Samples
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.estimate import estimate_run
from joute.studies.play.study_run import run_study
from tests.support.runs import here, kill_group, lines_of, play, started, study_of
from tests.support.training import GAME, TINY, history, left


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing has stopped."""
    folder = tmp_path_factory.mktemp("train")
    outcome = play(study_of(folder, TINY), folder / "run")
    assert not outcome.stopped and not outcome.failures
    return folder / "run"


def samples_in(path: Path) -> Samples:
    """Return all samples of a file, in memory."""
    file = SampleFile(path)
    return file.take(np.arange(len(file)))


def test_a_run_leaves_nets_samples_games_and_what_was_decided(whole: Path) -> None:
    entries = history(whole)
    assert sorted(entries) == [0, 1, 2] and entries[0]["accepted"]
    for number in (1, 2):
        entry = entries[number]
        assert entry["games"] == 12 and entry["gate"]["blocks"] == 3
        assert entry["accepted"] == (entry["gate"]["score"] >= 0.5)
        samples, told = (
            read(whole / f"samples/000{number}.npz") for read in (samples_in, read_about)
        )
        assert [one["number"] for one in told] == [*range(12)] and samples.games == 12
        assert len(samples) == entry["positions"] == sum(one["plies"] for one in told)
        assert samples.policy.sum(axis=1) == pytest.approx(1.0)
        assert set(np.unique(samples.value)) <= {-1.0, 0.0, 1.0}
        net = Net(whole / f"nets/000{number}.onnx", GAME)
        assert net.note is not None and net.note.trained["generation"] == number
    stages = {row[1] for row in lines_of(whole)}
    assert stages == {"gate-001", "gate-002", "ladder"}
    assert sorted(p.name for p in (whole / "nets").iterdir()) == [f"000{k}.onnx" for k in range(3)]


def test_the_same_seed_gives_the_same_whoever_works(whole: Path, tmp_path: Path) -> None:
    play(study_of(tmp_path, TINY), tmp_path / "elsewhere", workers=2)
    assert left(tmp_path / "elsewhere") == left(whole)
    play(study_of(tmp_path, TINY, "selfplay.together=3"), tmp_path / "three")
    assert lines_of(tmp_path / "three") == lines_of(whole)
    play(study_of(tmp_path, TINY, "seed=8", "selfplay.iterations=1"), tmp_path / "eight")
    assert lines_of(tmp_path / "eight") != lines_of(whole)


@pytest.mark.parametrize("where", ["keep", "join", "learn", "export", "gate", "note"])
def test_a_run_that_dies_anywhere_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    target, name = {
        "keep": ("joute.studies.kinds.train.dispatch.SelfPlayGames", "_keep"),
        "join": ("pathlib.Path", "unlink"),
        "learn": ("joute.studies.kinds.train.play", "learn"),
        "export": ("joute.studies.kinds.train.play", "export"),
        "gate": ("joute.studies.kinds.train.play", "verdict"),
        "note": ("joute.studies.kinds.train.history.History", "note"),
    }[where]
    tasks = ["selfplay.together=1"] if where == "keep" else []  # of four games
    study, calls = study_of(tmp_path, TINY, *tasks), [0]
    module, _, cls = target.rpartition(".")
    owner = getattr(import_module(module), cls) if cls[0].isupper() else import_module(target)
    real = getattr(owner, name)

    class Killed(BaseException):
        pass

    def dies(*words: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] == {"keep": 3, "join": 2, "note": 6}.get(where, 2):
            raise Killed
        return real(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, dies)
        with pytest.raises(Killed):
            play(study, tmp_path / "run")
    outcome = play(study, tmp_path / "run")
    assert not outcome.stopped
    assert left(tmp_path / "run") == left(whole)


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_goes_on(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TINY)
    for seconds in (3, 5, 7, 8):
        process = started(
            "run", tmp_path / "s.toml", "--out", tmp_path / "run", "-j", 2, "--no-report"
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            kill_group(process, signal.SIGKILL)
            process.wait()
    play(study_of(tmp_path, TINY), tmp_path / "run")
    assert left(tmp_path / "run") == left(whole)


def test_a_longer_study_goes_on_and_another_one_is_refused(whole: Path, tmp_path: Path) -> None:
    once = tmp_path / "run"
    play(study_of(tmp_path, TINY, "selfplay.iterations=1"), once)
    assert [*history(once)] == [0, 1]
    play(study_of(tmp_path, TINY), once)
    assert history(once)[2]["gate"] == history(whole)[2]["gate"]
    with pytest.raises(JouteError, match=r"learn.rate: was 0.01, is now 0.02"):
        play(study_of(tmp_path, TINY, "learn.rate=0.02"), once)


def test_a_network_that_was_replaced_in_the_run_folder_plays_no_game(
    whole: Path, tmp_path: Path
) -> None:
    once = tmp_path / "run"
    play(study_of(tmp_path, TINY, "selfplay.iterations=1"), once)
    (own := once / "nets/0000.onnx").rename(tmp_path / "kept.onnx")
    shutil.copy(once / "nets/0001.onnx", own)
    games = lines_of(once)
    with pytest.raises(JouteError, match=r"0000.onnx is not the network that generation 0 wrote"):
        play(study_of(tmp_path, TINY), once)
    assert lines_of(once) == games
    (tmp_path / "kept.onnx").replace(own)
    play(study_of(tmp_path, TINY), once)
    assert history(once)[2]["gate"] == history(whole)[2]["gate"]


def test_the_ladder_stays_the_last_stage(whole: Path, tmp_path: Path) -> None:
    """Whatever a resumed run is asked for: fewer iterations, or nothing yet but to begin."""
    shutil.copytree(whole, tmp_path / "run")
    outcome = play(study_of(tmp_path, TINY, "selfplay.iterations=1"), tmp_path / "run")
    assert not outcome.played
    results = load(tmp_path / "run")
    assert results.stages == ["gate-001", "gate-002", "ladder"]
    assert results.matches.stages == ["ladder"]


def test_a_diverged_loss_stops_the_run_and_keeps_the_champion(tmp_path: Path) -> None:
    wild = ("learn.optimizer=sgd", "learn.rate=10.0", "learn.decay=1.0", "learn.epochs=60")
    study = study_of(tmp_path, TINY, *wild)
    with pytest.raises(
        Diverged, match=r"iteration 1: the loss became (nan|inf|\S*e\+).*champion stays gen.* 0"
    ):
        play(study, tmp_path / "run")
    assert [*(tmp_path / "run" / "nets").iterdir()] == [tmp_path / "run" / "nets" / "0000.onnx"]
    assert "accepted" not in history(tmp_path / "run")[1]
    page = report(tmp_path / "run").page.read_text()
    assert "Iteration 1 made no network: the loss became" in page and "no network" in page


def test_matches_by_time_and_self_play_by_count(tmp_path: Path) -> None:
    text = TINY.replace("iterations = 8", "milliseconds = 2").replace(
        "engine = { noise", "engine = { iterations = 8, noise"
    )
    few = ("selfplay.iterations=1", "selfplay.games=4", "ladder.generations=0")
    study = study_of(tmp_path, text, *few)
    assert not play(study, tmp_path / "run").stopped
    with Store.open(tmp_path / "run") as store:
        specs = [spec for (spec,) in store.rows("SELECT spec FROM engines") if "puct" in spec]
    assert len(specs) == 2 and all("milliseconds=2" in spec for spec in specs)


def test_a_network_to_start_from_fits_or_is_refused(whole: Path, tmp_path: Path) -> None:
    given = whole / "nets/0002.onnx"
    study = study_of(tmp_path, f'{TINY}\n[start]\nnet = "{given}"\n', "selfplay.iterations=1")
    play(study, tmp_path / "run")
    assert history(tmp_path / "run")[0]["from"] == str(given)
    made, weights = Workshop(study).made, Workshop(study).first_weights()
    other = tmp_path / "other.onnx"
    for note, said in (
        (
            Note("connect4[columns=6,rows=4]", "discs"),
            r"is of connect4\[columns=6,rows=4\], not of",
        ),
        (Note(GAME.label, "discs", {"x": 1}), "x"),
    ):
        write_net(other, made, weights, note)
        with pytest.raises(Refused, match=f"^start.net: .*{said}"):
            check_all(study_of(tmp_path, f'{TINY}\n[start]\nnet = "{other}"\n'))
    weights["stem.weight"][0] = np.nan
    write_net(other, made, weights, Note(GAME.label, "discs"))
    with pytest.raises(Refused, match=r"^start.net: network .*other.onnx: stem.weight has NaN"):
        check_all(study_of(tmp_path, f'{TINY}\n[start]\nnet = "{other}"\n'))


def test_a_gate_that_never_decides_keeps_the_champion(tmp_path: Path) -> None:
    text = TINY.replace("blocks = 3\nscore = 0.5", "sprt = { elo1 = 5, max_blocks = 2 }")
    play(study_of(tmp_path, text, "selfplay.iterations=1"), tmp_path / "run")
    entry = history(tmp_path / "run")[1]
    assert not entry["accepted"] and not entry["gate"]["decided"]
    assert "SPRT(0, 5) did not decide within 2 blocks: rejected" in entry["gate"]["text"]


def test_games_without_end_are_cut(tmp_path: Path) -> None:
    few = ("selfplay.iterations=1", "selfplay.most_plies=3")
    play(study_of(tmp_path, TINY, *few), tmp_path / "run")
    told = read_about(tmp_path / "run/samples/0001.npz")
    assert {one["termination"] for one in told} == {"max_plies"} and history(tmp_path / "run")[1][
        "cut"
    ] == 12
    assert not samples_in(tmp_path / "run/samples/0001.npz").value.any()
    said = telling_of(load(tmp_path / "run")).warnings()
    assert any("12 of 12 games of self-play lasted too long" in text for text in said)


def test_cheap_moves_do_not_teach_and_values_need_no_tree(tmp_path: Path) -> None:
    few = ("selfplay.iterations=1", "ladder.generations=0")
    cheap = ("selfplay.full_share=0.3", "selfplay.cheap=2", "selfplay.random_plies=2")
    play(study_of(tmp_path, TINY, *few, *cheap), tmp_path / "cheap")
    samples = samples_in(tmp_path / "cheap/samples/0001.npz")
    assert 0.1 < samples.teaches.mean() < 0.6
    play(study_of(tmp_path, TINY, *few, "selfplay.policy_target=values"), tmp_path / "values")
    samples = samples_in(tmp_path / "values/samples/0001.npz")
    assert ((samples.policy > 0).sum(axis=1) > 1).mean() > 0.7


def test_a_dry_run_says_games_calls_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.studies.kinds.train.estimate.SECONDS", 0.1)
    found = estimate_run(study_of(tmp_path, TINY), 2)
    assert found.data["games"] == 24 + 12 + 12 and found.data["calls"] > 24
    assert found.data["seconds"] > 0 and "network calls of self-play: about" in found.text
    unplayed = estimate_run(study_of(tmp_path, TINY), 2, start=False)
    assert unplayed.data["seconds"] is None and unplayed.data["games"] == 48


def test_ctrl_c_while_it_learns_lets_go_and_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, real = study_of(tmp_path, TINY), training.learn

    def asked(*words: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*words)

    with monkeypatch.context() as patch:
        patch.setattr(training, "learn", asked)
        assert play(study, tmp_path / "run").stopped == "interrupted"
    assert not play(study, tmp_path / "run").stopped
    assert left(tmp_path / "run") == left(whole)


FAULTS = {
    "engine.search": 'search = "uct"',
    "engine.network": 'search = "puct"\nnetwork = "x.onnx"',
    "engine.itrations": 'search = "puct"\nitrations = 8',
    "net.blocks": "[net]\nblocks = -1",
    "net.bloks": "[net]\nbloks = 1",
    "selfplay.cheap": "[selfplay]\nfull_share = 0.5",
    "selfplay.cheap: has no effect": "[selfplay]\ncheap = 5",
    "selfplay.cheap: 9 is not below the 9": "[selfplay]\nfull_share = 0.5\ncheap = 9\nengine = { iterations = 9 }",
    "selfplay.engine.milliseconds": "[selfplay]\nengine = { milliseconds = 5 }",
    "engine.milliseconds: does not limit self-play": 'search = "puct"\nmilliseconds = 5',
    "start.net: ": '[start]\nnet = "gopher-zer"',
    "selfplay.policy_target": '[selfplay]\npolicy_target = "visit"',
    "selfplay.engine.noise": "[selfplay]\nengine = { noise = 7 }",
    "gate.blocks": "[gate]\nblocks = 3\nsprt = { elo1 = 5 }",
    "gate.sprt.elo1": "[gate]\nsprt = { elo1 = -5 }",
    "records": "[records]\nheld_out = 0.2",
    "start.net": '[start]\nnet = "nowhere.onnx"',
    "anchors.0": 'anchors = ["utc:iterations=5"]',
    "view": 'view = { name = "disks" }',
    "learn.device": '[learn]\ndevice = "tpu"',
}


@pytest.mark.parametrize("path", FAULTS)
def test_faults_of_a_file_are_told_by_their_place(tmp_path: Path, path: str) -> None:
    head = 'name = "t"\nkind = "train"\ngame = "connect4"\nseed = 1\n'
    text, given = head, FAULTS[path]
    engine = '[engine]\nsearch = "puct"\n' if not path.startswith("engine") else "[engine]\n"
    own = "" if "[selfplay]" in given or path.startswith("records") else "[selfplay]\n"
    top = path.startswith(("anchors", "view"))
    text += f"{given}\n{engine}{own}" if top else f"{engine}{given}\n{own}"
    with pytest.raises(StudyRefused) as caught:
        study_of(tmp_path, text)
    said = path if ": " in path else f"{path}: "
    assert any(line.startswith(said) for line in caught.value.errors), caught.value.errors


def test_missing_parts_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.toml").write_text(TINY)
    monkeypatch.setitem(sys.modules, "torch", None)
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert done.exit_code == 2 and not (tmp_path / "run").exists()
    assert (
        done.stderr.splitlines()[-1]
        == "joute: training needs torch: pip install torch onnx onnxruntime"
    )


def test_the_last_generation_meets_the_anchors_at_equal_time(tmp_path: Path) -> None:
    anchors = 'anchors = ["random", "uct:iterations=5", "uct:iterations=6"]'
    text = TINY.replace('anchors = ["random"]', anchors)
    study = study_of(tmp_path, text, "ladder.milliseconds=2", "ladder.blocks=2")
    assert not play(study, tmp_path / "timed").stopped
    results = load(tmp_path / "timed")
    assert results.stages == ["gate-001", "gate-002", "equal-time", "ladder"]
    with Store.open(tmp_path / "timed") as store:
        timed = {
            text.partition("/")[2]
            for name, text in store.rows("SELECT name, spec FROM engines")
            if " at 2 ms" in name
        }
    assert len(timed) == 2 and all(  # the two anchors are one when they have the same time
        "milliseconds=2" in text and "iterations" not in text for text in timed
    )
    strength = telling_of(results).answer().lines[0]
    assert re.search(r"With 2 ms per move each, generation \d at 2 ms .*uct at 2 ms", strength)
    assert estimate_run(study, 1, start=False).data["ladder"] == (10 + 1) * 2 * 2


def test_an_anchor_that_cannot_be_started_is_told_before_any_game(tmp_path: Path) -> None:
    study = study_of(tmp_path, TINY.replace('"random"', '"process:command=/nowhere/bot"'))
    with pytest.raises(Refused, match=r"^anchors.0: /nowhere/bot is not found: connect4.*/process"):
        run_study(study, tmp_path / "run", 1)
    assert not (tmp_path / "run").exists()


def test_the_resolved_study_is_the_study(tmp_path: Path) -> None:
    study = study_of(tmp_path, TINY)
    (tmp_path / "resolved.toml").write_text(study.resolved_toml())
    assert load_study(tmp_path / "resolved.toml") == study
    assert json.dumps(study.identity())
