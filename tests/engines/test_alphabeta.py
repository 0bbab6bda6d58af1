"""Alpha-beta against plain negamax, and what limits, ordering and suspension may not change."""

from __future__ import annotations

import random
import re
import statistics
import time
from functools import cache
from typing import Any

import pytest

from joute.engines.engine import Engine, parse_engine
from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position
from joute.engines.searches._stack import BEST, FOREVER, MAX_DEPTH, NODES, STOP, StackPlayer
from joute.engines.searches.alphabeta import AlphaBeta
from tests.engines.slow_connect4 import EVALUATIONS, WIN, Slow, negamax, random_board
from tests.support.marks import quick, quick_rows

SHARED = ((4, 4), (7, 6))  # sizes of which other tests need the same kernels
STATIC, LINES_B = "evaluation=static", "evaluation=lines,reading=B"


def engine_of(size: tuple[int, int], settings: str) -> Engine:
    return parse_engine(f"connect4[columns={size[0]},rows={size[1]}]/alphabeta:{settings}")


def position_of(engine: Engine, board: Slow) -> Position:
    position = Position(engine.game)
    for column in board.moves:
        position.play(column)
    return position


@cache
def player_of(size: tuple[int, int], settings: str) -> tuple[Engine, Player]:
    engine = engine_of(size, settings)
    return engine, engine.player()


def choose(board: Slow, settings: str) -> Move:
    # One player for all depths: loading its kernels takes longer than most searches here.
    given = re.search(r"depth=(\d+)", settings)
    assert given is not None
    engine, player = player_of(
        (board.columns, board.rows), settings.replace(given[0], f"depth={MAX_DEPTH}")
    )
    player._depth = int(given[1])  # type: ignore[attr-defined]
    return player.choose(position_of(engine, board))


def open_boards(size: tuple[int, int], count: int, seed: int = 1) -> list[Slow]:
    chance = random.Random(f"{size} {seed}")
    cells = size[0] * size[1]
    return [random_board(*size, chance.randrange(cells), chance) for _ in range(count)]


def shared(case: tuple[Any, ...]) -> bool:
    return case[0] in SHARED


CASES = [
    # size, evaluation, depth, positions: about three thousand in all
    ((4, 4), STATIC, 1, 250),
    ((4, 4), STATIC, 2, 250),
    ((4, 4), STATIC, 3, 200),
    ((4, 4), STATIC, 5, 30),
    ((4, 4), "evaluation=lines,reading=A", 3, 60),
    ((4, 4), LINES_B, 1, 150),
    ((4, 4), LINES_B, 2, 150),
    ((4, 4), LINES_B, 4, 20),
    ((4, 4), "evaluation=lines,reading=C", 3, 60),
    ((5, 4), STATIC, 2, 250),
    ((5, 4), STATIC, 3, 100),
    ((5, 4), STATIC, 4, 20),
    ((5, 4), LINES_B, 2, 100),
    ((5, 4), LINES_B, 3, 30),
    ((7, 6), STATIC, 1, 150),
    ((7, 6), STATIC, 2, 60),
    ((7, 6), STATIC, 3, 10),
    ((7, 6), LINES_B, 2, 20),
    ((12, 6), STATIC, 1, 100),
    ((12, 6), STATIC, 2, 15),
    ((12, 6), LINES_B, 2, 5),
]
VARIED = [
    (variant, *case)
    for variant in ("", "ordering=evaluation", "width=0.6", "width=0.3")
    for case in CASES
]
FIRST_A, FIRST_B = (("", *CASES[i]) for i in (4, 5))  # make the kernels of their readings


@pytest.mark.parametrize(
    ("variant", "size", "evaluation", "depth", "count"),
    quick_rows(VARIED, lambda row: row[1] in SHARED and row != FIRST_A, dear=FIRST_B.__eq__),
    ids=[
        "-".join([v, f"size{i % len(CASES)}", *map(str, r)]) for i, (v, _, *r) in enumerate(VARIED)
    ],
)
def test_the_value_and_the_action_are_those_of_plain_negamax(
    variant: str, size: tuple[int, int], evaluation: str, depth: int, count: int
) -> None:
    width = float(variant[6:]) if variant.startswith("width") else 1.0
    engine = engine_of(size, ",".join(filter(None, [evaluation, f"depth={depth}", variant])))
    player = engine.player()
    share = -(-count // 2) if variant else count
    for board in open_boards(size, share, depth):
        expected, column = negamax(board, EVALUATIONS[evaluation], depth, width, bool(variant))
        found = player.choose(position_of(engine, board))
        assert (found.value, found.action) == (expected, column), board.moves
        assert found.depth == depth


SEARCHES = [
    ((4, 4), STATIC, 7),
    ((5, 4), LINES_B, 6),
    ((7, 6), STATIC, 5),
    ((7, 6), LINES_B, 4),
    ((12, 6), STATIC, 5),
    ((12, 6), LINES_B, 4),
    ((16, 9), STATIC, 3),
]


@pytest.mark.parametrize(("size", "evaluation", "depth"), quick_rows(SEARCHES, shared))
def test_ordering_and_deepening_do_not_change_the_value(
    size: tuple[int, int], evaluation: str, depth: int
) -> None:
    for board in open_boards(size, 40):
        plain = choose(board, f"{evaluation},depth={depth}")
        assert choose(board, f"{evaluation},depth={depth},width=1") == plain
        for variant in ("ordering=evaluation", "deepening=on", "ordering=evaluation,deepening=on"):
            other = choose(board, f"{evaluation},depth={depth},{variant}")
            # With nothing to decide, deepening stops at depth 1.
            if "deepening" not in variant or len(board.legal()) > 1:
                assert other.value == plain.value, (board.moves, variant)
            assert other.action in board.legal()


@pytest.mark.parametrize(("size", "evaluation", "depth"), quick_rows(SEARCHES, shared))
@pytest.mark.parametrize("width", ["0.3", "0.5", "0.75"])
def test_deepening_does_not_change_the_value_of_a_pruned_tree(
    size: tuple[int, int], evaluation: str, depth: int, width: str
) -> None:
    for board in open_boards(size, 40):
        if len(board.legal()) == 1:
            continue  # nothing to decide: deepening stops at depth 1
        settings = f"{evaluation},depth={depth},width={width}"
        plain = choose(board, settings)
        assert choose(board, settings + ",deepening=on").value == plain.value, board.moves


@pytest.mark.parametrize("variant", ["", ",ordering=evaluation", ",width=0.6"])
@pytest.mark.parametrize("evaluation", [STATIC, LINES_B])
def test_a_node_limit_returns_the_last_finished_depth(evaluation: str, variant: str) -> None:
    chance = random.Random(2)
    for size in ((4, 4), (7, 6), (12, 6)):
        for board in open_boards(size, 15):
            budget = chance.choice([1, 2, 10, 60, 300, 1000, 3000, 20_000])
            found = choose(board, f"{evaluation},depth=30,nodes={budget}{variant}")
            # Once begun, the children of a node are counted together; depth 1 is always finished.
            assert found.nodes <= budget + size[0]
            assert found.depth >= 1
            again = choose(board, f"{evaluation},depth={found.depth},deepening=on{variant}")
            assert (again.action, again.value) == (found.action, found.value)
            assert again.nodes <= found.nodes
            decided = abs(found.value or 0.0) > WIN - MAX_DEPTH - 1
            if found.depth < 30 and not decided and len(board.legal()) > 1:
                deeper = choose(
                    board, f"{evaluation},depth={found.depth + 1},deepening=on{variant}"
                )
                assert deeper.nodes >= budget


def test_a_limited_search_is_a_function_of_the_position_alone() -> None:
    engine = engine_of((12, 6), "evaluation=lines,depth=20,nodes=3000")
    positions = [position_of(engine, board) for board in open_boards((12, 6), 6)]
    fresh = [engine.player().choose(position) for position in positions]
    player = engine.player()
    for order in (range(6), reversed(range(6)), [3, 3, 3, 5, 3]):
        for i in order:
            assert player.choose(positions[i]) == fresh[i]


def test_an_unlimited_search_is_a_function_of_the_position_alone() -> None:
    for variant in ("", ",width=0.6", ",deepening=on"):
        engine = engine_of((7, 6), f"evaluation=static,depth=4{variant}")
        positions = [position_of(engine, board) for board in open_boards((7, 6), 8)]
        words = [position.W.tolist() for position in positions]
        fresh = [engine.player().choose(position) for position in positions]
        player = engine.player()
        assert [player.choose(position) for position in reversed(positions)] == fresh[::-1]
        assert [position.W.tolist() for position in positions] == words


class Sliced:
    """The kernels of an engine, run a few nodes at a time."""

    def __init__(self, engine: Engine) -> None:
        self.begin, self.search = AlphaBeta().template(engine)
        player = engine.player()
        assert isinstance(player, StackPlayer)
        self.words, self.P = engine.game.words, engine.vector
        self.W, self.A, self.I, self.F = player._W, player._A, player._I, player._F

    def run(self, position: Position, depth: int, nodes: int) -> tuple[float, int, int, int]:
        """Value, action, nodes, and how many slices of `nodes` nodes it took."""
        self.W[: self.words] = position.words()
        self.begin(self.W, 0, self.A, self.I, self.P)
        slices = 0
        while True:
            slices += 1
            self.I[STOP] = self.I[NODES] + nodes
            if self.search(self.W, 0, self.A, self.I, self.F, self.P, depth):
                return float(self.F[0]), int(self.I[BEST]), int(self.I[NODES]), slices
            assert self.I[NODES] >= self.I[STOP]
            assert slices < 1_000_000


@pytest.mark.parametrize("nodes", [1, 7, 1000])
@pytest.mark.parametrize("variant", ["", ",ordering=evaluation", ",width=0.6"])
@pytest.mark.parametrize("size", [(4, 4), (7, 6), (12, 6)])
def test_a_search_in_slices_is_the_same_search(
    size: tuple[int, int], variant: str, nodes: int
) -> None:
    for evaluation in (STATIC, LINES_B):
        engine = engine_of(size, f"{evaluation},depth=4{variant}")
        sliced = Sliced(engine)
        for board in open_boards(size, 12):
            position = position_of(engine, board)
            for depth in (1, 2, 4):
                *whole, one = sliced.run(position, depth, FOREVER)
                assert one == 1
                *parts, many = sliced.run(position, depth, nodes)
                assert parts == whole
                if depth == 4 and whole[2] > 60 * nodes + 60:
                    assert many > 2


def test_milliseconds_are_kept() -> None:
    engine = engine_of((12, 6), "evaluation=lines,depth=40,milliseconds=15")
    player, late = engine.player(), []
    for board in open_boards((12, 6), 40):
        position = position_of(engine, board)
        begun = time.perf_counter()
        found = player.choose(position)
        late.append((time.perf_counter() - begun) * 1e3 - 15)
        assert found.action in board.legal()
        assert found.depth >= 1
    assert statistics.median(late) < 5.0


def test_milliseconds_return_the_last_finished_depth() -> None:
    engine = engine_of((12, 6), "evaluation=static,depth=40,milliseconds=10")
    player = engine.player()
    for board in open_boards((12, 6), 10):
        found = player.choose(position_of(engine, board))
        again = choose(board, f"evaluation=static,depth={found.depth},deepening=on")
        assert (again.action, again.value) == (found.action, found.value)


@pytest.mark.parametrize("size", quick([(4, 4), (4, 5), (5, 4)], SHARED.__contains__))
def test_small_boards_end_as_tromp_says(size: tuple[int, int]) -> None:
    cells = size[0] * size[1]
    engine = engine_of(size, f"evaluation=static,depth={cells},ordering=evaluation")
    assert engine.player().choose(Position(engine.game)).value == 0.0


VARIANTS = ["", ",ordering=evaluation", ",width=0.3", ",deepening=on", ",nodes=5000"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("evaluation", [STATIC, LINES_B])
def test_wins_are_found_and_worth_their_distance(evaluation: str, variant: str) -> None:
    settings = f"{evaluation},depth=5{variant}"
    game = engine_of((7, 6), settings).game
    player = engine_of((7, 6), settings).player()
    one = parse_position(game, "startpos moves 4 1 4 1 4 1")
    found = player.choose(one)
    assert (found.action, found.value) == (3, WIN - 1)
    if "width" in variant:
        return  # the quiet first move of the win in three may be pruned
    three = parse_position(game, "startpos moves 4 4 5 5")
    found = player.choose(three)
    assert found.action in (2, 5)
    assert found.value == WIN - 3
    three.play(found.action)
    lost = player.choose(three)
    assert lost.value == 2 - WIN
    assert three.is_legal(lost.action)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_a_lost_position_still_has_a_move(depth: int, variant: str) -> None:
    engine = engine_of((7, 6), f"evaluation=static,depth={depth}{variant}")
    lost = parse_position(engine.game, "startpos moves 3 3 4 4 5")
    found = engine.player().choose(lost)
    assert lost.is_legal(found.action)
    if depth >= 2:
        assert found.value == 2 - WIN


def test_the_last_cell_is_played() -> None:
    chance = random.Random(4)
    seen = 0
    for _ in range(400):
        board = random_board(4, 4, 15, chance)
        if len(board.moves) < 15:
            continue
        seen += 1
        for variant in VARIANTS:
            found = choose(board, f"evaluation=static,depth=6{variant}")
            board.play(found.action)
            assert found.value == (0.0 if board.status() == 3 else WIN - 1)
            board.undo()
    assert seen > 5


def test_depth_may_exceed_the_end_of_the_game() -> None:
    for board in open_boards((4, 4), 20):
        if len(board.moves) < 8:
            continue
        left = 16 - len(board.moves)
        assert (
            choose(board, f"evaluation=static,depth={MAX_DEPTH}").value
            == choose(board, f"evaluation=static,depth={left}").value
        )
