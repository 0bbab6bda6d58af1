"""Networks that answer from a server or from what is kept: the same answers, the same games, loud ends."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import JouteError, Refused
from joute.engines.nets.batches import KeptAnswers, in_batches, padded
from joute.engines.nets.net import Net
from joute.engines.position import Position
from joute.harness.loky import Loky
from joute.studies.kinds.train.inference import InferenceClient, InferenceServer, NetOrder, serving
from joute.studies.kinds.train.prepare import check_all
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.play.study_run import run_study
from tests.support.runs import lines_of, play, study_of
from tests.support.training import GAME, TINY, history, left, net_at, played


def order(net: Path, batch: int = 8, device: str = "cpu") -> NetOrder:
    return NetOrder(str(net), GAME.label, (), "", {}, {}, batch, device)


def some_planes(net: Net, count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (count, *net.shape[:3])).astype(np.float32)


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_server_answers_each_client_as_the_network_does(tmp_path: Path) -> None:
    net = Net(net_at(tmp_path), GAME)
    with serving(order(net.file)) as address:
        clients = [InferenceClient(address, net.shape) for _ in range(3)]
        for i, client in enumerate(clients):
            planes = some_planes(net, 3 + 5 * i, i)
            assert same(client.run(planes), padded(net.run, planes, 8))
        clients[0].__exit__()
        planes = some_planes(net, 8, 9)
        assert same(clients[1].run(planes), padded(net.run, planes, 8))
    with pytest.raises(JouteError, match="the inference server has ended"):
        clients[1].run(planes)
    with pytest.raises(JouteError, match="the inference server is not there"):
        InferenceClient(address, net.shape)
    assert not Path(address).parent.exists()


def test_a_server_says_what_it_cannot_serve(tmp_path: Path) -> None:
    server = InferenceServer()
    with pytest.raises(JouteError, match=r"the inference server: .*none.onnx"):
        server.load(order(tmp_path / "none.onnx"))
    with pytest.raises(JouteError, match=r"the inference server: selfplay.inference = 'cuda'"):
        server.load(order(net_at(tmp_path), device="cuda"))
    server.load(order(net_at(tmp_path)))  # and it lives on
    os.kill(server.pid, signal.SIGKILL)
    with pytest.raises(JouteError, match="the inference server has ended: SIGKILL"):
        server.load(order(net_at(tmp_path)))
    server.close()


def test_kept_answers_are_the_answers_of_the_network(tmp_path: Path) -> None:
    net, asked = Net(net_at(tmp_path), GAME), list[int]()

    def run(planes: Any) -> Any:
        asked.append(len(planes))
        return net.run(planes)

    kept = KeptAnswers(in_batches(run, 4), 10)
    every = some_planes(net, 30)
    rng = np.random.default_rng(2)
    for _ in range(40):
        planes = every[rng.integers(0, 12, rng.integers(1, 9))]
        assert same(kept(planes), padded(net.run, planes, 4))
        assert len(kept._kept) <= 10
    assert 0 < kept.found < kept.asked and set(asked) == {4}
    assert same(kept(every), padded(net.run, every, 4)) and len(kept._kept) == 10
    before = len(asked)
    assert same(kept(every[20:]), padded(net.run, every[20:], 4)) and len(asked) == before


@pytest.mark.parametrize("more", ["", ",batch=3", ",symmetry=every", ",symmetry=random,batch=2"])
def test_a_search_with_kept_answers_plays_the_same_moves(tmp_path: Path, more: str) -> None:
    text = f"{GAME.label}/puct:network={net_at(tmp_path)},iterations=40{more}"

    def moves(text: str) -> list[Any]:
        engine = parse_engine(text)
        player, position = engine.player(), Position(GAME)
        player.new_game(3, 0)
        told = []
        for _ in range(8):
            move = player.choose(position)
            told.append((move.action, move.nodes))
            position.play(move.action)
        return told

    assert moves(f"{text},cache=50") == moves(f"{text},cache=5000")
    if "batch" not in more and "every" not in more:
        assert moves(f"{text},cache=50") == moves(text)


def test_self_play_with_kept_answers_is_the_same(tmp_path: Path) -> None:
    settings = {"iterations": 16, "noise": 0.25, "max_nodes": 5000}
    engines = [
        Engine(GAME, {"search": "puct", "network": str(net_at(tmp_path)), **settings, **more})
        for more in ({}, {"cache": 100})
    ]
    plan = SelfPlayPlan(together=5, batch=4)
    one, other = (played(engine, plan, range(8)) for engine in engines)
    assert [(g.line, g.calls) for g in one] == [(g.line, g.calls) for g in other]
    assert all(same(a.samples.policy, b.samples.policy) for a, b in zip(one, other, strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose workers have the network themselves."""
    folder = tmp_path_factory.mktemp("train")
    assert not play(study_of(folder, TINY), folder / "run").stopped
    return folder / "run"


def test_a_run_with_a_server_leaves_the_same(whole: Path, tmp_path: Path) -> None:
    study = study_of(tmp_path, TINY, "selfplay.inference=server")
    assert not play(study, tmp_path / "run", workers=2).stopped
    assert left(tmp_path / "run") == left(whole)


def test_a_run_whose_server_is_killed_stops_in_one_line_and_goes_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_of(tmp_path, TINY, "selfplay.inference=server")
    real = InferenceServer.load

    def killed(self: InferenceServer, order: NetOrder) -> None:
        real(self, order)
        os.kill(self.pid, signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(InferenceServer, "load", killed)
        with pytest.raises(JouteError, match="the inference server"):
            play(study, tmp_path / "run")
    assert not play(study, tmp_path / "run").stopped
    assert left(tmp_path / "run") == left(whole)


def test_no_device_and_no_cluster_are_one_line_before_any_game(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"selfplay.inference = 'cuda': this torch .* no CUDA device"):
        check_all(study_of(tmp_path, TINY, "selfplay.inference=cuda"))
    study = study_of(tmp_path, TINY, "selfplay.inference=server")

    class Elsewhere(Loky):
        elsewhere = True

    with pytest.raises(Refused, match="leave out the cluster"):
        run_study(study, tmp_path / "run", 1, executor=Elsewhere(1))
    assert not (tmp_path / "run").exists()


def test_games_played_while_the_network_learns(whole: Path, tmp_path: Path) -> None:
    text = TINY.replace("iterations = 2", "iterations = 3\noverlap = true")
    text = text.replace("score = 0.5", "score = 0.01")  # every network is accepted
    assert not play(study_of(tmp_path, text), tmp_path / "one").stopped
    assert not play(study_of(tmp_path, text), tmp_path / "two", workers=2).stopped
    assert left(tmp_path / "one") == left(tmp_path / "two")
    assert all(
        entry["seconds"]["learning"] > 0 for k, entry in history(tmp_path / "one").items() if k
    )
    # The second iteration is played by the first network: its games are not those of a run in turns.
    turns = tmp_path / "turns"
    in_turns = text.replace("overlap = true\n", "")
    assert not play(study_of(tmp_path, in_turns), turns).stopped
    assert history(turns)[1]["accepted"]
    first, second = ((run / "samples/0001.npz").read_bytes() for run in (turns, tmp_path / "one"))
    assert first == second
    assert (turns / "samples/0002.npz").read_bytes() != (
        tmp_path / "one/samples/0002.npz"
    ).read_bytes()


@pytest.mark.parametrize("where", ["_keep", "learn", "export"])
def test_a_run_that_overlaps_dies_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    import joute.studies.kinds.train.play as training
    from joute.studies.kinds.train.dispatch import SelfPlayGames

    text = TINY.replace("iterations = 2", "iterations = 2\noverlap = true")
    text = re.sub("together = \\d+", "together = 1", text)  # tasks of four games
    owner: Any = SelfPlayGames if where == "_keep" else training
    real, calls = getattr(owner, where), [0]

    class Killed(BaseException):
        pass

    def dies(*words: Any, **more: Any) -> Any:
        calls[0] += 1
        if calls[0] == {"_keep": 4, "learn": 1, "export": 2}[where]:
            raise Killed
        return real(*words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(owner, where, dies)
        with pytest.raises(Killed):
            play(study_of(tmp_path, text), tmp_path / "run")
    assert not play(study_of(tmp_path, text), tmp_path / "run").stopped
    assert not play(study_of(tmp_path, text), tmp_path / "whole").stopped
    assert left(tmp_path / "run") == left(tmp_path / "whole")
    assert lines_of(tmp_path / "run")
