"""Connect 4 on any board from 4 x 4 to 16 x 10: four in a row wins, a full board is a draw.

State: `mine`, the stones of the player to move (`parts` words), `theirs`, those of the opponent, the
`heights` of the columns (4 bits each), and `meta`, ply | status << 8. A column takes rows + 1 bits, the top
one always empty, so that no line wraps round; a word holds as many whole columns as fit 63 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from joute.engines.board import painted, read_rows, rows_text
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.bits import mix
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.parameter import Parameter
from joute.engines.pictures import Look, Scene, box_of, grid, note, stone

ONE = U(1)
DISC = Look(0.82, 0.26, 0.0, 0.0, 0.0)
HOLE = '<circle class="cell" r=".82"/>'


class Connect4(Game):
    """Connect 4."""

    name = "connect4"
    summary = "Connect 4 on a board of any size: drop stones, four in a row wins"
    notation = (
        "startpos moves 4 4 3 (columns from 1), or the rows from the top, '/' between them, X for "
        "the first player, O for the second, a number for that many empty cells: 7/7/7/7/3O3/2XXO2"
    )
    played_at: ClassVar[Mapping[str, str]] = {"kaggle": "connectx"}
    options = (
        Parameter("columns", "int", 7, 4, 16, meaning="width of the board"),
        Parameter("rows", "int", 6, 4, 10, meaning="height of the board"),
    )

    def setup(self) -> None:
        """Compute the layout of the state."""
        self.columns, self.rows = int(self.values["columns"]), int(self.values["rows"])
        self.layout = Layout(self.columns, self.rows)
        self.state = self.layout.state
        self.slots = self.columns
        self.max_plies = self.columns * self.rows

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels."""
        return rules(self.layout)

    def parse_action(self, text: str) -> int:
        """Return the column (from 0) of a 1-based column number."""
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= self.columns:
            raise Refused(f"{text!r} is not a column; allowed: 1 to {self.columns}")
        return int(text) - 1

    def cells(self, W: Words, at: int) -> list[str]:
        """Return the board as rows from the bottom, '.', 'X' (first player) or 'O'."""
        layout, rows = self.layout, self.rows
        words = W[at : at + 2 * layout.parts].tolist()
        signs = ("XO", "OX")[int(W[at + 2 * layout.parts + 1]) & 1]  # the mover's sign, the other's
        full = (1 << rows) - 1
        mine, theirs = words[: layout.parts], words[layout.parts :]
        columns = [
            column_of(mine[word] >> bit & full, theirs[word] >> bit & full, rows, signs)
            for word, bit in layout.columns_at
        ]
        return list(map("".join, zip(*columns, strict=True)))

    def position_text(self, W: Words, at: int) -> str:
        """Return the rows from the top, runs of empty cells as numbers."""
        return rows_text(reversed(self.cells(W, at)))

    def text_of_rows(self, rows: Sequence[Sequence[int]]) -> str:
        """Return the text of a board given as rows from the top: 0 is empty, 1 and 2 the players."""
        return rows_text([".XO"[cell] for cell in row] for row in rows)

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text like 7/7/7/7/3O3/2XXO2; the side to move follows from it."""
        board = self._read(text)
        count = {side: sum(row.count(side) for row in board) for side in "XO"}
        if count["X"] - count["O"] not in (0, 1):
            raise Refused(
                f"position {text!r}: {count['X']} X and {count['O']} O; X has as many as O or one more"
            )
        ply = count["X"] + count["O"]
        layout, heights = self.layout, 0
        stones = {"X": [0] * layout.parts, "O": [0] * layout.parts}
        for c in range(self.columns):
            column = [board[r][c] for r in range(self.rows)]
            height = sum(cell != "." for cell in column)
            if "." in column[:height]:
                raise Refused(f"position {text!r}: a stone hangs in the air in column {c + 1}")
            heights |= height << (4 * c)
            for r in range(height):
                word, bit = layout.cell(c, r)
                stones[column[r]][word] |= 1 << bit
        status = self._status(board, text, ply)
        mover, other = ("X", "O") if ply % 2 == 0 else ("O", "X")
        words = [*stones[mover], *stones[other], heights, ply | status << 8]
        W[at : at + self.words] = np.array(words, np.uint64)

    def _read(self, text: str) -> list[list[str]]:
        place = f"position {text!r}"
        if (given := text.count("/") + 1) != self.rows:
            room = self.with_room(rows=given)
            raise Refused(f"{place}: {given} rows; the board has {self.rows}{room}")
        board = read_rows(text, "XO", place)
        room = self.with_room(columns=len(board[0]))
        for i, row in enumerate(board, 1):
            if len(row) != self.columns:
                room = room if len(row) == len(board[0]) else ""
                raise Refused(
                    f"{place}: row {i} has {len(row)} cells; the board has {self.columns}{room}"
                )
        return board[::-1]

    def _status(self, board: list[list[str]], text: str, ply: int) -> int:
        winners = {
            board[line[0][1]][line[0][0]]
            for line in lines_of(self.columns, self.rows)
            if len({board[r][c] for c, r in line}) == 1
        } - {"."}
        if len(winners) > 1:
            raise Refused(f"position {text!r}: both sides have four in a row")
        last = "X" if ply % 2 else "O"
        if winners and winners != {last}:
            raise Refused(
                f"position {text!r}: {last} moved last, but the other side has four in a row"
            )
        if winners:
            return 1 if last == "X" else 2
        return 3 if ply == self.columns * self.rows else 0

    def draw(self, W: Words, at: int) -> str:
        """Return the board in colours, top row first, with the column numbers below."""
        wide = len(str(self.columns))
        board = reversed(self.cells(W, at))
        lines = [" ".join(painted(cell, "XO", wide) for cell in row) for row in board]
        lines.append(" ".join(str(c + 1).rjust(wide) for c in range(self.columns)))
        return "\n".join(lines)

    @cached_property
    def scene(self) -> Scene:
        """A frame with a hole for every disc, the column numbers below."""
        middles = grid(self.columns, self.rows)
        left, top, wide, high = box_of(middles, 0.2)
        frame = f'<rect class="frame" x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}" rx="1"/>'
        letters = [note(2 * c, 2 * self.rows + 0.6, str(c + 1)) for c in range(self.columns)]
        names = [
            f"column {c + 1}, row {self.rows - r}"
            for r in range(self.rows)
            for c in range(self.columns)
        ]
        box = (left, top, wide, high + 1.4)
        return Scene(box, frame + "".join(letters), HOLE, middles, names, kind="discs")

    def marks(self, W: Words, at: int) -> list[str]:
        """Return the discs, from the top."""
        discs = {".": "", "X": stone(0, "X", DISC), "O": stone(1, "O", DISC)}
        return [discs[cell] for row in reversed(self.cells(W, at)) for cell in row]


class Layout:
    """Where the cells of a board lie in its words."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.stride = rows + 1
        self.per_word = 63 // self.stride
        self.parts = -(-columns // self.per_word)
        self.span = min(columns, 7 if rows <= 8 else 4)
        self.columns_at = [self.cell(column, 0) for column in range(columns)]
        self.state = State(mine=self.parts, theirs=self.parts, heights=1, meta=1)

    def cell(self, column: int, row: int) -> tuple[int, int]:
        """Return word and bit of a cell."""
        word, lane = divmod(column, self.per_word)
        return word, lane * self.stride + row

    def first_columns(self, column: int) -> list[int]:
        """Return the first columns of the windows of `span` that hold every line through a column."""
        last = self.columns - self.span
        if self.span == 7 or self.columns == self.span:
            return [min(max(column - 3, 0), last)]
        return list(range(max(column - 3, 0), min(column, last) + 1))


@lru_cache(maxsize=4096)
def column_of(mine: int, theirs: int, rows: int, signs: str) -> str:
    """Return the cells of a column, from the bottom; a bit a row, the lowest below."""
    return "".join(
        signs[0] if mine >> r & 1 else signs[1] if theirs >> r & 1 else "." for r in range(rows)
    )


def lines_of(columns: int, rows: int) -> list[list[tuple[int, int]]]:
    """Return every straight line of four cells (column, row)."""
    lines = []
    for c in range(columns):
        for r in range(rows):
            for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if c + 3 * dc < columns and 0 <= r + 3 * dr < rows:
                    lines.append([(c + i * dc, r + i * dr) for i in range(4)])
    return lines


def window_kernel(layout: Layout) -> Kernel:
    """Return `window(W, at, first)`: the `span` columns from `first` on, as one word."""
    cut = U(layout.per_word * layout.stride)
    stride, per_word = U(layout.stride), U(layout.per_word)
    parts = layout.parts
    mask = U((1 << (layout.span * layout.stride)) - 1)

    if parts == 1 and layout.span == layout.columns:

        @kernel("u8(u8[::1], u8, u8)")
        def window(W, at, first):
            return W[at]

    elif parts == 2 and layout.columns - layout.span < layout.per_word:

        @kernel("u8(u8[::1], u8, u8)")
        def window(W, at, first):
            shift = first * stride
            return ((W[at] >> shift) | (W[at + ONE] << (cut - shift))) & mask

    else:

        @kernel("u8(u8[::1], u8, u8)")
        def window(W, at, first):
            word = first // per_word
            shift = (first - word * per_word) * stride
            bits = W[at + word] >> shift
            if word + ONE < U(parts):
                bits |= W[at + word + ONE] << (cut - shift)
            return bits & mask

    return window


def four_kernel(layout: Layout) -> Kernel:
    """Return `four(bits)`: whether a window holds four in a row."""
    s = layout.stride

    @kernel("b1(u8)")
    def four(bits):
        across, up = bits & (bits >> U(s)), bits & (bits >> ONE)
        falling, rising = bits & (bits >> U(s - 1)), bits & (bits >> U(s + 1))
        across &= across >> U(2 * s)
        up &= up >> U(2)
        falling &= falling >> U(2 * s - 2)
        rising &= rising >> U(2 * s + 2)
        return (across | up | falling | rising) != U(0)

    return four


def wins_kernel(layout: Layout) -> Kernel:
    """Return `wins(W, at, column)`: whether the stones at `at` make four through that column."""
    window, four = window_kernel(layout), four_kernel(layout)
    last = layout.columns - layout.span

    if len(layout.first_columns(layout.columns // 2)) == 1:
        packed = U(sum(layout.first_columns(c)[0] << (4 * c) for c in range(layout.columns)))

        @kernel("b1(u8[::1], u8, u8)")
        def wins(W, at, column):
            return four(window(W, at, (packed >> (U(4) * column)) & U(15)))

    else:

        @kernel("b1(u8[::1], u8, u8)")
        def wins(W, at, column):
            low = max(np.int64(column) - 3, 0)
            high = min(np.int64(column), last)
            for first in range(low, high + 1):  # noqa: SIM110
                if four(window(W, at, U(first))):
                    return True
            return False

    return wins


def rules(layout: Layout) -> list[Kernel]:
    """Return the kernels of a board."""
    columns, rows, state = layout.columns, layout.rows, layout.state
    parts, stride = layout.parts, layout.stride
    other, heights, meta = state.theirs, state.heights, state.meta
    wins, four, cut = wins_kernel(layout), four_kernel(layout), U(layout.per_word * stride)
    # By column: where its window begins, where the column lies in it, and its lowest cell.
    shifts = np.array([layout.first_columns(c)[0] * stride for c in range(columns)], np.uint64)
    lanes = np.arange(columns, dtype=np.uint64) * U(stride) - shifts
    bottoms = np.zeros(columns * parts, np.uint64)
    for c, (word, bit) in enumerate(layout.columns_at):
        bottoms[c * parts + word] = U(1 << bit)
    centre = sorted(range(columns), key=lambda c: (abs(2 * c - columns + 1), c))
    order = U(sum(c << (4 * i) for i, c in enumerate(centre)))
    full, height = U(columns * rows), U(rows)

    @rule
    def nth(W, at, i):
        column = (order >> (U(4) * i)) & U(15)
        if ((W[at + heights] >> (U(4) * column)) & U(15)) >= height:
            return np.int64(-1)
        return np.int64(column)

    @rule
    def is_legal(W, at, action):
        if action < 0 or action >= columns:
            return False
        return ((W[at + heights] >> (U(4) * U(action))) & U(15)) < height

    @rule
    def peek(W, at, action):
        column = U(action)
        row = (W[at + heights] >> (U(4) * column)) & U(15)
        # Stones beyond the window do no harm: four of them would have ended the game.
        low, high, shift = W[at], W[at + ONE] if parts == 2 else U(0), shifts[column]
        bits = (low >> shift) | (high << (cut - shift)) | (ONE << (lanes[column] + row))
        ply = (W[at + meta] & U(255)) + ONE
        if four(bits):
            return np.int64(1) if ply & ONE else np.int64(2)
        return np.int64(3) if ply == full else np.int64(0)

    @rule
    def advance(W, src, dst, action):
        column = U(action)
        row = (W[src + heights] >> (U(4) * column)) & U(15)
        for k in range(parts):
            own = W[src + U(k)]
            W[dst + U(k)] = W[src + other + U(k)]
            W[dst + other + U(k)] = own | (bottoms[column * U(parts) + U(k)] << row)
        W[dst + heights] = W[src + heights] + (ONE << (U(4) * column))
        W[dst + meta] = (W[src + meta] & U(255)) + ONE

    # Where one window in two words holds every line through a column, winning can be seen ahead.
    one_window = len(layout.first_columns(columns // 2)) == 1
    near = parts <= 2 and columns - layout.span < layout.per_word and one_window
    if near:

        @rule
        def apply(W, src, dst, action, outcome):
            code = peek(W, src, action)
            advance(W, src, dst, action)
            W[dst + meta] |= U(code) << U(8)

    else:

        @rule
        def apply(W, src, dst, action, outcome):
            advance(W, src, dst, action)
            ply = W[dst + meta]
            if wins(W, dst + other, U(action)):
                W[dst + meta] = ply | ((U(2) - (ply & ONE)) << U(8))
            elif ply == full:
                W[dst + meta] = ply | (U(3) << U(8))

    @rule
    def to_move(W, at):
        return np.int64(W[at + meta] & ONE)

    @rule
    def status(W, at):
        return np.int64(W[at + meta] >> U(8))

    ahead = [peek, advance] if near else []
    return [*ahead, nth, is_legal, apply, to_move, status, key_kernel(layout)]


def key_kernel(layout: Layout) -> Kernel:
    """Return `key`: a mix of the columns read in the order that gives the smaller number."""
    columns = layout.columns
    stride, per_word, theirs = U(layout.stride), U(layout.per_word), layout.state.theirs
    mask = U((1 << layout.stride) - 1)

    @kernel("u8(u8[::1], u8, u8)")
    def column_of(W, at, c):
        word = c // per_word
        lane = (c - word * per_word) * stride
        own = (W[at + word] >> lane) & mask
        return own | (((W[at + theirs + word] >> lane) & mask) << stride)

    @rule
    def key(W, at):
        plain, mirrored = U(0), U(0)
        for i in range(columns):
            plain = mix(plain, column_of(W, at, U(i)))
            mirrored = mix(mirrored, column_of(W, at, U(columns - 1 - i)))
        return min(plain, mirrored)

    return key
