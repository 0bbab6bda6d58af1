"""Tablebases of chess: what they say of known positions, and of those in which a search sees a mate."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.chess.score import plies_to_mate
from joute.engines.games.chess.syzygy import SyzygyTables
from joute.engines.position import Position
from tests.support.syzygy import TABLES, needs_tables

CHESS = parse_game("chess")
WHITE, BLACK, DRAWN = [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]


@needs_tables
@pytest.mark.parametrize(
    ("fen", "returns"),
    [
        ("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", WHITE),
        ("4k3/8/8/8/8/8/8/3QK3 b - - 0 1", WHITE),
        ("3qk3/8/8/8/8/8/8/4K3 w - - 0 1", BLACK),
        ("8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", BLACK),  # Kd3
        ("8/8/8/4k3/4p3/8/8/4K3 w - - 0 1", DRAWN),  # White takes the opposition
        ("8/8/8/4k3/8/4p3/8/3K4 b - - 0 1", DRAWN),
        ("8/8/8/8/8/3k4/2p5/2K5 b - - 0 1", DRAWN),
        ("8/1k6/8/8/8/8/6P1/6K1 w - - 0 1", WHITE),  # the king is outside the square
        ("4k3/8/8/8/8/8/8/1NB1K3 w - - 0 1", WHITE),
        ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", DRAWN),
        ("k7/4q3/8/8/8/8/4Q3/4K3 w - - 0 1", WHITE),  # it takes
        ("4k3/4q3/8/8/8/8/4Q3/K7 b - - 0 1", BLACK),
        ("4k3/8/8/8/8/8/8/3QK3 w - - 3 9", None),  # some of the 50 moves are over
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", None),  # castling
        ("4k3/8/8/8/8/8/8/QRNBK3 w - - 0 1", None),  # six men
        ("4k3/pp6/8/8/8/8/8/4K3 w - - 0 1", BLACK),
    ],
)
def test_known_positions(fen: str, returns: list[float] | None) -> None:
    position = Position(CHESS, fen)
    assert SyzygyTables([TABLES]).returns(position.W, position.at) == returns


@needs_tables
def test_they_agree_with_a_search_that_sees_a_mate() -> None:
    """In random positions of three and four men, to either side."""
    tables = SyzygyTables([TABLES])
    player = parse_engine("chess/alphabeta:evaluation=material,depth=4").player()
    chooser, mates, known = random.Random(5), 0, 0
    for _ in range(200):
        fen = random_fen(chooser)
        try:
            position = Position(CHESS, fen)
        except Refused:  # the kings touch, or the side that has moved is in check
            continue
        if position.status or CHESS.in_check(position.W, position.at):
            continue
        returns = tables.returns(position.W, position.at)
        player.new_game(1, position.to_move)
        value = player.choose(position).value
        assert value is not None
        known += returns is not None
        if plies_to_mate(value) is None or returns is None:
            continue
        mates += 1
        winner = position.to_move if value > 0 else 1 - position.to_move
        assert returns == (WHITE if winner == 0 else BLACK), fen
    assert known > 100 and mates > 20


def random_fen(chooser: random.Random) -> str:
    """Return a position of two kings, one of them in a corner, and one or two other men."""
    extra = chooser.choice(["Q", "q", "QR", "qr", "RR", "rr", "QQ", "Qr", "qR", "QB", "qb", "Rr"])
    corner, *squares = chooser.choice([0, 7, 56, 63]), *chooser.sample(range(1, 56), 5)
    squares = [square for square in squares if square != corner]
    kings = "kK" if chooser.random() < 0.5 else "Kk"
    board = dict(zip([corner, *squares], kings + extra, strict=False))
    rows = []
    for rank in range(8):
        row = "".join(board.get(8 * rank + file, "1") for file in range(8))
        rows.append(row)
    return f"{'/'.join(rows)} {chooser.choice('wb')} - - 0 1"


def test_folders_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not a folder"):
        SyzygyTables([tmp_path / "none"])
    with pytest.raises(Refused, match="holds no tables of wins, draws and losses, such as KQvK"):
        SyzygyTables([tmp_path])
    (tmp_path / "KQvK.rtbw").write_bytes(b"")
    with pytest.raises(Refused, match=r"KQvK\.rtbw is no Syzygy table, or is cut short"):
        SyzygyTables([tmp_path])


@needs_tables
def test_tables_that_are_not_there_and_damaged_ones(tmp_path: Path) -> None:
    """An unknown ending is played on; a table that cannot be read ends the run in a line."""
    shutil.copy(TABLES / "KQvK.rtbw", tmp_path)
    tables = SyzygyTables([tmp_path])
    assert tables.men == 3
    rook, queen = (Position(CHESS, f"4k3/8/8/8/8/8/8/{x}3K3 w - - 0 1") for x in "RQ")
    assert tables.returns(rook.W, rook.at) is None
    assert tables.returns(queen.W, queen.at) == WHITE
    size = (tmp_path / "KQvK.rtbw").stat().st_size
    (tmp_path / "KQvK.rtbw").write_bytes(bytes(size))
    with pytest.raises(Refused, match="cannot be read"):
        SyzygyTables([tmp_path]).returns(queen.W, queen.at)
