"""Vampires vs Werewolves, the game of a course: two tribes eat villagers and then each other.

An action is a whole turn: group moves in the order in which they were given. It is coded as digits
of 21 bits, first move lowest: cell of origin y * 32 + x (10 bits), direction (3), units (8). It may
be longer than a kernel's integer, so here the rules are Python around the kernels of the field; a
search has the short turns of its generator. An outcome is ten bits for every target in order of first appearance (field.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.vampires import maps
from joute.engines.games.vampires.board import Cell, VampiresBoard, parse_board
from joute.engines.games.vampires.field import (
    DX,
    DY,
    HUMANS,
    MOST,
    RESULT_BITS,
    VAMPIRES,
    WEREWOLVES,
    FieldKernels,
    Layout,
    field_kernels,
    lowest,
)
from joute.engines.kernels.compile import Ints, Kernel, U, Words, kernel
from joute.engines.kernels.contract import rule
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter
from joute.engines.pictures import Scene, box_of, grid, note, square, tile

ROOM = 16  # columns and rows that there is always room for
DIGIT, SIDE = 21, 32
SKIP, SKIPS = 0, "skip"
STEPS = {(int(x), int(y)): d for d, (x, y) in enumerate(zip(DX, DY, strict=True))}
MARKS = "VWH"
OUTSIDE = '<rect class="wall" x="-1" y="-1" width="2" height="2"/>'
GROUPS, MOVE_BITS = 4, 15  # groups that move in a generator's turn, and the bits of each
TURNS = 1 << 13  # turns that a generator lists at most
TRIES = 1000


class GroupMove(NamedTuple):
    """Units of one group that go to a neighbouring cell."""

    start: Cell
    units: int
    end: Cell


class Vampires(Game):
    """Turns by the rules of the course's server; battles are chance."""

    name = "vampires"
    summary = "Vampires vs Werewolves: eat villagers, then the others; a turn moves many groups"
    notation = (
        "startpos moves (4,3)>(5,4):3+(4,3)>(3,3):1, or the board: COLSxROWS, then V8@x,y for "
        "vampires, W for werewolves, H for humans, and who is to move: 5x6 V3@4,3 W3@3,2 H1@2,2 "
        "turn V"
    )
    options = (
        Parameter(
            "map",
            "text",
            "testmap",
            meaning="a map of the course, a FILE.xml, random:langorou, random:vamperouge, "
            "random:tame, "
            "random:twilight:COLSxROWS:HUMANS:MONSTERS, or several joined by +, chosen at random",
            files=lambda values: str(values["map"]).split("+"),
        ),
        Parameter(
            "plies", "int", 200, 2, 4000, meaning="turns of a game, of both players together"
        ),
    )
    chance: ClassVar[bool] = True
    listed: ClassVar[bool] = False
    opening_plies: ClassVar[int] = 0
    on_failure: ClassVar[Mapping[str, int]] = {"timeout": SKIP}
    played_at: ClassVar[Mapping[str, str]] = {}

    def setup(self) -> None:
        """Read the map and lay out the state."""
        self.map = str(self.values["map"])
        columns, rows = maps.largest(self.map)
        self.layout = Layout(max(columns, ROOM), max(rows, ROOM))
        self.state, self.slots = self.layout.state, TURNS
        self.max_plies = int(self.values["plies"])
        board = maps.draw(self.map, 0)
        self.first = np.zeros(self.words, np.uint64)  # the state at the start of the map
        self.write_board(board, self.first, 0)

    def build(self, stride: int) -> list[Kernel]:
        """Return the rules."""
        return rules(self)

    @cached_property
    def field(self) -> FieldKernels:
        """The kernels of moving and fighting."""
        return field_kernels(self.layout, self.max_plies)

    # Turns

    def action_text(self, action: int) -> str:
        """Return `(x,y)>(x,y):n+...`; `skip` for a turn that was not taken in time."""
        if action == SKIP:
            return SKIPS
        return "+".join(f"({x},{y})>({u},{v}):{n}" for (x, y), n, (u, v) in moves_of(int(action)))

    def parse_action(self, text: str) -> int:
        """Return the action of a turn's text; raise Refused where it has no meaning on any board."""
        if text == SKIPS:
            return SKIP
        return action_of([parse_move(part) for part in text.split("+")])

    def why_illegal(self, W: Words, at: int, action: int) -> str:
        """Return which rule a turn breaks."""
        return fault(self.board(W, at), moves_of(int(action)))

    def fen(self, W: Words, at: int) -> str | None:
        """Return the board, without the plies that were played."""
        return self.board(W, at).text()

    def decode(self, W: Words, at: int, code: int) -> int:
        """Return the turn of a code by groups: see the generator."""
        board = self.board(W, at)
        groups, moves = (board.vampires, board.werewolves)[board.turn], []
        while code:
            cell, digit = code & 1023, code >> 10 & 31
            code >>= MOVE_BITS
            x, y = cell % self.layout.width, cell // self.layout.width
            n, d = groups[x, y], (digit - 1) & 7
            end = (x + int(DX[d]), y + int(DY[d]))
            moves.append(GroupMove((x, y), (n, n // 2, 1)[(digit - 1) // 8], end))
        return action_of(moves)

    def outside(self) -> dict[str, Kernel | int]:
        """Return how units leave, arrive and fight, and where the parts of a state begin."""
        k, lay = self.field, self.layout
        kernels = {
            name: getattr(k, name) for name in ("take", "certain", "settle", "draw", "finish")
        }
        places = {name: int(getattr(lay.state, name)) for name in ("counts", "meta", "units")}
        sizes = {"width": lay.width, "height": lay.height, "parts": lay.parts, "tries": TRIES}
        return {**kernels, "below": below, **places, **sizes}

    # Boards

    def start_text(self, seed: int) -> str:
        """Return the start of an opening: a random map draws another one for each seed."""
        if maps.is_random(self.map):
            return maps.draw(self.map, seed).text()
        return "startpos"

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write a board's state."""
        self.write_board(parse_board(text), W, at)

    def write_board(self, board: VampiresBoard, W: Words, at: int) -> None:
        """Write the state in which nothing was played yet."""
        lay = self.layout
        if board.columns > lay.width or board.rows > lay.height:
            size = f"{board.columns}x{board.rows}"
            raise Refused(f"{size} is too large for {self.label}: at most {lay.width}x{lay.height}")
        state, totals = [0] * self.words, []
        for species, cells in enumerate((board.vampires, board.werewolves, board.humans)):
            for (x, y), n in cells.items():
                c = y * lay.width + x
                state[species * lay.parts + c // 64] |= 1 << c % 64
                state[int(lay.state.counts) + c // 8] |= n << c % 8 * 8
            totals.append(sum(cells.values()))
        if max(totals) > 0xFFFF:
            raise Refused("more than 65535 units of one kind")
        over = 2 if not totals[0] else 1 if not totals[1] else 0
        state[int(lay.state.meta)] = board.turn | over << 1 | board.columns << 8 | board.rows << 16
        state[int(lay.state.units)] = totals[0] | totals[1] << 16 | totals[2] << 32
        W[at : at + self.words] = np.array(state, np.uint64)

    def board(self, W: Words, at: int) -> VampiresBoard:
        """Return the board of a state."""
        lay, state = self.layout, [int(w) for w in W[at : at + self.words]]
        kinds: list[dict[Cell, int]] = [{}, {}, {}]
        for species, cells in enumerate(kinds):
            for part in range(lay.parts):
                bits = state[species * lay.parts + part]
                while bits:
                    c = part * 64 + (bits & -bits).bit_length() - 1
                    bits &= bits - 1
                    cells[c % lay.width, c // lay.width] = (
                        state[int(lay.state.counts) + c // 8] >> c % 8 * 8 & 255
                    )
        meta = state[int(lay.state.meta)]
        return VampiresBoard(
            columns=meta >> 8 & 255,
            rows=meta >> 16 & 255,
            humans=kinds[HUMANS],
            vampires=kinds[VAMPIRES],
            werewolves=kinds[WEREWOLVES],
            turn=meta & 1,
        )

    def position_text(self, W: Words, at: int) -> str | None:
        """Return the board's text, where it is the whole position: at its first ply."""
        return None if int(W[at + int(self.layout.state.meta)]) >> 32 else self.board(W, at).text()

    def draw(self, W: Words, at: int) -> str:
        """Return the board, a letter and a count a cell, and the totals."""
        board, state = self.board(W, at), int(W[at + int(self.layout.state.units)])
        of = {
            cell: f"{mark}{n}"
            for mark, cells in zip(
                MARKS, (board.vampires, board.werewolves, board.humans), strict=True
            )
            for cell, n in cells.items()
        }
        wide = max(2, *map(len, of.values())) if of else 2
        lines = ["   " + " ".join(str(x).rjust(wide) for x in range(board.columns))]
        for y in range(board.rows):
            cells = (of.get((x, y), ".").rjust(wide) for x in range(board.columns))
            lines.append(f"{y:2} " + " ".join(cells))
        plies = int(W[at + int(self.layout.state.meta)]) >> 32
        totals = ", ".join(
            f"{name} {state >> 16 * i & 0xFFFF}"
            for i, name in enumerate(("vampires", "werewolves", "humans"))
        )
        lines.append(
            f"turn {plies + 1}, {('vampires', 'werewolves')[board.turn]} to move; {totals}"
        )
        return "\n".join(lines)

    def caption(self, W: Words, at: int) -> str:
        """Return the turn, the player to move, and the totals, as `draw` writes them."""
        return self.draw(W, at).rpartition("\n")[2]

    @cached_property
    def scene(self) -> Scene:
        """A map with its columns above and its rows to the left; of the largest one that may be drawn."""
        wide, high = maps.largest(self.map)
        middles = grid(wide, high)
        ground = "".join(note(2 * x, -1.4, str(x)) for x in range(wide))
        ground += "".join(note(-2, 2 * y + 0.35, str(y)) for y in range(high))
        left, top, width, height = box_of(middles)
        names = [f"{x}, {y}" for y in range(high) for x in range(wide)]
        box = (left - 1.6, top - 1.2, width + 1.6, height + 1.2)
        return Scene(box, ground, square(), middles, names, kind="map")

    def marks(self, W: Words, at: int) -> list[str]:
        """Return each cell's units, a letter and a count; OUTSIDE for cells beyond a smaller map."""
        board, (wide, high) = self.board(W, at), maps.largest(self.map)
        marks = [
            "" if y < board.rows and x < board.columns else OUTSIDE
            for y in range(high)
            for x in range(wide)
        ]
        for player, cells in enumerate((board.vampires, board.werewolves, board.humans)):
            kind = "people" if player == HUMANS else ""
            for (x, y), count in cells.items():
                if x < wide and y < high:  # a position may have been set up on a larger map
                    marks[y * wide + x] = tile(player, f"{MARKS[player]}{count}", kind)
        return marks


def moves_of(action: int) -> list[GroupMove]:
    """Return the moves of an action; raise Refused on a number that is none."""
    moves = []
    while action:
        origin, direction, units = action & 1023, action >> 10 & 7, action >> 13 & 255
        if not units:
            raise Refused("a move of no units")
        action >>= DIGIT
        x, y = origin % SIDE, origin // SIDE
        moves.append(GroupMove((x, y), units, (x + int(DX[direction]), y + int(DY[direction]))))
    return moves


def action_of(moves: Sequence[GroupMove]) -> int:
    """Return the action of some moves; raise Refused on a move that no group can make."""
    action = 0
    for number, ((x, y), units, (u, v)) in enumerate(moves):
        direction = STEPS.get((u - x, v - y))
        if not (0 <= x < SIDE and 0 <= y < SIDE) or direction is None:
            raise Refused(f"({x},{y})>({u},{v}) is no step to a neighbouring cell")
        if not 1 <= units <= MOST:
            raise Refused(f"({x},{y})>({u},{v}):{units} moves {units} units; allowed: 1 to {MOST}")
        digit = y * SIDE + x | direction << 10 | units << 13
        action |= digit << (DIGIT * number)
    return action


def fault(board: VampiresBoard, moves: Sequence[GroupMove]) -> str:
    """Return why a turn is not legal on a board; empty if it is. Rules: docs/vampires.md."""
    groups = (board.vampires, board.werewolves)[board.turn]
    other = (board.werewolves, board.vampires)[board.turn]
    if not moves:
        return "no move"
    leaving: dict[Cell, int] = {}
    arriving: dict[Cell, int] = {}
    for start, units, end in moves:
        if start not in groups:
            return f"{start} holds no group of the mover"
        if not (0 <= end[0] < board.columns and 0 <= end[1] < board.rows):
            return f"{end} is off the board"
        leaving[start] = leaving.get(start, 0) + units
        arriving[end] = arriving.get(end, 0) + units
    for start, units in leaving.items():
        if units > groups[start]:
            return f"{units} units leave {start}, which holds {groups[start]}"
        if start in arriving:
            return f"{start} is the start of a move and the end of another"
    for end, units in arriving.items():
        there = groups.get(end, 0) + board.humans.get(end, 0)
        if units > MOST or (end not in other and units + there > MOST):
            return f"{end} would hold more than {MOST} units"
    return ""


def parse_move(text: str) -> GroupMove:
    """Read `(x,y)>(x,y):n`."""
    where, _, units = text.partition(":")
    start, _, end = where.partition(">")
    try:
        ends = []
        for cell in (start, end):
            if cell[:1] != "(" or cell[-1:] != ")":
                raise ValueError
            x, y = cell[1:-1].split(",")
            ends.append((whole(x), whole(y)))
        return GroupMove(ends[0], whole(units), ends[1])
    except ValueError:
        raise Refused(f"{text!r} is not a move (x,y)>(x,y):n; several are joined by +") from None


def whole(text: str) -> int:
    """Return a whole number of plain digits; raise ValueError on anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > 4:
        raise ValueError
    return int(text)


def rules(game: Vampires) -> list[Kernel]:
    """Return the contract: kernels, and plain Python where a turn may be longer than an integer."""
    lay, k, first = game.layout, game.field, game.first
    words, width, meta = lay.state.size, lay.width, lay.state.meta

    @rule
    def start(W, at):
        for i in range(words):
            W[at + U(i)] = first[U(i)]

    @rule
    def to_move(W, at):
        return np.int64(W[at + meta] & U(1))

    @rule
    def status(W, at):
        return np.int64((W[at + meta] >> U(1)) & U(7))

    def arrivals(action: int) -> list[tuple[int, int]]:
        # (cell, units) of every target, in order of first appearance.
        arriving = dict[int, int]()
        for _, units, (x, y) in moves_of(int(action)):
            arriving[y * width + x] = arriving.get(y * width + x, 0) + units
        return list(arriving.items())

    def apply(W: Words, src: int, dst: int, action: int, outcome: int) -> None:
        W[dst : dst + words] = W[src : src + words]
        mover, outcome, at = U(to_move(W, U(src))), int(outcome), U(dst)
        for (x, y), units, _ in moves_of(int(action)):
            k.take(W, at, mover, U(y * width + x), np.int64(units))
        for cell, units in arrivals(action):
            result = np.int64(outcome & ((1 << RESULT_BITS) - 1))
            k.settle(W, at, mover, U(cell), np.int64(units), result)
            outcome >>= RESULT_BITS
        k.finish(W, at)

    def outcome(W: Words, at: int, action: int, S: Words) -> int:
        mover, results = U(to_move(W, U(at))), 0
        for number, (cell, units) in enumerate(arrivals(action)):
            battle = (W, U(at), mover, U(cell), np.int64(units))
            if not k.certain(*battle):
                results |= int(k.draw(*battle, S)) << (RESULT_BITS * number)
        return results

    def is_legal(W: Words, at: int, action: int) -> bool:
        try:
            return action > 0 and not fault(game.board(W, at), moves_of(int(action)))
        except Refused:
            return False

    def sample(W: Words, at: int, A: Ints, to: int, S: Words) -> int:
        # Each group stays, or goes anywhere, whole, half or in part.
        board = game.board(W, at)
        groups = list((board.vampires, board.werewolves)[board.turn].items())
        for _ in range(TRIES):
            moves = []
            for (x, y), units in groups:
                direction, share = int(below(S, U(16))), int(below(S, U(3)))
                if direction < 8 or len(groups) == 1:
                    going = (units, (units + 1) // 2, 1 + int(below(S, U(units))))[share]
                    end = (x + int(DX[direction & 7]), y + int(DY[direction & 7]))
                    moves.append(GroupMove((x, y), going, end))
            if not fault(board, moves):
                return action_of(moves)
        raise Refused(f"no legal turn was found in {board.text()}")

    apply.digest = f"{k.take.digest}{k.settle.digest}{k.finish.digest}"  # type: ignore[attr-defined]
    return [start, apply, to_move, status, key_kernel(lay), is_legal, sample, outcome]


def key_kernel(lay: Layout) -> Kernel:
    """Return the canonical key: the least over the board's symmetries, eight on a square."""
    parts, counts, meta = U(lay.parts), lay.state.counts, lay.state.meta
    width = np.int64(lay.width)

    @kernel("u8(u8[::1], u8)", inline=False)
    def key(W, at):
        columns = np.int64((W[at + meta] >> U(8)) & U(255))
        rows = np.int64((W[at + meta] >> U(16)) & U(255))
        best = ~U(0)
        for turned in range(8 if columns == rows else 4):
            total = (W[at + meta] & U(0xFFFF01)) * U(0x9E3779B97F4A7C15)
            for species in range(3):
                for part in range(parts):
                    bits = W[at + U(species) * parts + U(part)]
                    while bits != U(0):
                        cell = np.int64(part) * 64 + lowest(bits)
                        bits &= bits - U(1)
                        y = cell // width
                        x = cell - y * width
                        if turned & 1:
                            x = columns - 1 - x
                        if turned & 2:
                            y = rows - 1 - y
                        if turned & 4:
                            x, y = y, x
                        lane = (U(cell) & U(7)) << U(3)
                        n = (W[at + counts + (U(cell) >> U(3))] >> lane) & U(255)
                        total += mixed(U(y * 64 + x) | U(species) << U(12) | n << U(16))
            best = min(best, total)
        return best

    return key


@kernel("u8(u8)")
def mixed(z):
    """Return a word whose bits all depend on z (splitmix64's finish)."""
    z = (z + U(0x9E3779B97F4A7C15)) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))
