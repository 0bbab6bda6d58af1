"""EPD, lists of positions of chess: a position a line, as books of openings for matches have them.

Source: the PGN specification (Edwards 1994), 16.2: a FEN without its two numbers, then operations, each
ended by ';'. `hmvc` and `fmvn` are the two numbers; all others are passed over. Whole FENs are read, too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.chess.pgn import text_of
from joute.engines.position import Position
from joute.engines.transcript import Played, Transcript

TEXT = re.compile(r'"[^"]*"')
COUNT = re.compile(r"\b(hmvc|fmvn)\b\s*([^;]*)")


class Epd(Transcript):
    """Extended Position Description."""

    name = "epd"
    summary = "Extended Position Description: positions of chess, one a line"
    games: ClassVar[tuple[str, ...]] = ("chess",)
    ending = ".epd"
    reads = True
    entry = rb"(?m)^(?=[^\s])"

    def write(self, played: Played) -> str:
        """Return the last position of a game, with its names."""
        position = Position(played.game, played.start)
        for action in played.actions:
            position.play(action)
        *fields, clock, move = str(position.text()).split()
        name = played.id.replace('"', "'")
        return f'{" ".join(fields)} hmvc {clock}; fmvn {move}; id "{name}";\n'

    def read(self, path: Path, game: Game, plies: int) -> str:
        """Return the first position of a file."""
        return self.read_all(path, game, plies)[0]

    def entry_line(self, text: str, game: Game, plies: int, number: int) -> str:
        """Return the position of a line."""
        return fen_of(text)

    def read_all(self, path: Path, game: Game, plies: int) -> list[str]:
        """Return each position of a file, whatever `plies`: there are no moves to be played."""
        try:
            lines = text_of(path).splitlines()
        except Refused as error:
            raise Refused(f"{path}: {error}") from None
        found = []
        for number, line in enumerate(lines, 1):
            if line.strip():
                fen = fen_of(line)
                try:
                    Position(game, fen)
                except Refused as error:
                    raise Refused(f"{path}, line {number}: {error}") from None
                found.append(fen)
        if not found:
            raise Refused(f"{path}: no position is in this EPD")
        return found


def fen_of(line: str) -> str:
    """Return the FEN of a line."""
    fields = line.split(";")[0].split()
    if len(fields) >= 6 and fields[4].isdigit() and fields[5].isdigit():
        return " ".join(fields[:6])
    counts = dict(COUNT.findall(TEXT.sub("", line)))
    clock, move = (
        "".join(counts.get(name, usual).split()) for name, usual in (("hmvc", "0"), ("fmvn", "1"))
    )
    return f"{' '.join(fields[:4])} {clock or '?'} {move or '?'}"
