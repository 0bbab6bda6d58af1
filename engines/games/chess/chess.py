"""Chess, and Chess960: the laws of FIDE with the draws that a player may claim."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from joute.engines.colours import paint
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.chess.fen import men_of, read_fen, write_fen
from joute.engines.games.chess.mating import may_mate
from joute.engines.games.chess.moves import STATE, checkers
from joute.engines.games.chess.names import (
    FILES,
    PROMOTIONS,
    START,
    square_name,
    square_of,
    start_of,
)
from joute.engines.games.chess.rules import FIFTY, is_dead, occurrences, rule_kernels
from joute.engines.games.chess.syzygy import SyzygyTables
from joute.engines.kernels.compile import Kernel, Words
from joute.engines.parameter import Parameter
from joute.engines.pictures import BARE, Scene, box_of, grid, note, square, stone
from joute.engines.tablebases import Tablebases

SLOTS = 256  # 218 is the most of reachable positions; a text may set up others
DEAD = "neither side can mate"


class Chess(Game):
    """Chess. A draw is by stalemate, by a position that occurs for the third time, by 50 moves of each side
    without a capture or a pawn's move, where neither side has the men to mate, and at ply `plies`; nobody has to claim
    it. Mate comes first.

    The text of a position forgets which ones occurred before it.
    """

    name = "chess"
    summary = "chess, or Chess960: mate the king"
    notation = (
        "startpos, then moves as e2e4, e7e8q, e1g1 (castling; in Chess960 the king takes its rook, e1h1); or "
        "a FEN, of which the last two numbers may be left out: "
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    )
    options: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "chess960", "choice", "off", choices=("off", "on"),
            meaning="whether openings begin in one of the 960 start positions, with castling to match",
        ),
        Parameter("plies", "int", 2000, 100, 10_000, meaning="a game of so many plies is a draw"),
    )  # fmt: skip
    seats = ("White", "Black")
    balanced_by = "alphabeta:evaluation=tapered,depth=4,quiescence=on"
    balanced_within = 80.0
    state = STATE
    slots = SLOTS
    path_dependent = True
    repeats = True
    forces = True
    look_back = FIFTY

    def setup(self) -> None:
        """Read the options."""
        self.freely = self.values["chess960"] == "on"
        self.max_plies = int(self.values["plies"])

    def build(self, stride: int) -> list[Kernel]:
        """Return the kernels of the contract."""
        begin = np.zeros(STATE.size, np.uint64)
        read_fen(START, begin, 0, self.freely)
        return rule_kernels(self.freely, self.max_plies, begin, stride)

    def start_text(self, seed: int) -> str:
        """Return the start position, in Chess960 one of all."""
        return start_of(seed % 960) if self.freely else "startpos"

    def position_text(self, W: Words, at: int) -> str:
        """Return the FEN."""
        return write_fen(W, at)

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position of a FEN."""
        read_fen(text, W, at, self.freely)

    def action_text(self, action: int) -> str:
        """Return a move as UCI has it, e2e4 or e7e8q."""
        return text_of(action)

    def parse_action(self, text: str) -> int:
        """Return the action of a move as UCI has it."""
        return action_of(text)

    def is_castling(self, W: Words, at: int, action: int) -> bool:
        """Whether a legal action is castling."""
        end, begin = action & 63, action >> 6 & 63
        if not int(W[at + int(STATE.kings)]) >> begin & 1:
            return False
        side = int(W[at + int(STATE.ply)]) & 1
        return bool(int(W[at + side]) >> end & 1) if self.freely else abs(end - begin) == 2

    def can_win(self, W: Words, at: int, seat: int) -> bool:
        """Whether a side has the men to mate, if the other side helps."""
        return may_mate(men_of(W, at).on, seat)

    def tablebases(self, folders: Sequence[Path]) -> Tablebases:
        """Return the Syzygy tables of some folders."""
        return SyzygyTables(folders)

    def in_check(self, W: Words, at: int) -> bool:
        """Whether the side to move is in check."""
        return bool(checkers(W, at))

    def ending(self, W: Words, at: int) -> str:
        """Return why a game is over: checkmate, or what makes it a draw; "" for one that goes on."""
        if self.rules.status(W, at) == 0:
            return ""
        if not self.list_actions(W, at):
            return "checkmate" if self.in_check(W, at) else "stalemate"
        if int(W[at + int(STATE.clock)]) >= FIFTY:
            return "50 moves without a capture or a pawn's move"
        if is_dead(W, at):
            return DEAD
        if occurrences(W, at, self.words, 2) == 2:
            return "the position has occurred three times"
        return f"{self.max_plies} plies"

    @cached_property
    def scene(self) -> Scene:
        """The board from White's side, its files below and its ranks to the left."""
        middles = grid(8, 8)
        left, top, wide, high = box_of(middles)
        dark = [(x, y) for y in range(8) for x in range(8) if (x + y) % 2]
        path = "".join(f"M{2 * x - 1} {2 * y - 1}h2v2h-2z" for x, y in dark)
        ground = f'<path class="dark" d="{path}"/>'
        ground += "".join(note(2 * x, 16.4, FILES[x]) for x in range(8))
        ground += "".join(note(-1.8, 2 * y + 0.35, str(8 - y)) for y in range(8))
        names = [square_name(8 * (7 - y) + x) for y in range(8) for x in range(8)]
        box = (left - 1.4, top, wide + 1.4, high + 1.4)
        return Scene(box, ground, square(), middles, names, kind="chess")

    def marks(self, W: Words, at: int) -> list[str]:
        """Return the men."""
        men = men_of(W, at).on
        looks = {man: stone(int(man.islower()), man.upper(), BARE) for man in men if man}
        return [looks.get(men[8 * (7 - y) + x], "") for y in range(8) for x in range(8)]

    def caption(self, W: Words, at: int) -> str:
        """Return whether there is check, or why the game is over."""
        return self.ending(W, at) or ("check" if self.in_check(W, at) else "")

    def draw(self, W: Words, at: int) -> str:
        """Return the board from White's side, White's men capital letters; below it check or the end."""
        men, letters = men_of(W, at).on, "  " + " ".join(FILES)
        lines = [letters]
        for rank in range(7, -1, -1):
            row = (paint(man, int(man.islower())) if man else "." for man in men[8 * rank :][:8])
            lines.append(f"{rank + 1} {' '.join(row)} {rank + 1}")
        lines.append(letters)
        note = self.caption(W, at)
        return "\n".join([*lines, note] if note else lines)


@lru_cache(maxsize=1 << 14)
def text_of(action: int) -> str:
    """Return a move as UCI has it."""
    promoted = PROMOTIONS[action >> 12 & 7].strip().lower()
    return square_name(action >> 6 & 63) + square_name(action & 63) + promoted


@lru_cache(maxsize=1 << 14)
def action_of(text: str) -> int:
    """Return the action of a move as UCI has it; raise Refused."""
    begin, end, promoted = square_of(text[:2]), square_of(text[2:4]), text[4:].upper()
    if begin is None or end is None or promoted not in ("", *PROMOTIONS.split()[0]):
        raise Refused(
            f"{text!r} is no move; allowed: two squares, e2e4, and what a pawn becomes, e7e8q"
        )
    return end | begin << 6 | (PROMOTIONS.index(promoted) << 12 if promoted else 0)
