"""The rules of Connect 4 against perft counts and against the slow twin."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.colours import plain
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.position import Position, parse_position
from tests.engines.slow_connect4 import Slow, random_board, straight_lines
from tests.support.marks import slow

BOARDS = [(4, 4), (5, 4), (7, 6), (12, 6), (16, 6), (5, 9), (16, 9), (16, 10), (4, 10), (9, 7)]
PERFT = {
    (7, 6): [7, 49, 343, 2401, 16807, 117649, 823536],
    (12, 6): [12, 144, 1728, 20736, 248832, 2985984],
}


def game_of(columns: int, rows: int) -> Game:
    return parse_game(f"connect4[columns={columns},rows={rows}]")


def position_of(board: Slow) -> Position:
    position = Position(game_of(board.columns, board.rows))
    for column in board.moves:
        position.play(column)
    return position


def perft_kernel(game: Game) -> Kernel:
    rules, words, slots = game.kernels(), U(game.words), game.slots
    nth, apply, status = rules.nth, rules.apply, rules.status
    assert nth is not None

    @kernel("i8(u8[::1], i8[::1], i8)", inline=False)
    def perft(W, counters, depth):
        count, d = 0, 0
        counters[0] = 0
        while d >= 0:
            i = counters[U(d)]
            if i == slots:
                d -= 1
                continue
            counters[U(d)] = i + 1
            src = U(d) * words
            action = nth(W, src, U(i))
            if action < 0:
                continue
            apply(W, src, src + words, action, 0)
            if d + 1 == depth:
                count += 1
            elif status(W, src + words) == 0:
                d += 1
                counters[U(d)] = 0
        return count

    return perft


def perft(position: Position, depth: int) -> int:
    words = position.game.words
    W = np.zeros((depth + 1) * words, np.uint64)
    W[:words] = position.words()
    return int(perft_kernel(position.game)(W, np.zeros(depth + 1, np.int64), depth))


def slow_perft(board: Slow, depth: int) -> int:
    if depth == 0:
        return 1
    count = 0
    for column in board.legal():
        board.play(column)
        count += slow_perft(board, depth - 1)
        board.undo()
    return count


@pytest.mark.parametrize("size", PERFT)
def test_perft_is_the_published_one(size: tuple[int, int]) -> None:
    start = Position(game_of(*size))
    counts = [perft(start, depth) for depth in range(1, len(PERFT[size]) + 1)]
    assert counts == PERFT[size]


@pytest.mark.parametrize("size", [(7, 6), (12, 6), (16, 6), slow((5, 9))])
def test_perft_of_mirrored_positions_is_the_same(size: tuple[int, int]) -> None:
    chance = random.Random(3)
    for _ in range(20):
        board = random_board(*size, chance.randrange(20), chance)
        assert perft(position_of(board), 4) == perft(position_of(mirrored(board)), 4)


def test_perft_against_the_slow_twin() -> None:
    chance = random.Random(5)
    for _ in range(10):
        board = random_board(5, 4, chance.randrange(14), chance)
        assert perft(position_of(board), 4) == slow_perft(board, 4)


def mirrored(board: Slow) -> Slow:
    other = Slow(board.columns, board.rows)
    for column in board.moves:
        other.play(board.columns - 1 - column)
    return other


def agree(position: Position, board: Slow) -> None:
    assert position.status == board.status()
    assert position.over == (board.status() != 0)
    assert position.to_move == board.mover
    assert position.legal_actions() == board.legal()
    legal = set(board.legal())
    for column in (-(1 << 40), -1, *range(board.columns), board.columns, 16, 64, 1 << 40):
        assert position.is_legal(column) == (column in legal)
    if position.over:
        expected = {1: [1.0, 0.0], 2: [0.0, 1.0], 3: [0.5, 0.5]}[position.status]
        assert position.returns() == expected
        R = np.full(3, -1.0)
        position.game.kernels().returns(position.W, position.at, R, 1)
        assert R.tolist() == [-1.0, *expected]


def drawn(position: Position) -> list[str]:
    return ["".join(line.split()) for line in plain(position.draw()).splitlines()[:-1]]


sizes = st.sampled_from(BOARDS)
picks = st.lists(st.integers(0, 1 << 20), max_size=160)
# Few columns, many wins; a shuffled order of them all, late draws.
narrow = st.lists(st.integers(0, 3), min_size=4, max_size=60)


@pytest.mark.slow
@settings(max_examples=250)
@given(size=sizes, picks=st.one_of(picks, narrow))
def test_lines_of_play_against_the_slow_twin(size: tuple[int, int], picks: list[int]) -> None:
    position, board = Position(game_of(*size)), Slow(*size)
    agree(position, board)
    for pick in picks:
        legal = board.legal()
        if not legal:
            break
        column = legal[pick % len(legal)]
        position.play(column)
        board.play(column)
        agree(position, board)
    assert position.moves == board.moves
    assert drawn(position) == board.picture()
    assert position_of(mirrored(board)).key() == position.key()


@pytest.mark.parametrize("size", BOARDS)
def test_whole_random_games_against_the_slow_twin(size: tuple[int, int]) -> None:
    chance = random.Random(repr(size))
    ends = set()
    for _ in range(30 if size[0] < 12 else 8):
        position, board = Position(game_of(*size)), Slow(*size)
        while not board.status():
            column = chance.choice(board.legal())
            position.play(column)
            board.play(column)
            assert position.status == board.status()
        agree(position, board)
        ends.add(position.status)
    assert {1, 2} <= ends


@pytest.mark.parametrize("size", [(4, 4), (5, 4), (7, 6), (9, 7)])
def test_a_full_board_is_a_draw(size: tuple[int, int]) -> None:
    chance = random.Random(11)
    for _ in range(2000):
        board = random_board(*size, size[0] * size[1] - 1, chance)
        if len(board.moves) == size[0] * size[1] - 1:
            board.play(board.playable()[0])
            if board.winner() is None:
                agree(position_of(board), board)
                assert position_of(board).status == 3
                return
    pytest.fail("no full board found")


@pytest.mark.parametrize("size", [(16, 10), (12, 6), (4, 10)])
def test_a_full_big_board_is_a_draw(size: tuple[int, int]) -> None:
    # Pairs of equal stones, shifted from column to column, make no four.
    chance = random.Random(13)
    while True:
        board = Slow(*size)
        while fitting := [
            c for c in board.playable() if (len(board.stacks[c]) // 2 + c) % 2 == board.mover
        ]:
            board.play(chance.choice(fitting))
        if len(board.moves) == size[0] * size[1]:
            break
    position = position_of(board)
    agree(position, board)
    assert position.status == 3


@pytest.mark.parametrize("size", BOARDS)
def test_every_line_wins_and_nothing_less(size: tuple[int, int]) -> None:
    game = game_of(*size)
    wins = 0
    for line in straight_lines(*size):
        board = Slow(*size)
        for c in range(size[0]):
            # A filling without four in a row: pairs of rows and columns alternate.
            for r in range(size[1]):
                board.stacks[c].append((r // 2 + c) % 2)
        assert board.winner() is None
        cells = set(line)
        missing = max(cells, key=lambda cell: cell[1])
        for c, r in cells:
            board.stacks[c][r] = 0
        for c in range(size[0]):
            while board.stacks[c] and (c, len(board.stacks[c]) - 1) not in cells:
                board.stacks[c].pop()
        del board.stacks[missing[0]][missing[1] :]
        stones = [s for stack in board.stacks for s in stack]
        if board.winner() is not None:
            continue
        W = np.zeros(2 * game.words, np.uint64)
        write_stones(game, W, board, len(stones))
        rules = game.kernels()
        rules.apply(W, 0, game.words, missing[0], 0)
        board.stacks[missing[0]].append(0)
        assert board.winner() == 0
        assert rules.status(W, game.words) == 1
        wins += 1
    assert wins > 0.7 * len(straight_lines(*size))


def write_stones(game: Game, W: Words, board: Slow, count: int) -> None:
    """Write stones of any number a side, X to move, through the layout (no legal line of play)."""
    layout = game.layout  # type: ignore[attr-defined]
    heights = 0
    for c, stack in enumerate(board.stacks):
        heights |= len(stack) << (4 * c)
        for r, side in enumerate(stack):
            word, bit = layout.cell(c, r)
            W[side * layout.parts + word] |= U(1) << U(bit)
    W[2 * layout.parts] = heights
    W[2 * layout.parts + 1] = 2 * (count // 2)


@pytest.mark.parametrize("size", BOARDS)
def test_keys_tell_positions_apart_up_to_mirror(size: tuple[int, int]) -> None:
    chance = random.Random(7)
    form_of: dict[int, tuple[str, ...]] = {}
    key_of: dict[tuple[str, ...], int] = {}
    for _ in range(150):
        position, board = Position(game_of(*size)), Slow(*size)
        for _ in range(chance.randrange(1, 25)):
            if position.over:
                break
            column = chance.choice(position.legal_actions())
            position.play(column)
            board.play(column)
            rows = board.picture()
            form = min(tuple(rows), tuple(row[::-1] for row in rows))
            assert form_of.setdefault(position.key(), form) == form
            assert key_of.setdefault(form, position.key()) == position.key()
    assert len(key_of) > 300


@settings(max_examples=100)
@given(size=sizes, picks=picks)
def test_position_text_reads_back(size: tuple[int, int], picks: list[int]) -> None:
    game = game_of(*size)
    position = Position(game)
    for pick in picks:
        if position.over:
            break
        legal = position.legal_actions()
        position.play(legal[pick % len(legal)])
    text = position.text()
    assert text is not None
    for again in (Position(game, text), parse_position(game, text)):
        assert again.words().tolist() == position.words().tolist()
        assert again.status == position.status
        assert again.text() == text
    line = "startpos moves " + " ".join(game.action_text(a) for a in position.moves)
    assert parse_position(game, line).words().tolist() == position.words().tolist()


def test_moves_follow_a_position_text() -> None:
    game = game_of(7, 6)
    position = parse_position(game, "7/7/7/7/3O3/2XXO2 moves 4 1")
    assert position.text() == "7/7/7/3X3/3O3/O1XXO2"
    assert position.to_move == 0
    assert position.moves == [3, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7/7/7/7/7", "5 rows; the board has 6"),
        ("7/7/7/7/7/8", "row 6 has 8 cells; the board has 7"),
        ("7/7/7/7/7/6", "row 6 has 6 cells"),
        ("7/7/7/7/7/2Z4", "'Z' in row 6; allowed: X O 0-9"),
        ("7/7/7/7/7/2x4", "'x' in row 6"),
        ("7/7/7/7/7/O6", "0 X and 1 O; X has as many as O or one more"),
        ("7/7/7/7/7/XX5", "2 X and 0 O"),
        ("7/7/7/7/X6/7", "a stone hangs in the air in column 1"),
        ("7/7/7/7/XXXX3/OOOO3", "both sides have four in a row"),
        ("7/7/7/7/OOO4/XXXXO2", "O moved last, but the other side has four in a row"),
        ("", "1 rows; the board has 6"),
    ],
)
def test_bad_position_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        Position(game_of(7, 6), text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("startpos moves 0", "move 1 of the position: '0' is not a column; allowed: 1 to 7"),
        ("startpos moves 4 8", "move 2 of the position: '8' is not a column"),
        ("startpos moves d", "'d' is not a column"),
        ("startpos moves -1", "'-1' is not a column"),
        ("startpos moves ²", "is not a column"),
        ("startpos moves 1 1 1 1 1 1 1", "move 7 of the position, '1', is illegal; legal: 2 3 4"),
        ("startpos moves 1 2 1 2 1 2 1 2", "move 8 of the position, '2': the game is already over"),
        ("startpos 4 4", "before the moves comes the word moves, 'startpos moves 4 4'"),
    ],
)
def test_bad_lines_of_play_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_position(game_of(7, 6), text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("connect4[columns=3]", "columns = 3 is not a whole number from 4 to 16"),
        ("connect4[columns=17]", "is not a whole number from 4 to 16"),
        ("connect4[rows=11]", "rows = 11 is not a whole number from 4 to 10"),
        ("connect4[rows=6.5]", "is not a whole number"),
        ("connect4[row=6]", "did you mean 'rows'?"),
        ("connect4[rows]", "not of the form name=value"),
        ("connect5", "unknown game 'connect5'; did you mean 'connect4'?"),
        ("connect4[", "is not a game"),
    ],
)
def test_bad_games_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_game(text)
    assert message in str(caught.value)


def test_start_state() -> None:
    game = game_of(12, 6)
    position = Position(game)
    assert not position.over
    assert position.to_move == 0
    assert position.ply == 0
    assert position.text() == "12/12/12/12/12/12"
    assert position.legal_actions() == [5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0, 11]
    assert game.label == "connect4[columns=12,rows=6]"
    assert (game.slots, game.max_plies, game.players) == (12, 72, 2)


def test_start_overwrites_what_was_there() -> None:
    game = game_of(12, 6)
    W = np.full(game.words + 2, 77, np.uint64)
    game.kernels().start(W, 1)
    assert W.tolist() == [77, *[0] * game.words, 77]


def test_apply_leaves_its_source_alone_and_may_not_touch_its_neighbours() -> None:
    for size in BOARDS:
        game = game_of(*size)
        W = np.full(3 * game.words, 5, np.uint64)
        game.kernels().start(W, game.words)
        game.kernels().apply(W, game.words, 0, 3, 0)
        assert W[game.words : 2 * game.words].tolist() == [0] * game.words
        assert W[2 * game.words :].tolist() == [5] * game.words


def test_drawing() -> None:
    position = parse_position(game_of(5, 4), "startpos moves 3 3 2")
    assert plain(position.draw()) == ". . . . .\n. . . . .\n. . O . .\n. X X . .\n1 2 3 4 5"
    wide = parse_position(game_of(12, 4), "startpos moves 12")
    assert plain(wide.draw()).splitlines()[-2:] == [
        " .  .  .  .  .  .  .  .  .  .  .  X",
        " 1  2  3  4  5  6  7  8  9 10 11 12",
    ]


def test_a_copy_goes_its_own_way() -> None:
    position = parse_position(game_of(7, 6), "startpos moves 4")
    other = position.copy()
    other.play(0)
    assert position.moves == [3]
    assert position.text() == "7/7/7/7/7/3X3"
    assert other.text() == "7/7/7/7/7/O2X3"
