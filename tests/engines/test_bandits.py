"""What `uct` can go by besides UCB1: each urgency is its formula, RAVE counts what a slow twin counts."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import U
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.engines.searches.mcts.leaf import playout_kernel
from joute.engines.searches.mcts.rave import room_for_rave
from joute.engines.searches.mcts.select import Bandit, bandit_kernel
from joute.engines.searches.mcts.tree import DEPTH, NODES, Tree
from joute.engines.searches.mcts.tree_player import TreePlayer
from joute.harness.match import Rules, Tally, play_game, returns_of
from tests.support.marks import quick, slow

pytestmark = pytest.mark.usefixtures("toys")
BOARD = "connect4[columns=7,rows=6]"
BANDITS = [Bandit(*flags) for flags in product((False, True), repeat=4)]
FEW = [BANDITS[0], BANDITS[1], BANDITS[-2], BANDITS[-1]]
EVERYTHING = "rave=on,bandit=tuned,unvisited=urgency"


class Offset:
    """Where the parameters stand in P."""

    k, prior, equivalence, first_play, rave_prior = (U(i) for i in range(5))


def urgency(bandit: Bandit, tree: Tree, c: int, parent: int, P: list[float]) -> float:
    """The formula, as the docs have it; infinity for what comes first."""
    if tree.decided[c]:
        return float(tree.known[2 * c])
    k, weight, equivalence, first_play, rave_weight = P
    v, w = int(tree.visits[c]), float(tree.total[c])
    n = v + (weight if bandit.priors else 0.0)
    around = None
    if seen := int(tree.rave_visits[c]):
        more = rave_weight if bandit.priors and n > 0 else 0.0
        around = float((tree.rave_total[c] + more * tree.prior[c]) / (seen + more))
    if n == 0:
        if bandit.rave and around is not None:
            return around
        return math.inf if bandit.eager else first_play
    value = (w + (weight * float(tree.prior[c]) if bandit.priors else 0.0)) / n
    if bandit.rave and around is not None:
        b = math.sqrt(equivalence / (3 * n + equivalence))
        value = (1 - b) * value + b * around
    log_n = math.log(max(parent, 1))
    spread = log_n / n
    if bandit.tuned:
        wide = 0.25
        if v:
            variance = float(tree.squares[c]) / v - (w / v) ** 2
            wide = min(wide, variance + math.sqrt(2 * log_n / v))
        spread *= wide
    return value + k * math.sqrt(spread)


@pytest.mark.parametrize("bandit", quick(BANDITS, FEW.__contains__), ids=str)
@settings(max_examples=60)
@given(data=some.data())
def test_the_child_with_the_greatest_urgency_is_chosen(bandit: Bandit, data: Any) -> None:
    select = bandit_kernel(bandit, 2, False, Offset())  # type: ignore[arg-type]
    children = data.draw(some.integers(1, 6))
    tree = Tree.empty(children + 1, 2, ("prior", "squares", "rave"))
    tree.first[0], tree.children[0], tree.known[:] = 1, children, 0.5
    share = some.floats(0, 1)
    for c in range(1, children + 1):
        tree.visits[c] = data.draw(some.integers(0, 30))
        tree.total[c] = data.draw(share) * tree.visits[c]
        tree.squares[c] = tree.total[c] * data.draw(some.floats(0.5, 1))
        tree.squares[c] = max(tree.squares[c], tree.total[c] ** 2 / max(1, tree.visits[c]))
        tree.rave_visits[c] = data.draw(some.integers(0, 50))
        tree.rave_total[c] = data.draw(share) * tree.rave_visits[c]
        tree.prior[c], tree.decided[c] = (
            data.draw(share),
            data.draw(some.sampled_from((0, 0, 0, 1))),
        )
        tree.known[2 * c] = data.draw(some.sampled_from((0.0, 0.5, 1.0)))
    tree.visits[0] = 1 + tree.visits[1:].sum()
    P = [
        data.draw(some.floats(0, 3)),
        data.draw(some.sampled_from((0.0, 1.0, 10.0))),
        data.draw(some.floats(1, 1e4)),
        data.draw(some.floats(0, 2)),
        data.draw(some.sampled_from((0.0, 3.0, 20.0))),
    ]
    chosen = int(select(0, 0, 0, tree, np.array(P)))
    every = [urgency(bandit, tree, c, int(tree.visits[0]), P) for c in range(1, children + 1)]
    if max(every) == math.inf:
        assert chosen == 1 + every.index(math.inf)
    else:
        assert every[chosen - 1] == pytest.approx(max(every), abs=1e-9)


RAVE = [
    f"{BOARD}/uct:evaluation=lines",
    f"{BOARD}/uct:",
    "dodo[side=3]/uct:",
    "tron[width=5,height=4]/uct:",
    "heap[stones=20]/uct:evaluation=level",
    "heap[stones=20]/uct:evaluation=level,opponents=paranoid",
    "race/uct:",
    "switches[switches=3]/uct:",
]
KEPT = [f"{BOARD}/uct:evaluation=lines", slow("heap[stones=20]/uct:evaluation=level"), "race/uct:"]


@pytest.mark.slow
@pytest.mark.parametrize("text", RAVE)
def test_rave_counts_what_the_slow_twin_counts(text: str) -> None:
    engine = parse_engine(f"{text},{EVERYTHING},iterations=1".replace(":,", ":"))
    player, position, game = engine.player(), Position(engine.game), engine.game
    assert isinstance(player, TreePlayer)
    player.new_game(1, 0)
    player.choose(position)
    grown, me, tree = player.grown, position.to_move, player.tree
    paranoid = engine.values.get("opponents") == "paranoid"
    visits, totals, squares = defaultdict[int, int](int), defaultdict[int, float](float), {0: 0.0}
    for _ in range(400):
        if not grown.grow(1):
            break
        # What was played: below nodes that have children, and then in the playout.
        depth, R, A = int(grown.I[DEPTH]), grown.R.tolist(), grown.A.tolist()
        path = [(int(node), int(mover)) for node, mover in grown.path.reshape(-1, 2)[1 : depth + 1]]
        parents = [0, *(node for node, _ in path)]
        notes = A[game.slots + 1 :][: 2 * A[game.slots]]
        later = list(zip(notes[::2], notes[1::2], strict=True))
        for d, (node, mover) in enumerate(path):
            gain = 1 - R[me] if paranoid and mover != me else R[mover]
            squares[node] = squares.get(node, 0.0) + gain * gain
            parent, by = parents[d], dict[int, int]()
            chosen = [
                (int(tree.action[n]), m)
                for above, (n, m) in zip(parents[d:], path[d:], strict=False)
                if tree.children[above]
            ]
            for action, who in [*chosen, *later]:
                by.setdefault(action, who)
            first = int(tree.first[parent])
            for c in range(first, first + int(tree.children[parent])):
                if by.get(int(tree.action[c])) == mover:
                    visits[c] += 1
                    totals[c] += gain
    actions = [c for node in range(int(grown.I[NODES])) for c in children(tree, node)]
    assert len(actions) > 20 and sum(visits.values()) > 300
    for c in actions:
        before = int(tree.rave_visits[c]) - visits[c]  # by the first descent, which nobody watched
        assert before in ((0, 1) if c in children(tree, 0) else (0,))
        assert tree.rave_total[c] == pytest.approx(totals[c], abs=before + 1e-9)
        assert tree.squares[c] == pytest.approx(squares.get(c, 0.0), abs=before + 1e-9)
        assert int(tree.rave_visits[c]) >= int(tree.visits[c]) or game.chance


def children(tree: Tree, node: int) -> range:
    """The nodes of a node's actions."""
    first = int(tree.first[node])
    return range(first, first + int(tree.children[node]))


@pytest.mark.parametrize("text", [BOARD, slow("dodo[side=3]"), slow("go[size=3]")])
def test_a_noted_playout_leads_to_the_returns_that_it_gives(text: str) -> None:
    game = parse_game(text)
    leaf = playout_kernel(game, game.kernels(), game.words, noted=True)
    A, S = np.zeros(game.slots + room_for_rave(game), np.int64), stream(3)
    R, P = np.zeros(2), np.zeros(1)
    for _ in range(30):
        position = Position(game)
        W = game.room((game.max_plies + 2) * game.words)
        W[: game.words] = position.words()
        A[game.slots] = 0
        leaf(W, U(0), A, S, R, P)
        for i in range(int(A[game.slots])):
            action, player = (int(x) for x in A[game.slots + 1 + 2 * i :][:2])
            assert player == position.to_move and position.is_legal(action)
            position.play(action)
        assert position.over and position.returns() == R.tolist()


def tree_of(text: str, moves: str = "") -> tuple[list[float], ...]:
    """Return what a search has written of its nodes."""
    engine = parse_engine(text)
    player = engine.player()
    assert isinstance(player, TreePlayer)
    player.new_game(7, 0)
    player.choose(parse_position(engine.game, f"startpos {moves}".strip()))
    used = int(player.grown.I[NODES])
    return tuple(array[:used].tolist() for array in (player.tree.visits, player.tree.total))


@pytest.mark.slow
def test_knobs_at_their_neutral_values_change_nothing() -> None:
    text = f"{BOARD}/uct:evaluation=lines,iterations=2000,k=0.5"
    plain = tree_of(text)
    assert plain == tree_of(f"{text},unvisited=urgency,first_play=3")  # more than anything has
    assert plain != tree_of(f"{text},unvisited=urgency,first_play=0.5")


@pytest.mark.parametrize("text", KEPT)
def test_what_rave_knows_is_kept_from_move_to_move(text: str) -> None:
    engine = parse_engine(f"{text},{EVERYTHING},iterations=300".replace(":,", ":"))
    player, position = engine.player(), Position(engine.game)
    assert isinstance(player, TreePlayer)
    player.new_game(1, 0)
    kept = 0
    for _ in range(4):
        action = player.choose(position).action
        tree, used = player.tree, int(player.grown.I[NODES])
        for c in (c for node in range(used) for c in children(tree, node)):
            assert 0 <= tree.rave_total[c] <= tree.rave_visits[c]
            assert int(tree.rave_visits[c]) >= int(tree.visits[c])
            assert tree.squares[c] <= tree.total[c] + 1e-9
        (node,) = (c for c in children(tree, 0) if tree.action[c] == action)
        position.play(action, position.draw_outcome(action, position.ply))
        if engine.game.chance or position.over:
            continue
        while position.to_move != 0:  # the same player's next turn
            node = max(children(tree, node), key=lambda c: int(tree.visits[c]))
            position.play(int(tree.action[node]))
        before = [known(tree, c) for c in children(tree, node)]
        player.grown.begin(position)
        assert [known(player.tree, c) for c in children(player.tree, 0)] == before
        kept += len(before)
    assert kept > 3 or engine.game.chance


def known(tree: Tree, c: int) -> list[float]:
    """What a tree keeps of a node beyond UCB1."""
    return [float(array[c]) for array in (tree.squares, tree.rave_visits, tree.rave_total)]


@pytest.mark.slow
def test_an_urgency_of_nothing_keeps_to_what_was_tried_first() -> None:
    text = f"{BOARD}/uct:evaluation=lines,iterations=500,k=0,unvisited=urgency,first_play=0"
    visits, _ = tree_of(text)
    assert max(visits[1:8]) > 400


def test_engines_that_are_not_asked_for_more_keep_their_names() -> None:
    assert parse_engine(f"{BOARD}/uct:iterations=10").text == (
        f"{BOARD}/uct:k=1,reuse=on,max_nodes=1000000,iterations=10"
    )
    text = parse_engine(f"{BOARD}/uct:iterations=10,rave=on,resign=0.1").text
    assert "rave=on,equivalence=1000," in text and "resign=0.1" in text


def test_rave_is_refused_where_actions_have_no_names_of_their_own() -> None:
    with pytest.raises(Refused, match="rave = on needs a game that lists its actions"):
        parse_engine("vampires/uct:generator=langorou,rave=on,iterations=10")


def played(
    first: Engine, second: Engine, game: Game, moves: str
) -> tuple[list[float], str, list[str]]:
    """Play a game from a position; return returns, how it ended, and the failures."""
    position = parse_position(game, f"startpos moves {moves}")
    players = [first.player(), second.player()]
    for seat, player in enumerate(players):
        player.new_game(1, seat)
    failures = play_game(position, players, lambda ply: 0, Rules(), [Tally(), Tally()])
    returns, ended = returns_of(position, failures)
    return returns, ended, [failed.kind for failed in failures]


def test_a_lost_game_is_resigned_and_no_failure() -> None:
    engines = [parse_engine(f"{BOARD}/uct:iterations=3000{more}") for more in (",resign=0.2", "")]
    returns, ended, kinds = played(engines[0], engines[1], engines[0].game, "1 4 1 4 7 5 7")
    assert (returns, ended) == ([0.0, 1.0], "resigned") and kinds == ["resigned"]
    returns, ended, kinds = played(engines[1], engines[1], engines[0].game, "1 4 1 4 7 5 7")
    assert (returns, ended, kinds) == ([0.0, 1.0], "normal", [])
