"""Go on any board up to 19 x 19, by area or by territory, with superko or simple ko."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, ClassVar

from joute.engines.board import Board, painted
from joute.engines.board_game import MOVERS, BoardGame
from joute.engines.errors import Refused
from joute.engines.games.go.cells import steps_of
from joute.engines.games.go.rules import Rules, kernels_of
from joute.engines.kernels.compile import Kernel, U, Words
from joute.engines.parameter import Parameter, text_of
from joute.engines.pictures import Look, Scene, box_of, grid, note, stone

LETTERS = "ABCDEFGHJKLMNOPQRST"
STONE = Look(0.92, 0.0, 0.0, 0.0, 0.0)
SPOT = '<rect class="spot" x="-1" y="-1" width="2" height="2"/>'
VERTEX = re.compile(r"([A-HJ-T])([1-9][0-9]?)")
PASS = "pass"
KOMI = {"chinese": 7.5, "japanese": 6.5}
KO = {"chinese": "superko", "japanese": "simple"}
MOST_PRISONERS = 9999


class Go(BoardGame):
    """Black, the first player, is X in texts, White is O. Action c is a stone on cell c, the last a pass.

    Two passes end a game, and so does ply `max_plies`; then the board is scored as it is: all
    stones on it are alive. Suicide is illegal.
    """

    name = "go"
    seats = ("Black", "White")
    summary = "Go on boards up to 19 x 19: area and superko, or territory and simple ko"
    notation = (
        "startpos, then moves as D4 or pass (columns without I, rows from the bottom); or the "
        "rows from "
        "the top, '/' between them, X for Black, O for White, a number for that many empty cells; "
        "then "
        "who is to move, the plies and, where they matter, passes=1, ko=D4 (forbidden) and "
        "taken=2,0 "
        "(stones captured by Black, by White): 3/1X1/2O X 8 passes=1"
    )
    options: ClassVar[tuple[Parameter, ...]] = (
        Parameter("size", "int", 9, 1, 19, meaning="columns and rows of the board"),
        Parameter("columns", "int", 9, 1, 19, meaning="width of the board; by default size"),
        Parameter("rows", "int", 9, 1, 19, meaning="height of the board; by default size"),
        Parameter(
            "rules", "choice", "chinese", choices=("chinese", "japanese"),
            meaning="how to count: area, or territory and prisoners; sets the usual ko and komi",
        ),
        Parameter(
            "ko", "choice", "superko", choices=("superko", "simple", "none"),
            meaning="superko: no earlier board may recur, whoever moved; simple: no stone is "
                "retaken at once; "
            "by default superko in chinese, simple in japanese rules",
        ),
        Parameter(
            "komi", "float", 7.5, -361, 361, step=0.5,
            meaning="points for White; by default 7.5 in chinese, 6.5 in japanese rules; a whole "
                "number "
            "allows draws",
        ),
    )  # fmt: skip

    def __init__(self, **options: Any) -> None:
        for side in ("columns", "rows"):
            options.setdefault(side, options.get("size", 9))
        rules = str(options.get("rules", "chinese"))
        options.setdefault("ko", KO.get(rules, "superko"))
        options.setdefault("komi", KOMI.get(rules, 7.5))
        super().__init__(**options)

    def setup(self) -> None:
        """Make the board and the rules."""
        self.columns, self.rows = int(self.values["columns"]), int(self.values["rows"])
        if self.columns * self.rows == 1:
            raise Refused("go: on a board of one cell nobody can move; allowed: 1 x 2 to 19 x 19")
        half_points = 2 * float(self.values["komi"])
        if half_points != int(half_points):
            komi = text_of(self.values["komi"])
            raise Refused(f"go: komi = {komi} is neither whole nor half a point")
        self.values["size"] = max(self.columns, self.rows)
        self.board = Board.square(self.columns, self.rows)
        self.slots = self.board.cells + 1
        # Long before this a game is over, or goes round in circles.
        self.max_plies = 4 * self.board.cells + 100
        self.what = Rules(
            self.columns,
            self.rows,
            str(self.values["ko"]),
            self.values["rules"] == "japanese",
            int(half_points),
            self.max_plies,
        )
        self.path_dependent = self.what.ko == "superko"
        self.state = self.what.state
        self.beside = steps_of(self.columns, self.rows)[0]

    @property
    def label(self) -> str:
        """The canonical text: of a square its size, the rules, ko and komi."""
        columns, rows, rules, ko, komi = (
            text_of(self.values[name]) for name in ("columns", "rows", "rules", "ko", "komi")
        )
        shape = f"size={columns}" if columns == rows else f"columns={columns},rows={rows}"
        return f"{self.name}[{shape},rules={rules},ko={ko},komi={komi}]"

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels of the contract."""
        square = self.columns == self.rows
        maps = self.board.maps("mirror", "turn" if square else "flip")
        return kernels_of(self.what, maps, stride)

    def action_text(self, action: int) -> str:
        """Return the vertex of a cell as GTP writes it, D4, or pass."""
        if action == self.board.cells:
            return PASS
        y, x = divmod(action, self.columns)
        return f"{LETTERS[x]}{self.rows - y}"

    def parse_action(self, text: str) -> int:
        """Return the action of a vertex, D4 or d4, or of pass."""
        if text.lower() == PASS:
            return self.board.cells
        match = VERTEX.fullmatch(text.upper()) if text.isascii() else None
        if match:
            x, y = LETTERS.index(match[1]), self.rows - int(match[2])
            if x < self.columns and y >= 0:
                return y * self.columns + x
        last = f"{LETTERS[self.columns - 1]}{self.rows}"
        raise Refused(f"{text!r} is no vertex; allowed: A1 to {last} (columns without I), pass")

    def why_illegal(self, W: Words, at: int, action: int) -> str:
        """Return whether a cell is taken, forbidden by ko, or a suicide."""
        if not 0 <= action < self.board.cells:
            return ""
        vertex, cells = self.action_text(action), self.cells(W, at)
        if cells[action]:
            return f"there is a stone on {vertex}"
        if self.what.ko == "simple" and int(W[at + int(self.state.ko)]) == action + 1:
            return f"the stone that would be captured has just captured one on {vertex} (ko)"
        mover = 1 + int(W[at + int(self.state.ply)]) % 2
        cells[action] = mover
        around = (action, *(c for c in self.beside[action] if cells[c] == 3 - mover))
        if any(not self.breathes(cells, c) for c in around[1:]) or self.breathes(cells, action):
            return f"the board would be as it was before (superko) with a stone on {vertex}"
        return f"a stone on {vertex} has no liberty and captures nothing (suicide)"

    def breathes(self, cells: list[int], cell: int) -> bool:
        """Whether the chain of a cell's stone has a liberty."""
        return any(cells[c] == 0 for c in self.chain(cells, cell))

    def chain(self, cells: list[int], cell: int) -> Iterator[int]:
        """Yield the cells of the chain of a cell's stone, and its neighbours of other contents."""
        seen, left = {cell}, [cell]
        while left:
            one = left.pop()
            yield one
            if cells[one] == cells[cell]:
                new = [c for c in self.beside[one] if c not in seen]
                seen.update(new)
                left += new

    def returns_without(self, W: Words, at: int, conceded: Collection[str]) -> list[float]:
        """Return the returns of a game that is over without the stones on some vertices."""
        lead = self.lead(W, at, [self.action_of(vertex) for vertex in conceded])
        black = 0.5 if lead == 0 else float(lead > 0)
        return [black, 1.0 - black]

    def lead(self, W: Words, at: int, dead: Collection[int] = ()) -> float:
        """Return Black's points less White's and komi, on the board as it is, or after capturing
        the dead stones.
        """
        cells, points = self.cells(W, at), [0, 0]
        for cell in dead:
            if "prisoners" in self.state:
                points[2 - cells[cell]] += 1
            cells[cell] = 0
        left = {cell for cell, holds in enumerate(cells) if not holds}
        while left:
            region = set(self.chain(cells, min(left)))
            empty = {cell for cell in region if not cells[cell]}
            left -= empty
            owners = {cells[cell] for cell in region - empty}
            if len(owners) == 1:
                points[owners.pop() - 1] += len(empty)
        for player in (0, 1):
            if "prisoners" in self.state:
                points[player] += int(W[at + int(self.state.prisoners) + player])
            else:
                points[player] += cells.count(player + 1)
        return points[0] - points[1] - float(self.values["komi"])

    def position_text(self, W: Words, at: int) -> str:
        """Return the rows, who is to move, the plies, and what else matters.

        With superko the earlier boards are left out: a game from the text may repeat them.
        """
        state, parts = self.state, [super().position_text(W, at)]
        if passes := int(W[at + int(state.passes)]):
            parts.append(f"passes={passes}")
        if "ko" in state and (ko := int(W[at + int(state.ko)])):
            parts.append(f"ko={self.action_text(ko - 1)}")
        if "prisoners" in state:
            black, white = (int(W[at + int(state.prisoners) + k]) for k in (0, 1))
            parts += [f"taken={black},{white}"] if black or white else []
        return " ".join(parts)

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a text like 3/1X1/2O X 8 passes=1; only the rows and the player to
        move are required.
        """
        words = text.split()
        super().write_position(" ".join(word for word in words if "=" not in word), W, at)
        state, place = self.state, f"position {text!r}"
        cells = self.cells(W, at)
        if int(W[at + int(state.ply)]) > self.max_plies:
            raise Refused(f"{place}: a game has at most {self.max_plies} plies")
        for cell, holds in enumerate(cells):
            if holds and not self.breathes(cells, cell):
                raise Refused(f"{place}: the stone on {self.action_text(cell)} has no liberty")
        if self.what.ko == "superko":
            stones = U(sum(map(bool, cells)))
            W[at + int(state.stones)] = W[at + int(state.most)] = stones
        for word in words:
            key, is_more, value = word.partition("=")
            if is_more:
                self._write_more(key, value, cells, W, at, place)

    def _write_more(
        self, key: str, value: str, cells: list[int], W: Words, at: int, place: str
    ) -> None:
        state = self.state
        if key == "passes" and value in ("0", "1", "2"):
            W[at + int(state.passes)] = U(int(value))
        elif key == "ko" and "ko" in state:
            cell = self.parse_action(value)
            if cell == self.board.cells or cells[cell]:
                raise Refused(f"{place}: ko={value} is no empty cell")
            W[at + int(state.ko)] = U(cell + 1)
        elif key == "taken" and "prisoners" in state:
            numbers = value.split(",")
            if len(numbers) != 2 or not all(
                n.isascii() and n.isdigit() and len(n) < 5 for n in numbers
            ):
                raise Refused(
                    f"{place}: {key}={value}; allowed: two numbers up to {MOST_PRISONERS}"
                )
            for k in (0, 1):
                W[at + int(state.prisoners) + k] = U(int(numbers[k]))
        else:
            known = ["passes=0 to 2", *(["ko=VERTEX"] if "ko" in state else []),
                     *(["taken=N,N"] if "prisoners" in state else [])]  # fmt: skip
            raise Refused(f"{place}: {key}={value}; allowed with these rules: {', '.join(known)}")

    @cached_property
    def scene(self) -> Scene:
        """The goban: its lines and hoshi, letters below and numbers to the left."""
        columns, rows = self.columns, self.rows
        middles = grid(columns, rows)
        last_x, last_y = 2 * columns - 2, 2 * rows - 2
        path = "".join(f"M0 {2 * y}H{last_x}" for y in range(rows))
        path += "".join(f"M{2 * x} 0V{last_y}" for x in range(columns))
        left, top, wide, high = box_of(middles)
        wood = f'<rect class="wood" x="{left:g}" y="{top:g}" width="{wide:g}" height="{high:g}"/>'
        ground = wood + f'<path class="line" d="{path}"/>'
        ground += "".join(
            f'<circle class="dot" cx="{2 * x}" cy="{2 * y}" r=".22"/>'
            for x, y in hoshi(columns, rows)
        )
        ground += "".join(note(2 * x, last_y + 2.6, LETTERS[x]) for x in range(columns))
        ground += "".join(note(-2.3, 2 * y + 0.35, str(rows - y)) for y in range(rows))
        names = [self.action_text(cell) for cell in range(columns * rows)]
        box = (left - 2, top, wide + 2, high + 1.8)
        return Scene(box, ground, SPOT, middles, names, kind="goban")

    def marks(self, W: Words, at: int) -> list[str]:
        """Return the stones."""
        looks = ("", stone(0, "", STONE), stone(1, "", STONE))
        return [looks[holds] for holds in self.holding(W, at)]

    def caption(self, W: Words, at: int) -> str:
        """Return whether the last move was a pass, and the captures of each player where they count."""
        state, notes = self.state, []
        if int(W[at + int(state.passes)]):
            notes.append(f"{('Black', 'White')[1 - int(W[at + int(state.ply)]) % 2]} passed")
        if "prisoners" in state:
            black, white = (int(W[at + int(state.prisoners) + k]) for k in (0, 1))
            notes.append(f"Black captured {black}, White captured {white}")
        return "; ".join(notes)

    def draw(self, W: Words, at: int) -> str:
        """Return the board in colours with the letters of its columns and the numbers of its rows;
        below it whether the last move was a pass, and the captures where they count.
        """
        state, cells, wide = self.state, self.cells(W, at), len(str(self.rows))
        letters = " " * (wide + 1) + " ".join(LETTERS[: self.columns])
        lines = [letters]
        for y in range(self.rows):
            row = (painted(".XO"[c], "XO") for c in cells[y * self.columns :][: self.columns])
            lines.append(f"{str(self.rows - y).rjust(wide)} {' '.join(row)} {self.rows - y}")
        lines.append(letters)
        if int(W[at + int(state.passes)]):
            lines.append(f"{MOVERS[1 - int(W[at + int(state.ply)]) % 2]} passed")
        if "prisoners" in state:
            black, white = (int(W[at + int(state.prisoners) + k]) for k in (0, 1))
            lines.append(f"X captured {black}, O captured {white}")
        return "\n".join(lines)


def hoshi(columns: int, rows: int) -> list[tuple[int, int]]:
    """Return the dotted cells of a board: the corners' and, of one with a middle, that and the sides'."""
    if min(columns, rows) < 7:
        return []
    lines = []
    for size in (columns, rows):
        edge = 3 if size >= 13 else 2
        corners = [edge, size - 1 - edge]
        lines.append([*corners, size // 2] if size % 2 else corners)
    large = min(columns, rows) >= 13
    xs, ys = lines
    return [(x, y) for x in xs for y in ys if large or (x != columns // 2) == (y != rows // 2)]


def score_text(lead: float) -> str:
    """Return Black's lead as GTP and SGF have it: B+2.5, W+7, 0 for a draw."""
    return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{text_of(abs(lead))}"
