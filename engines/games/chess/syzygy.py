"""Syzygy tablebases: who wins a position of few men, as python-chess reads it from the files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused
from joute.engines.games.chess.fen import write_fen
from joute.engines.games.chess.moves import STATE
from joute.engines.kernels.compile import Words
from joute.engines.tablebases import content_of

WON = 2  # of wins, draws and losses; 1 is a win that the rule of 50 moves takes away
TABLE = re.compile(r"K[QRBNP]*vK[QRBNP]*\.rtbw")
BLOCK, REST = 64, 16  # bytes: a table has whole blocks, and a checksum
MISSING = "tablebases need python-chess: pip install chess"


class SyzygyTables:
    """The tables of some folders. `men`: of the largest one, kings included."""

    def __init__(self, folders: Sequence[Path]) -> None:
        files: list[Path] = []
        for folder in folders:
            if not folder.is_dir():
                raise Refused(f"{folder} is not a folder")
            found = sorted(file for file in folder.iterdir() if TABLE.fullmatch(file.name))
            if not found:
                raise Refused(
                    f"{folder} holds no tables of wins, draws and losses, such as KQvK.rtbw"
                )
            for file in found:
                if file.stat().st_size % BLOCK != REST:
                    raise Refused(f"{file} is no Syzygy table, or is cut short")
            files += found
        self.men = max(len(file.stem) - 1 for file in files)  # KQvK: three
        self.content = content_of(files, self.men)
        self._tables: Any = library().Tablebase()
        for folder in folders:
            self._tables.add_directory(str(folder), load_dtz=False)

    def returns(self, W: Words, at: int) -> list[float] | None:
        """Return the returns of a position; None where no table has it, either side may castle, or the
        last move neither captured nor moved a pawn: tables begin to count the 50 moves.
        """
        sides = int(W[at + int(STATE.white)]), int(W[at + int(STATE.black)])
        men = sum(side.bit_count() for side in sides)
        if men > self.men or W[at + int(STATE.clock)] or W[at + int(STATE.castling)]:
            return None
        import chess

        board = chess.Board(write_fen(W, at))
        try:
            value = self._tables.probe_wdl(board)
        except KeyError:  # a table that is not there
            return None
        except Exception as error:
            text = f"the tables of {board.fen()} cannot be read: {type(error).__name__}: {error}"
            raise Refused(text) from None
        if abs(value) < WON:
            return [0.5, 0.5]
        winner = int(board.turn == (value < 0))  # 0: White
        return [float(seat == winner) for seat in (0, 1)]


def library() -> Any:
    """Return python-chess's reader; raise Refused where it is not installed."""
    try:
        import chess.syzygy
    except ImportError:
        raise Refused(MISSING) from None
    return chess.syzygy
