"""`puct`: visit by visit the slow twin's tree, and open_spiel's; what its knobs do; what it refuses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import Refused
from joute.engines.kernels.random import stream
from joute.engines.position import Position
from joute.engines.searches.mcts.batched import BatchedTree, halving
from joute.engines.searches.puct import PuctPlayer
from tests.engines.slow_puct import Node, Rules, completed, descend, improved, softmax
from tests.support.fake_net import FakeNet, fakes
from tests.support.marks import quick, slow

__all__ = ["fakes"]
BOARD = "connect4[columns=5,rows=4]"
RULES = {
    "": Rules(),
    ",c=0.7,growth=2,base=30": Rules(c=0.7, growth=2, base=30),
    ",first_play=-1": Rules(first_play=-1),
    ",unvisited=parent,reduction=0.4": Rules(reduction=0.4),
    ",unvisited=parent,reduction=2,c=0.01": Rules(reduction=2, c=0.01),  # the untried is worse than lost
    ",root=gumbel,considered=4": Rules(gumbel=True),
    ",root=gumbel,visit_scale=3,value_scale=0.5": Rules(gumbel=True, visit_scale=3, value_scale=0.5),
}  # fmt: skip
PLAIN = [*RULES][:3]  # neither of the parent's value nor of Gumbel's root


def opinion_of(net: FakeNet, position: Position) -> tuple[dict[int, float], float]:
    """Return the priors of the legal actions, and the return of who moves."""
    shape, kernels = net.shape, net.view.kernels(position.game)
    planes = np.zeros(shape.numbers, np.float32)
    kernels.see(position.W, position.at, planes, 0)
    logits, value = net.opinion(planes.reshape(shape[:3]))
    legal = position.legal_actions()
    entries = [int(kernels.entry(position.W, position.at, a)) for a in legal]
    priors = softmax([float(logits[e]) for e in entries])
    return dict(zip(legal, priors, strict=True)), 0.5 + 0.5 * value


def player_of(engine: Engine) -> PuctPlayer:
    player = engine.player()
    assert isinstance(player, PuctPlayer)
    return player


def shape_of(tree: BatchedTree, node: int = 0) -> Any:
    """Return visits and decidedness of a node and, by action, of all below."""
    arrays = tree.tree
    first, many = int(arrays.first[node]), int(arrays.children[node])
    below = {int(arrays.action[first + i]): shape_of(tree, first + i) for i in range(many)}
    return int(arrays.visits[node]), bool(arrays.decided[node]), below


def twins_shape(node: Node) -> Any:
    """Return the same of the twin's; a node without visits has no children there."""
    below = {a: twins_shape(c) for a, c in node.children.items()}
    return node.visits, node.sure is not None, below


@pytest.mark.parametrize("knobs", quick(RULES, PLAIN.__contains__))
def test_the_tree_is_the_slow_twins(knobs: str, fakes: dict[str, FakeNet]) -> None:
    rules, count = RULES[knobs], 120
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations={count}{knobs}")
    players, position = [player_of(engine), player_of(engine)], Position(engine.game)
    net, roots = fakes[engine.game.label], [Node(), Node()]
    for seat, player in enumerate(players):
        player.new_game(3, seat)
    while not position.over:
        seat = position.to_move
        player, root = players[seat], roots[seat]
        choice = player.choose(position)
        scores: dict[int, float] = {}
        plan: list[int | None] = [None] * count
        for i in range(count):
            if root.sure:
                break
            if rules.gumbel and i == 1:
                scores = {a: float(np.log(c.prior)) for a, c in root.children.items()}
                considered = 4 if "considered" in knobs else 16
                plan = [None, *halving(min(considered, len(scores)), count - 1)]
            descend(root, position.copy(), lambda p: opinion_of(net, p), rules, scores, plan[i])
        assert shape_of(player.tree) == twins_shape(root)
        if rules.gumbel and not root.sure:
            mover = position.to_move
            most = max(c.visits for c in root.children.values())
            sigma, q = completed(root, mover, rules)
            won = [a for a, c in root.children.items() if c.sure and c.sure[mover] == 1.0]
            best = max(
                (a for a, c in root.children.items() if c.visits == most),
                key=lambda a: scores[a] + sigma * q[a],
            )
            assert choice.action in won or (not won and choice.action == best)
            policy = player.tree.policy()
            for action, share in improved(root, mover, rules).items():
                assert policy[action] == pytest.approx(share, abs=1e-5)
        position.play(choice.action)
        for i, root in enumerate(roots):  # a player keeps what it knows from its own moves on
            fresh = rules.gumbel or choice.action not in root.children
            roots[i] = Node() if fresh else root.children[choice.action]


@pytest.mark.parametrize("knobs", ["", ",unvisited=parent"])
def test_a_search_by_time_ends_though_every_descent_ends_where_all_is_known(
    knobs: str, fakes: dict[str, FakeNet]
) -> None:
    """A move that is sure to draw beats all others that a sure policy hardly looks at."""
    engine = parse_engine(f"connect4[columns=4,rows=4]/puct:network=fake,milliseconds=1{knobs}")
    net, tree, asked = fakes[engine.game.label], player_of(engine).tree, 0
    net.scale = 9.0

    def late() -> bool:
        nonlocal asked
        asked += 1
        return asked >= 100

    tree.new_game(1)
    tree.begin(Position(engine.game))
    while asked < 100 and len(planes := tree.leaves(late)):
        tree.tell(*net.run(planes))
    assert asked >= 100 and not tree.tree.decided[0]


def test_the_value_and_the_policy_are_those_of_the_tree(fakes: dict[str, FakeNet]) -> None:
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations=80")
    player, position = player_of(engine), Position(engine.game)
    player.new_game(1, 0)
    root = Node()
    player.choose(position)
    net = fakes[engine.game.label]
    for _ in range(80):
        descend(root, position.copy(), lambda p: opinion_of(net, p), Rules(), {}, None)
    total = root.own + sum(c.total for c in root.children.values())
    assert player.tree.value() == pytest.approx(total / root.visits, abs=1e-9)
    for action, child in root.children.items():
        assert player.tree.policy()[action] == pytest.approx(child.visits / 79, abs=1e-6)


@pytest.mark.parametrize("knobs", ["", slow(",root=gumbel")])
def test_a_search_that_visits_nobody_teaches_the_priors(
    knobs: str, fakes: dict[str, FakeNet]
) -> None:
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations=1{knobs}")
    player, position = player_of(engine), Position(engine.game)
    player.new_game(1, 0)
    choice = player.choose(position)
    priors, value = opinion_of(fakes[engine.game.label], position)
    assert player.tree.policy() == pytest.approx([priors[a] for a in range(5)], abs=1e-6)
    assert choice.action == max(priors, key=lambda a: priors[a])
    assert player.tree.value() == pytest.approx(value)


def test_open_spiels_search_visits_the_same(fakes: dict[str, FakeNet]) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import mcts

    engine = parse_engine("connect4/puct:network=fake,iterations=150,c=1.1,reuse=off")
    player, moves = player_of(engine), []
    net = fakes[engine.game.label]
    S = stream(5)

    class Evaluator(mcts.Evaluator):
        def ours(self, state: Any) -> tuple[dict[int, float], float]:
            position = Position(engine.game)
            for action in state.history():
                position.play(action)
            return opinion_of(net, position)

        def evaluate(self, state: Any) -> Any:
            value = 2 * self.ours(state)[1] - 1
            return np.array([value, -value] if state.current_player() == 0 else [-value, value])

        def prior(self, state: Any) -> Any:
            return list(self.ours(state)[0].items())

    game = pyspiel.load_game("connect_four")
    for seed in range(6):
        position, state = Position(engine.game), game.new_initial_state()
        for _ in range(3 * seed):
            action = position.sample_action(S)
            position.play(action)
            state.apply_action(action)
        if position.over:
            continue
        bot = mcts.MCTSBot(
            game, 1.1, 150, Evaluator(), solve=True, random_state=np.random.RandomState(seed),
            child_selection_fn=mcts.SearchNode.puct_value,
        )  # fmt: skip
        root = bot.mcts_search(state)
        player.new_game(seed, 0)
        choice = player.choose(position)
        visits = {a: below[0] for a, below in shape_of(player.tree)[2].items()}
        assert visits == {c.action: c.explore_count for c in root.children}
        moves.append(choice.action)
        assert choice.action == root.best_child().action
    assert len(moves) >= 5


@pytest.mark.parametrize("knobs", ["", ",symmetry=random", ",symmetry=every", ",root=gumbel,gumbel_noise=1",
                                   ",noise=0.25,alpha=0.3,temperature=1"])  # fmt: skip
@pytest.mark.parametrize("batch", [1, 5])
def test_many_games_in_one_batch_are_each_the_game_alone(
    knobs: str, batch: int, fakes: dict[str, FakeNet]
) -> None:
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations=40,batch={batch}{knobs}")
    search: Any = engine.search
    alone, boards = [], [Position(engine.game) for _ in range(4)]
    for seed in range(4):
        player, position = player_of(engine), Position(engine.game)
        player.new_game(seed, 0)
        while not position.over and position.ply < 6:
            position.play(player.choose(position).action)
        alone.append(position.moves)
    trees, net = [search.suspended(engine.setup) for _ in boards], fakes[engine.game.label]
    for seed, tree in enumerate(trees):
        tree.new_game(seed)
    net.batches.clear()
    for _ in range(6):
        going = [i for i, board in enumerate(boards) if not board.over]
        for i in going:
            trees[i].begin(boards[i])
        while True:
            waiting = [(i, planes) for i in going if len(planes := trees[i].leaves())]
            if not waiting:
                break
            policy, value = net.run(np.concatenate([planes for _, planes in waiting]))
            ends = np.cumsum([0, *(len(planes) for _, planes in waiting)])
            for (i, _), (begin, end) in zip(waiting, pairwise(ends), strict=True):
                trees[i].tell(policy[begin:end], value[begin:end])
        for i in going:
            boards[i].play(trees[i].choice(boards[i]).action)
    assert [board.moves for board in boards] == alone
    assert max(net.batches) > 4 * batch * 0.9


def test_batches_fill_up_and_descents_are_counted(fakes: dict[str, FakeNet]) -> None:
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations=100,batch=8")
    player = player_of(engine)
    fakes[engine.game.label].batches.clear()  # of the move with which it was loaded
    player.new_game(0, 0)
    assert player.choose(Position(engine.game)).nodes == 100
    batches = fakes[engine.game.label].batches
    assert batches[0] == 1 and max(batches) > 3 and sum(batches) <= 100
    assert player.tree.tree.visits[0] == 100


def test_every_symmetry_has_its_say(fakes: dict[str, FakeNet]) -> None:
    one = parse_engine(f"{BOARD}/puct:network=fake,iterations=60,symmetry=every,reuse=off")
    left, right = player_of(one), player_of(one)
    a, b = Position(one.game), Position(one.game)
    for x, y in ((0, 4), (1, 3), (1, 3)):  # a game and its mirror image
        a.play(x)
        b.play(y)
    left.choose(a)
    right.choose(b)
    assert np.allclose(left.tree.policy(), right.tree.policy()[::-1], atol=0.06)
    assert left.tree.value() == pytest.approx(right.tree.value(), abs=0.02)


def test_noise_moves_the_priors_of_the_root_and_no_others(fakes: dict[str, FakeNet]) -> None:
    calm = player_of(parse_engine(f"{BOARD}/puct:network=fake,iterations=30"))
    noisy = player_of(parse_engine(f"{BOARD}/puct:network=fake,iterations=30,noise=0.5,alpha=0.3"))
    found = []
    for player in (calm, noisy):
        player.new_game(7, 0)
        player.choose(Position(parse_engine(f"{BOARD}/random").game))
        tree = player.tree.tree
        found.append(tree.prior[int(tree.first[0]) : int(tree.first[0]) + 5].copy())
    assert found[0].sum() == pytest.approx(1) and found[1].sum() == pytest.approx(1)
    assert np.abs(found[0] - found[1]).max() > 0.05
    assert (found[1] >= 0.5 * found[0] - 1e-12).all()


def test_temperature_draws_by_visits(fakes: dict[str, FakeNet]) -> None:
    engine = parse_engine(
        f"{BOARD}/puct:network=fake,iterations=60,temperature=1,temperature_plies=1"
    )
    player, position, counts = player_of(engine), Position(engine.game), np.zeros(5)
    for seed in range(400):
        player.new_game(seed, 0)
        counts[player.choose(position).action] += 1
    shares = player.tree.policy()
    assert np.abs(counts / 400 - shares).max() < 4 * 0.5 / 400**0.5
    later = position.copy()
    later.play(0)
    found = set()
    for seed in range(20):
        player.new_game(seed, 0)
        found.add(player.choose(later).action)
    assert len(found) == 1


def test_a_decided_root_ends_the_search(fakes: dict[str, FakeNet]) -> None:
    engine = parse_engine(f"{BOARD}/puct:network=fake,iterations=5000,batch=4")
    player, position = player_of(engine), Position(engine.game)
    for action in (0, 4, 0, 4, 0, 4):
        position.play(action)
    player.new_game(0, 0)
    choice = player.choose(position)
    assert (choice.action, choice.value) == (0, 1.0) and choice.nodes < 5000
    assert player.tree.policy()[0] == 1.0 and player.tree.value() == 1.0


def test_time_ends_a_search(fakes: dict[str, FakeNet]) -> None:
    engine = parse_engine("connect4/puct:network=fake,milliseconds=30")
    player = player_of(engine)
    player.new_game(0, 0)
    choice = player.choose(Position(engine.game))
    assert 1 <= choice.nodes < 10_000


def test_what_cannot_be_is_refused(fakes: dict[str, FakeNet]) -> None:
    with pytest.raises(Refused, match="gumbel plans its descents"):
        parse_engine(f"{BOARD}/puct:network=fake,milliseconds=10,root=gumbel").player()
    with pytest.raises(Refused, match="puct needs a limit"):
        parse_engine(f"{BOARD}/puct:network=fake")


@pytest.mark.parametrize("count", [1, 2, 15, 16, 100, 1000])
@pytest.mark.parametrize("considered", [1, 2, 3, 7, 16])
def test_halving_spends_what_it_has_and_ends_with_two(considered: int, count: int) -> None:
    plan = halving(considered, count)
    assert len(plan) == count
    visits = [0] * considered
    for wanted in plan:  # whoever is ahead among those wanted is taken
        visits[visits.index(wanted)] += 1
    assert sum(visits) == count
    if considered > 1 and count >= 100:
        assert sum(v == max(visits) for v in visits) <= 2
