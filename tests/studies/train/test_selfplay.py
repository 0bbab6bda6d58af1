"""Self-play: a game follows from its number and the network, whoever else is in the batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import stream
from joute.engines.nets.batches import padded
from joute.engines.nets.net import Net
from joute.engines.nets.numpy_reader import Singles
from joute.engines.position import Position
from joute.engines.view import view_of
from joute.studies.kinds.train.dispatch import REFILLS, shares
from joute.studies.kinds.train.play import rungs
from joute.studies.kinds.train.selfplay_task import tree_maker
from joute.studies.learning.plan import NetPlan, SelfPlayPlan
from joute.studies.learning.planes import Planes
from joute.studies.learning.searching import OneByOne
from joute.studies.learning.selfplay import play_games
from joute.studies.learning.successors import Successors
from tests.support.marks import slow
from tests.support.training import GAME, net_at, played


@pytest.mark.parametrize("filters", [8, 32, 64])
def test_a_row_does_not_depend_on_its_batch(tmp_path: Path, filters: int) -> None:
    net = Net(net_at(tmp_path, plan=NetPlan(blocks=2, filters=filters)), GAME)
    rng = np.random.default_rng(1)
    row = rng.integers(0, 2, (1, *net.shape[:3])).astype(np.float32)
    for batch in (1, 4, 8, 32):
        found = set()
        for place in range(batch):
            for others in (np.zeros, rng.random):
                planes = others((batch, *net.shape[:3])).astype(np.float32)
                planes[place] = row
                policy, value = net.run(planes)
                found.add(policy[place].tobytes() + value[place].tobytes())
        short = padded(net.run, row, batch)
        found.add(short[0].tobytes() + short[1].tobytes())
        assert len(found) == 1, batch


def test_batches_are_full_while_there_are_leaves_for_one(tmp_path: Path) -> None:
    settings = {"iterations": 16, "batch": 3, "max_nodes": 5000}
    engine = Engine(GAME, {"search": "puct", "network": str(net_at(tmp_path)), **settings})
    plan, net = SelfPlayPlan(together=6, batch=8), Net(net_at(tmp_path), GAME)
    sizes: list[int] = []

    def ask(planes: Singles) -> tuple[Singles, Singles]:
        sizes.append(len(planes))
        return padded(net.run, planes, plan.batch)

    games = play_games(
        range(6),
        tree_maker(engine, Planes(GAME, net.view), plan),
        ask,
        Planes(GAME, net.view),
        plan,
        1,
    )
    assert sum(sizes) == sum(game.calls for game in games)
    assert all(size % plan.batch == 0 or size < plan.batch for size in sizes)
    assert sum(size % plan.batch for size in sizes) < 0.2 * sum(sizes)


@pytest.mark.parametrize(
    "settings",
    [
        {"noise": 0.25, "temperature": 1.0, "symmetry": "random", "batch": 3},
        {"symmetry": "every", "batch": 2, "reuse": "off"},
        {"root": "gumbel", "gumbel_noise": 1.0},
    ],
    ids=str,
)
def test_trees_that_grow_in_one_call_play_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    usual = {
        "search": "puct",
        "network": str(net_at(tmp_path)),
        "iterations": 20,
        "max_nodes": 3000,
    }
    engine = Engine(GAME, usual | settings)
    plan = SelfPlayPlan(together=5, batch=4, random_plies=3, full_share=0.5, cheap=4)
    together = played(engine, plan, range(9))
    monkeypatch.setattr("joute.studies.learning.selfplay.side_by_side", OneByOne)
    for one, other in zip(together, played(engine, plan, range(9)), strict=True):
        assert (one.line, one.calls) == (other.line, other.calls)
        for name, values in vars(one.samples).items():
            assert (getattr(other.samples, name) == values).all(), name


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_trees_that_stay_small_take_little_memory(tmp_path: Path) -> None:
    engine = Engine(GAME, {"search": "puct", "network": str(net_at(tmp_path)), "iterations": 8})
    assert engine.values["max_nodes"] == 1_000_000  # 10 arrays of 8 MB each, twice for each tree

    plan, net = SelfPlayPlan(together=60), Net(net_at(tmp_path), GAME)
    pages: list[int] = []

    def ask(planes: Singles) -> tuple[Singles, Singles]:
        pages.append(int(Path("/proc/self/statm").read_text().split()[1]))
        return padded(net.run, planes, plan.batch)

    for count in (2, 60):
        tree = tree_maker(engine, Planes(GAME, net.view), plan)
        play_games(range(count), tree, ask, Planes(GAME, net.view), plan, 1)
        if count == 2:
            before = max(pages)
    assert (max(pages) - before) * 4096 < 100e6


@pytest.mark.parametrize("target", ["visits", "values"])
def test_a_game_follows_from_its_number(tmp_path: Path, target: str) -> None:
    settings = {"iterations": 16, "noise": 0.25, "temperature": 1.0, "max_nodes": 5000}
    settings |= {"batch": 3, "symmetry": "random"}
    engine = Engine(GAME, {"search": "puct", "network": str(net_at(tmp_path)), **settings})
    plan = SelfPlayPlan(together=5, policy_target=target, random_plies=3, full_share=0.5, cheap=4)
    many = played(engine, plan, range(12))
    assert [game.number for game in many] == [*range(12)] and len({g.line for g in many}) > 8
    for game in played(engine, plan, range(7, 9)) + played(engine, plan, range(11, 12)):
        same = many[game.number]
        assert game.line == same.line and game.calls == same.calls
        assert all(
            (getattr(game.samples, name) == value).all()
            for name, value in vars(same.samples).items()
        )


def test_the_value_may_learn_what_the_search_found(tmp_path: Path) -> None:
    settings = {"search": "puct", "network": str(net_at(tmp_path)), "iterations": 16}
    engine = Engine(GAME, settings | {"max_nodes": 5000, "temperature": 1.0})
    result, half, found = (
        played(engine, SelfPlayPlan(together=2, value_mix=mix), range(4)) for mix in (0.0, 0.5, 1.0)
    )
    for a, b, c in zip(result, half, found, strict=True):
        assert set(np.unique(a.samples.value)) <= {-1.0, 0.0, 1.0} and a.line == c.line
        assert b.samples.value == pytest.approx((a.samples.value + c.samples.value) / 2, abs=1e-6)
        assert len(set(c.samples.value.tolist())) > 3 and abs(c.samples.value).max() <= 1.0


def test_without_a_tree_a_move_is_worth_what_it_leads_to(tmp_path: Path) -> None:
    net = Net(net_at(tmp_path), GAME)
    view_planes = Planes(GAME, net.view)
    tree, position = Successors(view_planes, 0.25, 0), Position(GAME)
    for column in (0, 1, 0, 1, 0, 1):  # 0 wins now
        position.play(column)
    tree.new_game(1)
    tree.begin(position)
    planes = tree.leaves()
    assert len(planes) == 4  # the win needs no network
    _, value = net.run(planes)
    tree.tell(np.zeros((4, 5), np.float32), value)
    assert not len(tree.leaves()) and tree.choice(position).action == 0 and tree.value() == 1.0
    others = [entry for entry in view_planes.entries(position).values() if entry != 0]
    worth = np.ones(5)
    worth[others] = -value
    raised = np.exp(worth / 0.25)
    assert tree.policy() == pytest.approx(raised / raised.sum(), rel=1e-5)


def test_without_a_tree_the_best_move_is_that_of_greedy(tmp_path: Path) -> None:
    file = net_at(tmp_path)
    net, greedy = Net(file, GAME), parse_engine(f"{GAME.label}/greedy:network={file}").player()
    tree, S = Successors(Planes(GAME, net.view), 0.25, 0), stream(3)
    for plies in range(12):
        position = Position(GAME)
        position.wander(S, plies)
        if not position.over:
            tree.begin(position)
            if len(planes := tree.leaves()):
                tree.tell(*net.run(planes))
            ours, theirs = tree.choice(position), greedy.choose(position)
            assert (ours.action, ours.value) == (theirs.action, theirs.value)


GAMES = [
    "gopher[side=3]", slow("dodo[side=3]"), slow("go[size=5]"), slow("tron[players=2]"), slow("vampires")
]  # fmt: skip


@pytest.mark.parametrize("text", GAMES)
def test_every_game_that_has_a_view_plays_itself(tmp_path: Path, text: str) -> None:
    game = parse_game(text)
    view = view_of(game)
    net = net_at(
        tmp_path,
        text,
        NetPlan(blocks=1, filters=4, policy_filters=2, value_filters=2, value_hidden=8),
    )
    settings = {"search": "puct", "network": str(net), "iterations": 4, "max_nodes": 20000}
    engine = Engine(game, {**settings, "generator": view.generator})
    plan = SelfPlayPlan(together=2, most_plies=30)
    games = played(engine, plan, range(2))
    for one in games:
        assert one.samples.policy.sum(axis=1) == pytest.approx(1.0) and one.plies <= 30
        assert len(one.samples) == one.plies
    if game.chance:
        with pytest.raises(Refused, match="a game of chance"):
            played(engine, SelfPlayPlan(policy_target="values"), range(1))


def test_work_is_shared_out_whole() -> None:
    for count, together, workers in ((200, 32, 2), (5, 32, 2), (1, 1, 8), (0, 4, 2), (64, 32, 1)):
        tasks = shares(range(count), together, workers, 1)
        assert [n for task in tasks for n in task] == [*range(count)]
        assert all(len(task) <= REFILLS * together for task in tasks)
        assert len(tasks) % workers == 0 or len(tasks) == count


def test_a_task_fills_its_batches_whatever_the_number_of_workers() -> None:
    sizes = [len(task) for task in shares(range(200), 32, 64, 8)]
    assert sizes == [8] * 25 and len(shares(range(200), 32, 2, 8)) == 2
    assert [len(task) for task in shares(range(12), 32, 2, 8)] == [6, 6]
    assert [len(task) for task in shares(range(8), 2, 4, 8)] == [2] * 4


def test_the_ladder_has_the_first_and_the_last() -> None:
    assert rungs([0, 1, 4], 5) == [0, 1, 4] and rungs([*range(9)], 0) == []
    assert rungs([*range(20)], 5) == [0, 8, 17, 18, 19]
    assert rungs([*range(20)], 6) == [0, 6, 11, 17, 18, 19]
    assert rungs([*range(20)], 2) == [0, 19] and rungs([*range(20)], 1) == [19]
