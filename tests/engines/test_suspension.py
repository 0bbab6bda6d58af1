"""Trees that stop at their leaves: told in batches what a search says itself, they are that search."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from engines.engine import Engine, parse_engine
from engines.evaluation import expected_kernel
from engines.kernels.compile import Floats, Kernel, U, Words, kernel
from engines.kernels.random import seed_of, stream
from engines.position import Position
from engines.searches.mcts.grown import GrownTree
from engines.searches.mcts.iterate import iterate_kernel
from engines.searches.mcts.leaf import LEAF
from engines.searches.mcts.player import TreePlayer
from engines.searches.mcts.select import SELECT
from engines.searches.mcts.suspended import SuspendedTree
from engines.searches.mcts.tree import NODES, Tree
from engines.searches.uct import Uct
from tests.support.marks import quick

pytestmark = pytest.mark.usefixtures("toys")
ENGINES = [
    "connect4[columns=7,rows=6]/uct:evaluation=lines,iterations=200",
    "connect4[columns=7,rows=6]/uct:evaluation=static,iterations=150,max_nodes=1000",
    "tron[players=3]/uct:evaluation=zones,iterations=60",
    "tron[players=3]/uct:evaluation=zones,iterations=60,opponents=paranoid,reuse=off",
    "heap[stones=20]/uct:evaluation=level,iterations=300",
    "race/uct:evaluation=level,iterations=300",
    "switches[switches=3]/uct:evaluation=level,iterations=40",
]


class Batch:
    """The ordinary evaluation of an engine, asked for many states at once."""

    def __init__(self, engine: Engine) -> None:
        assert engine.evaluation is not None
        made = engine.evaluation.kernels(engine.game, len(engine.search.parameters))
        self.expected = expected_kernel(engine.game, made, engine.evaluation.scale)
        self.players, self.scratch, self.P = engine.game.players, made.scratch, engine.vector
        self.sizes: list[int] = []

    def __call__(self, states: Sequence[Words]) -> Floats:
        """Return [games, players] for states [games, stride]."""
        stride = len(states[0])
        W = np.concatenate([np.zeros(self.scratch, np.uint64), *states])
        R = np.zeros(len(states) * self.players)
        for i in range(len(states)):
            self.expected(W, self.scratch + i * stride, self.P, R, i * self.players)
        self.sizes.append(len(states))
        return R.reshape(len(states), self.players)


def positions(engine: Engine, count: int = 5) -> list[Position]:
    """Return positions of different length, none of them over."""
    found: list[Position] = []
    S = stream(7)
    while len(found) < count:
        position = Position(engine.game)
        for _ in range(len(found)):
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, seed_of(1, position.ply)))
        if not position.over:
            found.append(position)
    return found


def together(trees: Sequence[SuspendedTree], value: Batch) -> None:
    """Let trees grow to their ends, the leaves of all in one batch."""
    while True:
        leaves = [(tree, state) for tree in trees if (state := tree.leaf()) is not None]
        if not leaves:
            return
        for (tree, _), returns in zip(leaves, value([s for _, s in leaves]), strict=True):
            tree.tell(returns)


def known(tree: Tree, used: int, players: int) -> list[list[float]]:
    """Return all that was written of the nodes in use."""
    every = [tree.first, tree.children, tree.visits, tree.total, tree.decided]
    actions, sure = tree.action[1:used], np.flatnonzero(tree.decided[:used])
    returns = tree.known.reshape(-1, players)[sure].ravel()
    return [array[:used].tolist() for array in every] + [actions.tolist(), returns.tolist()]


@pytest.mark.parametrize("text", quick(ENGINES, lambda text: "zones" not in text))
def test_told_in_a_batch_a_tree_is_the_search(text: str) -> None:
    engine, moves = parse_engine(text), 3
    assert isinstance(engine.search, Uct)
    value, boards = Batch(engine), positions(engine)
    trees = [engine.search.suspended(engine.setup) for _ in boards]
    players = [engine.player() for _ in boards]
    for seed, (tree, player) in enumerate(zip(trees, players, strict=True)):
        tree.new_game(seed)
        player.new_game(seed, 0)
    for _ in range(moves):  # with what is kept of the tree from move to move
        going = [i for i, board in enumerate(boards) if not board.over]
        for i in going:
            trees[i].begin(boards[i])
        together([trees[i] for i in going], value)
        for i in going:
            player, board = players[i], boards[i]
            assert isinstance(player, TreePlayer)
            choice = player.choose(board)
            assert trees[i].choice(board) == choice
            used, same = int(trees[i].I[NODES]), engine.game.players
            assert known(trees[i].tree, used, same) == known(player.tree, used, same)
            board.play(choice.action, board.draw_outcome(choice.action, seed_of(2, board.ply)))
    assert max(value.sizes) == len(boards)


def test_a_leaf_waits_until_it_is_told() -> None:
    engine = parse_engine(ENGINES[0])
    assert isinstance(engine.search, Uct)
    tree, value = engine.search.suspended(engine.setup), Batch(engine)
    with pytest.raises(ValueError, match="no leaf waits"):
        tree.tell([0.5, 0.5])
    tree.new_game(1)
    position = positions(engine)[3]
    tree.begin(position)
    first = tree.leaf()
    assert first is not None and tree.tree.visits[0] == 0 and tree.node > 0
    assert tree.leaf() is not None and tree.tree.visits[0] == 0
    with pytest.raises(ValueError, match="told 3 returns of 2 players"):
        tree.tell([0.5, 0.5, 0.5])
    tree.tell(value([first])[0])
    with pytest.raises(ValueError, match="no leaf waits"):
        tree.tell([0.5, 0.5])
    assert tree.leaf() is not None and tree.tree.visits[0] == 1
    played = position.copy()
    played.play(int(tree.tree.action[tree.node]))
    leaf, words = tree.leaf(), engine.game.words
    assert leaf is not None and (leaf[:words] == played.words()).all()
    tree.begin(position)  # a leaf that was never told is forgotten
    together([tree], value)
    assert tree.leaf() is None and tree.choice(position).nodes == 200


def puct_kernel(explore: float) -> Kernel:
    """Return `select` by PUCT, as a search of its own would give it."""

    @kernel(SELECT)
    def select(
        node, mover, me,
        first, following, children, action, visits, total, decided, known,
        prior, squares, rave_visits, rave_total, P,
    ):  # fmt: skip
        begin = U(first[node])
        spread = explore * math.sqrt(np.float64(visits[node]))
        best, chosen = -1.0, begin
        for i in range(children[node]):
            c = begin + U(i)
            v = np.float64(visits[c])
            mean = total[c] / v if visits[c] > 0 else 0.5
            if decided[c]:
                mean = known[c * U(2) + mover]
            if mean + spread * prior[c] / (1.0 + v) > best:
                best, chosen = mean + spread * prior[c] / (1.0 + v), c
        return chosen

    return select


def likely_kernel(expected: Kernel, slots: int) -> Kernel:
    """Return `leaf` by an evaluation, and priors that fall from action to action."""

    @kernel(LEAF)
    def leaf(W, at, A, S, R, P):
        expected(W, at, P, R, U(0))
        for i in range(slots):
            R[U(2 + i)] = 1.0 / (2.0 + i)

    return leaf


def test_a_search_with_priors_is_another_selection_and_nothing_else() -> None:
    engine = parse_engine("connect4[columns=7,rows=6]/uct:evaluation=lines,iterations=400")
    assert engine.evaluation is not None
    game, value = engine.game, Batch(engine)
    evaluation = engine.evaluation.kernels(game, len(engine.search.parameters))
    stride = game.words + evaluation.words
    rules = engine.generator.kernels(game, stride, len(engine.parameters))
    select, leaf = puct_kernel(1.5), likely_kernel(value.expected, game.slots)
    plain, suspends = (
        iterate_kernel(
            game, rules, evaluation, select, leaf, stride, priors=True, suspends=suspended
        )
        for suspended in (False, True)
    )
    vector, position = tuple(engine.vector.tolist()), positions(engine)[4]
    grown = GrownTree(game, plain, stride, vector, True, 100_000, 400, keeps=("prior",))
    grown.begin(position)
    assert grown.grow(400) == 400
    tree = SuspendedTree(game, suspends, stride, vector, 400, True, 100_000, keeps=("prior",))
    tree.begin(position)
    while (state := tree.leaf()) is not None:
        tree.tell(value([state])[0], [1.0 / (2.0 + i) for i in range(game.slots)])
    assert tree.choice(position) == grown.choice(position)
    used, first = int(tree.I[NODES]), int(tree.tree.first[0])
    assert known(tree.tree, used, 2) == known(grown.tree, used, 2)
    assert tree.tree.prior[first : first + 3].tolist() == [1 / 2, 1 / 3, 1 / 4]
    visits = tree.tree.visits[first : first + int(tree.tree.children[0])]
    most = tree.tree.action[first + int(np.argmax(visits))]
    assert visits.sum() == 399 and most == tree.choice(position).action
