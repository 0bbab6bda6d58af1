"""UCT: budgets, forced wins, decided nodes, reuse, more players, chance, rules that look back."""

from __future__ import annotations

import math
import random

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.arithmetic import log_of, logistic
from joute.engines.position import Position, parse_position
from joute.engines.searches.mcts.tree_player import TreePlayer
from tests.support.marks import slow

pytestmark = pytest.mark.usefixtures("toys")
BOARD = "connect4[columns=7,rows=6]"


def player_of(text: str, seed: int = 1) -> TreePlayer:
    player = parse_engine(text).player()
    assert isinstance(player, TreePlayer)
    player.new_game(seed, 0)
    return player


def check_tree(player: TreePlayer) -> None:
    """Visits of a node's children sum to its own less the visits before it was expanded."""
    tree, todo = player.tree, [0]
    while todo:
        node = todo.pop()
        count = int(tree.children[node])
        if not count:
            continue
        below = range(int(tree.first[node]), int(tree.first[node]) + count)
        total = sum(int(tree.visits[c]) for c in below)
        early = int(tree.visits[node]) - total
        assert early in (0, 1)  # a root that was kept from an earlier move has its first visit too
        assert all(0.0 <= tree.total[c] <= tree.visits[c] for c in below)
        todo += below


@pytest.mark.parametrize("leaf", ["", ",evaluation=static", ",evaluation=lines"])
def test_visits_sum_to_the_budget(leaf: str) -> None:
    player = player_of(f"{BOARD}/uct:iterations=3000{leaf}")
    choice = player.choose(Position(parse_game(BOARD)))
    tree = player.tree
    first, count = int(tree.first[0]), int(tree.children[0])
    assert choice.nodes == 3000 == int(tree.visits[0])
    assert sum(int(v) for v in tree.visits[first : first + count]) == 3000
    check_tree(player)


@pytest.mark.parametrize("leaf", ["", ",evaluation=lines"])
@pytest.mark.parametrize(
    ("moves", "wins"),
    [("1 7 1 7 1 6", {1}), ("4 1 5 1 6 2", {3, 7}), ("1 7 1 7 2 7 3 6", {4})],
)
def test_it_plays_a_win_in_one(leaf: str, moves: str, wins: set[int]) -> None:
    player = player_of(f"{BOARD}/uct:iterations=500{leaf}")
    choice = player.choose(parse_position(parse_game(BOARD), f"startpos moves {moves}"))
    assert choice.action + 1 in wins
    assert choice.value == 1.0


def test_it_proves_a_forced_win_and_stops() -> None:
    # First moves to the open row 3 4 5 of the bottom with both ends free: a win in three plies.
    position = parse_position(parse_game(BOARD), "startpos moves 4 4 5 5")
    player = player_of(f"{BOARD}/uct:iterations=200000")
    choice = player.choose(position)
    assert choice.action + 1 in (3, 6)
    assert choice.value == 1.0
    assert choice.nodes < 200000


def test_it_blocks() -> None:
    player = player_of(f"{BOARD}/uct:iterations=2000")
    position = parse_position(parse_game(BOARD), "startpos moves 1 2 1 3 1")
    assert player.choose(position).action + 1 == 1


def exact(position: Position) -> float:
    """Expected return of the player to move, by plain recursion."""
    mover = position.to_move
    best = -1.0
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        if after.over:
            value = after.returns()[mover]
        else:
            value = exact(after)
            value = 1.0 - value
        best = max(best, value)
    return best


@pytest.mark.slow
@pytest.mark.parametrize("switches", [2, 3])
def test_a_rule_that_looks_back_is_decided_right(switches: int) -> None:
    game = f"switches[switches={switches}]"
    position = Position(parse_game(game))
    choice = player_of(f"{game}/uct:iterations=20000").choose(position)
    assert choice.value == exact(position)
    value = parse_engine(f"{game}/alphabeta:evaluation=level,depth=10").player().choose(position)
    assert (value.value or 0) > 0 if exact(position) == 1.0 else (value.value or 0) < 0


def heap_returns(stones: int, mover: int) -> list[float]:
    """Best play of three players in Heap, each for itself; ties for the smaller take."""
    best: list[float] = []
    for take in (1, 2, 3):
        if take > stones:
            break
        if take == stones:
            found = [0.0, 0.0, 0.0]
            found[(mover + 1) % 3], found[(mover + 2) % 3] = 0.5, 1.0
        else:
            found = heap_returns(stones - take, (mover + 1) % 3)
        if not best or found[mover] > best[mover]:
            best = found
    return best


@pytest.mark.parametrize("stones", [3, 4, 5, 6, 7, 8])
def test_three_players_are_decided_right(stones: int) -> None:
    game = f"heap[stones={stones}]"
    choice = player_of(f"{game}/uct:iterations=30000").choose(Position(parse_game(game)))
    assert choice.value == heap_returns(stones, 0)[0]


def race_value(mine: int, theirs: int, goal: int, depth: int) -> tuple[float, int]:
    """Chance to win for the player to move, and the better action (0 step, 1 gamble)."""
    if depth == 0:
        return 0.5, 0
    values = []
    for steps in ((1, 2), (0, 5)):
        value = 0.0
        for step in steps:
            if mine + step >= goal:
                value += 0.5
            else:
                value += 0.5 * (1.0 - race_value(theirs, mine + step, goal, depth - 1)[0])
        values.append(value)
    return max(values), int(values[1] > values[0])


def test_chance_is_averaged_over_its_outcomes() -> None:
    game = parse_game("race[goal=5]")
    position = Position(game)
    value, action = race_value(0, 0, 5, 14)
    choice = player_of("race[goal=5]/uct:iterations=60000,k=0.7").choose(position)
    assert choice.action == action
    assert choice.value == pytest.approx(value, abs=0.03)


def test_reuse_keeps_what_lies_below_the_moves_played() -> None:
    position = Position(parse_game(BOARD))
    player = player_of(f"{BOARD}/uct:iterations=4000")
    position.play(player.choose(position).action)
    tree, reply = player.tree, 3
    child = next(
        c
        for c in range(int(tree.first[0]), int(tree.first[0] + tree.children[0]))
        if tree.action[c] == position.moves[0]
    )
    grand = next(
        c
        for c in range(int(tree.first[child]), int(tree.first[child] + tree.children[child]))
        if tree.action[c] == reply
    )
    kept = int(tree.visits[grand])
    assert kept > 50
    position.play(reply)
    player.choose(position)
    assert int(player.tree.visits[0]) == kept + 4000
    check_tree(player)


@pytest.mark.parametrize("game", ["race", slow("switches[switches=4]"), "heap[stones=20]"])
def test_reuse_in_every_kind_of_game(game: str) -> None:
    players = [player_of(f"{game}/uct:iterations=300", s) for s in range(3)]
    for number in range(5):
        position = Position(parse_game(game))
        for seat, player in enumerate(players):
            player.new_game(number * 10 + seat, seat)
        while not position.over:
            choice = players[position.to_move].choose(position)
            assert position.is_legal(choice.action)
            position.play(choice.action, position.draw_outcome(choice.action, position.ply))


@pytest.mark.slow
def test_another_start_is_another_tree() -> None:
    """As a server tells it: a board at every turn, and no moves that led to it."""
    player = player_of("vampires[map=testmap]/uct:iterations=60")
    for text in ("4x4 V3@0,0 W3@3,3 H2@1,1 turn V", "4x4 V5@1,1 W3@2,3 turn V") * 2:
        position = parse_position(parse_game("vampires[map=testmap]"), text)
        assert position.is_legal(player.choose(position).action)
        assert int(player.tree.visits[0]) == 60
        check_tree(player)
    player.choose(position)
    assert int(player.tree.visits[0]) == 60  # codes of a generator: no tree is used again


def test_a_full_tree_goes_on() -> None:
    player = player_of(f"{BOARD}/uct:iterations=20000,max_nodes=1000")
    choice = player.choose(Position(parse_game(BOARD)))
    assert choice.nodes == 20000
    assert 0 <= choice.action < 7


def test_more_iterations_play_better() -> None:
    weak, strong = (player_of(f"{BOARD}/uct:iterations={n}") for n in (20, 1500))
    score = 0.0
    for number in range(20):
        players = [weak, strong] if number % 2 else [strong, weak]
        position = Position(parse_game(BOARD))
        for seat, player in enumerate(players):
            player.new_game(number, seat)
        while not position.over:
            position.play(players[position.to_move].choose(position).action)
        score += position.returns()[players.index(strong)]
    assert score >= 17


def test_milliseconds_are_kept() -> None:
    player = player_of(f"{BOARD}/uct:milliseconds=20")
    position = Position(parse_game(BOARD))
    player.choose(position)
    import time

    late = []
    for seed in range(20):
        player.new_game(seed, 0)
        begun = time.perf_counter()
        player.choose(position)
        late.append((time.perf_counter() - begun) * 1e3 - 20)
    assert min(late) < 5  # a busy machine may hold up most of them


def test_logarithm_and_logistic() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        x = draw.uniform(1, 10 ** draw.uniform(0, 12))
        assert log_of(x) == pytest.approx(math.log(x), rel=1e-13, abs=1e-15)
        y = draw.uniform(-50, 50)
        expected = 1 / (1 + math.exp(-max(min(y, 40), -40)))
        assert logistic(y) == pytest.approx(expected, rel=1e-11, abs=1e-17)
