"""The evaluations of Connect 4 against the report's numbers and the slow twin."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from joute.engines.engine import parse_game
from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import lines_of
from joute.engines.games.connect4.lines import Lines
from joute.engines.games.connect4.static import Static, weights_of
from joute.engines.kernels.compile import Words
from joute.engines.position import Position, parse_position
from tests.engines.slow_connect4 import (
    Slow,
    lines_value,
    random_board,
    static_value,
    straight_lines,
)
from tests.support.marks import quick

SIZES = [(4, 4), (5, 4), (7, 6), (12, 6), (16, 6), (5, 9), (16, 9), (16, 10)]
SHARED = ((4, 4), (7, 6), (12, 6))  # other tests need the same kernels
NAMES = ["static", "lines A", "lines B", "lines C"]
WEIGHTS = """
 3  4  5  7  7  7  7  7  7  5  4  3
 4  6  8 10 10 10 10 10 10  8  6  4
 5  8 11 13 13 13 13 13 13 11  8  5
 5  8 11 13 13 13 13 13 13 11  8  5
 4  6  8 10 10 10 10 10 10  8  6  4
 3  4  5  7  7  7  7  7  7  5  4  3
"""


class Valued:
    """An evaluation of a game, its words behind the game's, the parameters from index 2 on."""

    def __init__(self, columns: int, rows: int, name: str) -> None:
        self.game: Game = parse_game(f"connect4[columns={columns},rows={rows}]")
        kind, _, reading = name.partition(" ")
        evaluation = Lines() if kind == "lines" else Static()
        self.kernels: EvaluationKernels = evaluation.kernels(self.game, 2)
        self.P = np.array([-5.0, -6.0, float("ABC".find(reading or "A"))])
        self.stride = self.game.words + self.kernels.words

    def fresh(self, position: Position) -> Words:
        """The state with the evaluation's words, computed from scratch, after a word of waste."""
        W = np.full(1 + self.stride, 99, np.uint64)
        W[1 : 1 + self.game.words] = position.words()
        self.kernels.init(W, 1, self.P)
        assert W[0] == 99
        assert W[1 : 1 + self.game.words].tolist() == position.words().tolist()
        return W

    def value(self, position: Position) -> float:
        return float(self.kernels.value(self.fresh(position), 1, self.P))


def slow_value(board: Slow, name: str) -> float:
    if name == "static":
        return float(static_value(board))
    return float(lines_value(board, name[-1]))


def position_of(game: Game, board: Slow) -> Position:
    return parse_position(game, "startpos moves " + " ".join(str(c + 1) for c in board.moves))


def boards(size: tuple[int, int], count: int) -> Iterator[Slow]:
    chance = random.Random(repr(size))
    for _ in range(count):
        plies = min(chance.randrange(size[0] * size[1]), 60)
        yield random_board(*size, plies, chance)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("static", 4.0), ("lines A", 15.166667), ("lines B", 15.356313), ("lines C", 32.630556)],
)
def test_the_seeds_worked_example(name: str, expected: float) -> None:
    valued = Valued(12, 6, name)
    position = parse_position(valued.game, "startpos moves 6 6 7 8 5")
    # The numbers are those of the first player, and the second is to move.
    assert valued.value(position) == pytest.approx(-expected, abs=1e-6)
    board = Slow(12, 6)
    for column in position.moves:
        board.play(column)
    assert slow_value(board, name) == pytest.approx(-expected, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "expected"), [("lines A", 1.75), ("lines B", 1.45), ("lines C", 5.285714)]
)
def test_the_seeds_lone_stone(name: str, expected: float) -> None:
    valued = Valued(12, 6, name)
    position = parse_position(valued.game, "startpos moves 6")
    assert valued.value(position) == pytest.approx(-expected, abs=1e-6)


def test_the_seeds_weight_table() -> None:
    table = [[int(n) for n in line.split()] for line in WEIGHTS.strip().splitlines()]
    weights = weights_of(12, 6)
    assert [[int(weights[c * 6 + r]) for c in range(12)] for r in reversed(range(6))] == table


@pytest.mark.parametrize(("size", "count"), [((12, 6), 144), ((7, 6), 69), ((4, 4), 10)])
def test_the_number_of_lines(size: tuple[int, int], count: int) -> None:
    assert len(lines_of(*size)) == count
    assert {frozenset(line) for line in lines_of(*size)} == {
        frozenset(line) for line in straight_lines(*size)
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", quick(SIZES, SHARED.__contains__))
def test_values_against_the_slow_twin(size: tuple[int, int], name: str) -> None:
    valued = Valued(*size, name)
    for board in boards(size, 120 if size[0] < 12 else 30):
        value = valued.value(position_of(valued.game, board))
        assert value == pytest.approx(slow_value(board, name), abs=1e-6), board.moves


@pytest.mark.parametrize("size", quick(SIZES, SHARED.__contains__))
def test_fixed_point_is_the_rounded_sum(size: tuple[int, int]) -> None:
    for name in NAMES[1:]:
        valued = Valued(*size, name)
        for board in boards(size, 10):
            value = valued.value(position_of(valued.game, board))
            assert value == float(lines_value(board, name[-1], 1 << 32))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", quick(SIZES, SHARED.__contains__))
def test_updating_is_computing_from_scratch(size: tuple[int, int], name: str) -> None:
    valued = Valued(*size, name)
    game, rules, own = valued.game, valued.game.kernels(), valued.game.words
    chance = random.Random(17)
    for _ in range(40):
        position = Position(game)
        W = np.zeros(2 * valued.stride, np.uint64)
        W[: valued.stride] = valued.fresh(position)[1:]
        src, dst = 0, valued.stride
        while not position.over:
            action = chance.choice(position.legal_actions())
            before = W[src : src + valued.stride].tolist()
            rules.apply(W, src, dst, action, 0)
            valued.kernels.update(W, src, dst, action, valued.P)
            position.play(action)
            assert W[src : src + valued.stride].tolist() == before
            # A finished position, too, though searches do not ask for its value.
            assert W[dst : dst + valued.stride].tolist() == valued.fresh(position)[1:].tolist()
            src, dst = dst, src
        assert own + valued.kernels.words == valued.stride


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", quick(SIZES, SHARED.__contains__))
def test_swapping_the_colours_turns_the_sign(size: tuple[int, int], name: str) -> None:
    valued = Valued(*size, name)
    parts = (valued.game.words - 2) // 2
    for board in boards(size, 30):
        W = valued.fresh(position_of(valued.game, board))
        value = valued.kernels.value(W, 1, valued.P)
        own, other = W[1 : 1 + parts].copy(), W[1 + parts : 1 + 2 * parts].copy()
        W[1 : 1 + parts], W[1 + parts : 1 + 2 * parts] = other, own
        valued.kernels.init(W, 1, valued.P)
        assert valued.kernels.value(W, 1, valued.P) == -value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", quick(SIZES, SHARED.__contains__))
def test_mirror_images_have_the_same_value(size: tuple[int, int], name: str) -> None:
    valued = Valued(*size, name)
    for board in boards(size, 30):
        other = Slow(*size)
        for column in board.moves:
            other.play(size[0] - 1 - column)
        mirrored = position_of(valued.game, other)
        assert valued.value(position_of(valued.game, board)) == valued.value(mirrored)


def test_the_parameter_is_read_where_the_engine_puts_it() -> None:
    valued = Valued(7, 6, "lines C")
    position = parse_position(valued.game, "startpos moves 4 4 3")
    assert valued.value(position) != Valued(7, 6, "lines A").value(position)
