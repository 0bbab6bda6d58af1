"""Networks in files: what plays, and what is refused in one line; their value in every search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.nets import net as nets
from joute.engines.nets.call import ARRAYS, Called
from joute.engines.nets.net import Note, load_net, shipped
from joute.engines.position import Position, parse_position
from tests.support.networks import BOARD, net, write_net

__all__ = ["net"]

pytest.importorskip("onnx", reason="needs the extra train")
pytest.importorskip("onnxruntime", reason="needs the extra nets")


def test_a_file_is_read_and_run(net: Path) -> None:
    game = parse_engine(f"{BOARD}/random").game
    found = load_net(str(net), game)
    assert found.note == Note(BOARD, "discs") and found.shape == (2, 4, 5, 5)
    policy, value = found.run(np.zeros((3, 2, 4, 5), np.float32))
    assert policy.shape == (3, 5) and value == pytest.approx([np.tanh(0.3)] * 3)
    assert load_net(str(net), game) is found
    write_net(net, poison=0.1)
    assert load_net(str(net), game) is not found  # another file by now


def test_a_file_is_read_once_as_long_as_it_stays(
    net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads, real = [], nets.content_of

    def counted(file: Path) -> bytes:
        reads.append(file)
        return real(file)

    monkeypatch.setattr(nets, "content_of", counted)
    write_net(net, poison=0.2)
    for depth in (1, 2, 3):
        engine = parse_engine(f"{BOARD}/alphabeta:evaluation=network,network={net},depth={depth}")
        assert engine.digest and engine.evaluation is not None
    assert len(reads) == 1
    digest = engine.evaluation.file_digest
    net.unlink()  # what was read has its digest, whatever becomes of the file
    assert (
        engine.evaluation.file_digest
        == digest
        == nets.digest_of(write_net(net, poison=0.2).read_bytes())
    )


def test_a_call_knows_so_many_arrays_and_no_more() -> None:
    called = Called(lambda W, at: float(W[at]))
    arrays = [np.array([i, 2 * i], np.uint64) for i in range(3 * ARRAYS)]
    for _ in range(2):
        for i, W in enumerate(arrays):
            assert called._answer(W.ctypes.data, len(W), 1) == 2 * i
            assert len(called._arrays) <= ARRAYS


@pytest.mark.parametrize("spec", ["gopher[side=6]/gopher-zero", "dodo[side=4]/dodo-zero"])
def test_networks_that_come_with_joute_play(spec: str) -> None:
    game, _, name = spec.partition("/")
    engine = parse_engine(f"{game}/puct:network={name},iterations=8")
    position, player = Position(engine.game, engine.game.start_text(1)), engine.player()
    player.new_game(1, 0)
    found = player.choose(position)
    assert found.action in position.legal_actions() and 0 < (found.value or 0) < 1
    player.close()


def test_every_network_that_comes_with_joute_is_tried() -> None:
    assert {*shipped()} == {"gopher-zero", "dodo-zero"}


def test_a_file_without_a_note_plays_if_it_fits(tmp_path: Path) -> None:
    file = write_net(tmp_path / "anybodys.onnx", note=None)
    engine = parse_engine(f"{BOARD}/puct:network={file},iterations=20")
    assert engine.player().choose(Position(engine.game)).nodes == 20


@pytest.mark.parametrize(
    ("game", "made", "said"),
    [
        (BOARD, {"planes": 3}, "its planes are 3 x 4 x 5, but .* seen as discs has 2 x 4 x 5"),
        (BOARD, {"policy": 6}, "its policy are 6, but"),
        (BOARD, {"poison": float("nan")}, "answers in numbers that are none"),
        (BOARD, {"batch": 1}, "cannot be run on 2 at once"),
        (BOARD, {"inputs": "board"}, "its inputs are board and its outputs policy, value; needed: planes"),
        (BOARD, {"outputs": ("p", "v")}, "its outputs are|its outputs p, v; needed"),
        (BOARD, {"one_value": False}, "a value"),
        (BOARD, {"note": '{"format": 9}'}, "its note has format 9; this Joute reads 1"),
        (BOARD, {"note": "[]"}, "its note is no JSON object"),
        (BOARD, {"note": "hello"}, "its note is no JSON$"),
        (BOARD, {"note": Note(BOARD, "discs", 5).text()}, "lacks settings, or has something else there"),
        (BOARD, {"note": Note(7, "discs").text()}, "lacks game, or has something else there"),
        (BOARD, {"note": Note(BOARD, "dics").text()}, "dics.*discs"),
        (BOARD, {"note": Note(BOARD, "discs", {"deep": 2}).text()}, "deep"),
        ("connect4", {}, r"is of connect4\[columns=5,rows=4\], not of connect4\[columns=7,rows=6\]"),
        ("tron", {}, "is of connect4"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(
    game: str, made: dict[str, Any], said: str, tmp_path: Path
) -> None:
    file = write_net(tmp_path / "net.onnx", **made)
    with pytest.raises(Refused, match=said) as error:
        parse_engine(f"{game}/puct:network={file},iterations=3")
    assert "\n" not in str(error.value)


def test_a_network_of_vampires_plays_other_maps(tmp_path: Path) -> None:
    note = Note("vampires[map=random:tame,plies=120]", "units").text()
    file = write_net(tmp_path / "net.onnx", note, 3, 2048, size=(16, 16))
    for where in ("thetrap", "random:vamperouge,plies=50"):
        engine = parse_engine(
            f"vampires[map={where}]/puct:generator=vamperouge,network={file},iterations=5"
        )
        position, player = Position(engine.game, engine.game.start_text(1)), engine.player()
        player.new_game(1, 0)
        assert position.is_legal(player.choose(position).action)
        player.close()
    with pytest.raises(Refused, match="shows maps up to 16x16"):
        parse_engine(
            f"vampires[map=testmap2]/puct:generator=vamperouge,network={file},iterations=5"
        )


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("hello")
    for network, said in (
        (tmp_path / "text.onnx", "is no ONNX file"),
        (tmp_path / "missing.onnx", "no such file"),
        ("nothing-zero", "no such file"),
        (tmp_path, "a folder"),
        ("", "add network=FILE.onnx"),
    ):
        with pytest.raises(Refused, match=said):
            parse_engine(f'{BOARD}/puct:network="{network}",iterations=3')


def test_without_onnxruntime_it_is_said_what_to_install(net: Path) -> None:
    code = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from joute.engines.engine import parse_engine\n"
        f"parse_engine('{BOARD}/puct:network={net},iterations=3')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "networks need onnxruntime: pip install onnxruntime" in done.stderr


@pytest.mark.parametrize("search", ["alphabeta", "uct", "expectiminimax"])
def test_the_value_is_the_networks_in_every_search(search: str, net: Path) -> None:
    work = "iterations=2" if search == "uct" else "depth=1"
    engine = parse_engine(f"{BOARD}/{search}:evaluation=network,network={net},{work}")
    found = load_net(str(net), engine.game)
    position = Position(engine.game)
    choice = engine.player().choose(position)
    planes = np.zeros((1, 2, 4, 5), np.float32)
    values = []
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        found.view.kernels(engine.game).see(after.W, after.at, planes.reshape(-1), 0)
        values.append(-float(found.run(planes)[1][0]))
    if search != "uct":
        assert choice.value == pytest.approx(max(values))
        assert choice.action == position.legal_actions()[int(np.argmax(values))]


def test_greedy_takes_the_best_successor_or_the_best_of_the_policy(net: Path) -> None:
    by_value = parse_engine(f"{BOARD}/greedy:network={net}").player()
    one_ply = parse_engine(f"{BOARD}/alphabeta:evaluation=network,network={net},depth=1").player()
    by_policy = parse_engine(f"{BOARD}/greedy:network={net},by=policy").player()
    game = parse_engine(f"{BOARD}/random").game
    found, planes = load_net(str(net), game), np.zeros((1, 2, 4, 5), np.float32)
    for moves in ("", "1", "3 3 2", "1 2 1 2 1", "5 5 5 5 4 4 4"):  # the fourth wins by column 1
        position = parse_position(game, f"startpos moves {moves}".removesuffix(" moves "))
        assert by_value.choose(position).action == one_ply.choose(position).action
        found.view.kernels(game).see(position.W, position.at, planes.reshape(-1), 0)
        logits = found.run(planes)[0][0]
        best = max(position.legal_actions(), key=lambda a: logits[a])
        assert by_policy.choose(position).action == best


def test_another_network_is_another_engine(net: Path, tmp_path: Path) -> None:
    other = write_net(tmp_path / "other.onnx", poison=0.5)
    for rest in ("puct:iterations=3,network=", "alphabeta:depth=1,evaluation=network,network="):
        before = parse_engine(f"{BOARD}/{rest}{net}")
        assert before.digest != parse_engine(f"{BOARD}/{rest}{other}").digest


def test_an_error_in_a_call_ends_the_process_and_is_told(net: Path) -> None:
    code = (
        "from joute.engines.engine import parse_engine\nfrom joute.engines.position import Position\n"
        f"engine = parse_engine('{BOARD}/alphabeta:evaluation=network,network={net},depth=1')\n"
        "player = engine.player()\n"
        "engine.evaluation.net.__dict__['run'] = None\n"
        "from joute.engines.nets.network import called\n"
        "def broken(W, at): raise MemoryError('no room')\n"
        "called(engine.game, engine.evaluation.net).value = broken\n"
        "player.choose(Position(engine.game))\nprint('alive')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 70 and "MemoryError: no room" in done.stderr
    assert "alive" not in done.stdout
