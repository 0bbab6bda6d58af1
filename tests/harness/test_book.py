"""Large books: read entry by entry, in order or by lot; broken lines are told by number."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.book import Book, shuffled_place
from joute.engines.engine import parse_game
from joute.engines.position import parse_position
from joute.harness.openings import NoMoreOpenings, OpeningRules, Openings, random_plies
from joute.harness.schedule import Block
from joute.studies.file import records
from joute.studies.file.records import openings_in
from joute.studies.load import StudyRefused, load_study

CHESS = parse_game("chess")
GAMES = """\
[Event "1"]
[Result "1-0"]

1. e4 e5 {[Event "no game"} 2. Nf3 (2. f4 exf4) Nc6 1-0

[Event "2"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]

1. e4 Kd7 2. e5 Ke6 3. Kd2 *
[Event "3"]

1. d4 d5 2. c4 e6 1/2-1/2
"""


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every file be a large one."""
    monkeypatch.setattr(records, "LARGE", 0)
    monkeypatch.setattr(records, "MOST", 0)


def some_fens(count: int) -> list[str]:
    found = (random_plies(CHESS, seed, 6) for seed in range(count))
    return [str(position.text()) for position in found if position is not None]


def epd_of(path: Path, fens: list[str]) -> Path:
    lines = [" ".join(fen.split()[:4]) + f' bm e4; id "{n}";' for n, fen in enumerate(fens)]
    path.write_text("\n".join(lines) + "\n")
    return path


def dealt(rules: OpeningRules, count: int, said: list[str] | None = None) -> list[str]:
    say = said.append if said is not None else lambda text: None
    openings = Openings(CHESS, 1, rules, say=say)
    blocks = [Block("", "main", "", n, n, ("a", "b")) for n in range(count)]
    return [openings.of(block).start for block in blocks]


# --- the order


@settings(max_examples=60)
@given(st.integers(1, 300), st.integers(0, 2**63))
def test_a_random_order_has_every_place_once(count: int, seed: int) -> None:
    assert sorted(shuffled_place(n, count, seed) for n in range(count)) == list(range(count))


def test_a_random_order_looks_random() -> None:
    """Of 2,000 places about 1 stays, and neighbours are about as far apart as any two (a third)."""
    order = [shuffled_place(n, 2000, 7) for n in range(2000)]
    assert sum(n == place for n, place in enumerate(order)) < 8
    steps = [abs(a - b) for a, b in pairwise(order)]
    assert 0.3 < sum(steps) / len(steps) / 2000 < 0.37
    assert order != [shuffled_place(n, 2000, 8) for n in range(2000)]


def test_orders_of_a_match(tmp_path: Path) -> None:
    fens = some_fens(6)
    lines = openings_in(epd_of(tmp_path / "six.epd", fens), CHESS, 0)
    first = [line.split()[0] for line in lines]

    def boards(**given: object) -> list[str]:
        found = dealt(OpeningRules(0, lines=lines, records="six", **given), 6)  # type: ignore[arg-type]
        return [text.split()[0] for text in found]

    assert boards() == first
    assert boards(start=3) == first[2:] + first[:2]
    by_lot = boards(order="random", shuffle=1)
    assert sorted(by_lot) == sorted(first) and by_lot not in (first, boards(order="random"))


# --- large files


@pytest.mark.usefixtures("large")
def test_a_book_holds_what_the_file_holds(tmp_path: Path) -> None:
    path = epd_of(tmp_path / "book.epd", some_fens(50))
    book = openings_in(path, CHESS, 0)
    assert isinstance(book, Book) and len(book) == 50
    whole = [parse_position(CHESS, line).key() for line in book[:]]
    form = book._form
    assert whole == [parse_position(CHESS, line).key() for line in form.read_all(path, CHESS, 0)]


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
def test_a_book_of_games(tmp_path: Path, start: str) -> None:
    path = tmp_path / "book.pgn"
    path.write_text(start + GAMES, "utf-8")
    book = openings_in(path, CHESS, 3)
    assert isinstance(book, Book)
    assert list(book) == [
        "startpos moves e2e4 e7e5 g1f3",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4 e8d7 e4e5",
        "startpos moves d2d4 d7d5 c2c4",
    ]


@pytest.mark.usefixtures("large")
def test_broken_lines_are_left_out_and_told_by_number(tmp_path: Path) -> None:
    """Blank lines count, positions that come twice are played once, and the end is told."""
    fens, said = some_fens(4), list[str]()
    path = epd_of(tmp_path / "book.epd", [*fens, fens[1]])
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "", "nonsense w - -", *lines[1:]]))
    rules = OpeningRules(0, lines=openings_in(path, CHESS, 0), records=str(path))
    assert len(dealt(rules, 4, said)) == 4
    (text,) = said
    assert text.startswith(f"left out: {path}, line 3: ")
    with pytest.raises(NoMoreOpenings, match="only 4 distinct openings"):
        dealt(rules, 5)


@pytest.mark.usefixtures("large")
def test_a_broken_game_of_a_book(tmp_path: Path) -> None:
    path, said = tmp_path / "book.pgn", list[str]()
    path.write_text(GAMES.replace("1. d4 d5", "1. d5 d5"))
    rules = OpeningRules(2, lines=openings_in(path, CHESS, 2), records=str(path))
    dealt(rules, 2, said)
    with pytest.raises(NoMoreOpenings):
        dealt(rules, 3, said)
    assert f"left out: {path}, line 11: game 3, move 1: " in said[0]


def study_of(path: Path, **openings: object) -> dict[str, object]:
    return {
        "name": "book", "kind": "match", "game": "chess", "seed": 1, "blocks": 2,
        "a": {"search": "random"}, "b": {"spec": "alphabeta:evaluation=material,depth=1"},
        "openings": {"records": str(path), **openings},
    }  # fmt: skip


def test_a_study_says_the_order(tmp_path: Path) -> None:
    path = epd_of(tmp_path / "book.epd", some_fens(5))
    plain = load_study(study_of(path))
    assert "order" not in plain.resolved()["openings"]
    lot = load_study(study_of(path, order="random"))
    assert lot.resolved()["openings"]["order"] == "random"
    assert load_study(lot.resolved()) == lot
    assert plain.identity() != lot.identity()
    for given_, said in [
        ({"start": 6}, r"openings\.start: 6: there are 5 records"),
        ({"start": 2, "order": "random"}, "needs order = 'sequential'"),
        ({"order": "backwards"}, r"openings\.order"),
        ({"start": 0}, r"openings\.start"),
    ]:
        with pytest.raises(StudyRefused, match=said):
            load_study(study_of(path, **given_))
    without = study_of(path)
    without["openings"] = {"order": "random"}
    with pytest.raises(StudyRefused, match=r"openings\.order: needs openings\.records"):
        load_study(without)
