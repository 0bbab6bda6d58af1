"""A match like a run on a book takes positions that the run has not played, or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import joute
from joute.engines.errors import Refused
from joute.engines.position import parse_position

TWO = ("chess[plies=100]/random", "alphabeta:evaluation=material,depth=1")


def book_in(folder: Path, count: int = 6) -> Path:
    """Write a book of so many positions after one move."""
    from joute.engines.engine import parse_game

    moves = ("e2e4", "d2d4", "c2c4", "g1f3", "b1c3", "g2g3")[:count]
    lines = [parse_position(parse_game("chess"), f"startpos moves {m}").text() for m in moves]
    (folder / "book.epd").write_text("\n".join(map(str, lines)))
    return folder / "book.epd"


def openings_of(run: joute.Run) -> set[str]:
    return set(run.games["opening"])


def test_it_takes_the_rest_of_the_book_and_no_more(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    first = joute.match(*TWO, blocks=4, openings=book, plies=0, out=tmp_path / "a", workers=1)
    again = joute.match(*TWO, blocks=2, like=first, out=tmp_path / "b", workers=1)
    assert len(openings_of(again)) == 2 and not openings_of(first) & openings_of(again)
    with pytest.raises(
        Refused, match="has left 2 positions of its book, and 3 blocks take one each"
    ):
        joute.match(*TWO, blocks=3, like=first, out=tmp_path / "c", workers=1)
    with pytest.raises(Refused, match="has left 2 positions of its book, and 100 blocks"):
        joute.match(*TWO, like=first, out=tmp_path / "c", workers=1)
    with pytest.raises(Refused, match="order: a match like a run takes the positions of its book"):
        joute.match(*TWO, blocks=1, like=first, order="random", out=tmp_path / "c", workers=1)
    tested = joute.match(*TWO, sprt=(0, 5), like=first, out=tmp_path / "d", workers=1)
    assert not openings_of(first) & openings_of(tested)
    assert not (tmp_path / "c").exists()


def test_a_book_that_is_used_up(tmp_path: Path) -> None:
    book = book_in(tmp_path, 2)
    first = joute.match(*TWO, blocks=2, openings=book, plies=0, out=tmp_path / "a", workers=1)
    with pytest.raises(Refused, match="has played all positions of its book"):
        joute.match(*TWO, blocks=1, like=first, out=tmp_path / "b", workers=1)
    other = joute.match(*TWO, blocks=1, like=first, openings=book_in(tmp_path), out=tmp_path / "b", workers=1)  # fmt: skip
    assert len(openings_of(other)) == 1


def test_engines_of_the_run_keep_their_names_beside_another(tmp_path: Path) -> None:
    names = ["mine", "theirs"]
    first = joute.match(*TWO, blocks=1, names=names, out=tmp_path / "a", workers=1)
    field = joute.match(
        "mine", "theirs", blocks=1, like=first, more=["alphabeta:evaluation=material,depth=2"],
        out=tmp_path / "b", workers=1,
    )  # fmt: skip
    assert {"mine", "theirs"} < set(field.standings()["engine"])
