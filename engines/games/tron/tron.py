"""Tron (light cycles) for two to four players, by the rules of CodinGame's "Tron Battle".

The players move one after another in the order of their numbers; each leaves a ribbon. A move into
a wall or a ribbon, or a failed turn, is death: the dead player's ribbon is erased at once and the
others play on until one is left. Source: the contest's public statement (docs/tron.md).

State: the `occupied` cells (`parts` words), the `ribbons` (`parts` words a player, head included), the
`heads` and the `starts` of the ribbons (16 bits a player), and `meta`: to_move | alive << 4 | status << 8 |
place of each death << 16 (4 bits a player: 1 died first). Cell y * 32 + x is bit y % 2 * 32 + x of
word y // 2: two rows a word, each in a lane of 32 bits; what lies outside the field is occupied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from joute.engines.board import read_rows, rows_text
from joute.engines.colours import paint
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import below, stream
from joute.engines.parameter import Parameter
from joute.engines.pictures import Scene, box_of, grid, square, tile
from joute.engines.record import KINDS

ONE, LANE, NOWHERE = U(1), U(32), U(0xFFFF)
ACTIONS = ("UP", "DOWN", "LEFT", "RIGHT", "DIES")
DIES = 4  # the action of a turn that failed; never legal
RIBBONS, HEADS = "abcd", "ABCD"

WALL = '<rect class="wall" x="-1" y="-1" width="2" height="2"/>'


class Tron(Game):
    """Tron with ribbons that vanish."""

    name = "tron"
    summary = "Tron for 2 to 4: leave a ribbon, stay alive longest; ribbons of the dead vanish"
    notation = (
        "startpos moves UP LEFT, or rows from the top with '/' between: # wall, A-D heads, a-d "
        "ribbons, a number for that many empty cells; then the player to move (1 is the first) and "
        "where each ribbon began, x,y;x,y (-1: died first, -2: second): 5/1A2B/1a2b 1 1,2;4,2. The "
        "last two may be left out, a field smaller than the game's is walled in"
    )
    options = (
        Parameter("width", "int", 30, 3, 31, meaning="columns of the field"),
        Parameter("height", "int", 20, 3, 40, meaning="rows of the field"),
        Parameter("players", "int", 2, 2, 4, meaning="players"),
        Parameter(
            "starts",
            "choice",
            "uniform",
            choices=("uniform", "mirrored"),
            meaning="how openings place the players: distinct cells at random, or one at random "
            "and its mirror images",
        ),
    )
    on_failure: ClassVar[Mapping[str, int]] = dict.fromkeys(KINDS, DIES)
    opening_plies: ClassVar[int] = 0
    balanced_by = "alphabeta:evaluation=zones,depth=4"
    balanced_within = (
        0.1  # zones less the other's, as a share of all cells: a fifth of random starts
    )

    def setup(self) -> None:
        """Compute the layout of the state."""
        self.width, self.height = int(self.values["width"]), int(self.values["height"])
        self.players = int(self.values["players"])
        self.parts = (self.height + 1) // 2
        self.state = State(
            occupied=self.parts, ribbons=self.players * self.parts, heads=1, starts=1, meta=1
        )
        self.slots = 4
        # Cells are used once, and again after a ribbon vanished.
        self.max_plies = max(self.players - 1, 1) * self.width * self.height + self.players

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels."""
        return rules(self)

    def action_text(self, action: int) -> str:
        """Return UP, DOWN, LEFT or RIGHT; DIES for a turn that failed."""
        return ACTIONS[action] if 0 <= action <= DIES else str(action)

    def parse_action(self, text: str) -> int:
        """Return the action of a word; DIES, which stored games have, is never legal."""
        if text not in ACTIONS:
            raise Refused(f"{text!r} is not an action; allowed: {', '.join(ACTIONS[:DIES])}")
        return ACTIONS.index(text)

    def start_text(self, seed: int) -> str:
        """Return a start position: distinct cells at random, or one and its mirror images."""
        S, cells = stream(seed), list[tuple[int, int]]()
        while len(cells) < self.players:
            x, y = (int(below(S, U(n))) for n in (self.width, self.height))
            if self.values["starts"] == "mirrored":
                cells = self.mirrored(x, y)
                if len(set(cells)) < self.players:
                    cells = []
            elif (x, y) not in cells:
                cells.append((x, y))
        return self.text_of_starts(cells)

    def mirrored(self, x: int, y: int) -> list[tuple[int, int]]:
        """Return a cell and its images: turned by half a turn, then left-right, then up-down."""
        far_x, far_y = self.width - 1 - x, self.height - 1 - y
        return [(x, y), (far_x, far_y), (far_x, y), (x, far_y)][: self.players]

    def text_of_starts(self, cells: Sequence[tuple[int, int]]) -> str:
        """Return the text of the position in which each player is on its first cell."""
        board = [["."] * self.width for _ in range(self.height)]
        for head, (x, y) in zip(HEADS, cells, strict=False):
            board[y][x] = head
        return f"{rows_text(board)} 1 {';'.join(f'{x},{y}' for x, y in cells)}"

    def cells(self, W: Words, at: int) -> list[list[str]]:
        """Return the board as rows from the top: '.', '#', ribbons a-d and heads A-D."""
        parts = self.parts
        heads = [self._cell(W, at + parts * (self.players + 1), p) for p in range(self.players)]
        board = [["."] * self.width for _ in range(self.height)]
        for y in range(self.height):
            for x in range(self.width):
                word, bit = y // 2, y % 2 * 32 + x
                if not int(W[at + word]) >> bit & 1:
                    continue
                board[y][x] = "#"
                for p in range(self.players):
                    if int(W[at + parts * (p + 1) + word]) >> bit & 1:
                        board[y][x] = HEADS[p] if heads[p] == (x, y) else RIBBONS[p]
        return board

    def _cell(self, W: Words, at: int, player: int) -> tuple[int, int] | None:
        c = int(W[at]) >> 16 * player & 0xFFFF
        return None if c == 0xFFFF else (c % 32, c // 32)

    def head(self, W: Words, at: int, player: int) -> tuple[int, int] | None:
        """Return the cell x, y of a player's head; None once it is dead."""
        return self._cell(W, at + self.parts * (self.players + 1), player)

    def start_cell(self, W: Words, at: int, player: int) -> tuple[int, int] | None:
        """Return the cell x, y where a player's ribbon began; None once it is dead."""
        return self._cell(W, at + self.parts * (self.players + 1) + 1, player)

    def position_text(self, W: Words, at: int) -> str:
        """Return the rows, the player to move and the starts; walls to the right and below left out."""
        board = self.cells(W, at)
        while len(board) > 1 and set(board[-1]) == {"#"}:
            board.pop()
        while len(board[0]) > 1 and all(row[-1] == "#" for row in board):
            board = [row[:-1] for row in board]
        meta = int(W[at + self.words - 1])
        starts = []
        for p in range(self.players):
            start = self.start_cell(W, at, p)
            starts.append(
                f"-{meta >> 16 + 4 * p & 15}" if start is None else "{},{}".format(*start)
            )
        return f"{rows_text(board)} {(meta & 15) + 1} {';'.join(starts)}"

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text; see `notation`."""
        rows, *rest = text.split()
        place = f"position {text!r}"
        if len(rest) > 2:
            raise Refused(f"{place}: {rest[2]!r} is too much; allowed: rows, player, starts")
        board = self._read(rows, place)
        heads = self._heads(board, place)
        starts, deaths = self._starts(rest[1] if len(rest) > 1 else "", heads, board, place)
        alive = [p for p in range(self.players) if heads[p] is not None]
        mover = rest[0] if rest else str(alive[0] + 1)
        if mover not in [str(p + 1) for p in alive]:
            allowed = ", ".join(str(p + 1) for p in alive)
            raise Refused(f"{place}: player {mover!r} cannot be to move; allowed: {allowed}")
        words = np.zeros(self.words, np.uint64)
        for y in range(2 * self.parts):
            for x in range(32):
                inside = y < len(board) and x < len(board[y])
                cell = board[y][x] if inside else "#"
                bit = U(1 << (y % 2 * 32 + x))
                if cell != ".":
                    words[y // 2] |= bit
                if cell not in ".#":
                    words[self.parts * (1 + HEADS.index(cell.upper())) + y // 2] |= bit
        for i, cells in ((-3, heads), (-2, starts)):
            packed = 0
            for p, xy in enumerate(cells):
                packed |= (0xFFFF if xy is None else xy[1] * 32 + xy[0]) << 16 * p
            words[i] = U(packed)
        meta = int(mover) - 1 | sum(1 << 4 + p for p in alive)
        meta |= sum(place << 16 + 4 * p for p, place in enumerate(deaths))
        if len(alive) == 1:
            meta |= (alive[0] + 1 if self.players == 2 else self.players + 1) << 8
        words[-1] = U(meta)
        W[at : at + self.words] = words

    def _read(self, rows: str, place: str) -> list[list[str]]:
        allowed = f". # 0-9 {RIBBONS[: self.players]} {HEADS[: self.players]}"
        signs = (*HEADS[: self.players], *RIBBONS[: self.players], "#")
        board = read_rows(rows, signs, place, allowed)
        for number, row in enumerate(board, 1):
            if len(row) > self.width or len(row) != len(board[0]):
                wide = self.width if number == 1 else len(board[0])
                room = self.with_room(width=len(row)) if number == 1 else ""
                raise Refused(f"{place}: row {number} has {len(row)} cells, not {wide}{room}")
        if len(board) > self.height:
            room = self.with_room(height=len(board))
            raise Refused(f"{place}: {len(board)} rows; the field has {self.height}{room}")
        return board

    def _heads(self, board: list[list[str]], place: str) -> list[tuple[int, int] | None]:
        heads: list[tuple[int, int] | None] = [None] * self.players
        for y, row in enumerate(board):
            for x, cell in enumerate(row):
                if cell in HEADS:
                    if heads[HEADS.index(cell)] is not None:
                        raise Refused(f"{place}: two heads {cell}")
                    heads[HEADS.index(cell)] = (x, y)
        if not any(heads):
            raise Refused(f"{place}: nobody is alive; allowed: heads {HEADS[: self.players]}")
        for p in range(self.players):
            if heads[p] is None and any(RIBBONS[p] in row for row in board):
                raise Refused(f"{place}: a ribbon {RIBBONS[p]} without its head {HEADS[p]}")
        return heads

    def _starts(
        self,
        text: str,
        heads: list[tuple[int, int] | None],
        board: list[list[str]],
        place: str,
    ) -> tuple[list[tuple[int, int] | None], list[int]]:
        # Where the ribbons began (by default at the head), and the places of the deaths.
        dead = [p for p in range(self.players) if heads[p] is None]
        deaths = [0] * self.players
        for i, p in enumerate(dead, 1):
            deaths[p] = i
        if not text:
            return list(heads), deaths
        given = text.split(";")
        if len(given) != self.players:
            raise Refused(f"{place}: {len(given)} starts; there are {self.players} players")
        starts = list(heads)
        for p, one in enumerate(given):
            if p in dead:
                if one not in [f"-{k}" for k in range(1, len(dead) + 1)]:
                    raise Refused(f"{place}: {one!r} for {HEADS[p]}, who is dead; allowed: -1 ...")
                deaths[p] = int(one[1:])
                continue
            x, _, y = one.partition(",")
            signs = (HEADS[p], RIBBONS[p])
            if not (x.isdigit() and y.isdigit() and int(y) < len(board)
                    and int(x) < len(board[0]) and board[int(y)][int(x)] in signs):  # fmt: skip
                raise Refused(f"{place}: {one!r} is no cell x,y of the ribbon of {HEADS[p]}")
            starts[p] = (int(x), int(y))
        if sorted(deaths) != [*[0] * (self.players - len(dead)), *range(1, len(dead) + 1)]:
            raise Refused(f"{place}: the deaths are not numbered -1, -2, ...")
        return starts, deaths

    def draw(self, W: Words, at: int) -> str:
        """Return the field in colours with its border: heads as capitals, ribbons, walls."""
        edge = "+" + "-" * (2 * self.width + 1) + "+"
        rows = [" ".join(map(coloured, row)) for row in self.cells(W, at)]
        return "\n".join([edge, *(f"| {row} |" for row in rows), edge])

    @cached_property
    def scene(self) -> Scene:
        """The field with its border."""
        middles = grid(self.width, self.height)
        names = [f"{x}, {y}" for y in range(self.height) for x in range(self.width)]
        return Scene(box_of(middles), "", square(), middles, names, kind="field")

    def marks(self, W: Words, at: int) -> list[str]:
        """Return ribbons, heads with their letters, and walls."""
        words: list[int] = W[at : at + self.words].tolist()
        full, marks = (1 << self.width) - 1, list[str]()
        for y in range(self.height):
            word, shift = y // 2, y % 2 * 32
            rows = (words[self.parts * k + word] >> shift & full for k in range(self.players + 1))
            marks += row_marks(self.width, *rows)
        for player in range(self.players):
            if head := self.head(W, at, player):
                marks[head[1] * self.width + head[0]] = tile(player, HEADS[player], "head")
        return marks


@lru_cache(maxsize=4096)
def row_marks(width: int, occupied: int, *ribbons: int) -> tuple[str, ...]:
    """Return the marks of a row; its cells are bits, and most rows stay the same from move to move."""
    marks = [WALL if occupied >> x & 1 else "" for x in range(width)]
    for player, bits in enumerate(ribbons):
        for x in range(width):
            if bits >> x & 1:
                marks[x] = tile(player)
    return tuple(marks)


def coloured(cell: str) -> str:
    """Return a cell as it is drawn: its player's letter in colour, a wall, or nothing."""
    return " " if cell == "." else paint(cell, HEADS.index(cell.upper())) if cell != "#" else cell


def ahead_kernel(game: Tron) -> Kernel:
    """Return `ahead(W, at, head, action)`: the cell that an action leads to, or -1 if it is not free."""
    last_x, last_y = U(game.width - 1), U(game.height - 1)

    @kernel("i8(u8[::1], u8, u8, i8)")
    def ahead(W, at, head, action):
        x, y = head & U(31), head >> U(5)
        if action == 0:
            if y == U(0):
                return np.int64(-1)
            cell = head - LANE
        elif action == 1:
            if y == last_y:
                return np.int64(-1)
            cell = head + LANE
        elif action == 2:
            if x == U(0):
                return np.int64(-1)
            cell = head - ONE
        else:
            if x == last_x or action != 3:
                return np.int64(-1)
            cell = head + ONE
        if (W[at + (cell >> U(6))] >> (cell & U(63))) & ONE:
            return np.int64(-1)
        return np.int64(cell)

    return ahead


def rules(game: Tron) -> list[Kernel]:
    """Return the kernels of a field."""
    players, words, height, width = game.players, game.words, game.height, game.width
    parts, n = U(game.parts), U(game.players)
    heads, starts, meta = game.state.heads, game.state.starts, game.state.meta
    ahead = ahead_kernel(game)
    # The start position: the cells in from the corners of the field, mirrored.
    spots = game.mirrored(width // 4, height // 4 if players > 2 else height // 2)
    first = np.zeros(words, np.uint64)
    game.write_position(game.text_of_starts(spots), first, 0)

    @rule
    def start(W, at):
        for k in range(words):
            W[at + U(k)] = first[U(k)]

    @rule
    def to_move(W, at):
        return np.int64(W[at + meta] & U(15))

    @rule
    def status(W, at):
        return np.int64((W[at + meta] >> U(8)) & U(15))

    @kernel("u8(u8[::1], u8)")
    def head_of_mover(W, at):
        return (W[at + heads] >> (U(16) * (W[at + meta] & U(15)))) & NOWHERE

    @rule
    def nth(W, at, i):
        # The free neighbours; if there is none, the one action 0, which is death.
        head = head_of_mover(W, at)
        if ahead(W, at, head, np.int64(i)) >= 0:
            return np.int64(i)
        if i != U(0):
            return np.int64(-1)
        for a in range(1, 4):
            if ahead(W, at, head, np.int64(a)) >= 0:
                return np.int64(-1)
        return np.int64(0)

    @rule
    def is_legal(W, at, action):
        return bool(action >= 0 and action < 4)

    @kernel("void(u8[::1], u8, u8)")
    def kill(W, at, mover):
        # Erases a player; notes the place of its death and, when one is left, the end.
        for k in range(parts):
            W[at + U(k)] ^= W[at + parts * (mover + ONE) + U(k)]
            W[at + parts * (mover + ONE) + U(k)] = U(0)
        W[at + heads] |= NOWHERE << (U(16) * mover)
        W[at + starts] |= NOWHERE << (U(16) * mover)
        word = W[at + meta] & ~(ONE << (U(4) + mover))
        alive, last = U(0), U(0)
        for p in range(players):
            if (word >> (U(4) + U(p))) & ONE:
                alive += ONE
                last = U(p)
        word |= (n - alive) << (U(16) + U(4) * mover)
        if alive == ONE:
            word |= (last + ONE if players == 2 else n + ONE) << U(8)
        W[at + meta] = word

    @rule
    def apply(W, src, dst, action, outcome):
        for k in range(words):
            W[dst + U(k)] = W[src + U(k)]
        mover = W[src + meta] & U(15)
        head = (W[src + heads] >> (U(16) * mover)) & NOWHERE
        cell = ahead(W, src, head, action)
        if cell < 0:
            kill(W, dst, mover)
        else:
            to, bit = U(cell) >> U(6), ONE << (U(cell) & U(63))
            W[dst + to] |= bit
            W[dst + parts * (mover + ONE) + to] |= bit
            W[dst + heads] ^= (head ^ U(cell)) << (U(16) * mover)
        word = W[dst + meta]
        following = mover
        for _ in range(players):
            following = following + ONE if following + ONE < n else U(0)
            if (word >> (U(4) + following)) & ONE:
                break
        W[dst + meta] = (word & ~U(15)) | following

    @rule
    def returns(W, at, R, to):
        word = W[at + meta]
        for p in range(players):
            death = (word >> (U(16) + U(4) * U(p))) & U(15)
            R[to + U(p)] = 1.0 if death == U(0) else np.float64(death - ONE) / (players - 1)

    return [start, nth, is_legal, apply, to_move, status, returns, key_kernel(game)]


def key_kernel(game: Tron) -> Kernel:
    """Return `key`: the smallest of the hashes of the field as it is and mirrored both ways."""
    players, width, height = game.players, game.width, game.height
    parts, heads, meta = U(game.parts), game.state.heads, game.state.meta

    @rule
    def key(W, at):
        best = ~U(0)
        for image in range(4):
            h = W[at + meta]
            for y in range(height):
                for x in range(width):
                    cx = U(width - 1 - x if image & 1 else x)
                    cy = U(height - 1 - y if image & 2 else y)
                    cell = cy * LANE + cx
                    word, bit = cell >> U(6), cell & U(63)
                    kind = (W[at + word] >> bit) & ONE
                    if kind:
                        for p in range(players):
                            if (W[at + parts * (U(p) + ONE) + word] >> bit) & ONE:
                                kind = U(2 + p)
                            if (W[at + heads] >> (U(16) * U(p))) & NOWHERE == cell:
                                kind = U(6 + p)
                    h = (h ^ kind) * U(0x9E3779B97F4A7C15)
                    h ^= h >> U(29)
            best = min(best, h)
        return best

    return key
