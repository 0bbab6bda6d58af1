"""Networks from stored games: a run's, and a folder's of SGF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

import joute.studies.kinds.train.play as training
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.position import Position
from joute.engines.view import view_of
from joute.reports.page.page import report
from joute.reports.telling import answer
from joute.results.store import Store
from joute.results.tables import load
from joute.studies.kinds.train.history import read_history
from joute.studies.kinds.train.prepare import Workshop
from joute.studies.learning import recorded_games
from joute.studies.learning.recorded_games import (
    games_of_folder,
    games_of_run,
    parted,
    samples_of,
    samples_on_disk,
)
from tests.support.runs import play, study_of, study_text
from tests.support.training import GAME, TINY, VIEW

SGF = "(;GM[1]FF[4]SZ[5]KM[6.5]RE[{}];B[cc];W[bb];B[dd]{})"


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two engines, one of which is good."""
    folder = tmp_path_factory.mktemp("teacher")
    text = study_text(["alphabeta:evaluation=static,depth=4", "random"], 30, GAME.label)
    play(study_of(folder, text, "openings.plies=4"), folder / "run")
    return folder / "run"


def test_samples_are_what_was_played_and_who_won(teacher: Path) -> None:
    found = games_of_run(teacher, GAME)
    assert len(found.games) == 60 and not found.left_out
    samples, lost = samples_of(found.games, GAME, VIEW)
    assert not lost and samples.games == 60
    for number in (0, 17):
        told = found.games[number]
        mine = samples.take(samples.game == number)
        position = Position(GAME, told.start)
        for ply, text in enumerate(told.actions):
            action = GAME.action_of(text)
            if ply >= told.opened:
                i = ply - told.opened
                assert mine.policy[i].argmax() == action and mine.ply[i] == ply
                assert mine.value[i] == 2 * told.returns[position.to_move] - 1
                assert mine.planes[i, 0].sum() + mine.planes[i, 1].sum() == ply
            position.play(action)
        assert (
            tuple(position.returns()) == told.returns
            and len(mine) == len(told.actions) - told.opened
        )
    own, _ = samples_of(games_of_run(teacher, GAME, ["e0"]).games, GAME, VIEW, ["e0"])
    assert 0.4 < own.teaches.mean() < 0.6


def test_samples_on_the_disk_are_those_in_memory(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded_games, "AT_ONCE", 7)
    games, path = games_of_run(teacher, GAME).games, tmp_path / "records.npz"
    for some in games, games[:0]:
        memory, unknown = samples_of(some, GAME, VIEW, ["e0"])
        disk, lost = samples_on_disk(path, some, GAME, VIEW, ["e0"])
        assert lost == unknown and len(disk) == len(memory) and not [*tmp_path.iterdir()]
        taken = disk.take(np.arange(len(disk)))
        for name, array in vars(memory).items():
            assert np.array_equal(getattr(taken, name), array) and array.dtype == (
                getattr(taken, name).dtype
            )


def test_whole_games_are_held_out(teacher: Path) -> None:
    games = games_of_run(teacher, GAME).games
    kept, tests = parted([*games, *games], 0.2, 3)
    assert len(kept) + len(tests) == 120 and 8 < len(tests) < 48
    assert not {one.actions for one in kept} & {one.actions for one in tests}


def test_some_game_is_held_out_and_some_teach(teacher: Path) -> None:
    games = games_of_run(teacher, GAME).games[:6]
    for share in (1e-9, 0.1, 1 - 1e-9):
        for few in (games, games[:2]):
            kept, tests = parted(few, share, 3)
            assert kept and tests and len(kept) + len(tests) == len(few)
    assert parted(games[:1] * 4, 0.5, 3) == ([*games[:1] * 4], [])  # one line: none can test


def test_nothing_is_said_of_games_that_were_not_held_out(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "parted", lambda games, held_out, seed: (games, []))
    head, _, rest = TINY.partition("[selfplay]")
    text = f'{head}[records]\nrun = "{teacher}"\nepochs = 1\n[learn]{rest.partition("[learn]")[2]}'
    play(study_of(tmp_path, text, "ladder.generations=0"), tmp_path / "run")
    with Store.open(tmp_path / "run") as store:
        first = read_history(store.meta())[0]
    assert "held_out" not in first and "held_out" not in first["epochs"][0]
    assert "held out" not in " ".join(answer(load(tmp_path / "run")).lines)
    assert report(tmp_path / "run").page.is_file()


def test_a_network_is_taught_by_a_run_and_then_plays_itself(teacher: Path, tmp_path: Path) -> None:
    judge = tmp_path / "judge"
    play(study_of(tmp_path, study_text(["uct:iterations=9", "random"], 40, GAME.label)), judge)
    records = (
        f'[records]\nrun = "{teacher}"\nheld_out = 0.25\nepochs = 4\nplayers = ["e0"]\n'
        f'tests = ["{judge}"]\n'
    )
    text = TINY.replace("[selfplay]", f"{records}\n[selfplay]")
    play(study_of(tmp_path, text, "selfplay.iterations=1"), tmp_path / "run")
    with Store.open(tmp_path / "run") as store:
        first = read_history(store.meta())[0]
    assert first["games"]["teaching"] + first["games"]["held_out"] == 60
    assert len(first["epochs"]) == 4
    losses = [epoch["held_out"]["policy_loss"] for epoch in first["epochs"]]
    assert losses[-1] < losses[0]
    assert {*first["held_out"]} == {"all", "opening", "middle", "end"}
    again = play(study_of(tmp_path, text, "selfplay.iterations=1"), tmp_path / "run")
    assert not again.played and not again.stopped  # the same study goes on where it ended
    other = first["tests"][str(judge)]
    assert other["all"]["samples"] > 2 * first["held_out"]["all"]["samples"]
    lines = " ".join(answer(load(tmp_path / "run")).lines)
    assert "Taught by records, the first network finds" in lines
    assert f"of the moves of the games of {judge.name} (its value errs by" in lines


def test_records_alone_make_a_network(teacher: Path, tmp_path: Path) -> None:
    head, _, rest = TINY.partition("[selfplay]")
    text = f'{head}[records]\nrun = "{teacher}"\nepochs = 1\n[learn]{rest.partition("[learn]")[2]}'
    play(study_of(tmp_path, text), tmp_path / "run")
    found = load(tmp_path / "run")
    assert found.stages == ["ladder"] and answer(found).winner == "generation 0"
    assert "; " not in answer(found).lines[-1] and " learning " in answer(found).lines[-1]
    page = report(tmp_path / "run").page.read_text()
    assert "<h2>What stored games taught</h2>" in page and "games held out" in page


def test_one_folder_of_records_teaches_and_another_tests(tmp_path: Path) -> None:
    """The judge's folder also holds a game that teaches, which is left out there."""
    for folder, rows in (("teach", "abcde"), ("judge", "ac")):
        (tmp_path / folder).mkdir()
        for row in rows:
            text = SGF.format("B+R", f";W[{row}e]" if folder == "judge" else "")
            text = text.replace("B[cc]", f"B[{row}c]").replace("W[bb]", f"W[{row}b]")
            (tmp_path / folder / f"{row}.sgf").write_text(text)
    (tmp_path / "judge" / "again.sgf").write_text((tmp_path / "teach" / "d.sgf").read_text())
    text = (
        'name = "s"\nkind = "train"\ngame = "go[size=5]"\nseed = 1\n'
        "net = { blocks = 1, filters = 4 }\n"
        '[engine]\nsearch = "puct"\niterations = 2\n'
        '[records]\nfolder = "teach"\nheld_out = 0.2\nepochs = 1\ntests = ["JUDGE"]\n'
        "[ladder]\ngenerations = 0\n"
    )
    study = study_of(tmp_path, text.replace("JUDGE", "judge"))
    shop = Workshop(study)
    [(place, found)] = shop.tests.items()
    assert place == str(tmp_path / "judge")
    assert len(found.games) == 2 and found.left_out == {"teach, too": 1}
    play(study, tmp_path / "run")
    with Store.open(tmp_path / "run") as store:
        first = read_history(store.meta())[0]
    assert first["games"]["teaching"] + first["games"]["held_out"] == 5
    assert first["tests"][place]["all"]["samples"] == 8
    lines = " ".join(answer(load(tmp_path / "run")).lines)
    assert "of the moves of the games of judge (its value errs by" in lines
    for name, said in (
        ("teach", "records.tests.0: no game of .*teach can test anything: all of them teach"),
        ("nowhere", "records.tests.0: there is no run in .*nowhere"),
    ):
        with pytest.raises(Refused, match=said):
            _ = Workshop(study_of(tmp_path, text.replace("JUDGE", name))).tests


def test_records_of_go_say_who_won(tmp_path: Path) -> None:
    game = parse_game("go[size=5]")
    for name, result, more in (
        ("a", "B+R", ""), ("b", "W+3.5", ";W[]"), ("c", "", ""), ("d", "B+R", ";W[cc]"),
        ("e", "", ";W[];B[]"),
    ):  # fmt: skip
        (tmp_path / f"{name}.sgf").write_text(SGF.format(result, more))
    found = games_of_folder(tmp_path, game)
    assert [one.returns for one in found.games][:2] == [(1.0, 0.0), (0.0, 1.0)]
    assert len(found.games) == 3  # the last one was played to its end: the rules know who won
    assert found.left_out == {"no result": 1, "cannot be read": 1} and "d.sgf" in found.first
    samples, _ = samples_of(found.games, game, view_of(game))
    assert np.array_equal(samples.value[:3], [1, -1, 1]) and samples.policy.shape[1] == 26


def test_games_that_do_not_fit_are_refused(teacher: Path, tmp_path: Path) -> None:
    with pytest.raises(
        Refused, match=r"holds games of connect4\[columns=5,rows=4\], not of connect4\["
    ):
        games_of_run(teacher, parse_game("connect4[columns=7,rows=6]"))
    with pytest.raises(Refused, match="no engine there is called 'e7'; known: e0, e1"):
        games_of_run(teacher, GAME, ["e7"])
    (tmp_path / "x.sgf").write_text(SGF.format("", ""))
    with pytest.raises(Refused, match="has no game to learn from: none has a result"):
        games_of_folder(tmp_path, parse_game("go[size=5]"))
