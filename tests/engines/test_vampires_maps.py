"""Boards and maps of Vampires vs Werewolves: texts, map files (hostile ones too), random maps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.engines.errors import Refused
from joute.engines.games.vampires import maps
from joute.engines.games.vampires.board import MOST_CELLS_A_SIDE, Cell, VampiresBoard, parse_board

# rows, columns, groups of humans, all humans, werewolves, vampires (x, y, count)
TABLE = {
    "testmap": (5, 6, 2, 2, (2, 3, 3), (5, 4, 3)),
    "thetrap": (5, 10, 4, 9, (4, 1, 4), (4, 3, 4)),
    "testmap2": (15, 29, 5, 32, (0, 0, 10), (28, 14, 10)),
    "splitiskey": (7, 5, 6, 12, (1, 3, 6), (3, 3, 6)),
    "all_in": (3, 3, 2, 16, (1, 1, 8), (0, 2, 12)),
    "humans_everywhere": (11, 11, 30, 60, (5, 2, 8), (2, 5, 8)),
    "map8": (8, 8, 40, 372, (1, 3, 5), (6, 4, 5)),
}
SPOTS = {  # cells of humans that the sums above would not tell from others
    "testmap": "H1@2,2 H1@4,4",
    "thetrap": "H4@2,2 H2@9,0 H1@9,2 H2@9,4",
    "testmap2": "H2@28,0 H2@0,14 H20@14,7 H4@10,3 H4@18,11",
    "all_in": "H10@0,0 H6@2,0",
    "humans_everywhere": "H2@0,0 H2@3,9 H2@5,7 H2@9,3 H2@10,10",
    "map8": "H12@3,1 H14@0,2 H16@4,4 H17@5,1 H13@4,2 H3@6,0",
}


@st.composite
def boards(draw: st.DrawFn, starts: bool = False) -> VampiresBoard:
    """Draw a board; with `starts` each side stands in one cell, as a map file needs."""
    columns = draw(st.integers(2, MOST_CELLS_A_SIDE))
    rows = draw(st.integers(1, MOST_CELLS_A_SIDE))
    cells = st.tuples(st.integers(0, columns - 1), st.integers(0, rows - 1))
    chosen = draw(st.lists(cells, min_size=2, max_size=30, unique=True))
    species: list[dict[Cell, int]] = [{}, {}, {}]  # humans, vampires, werewolves
    for i, cell in enumerate(chosen):
        kind = ((1, 2)[i] if i < 2 else 0) if starts else draw(st.integers(0, 2))
        species[kind][cell] = draw(st.integers(1, 255))
    return VampiresBoard(columns, rows, *species, turn=0 if starts else draw(st.integers(0, 1)))


@pytest.mark.parametrize("name", TABLE)
def test_a_map_is_the_public_one(name: str) -> None:
    rows, columns, groups, humans, (wx, wy, wolves), (vx, vy, vampires) = TABLE[name]
    board = maps.load(name)
    assert (board.rows, board.columns, board.turn) == (rows, columns, 0)
    assert (len(board.humans), sum(board.humans.values())) == (groups, humans)
    assert board.werewolves == {(wx, wy): wolves} and board.vampires == {(vx, vy): vampires}
    pieces = board.text().split()
    assert all(piece in pieces for piece in SPOTS.get(name, "").split())
    assert maps.largest(name) == (columns, rows)
    assert maps.draw(name, 1) == maps.draw(name, 2) == board


def test_names_are_the_table() -> None:
    assert maps.names() == sorted(TABLE)


@given(boards())
def test_text_round_trip(board: VampiresBoard) -> None:
    text = board.text()
    assert parse_board(text) == board and parse_board(text).text() == text
    size, *pieces, turn, letter = text.split()
    assert parse_board(" ".join([size, *pieces[::-1], turn, letter])).text() == text


def test_text_is_canonical_and_the_turn_may_be_left_out() -> None:
    board = parse_board("9x9 H2@3,4 W8@8,8 H6@1,0  V8@0,0\n")
    assert board.text() == "9x9 V8@0,0 W8@8,8 H6@1,0 H2@3,4 turn V"
    assert parse_board("3x2 V1@2,1 turn W").turn == 1
    assert parse_board("3x2").text() == "3x2 turn V"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "starts with its size"),
        ("turn", "after 'turn'"),
        ("3x3 turn X", "after 'turn'"),
        ("3x3 turn V V1@0,0", "no piece"),
        ("3x3 turn V now", "'turn' is no piece"),
        ("0x3 V1@0,0", "0 columns"),
        ("3x33 V1@0,0", "33 rows"),
        ("99999x3", "starts with its size"),
        ("3x3 V0@0,0", "0 units"),
        ("3x3 V256@0,0", "256 units"),
        ("3x3 V1@3,0", "outside"),
        ("3x3 V1@0,3", "outside"),
        ("7x5 V12@3,2 H2@4,2 W10@0,5", "outside"),
        ("3x3 V-1@0,0", "no piece"),
        ("3x3 v1@0,0", "no piece"),
        ("3x3 V1@0,0 V2@0,0", "twice"),
        ("3x3 V1@0,0 W2@0,0", "two species at 0,0"),
        ("3x3 V١@0,0", "no piece"),
        ("3x3 " + "Z" * 10_000, "no piece"),
    ],
)
def test_texts_that_are_no_board(text: str, part: str) -> None:
    with pytest.raises(Refused, match=part) as caught:
        parse_board(text)
    assert len(str(caught.value)) < 300 and "\n" not in str(caught.value)


@given(boards(starts=True))
def test_xml_round_trip(board: VampiresBoard) -> None:
    text = maps.write_xml(board)
    for data in (text.encode(), text.encode("utf-8-sig"), text.split("\n", 1)[1].encode()):
        assert maps.read_xml(data, "m.xml") == board
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n<Map Rows="')


def test_write_xml_needs_one_cell_a_side() -> None:
    for text in ("3x3 V1@0,0", "3x3 V1@0,0 V1@1,1 W1@2,2"):
        with pytest.raises(Refused, match="exactly 1"):
            maps.write_xml(parse_board(text))


def test_attributes_and_elements_in_any_order() -> None:
    data = (
        b'<Map Columns="3" Rows="2"><!-- a remark -->\n<Vampires Count="4" Y="1" X="2"></Vampires>'
        b'<Werewolves Y="0" Count="4" X="0"/></Map>'
    )
    assert maps.read_xml(data, "m").text() == "3x2 V4@2,1 W4@0,0 turn V"


START = '<Map Rows="3" Columns="3">'
SIDES = '<Vampires X="0" Y="0" Count="1"/><Werewolves X="1" Y="1" Count="1"/>'
GOOD = f"{START}{SIDES}</Map>"
LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)
HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "billion laughs": (f"{LAUGHS}<Map>&i;</Map>", "document type"),
    "doctype alone": (f"<!DOCTYPE Map>{GOOD}", "document type"),
    "outer entity": (
        f'<!DOCTYPE Map [<!ENTITY x SYSTEM "file:///etc/passwd">]>{GOOD}',
        "document type",
    ),
    "entity without doctype": (f"{START}&x;{SIDES}</Map>", "no XML: undefined entity"),
    "too long": (GOOD + " " * 1_000_000, "allowed: 1000000"),
    "empty": ("", "no XML"),
    "cut": (GOOD[:60], "no XML"),
    "two roots": (GOOD + GOOD, "no XML"),
    "not UTF-8": (b"\xff\xfe<\x00M\x00", "byte 0 is not UTF-8"),
    "zero bytes": (b"\x00" * 1000, "no XML"),
    "deep": ("<Map>" * 100_000, "attribute Rows is missing"),
    "nested": (f'{START}<Humans X="0" Y="0" Count="1"><Humans/>', "inside of another"),
    "root": (GOOD.replace("Map", "map"), "the root is 'map'"),
    "unknown element": (GOOD.replace(SIDES, "<Human/>"), "unknown element 'Human'.*'Humans'"),
    "long name": (f"<{'a' * 500_000}/>", "the root is 'aaa"),
    "unknown attribute": (GOOD.replace("Count", "count"), "unknown attribute 'count'.*'Count'"),
    "missing": (GOOD.replace(' Y="1"', ""), "Werewolves: attribute Y is missing"),
    "twice": (GOOD.replace('X="1"', 'X="1" X="1"'), "no XML: duplicate attribute"),
    "negative": (GOOD.replace('X="1"', 'X="-1"'), "X='-1'"),
    "huge": (GOOD.replace('X="1"', f'X="{"9" * 500_000}"'), "X='999.*; allowed: 0 to 255"),
    "fraction": (GOOD.replace('X="1"', 'X="1.0"'), "X='1.0'"),
    "other digits": (GOOD.replace('X="1"', 'X="١"'), "allowed: 0 to 255"),
    "blank": (GOOD.replace('X="1"', 'X=" 1"'), "X=' 1'"),
    "outside": (GOOD.replace('X="1"', 'X="3"'), "W1@3,1 is outside"),
    "nobody": (GOOD.replace('Count="1"', 'Count="0"'), "0 units"),
    "more than a byte": (GOOD.replace('Count="1"', 'Count="256"'), "256 units"),
    "no rows": (GOOD.replace('Rows="3"', 'Rows="0"'), "0 rows"),
    "too many rows": (GOOD.replace('Rows="3"', 'Rows="33"'), "33 rows"),
    "same cell": (GOOD.replace('X="1" Y="1"', 'X="0" Y="0"'), "cell 0,0 again"),
    "two vampires": (GOOD.replace("Werewolves", "Vampires"), "a second element Vampires"),
    "no werewolves": (f'{START}<Vampires X="0" Y="0" Count="1"/></Map>', "no element Werewolves"),
    "words": (GOOD.replace(SIDES, f"people{SIDES}"), "text 'people'"),
    "namespace": (GOOD.replace("<Map", '<Map xmlns="u"'), "unknown attribute 'xmlns'"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_one_line(name: str) -> None:
    data, part = HOSTILE[name]
    with pytest.raises(Refused, match=part) as caught:
        maps.read_xml(data if isinstance(data, bytes) else data.encode(), "m.xml")
    message = str(caught.value)
    assert message.startswith("m.xml: ") and "\n" not in message and len(message) < 300


@given(st.binary(max_size=200))
def test_any_bytes_are_a_map_or_refused(data: bytes) -> None:
    with pytest.raises(Refused):
        maps.read_xml(data, "m.xml")


def test_files_and_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(GOOD)
    assert maps.load(str(path)).text() == "3x3 V1@0,0 W1@1,1 turn V"
    maps.check_spec(str(path))
    for spec, part in [
        ("thetrapp", "did you mean 'thetrap'"),
        ("nothing", "known: all_in"),
        (str(tmp_path / "none.xml"), "no such file"),
        (str(tmp_path), "unknown map"),
        ("a\0.xml", "cannot be read|no such file"),
        ("x" * 5000 + ".xml", "cannot be read|no such file"),
        ("", "unknown map"),
    ]:
        with pytest.raises(Refused, match=part):
            maps.check_spec(spec)
        with pytest.raises(Refused):
            maps.load(spec)
    with pytest.raises(Refused, match="unknown map 'random:langorou'"):
        maps.load("random:langorou")


def turned(board: VampiresBoard, image: Callable[[Cell], Cell]) -> VampiresBoard:
    """Return a board with every cell at its image."""
    species = [
        {image(cell): count for cell, count in cells.items()}
        for cells in (board.humans, board.vampires, board.werewolves)
    ]
    return VampiresBoard(board.columns, board.rows, *species, turn=board.turn)


def exchanged(board: VampiresBoard) -> VampiresBoard:
    return VampiresBoard(board.columns, board.rows, board.humans, board.werewolves, board.vampires)


def symmetries(board: VampiresBoard) -> list[str]:
    """Return which mirrors give the same board with the sides exchanged."""
    w, h = board.columns - 1, board.rows - 1
    images: dict[str, Callable[[Cell], Cell]] = {
        "rows": lambda cell: (cell[0], h - cell[1]),
        "half turn": lambda cell: (w - cell[0], h - cell[1]),
    }
    if w == h:
        images["transposed"] = lambda cell: (cell[1], cell[0])
    return [kind for kind, image in images.items() if turned(board, image) == exchanged(board)]


RANDOM = {  # rows and columns, cells of humans at most, units of a house, monsters
    "random:langorou": ((10, 16), 30, (5, 44), (4, 40)),
    "random:vamperouge": ((3, 16), 128, (1, 14), (3, 10)),
    "random:tame": ((3, 16), 32, (1, 10), (3, 10)),
    "random:twilight:8x8:40:5": ((8, 8), 40, (5, 9), (5, 5)),
    "random:twilight:7x2:9:251": ((2, 7), 8, (5, 255), (251, 251)),
    "random:twilight:2x2:8:1": ((2, 2), 2, (5, 5), (1, 1)),
    "random:twilight:1x2:5:1": ((1, 2), 0, (5, 5), (1, 1)),
}


@pytest.mark.parametrize("spec", RANDOM)
def test_random_maps_are_valid_symmetric_and_in_range(spec: str) -> None:
    sides, most, units, monsters = RANDOM[spec]
    maps.check_spec(spec)
    drawn = [maps.draw(spec, seed) for seed in range(300)]
    for board in drawn:
        assert sides[0] <= board.columns <= sides[1] and sides[0] <= board.rows <= sides[1]
        assert board.columns <= maps.largest(spec)[0] and board.rows <= maps.largest(spec)[1]
        assert len(board.humans) <= most
        assert all(units[0] <= count <= units[1] for count in board.humans.values())
        assert len(board.vampires) == len(board.werewolves) == 1
        assert list(board.vampires.values()) == list(board.werewolves.values())
        assert monsters[0] <= next(iter(board.vampires.values())) <= monsters[1]
        kinds = symmetries(board)
        assert kinds if board.columns == board.rows else "rows" in kinds
        assert (
            parse_board(board.text()) == board == maps.read_xml(maps.write_xml(board).encode(), "")
        )
        if spec == "random:tame":
            assert max(board.humans.values(), default=0) <= next(iter(board.vampires.values()))
    assert drawn == [maps.draw(spec, seed) for seed in range(300)]
    if most > 2:
        assert len({board.text() for board in drawn}) > 280


def test_map8_is_symmetric() -> None:
    assert symmetries(maps.load("map8")) == ["half turn"]


def test_random_maps_take_every_symmetry_and_reach_their_ends() -> None:
    drawn = [maps.draw("random:twilight:9x9:20:5", seed) for seed in range(300)]
    for kind in ("rows", "half turn", "transposed"):
        assert 60 < sum(kind in symmetries(board) for board in drawn) < 150
    drawn = [maps.draw("random:langorou", seed) for seed in range(300)]
    assert {b.columns for b in drawn} == {b.rows for b in drawn} == set(range(10, 17))
    assert {next(iter(b.vampires.values())) for b in drawn} == set(range(4, 41))
    drawn = [maps.draw("random:vamperouge", seed) for seed in range(300)]
    assert {b.columns for b in drawn} == {b.rows for b in drawn} == set(range(3, 17))


@given(st.integers())
def test_any_seed_draws(seed: int) -> None:
    assert maps.draw("random:vamperouge", seed) == maps.draw("random:vamperouge", seed)


def test_a_drawn_map_is_for_ever() -> None:
    assert maps.draw("random:twilight:5x4:6:3", 7).text() == GOLDEN


GOLDEN = "5x4 V3@0,2 W3@0,1 H6@2,0 H5@1,1 H5@3,1 H5@1,2 H5@3,2 H6@2,3 turn V"


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("random:langoru", "did you mean 'random:langorou'"),
        ("random:", "no random map"),
        ("random:langorou:3", "no random map"),
        ("random:twilight", "no random map"),
        ("random:twilight:8:8:4:4", "no random map"),
        ("random:twilight:8x-8:4:4", "no random map"),
        ("random:twilight:8x8:4:99999", "no random map"),
        ("random:twilight:33x8:4:4", "33x8"),
        ("random:twilight:8x0:4:4", "8x0"),
        ("random:twilight:5x1:4:4", "2 rows or more"),
        ("random:twilight:1x1:4:4", "2 rows or more"),
        ("random:twilight:2x2:10:4", "allowed: 0 to 9"),
        ("random:twilight:8x8:4:0", "0 monsters"),
        ("random:twilight:8x8:4:252", "1 to 251"),
    ],
)
def test_random_maps_that_cannot_be_drawn(spec: str, part: str) -> None:
    for refused in (maps.check_spec, maps.largest, lambda spec: maps.draw(spec, 0)):
        with pytest.raises(Refused, match=part):
            refused(spec)


def test_several_maps_are_dealt_by_the_seed() -> None:
    spec = "testmap+thetrap+random:vamperouge"
    boards = [maps.draw(spec, seed) for seed in range(60)]
    assert boards[0] == maps.load("testmap") and boards[1] == maps.load("thetrap")
    assert boards[2] != boards[5] and maps.draw(spec, 5) == boards[5]
    assert maps.largest(spec) == (16, 16) and maps.is_random(spec)
    with pytest.raises(Refused, match="unknown map"):
        maps.check_spec("testmap+testmop")
