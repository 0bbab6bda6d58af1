"""Boards: text, drawings, symmetries; board games; what authors import."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import joute
from joute.commands._perft import perft
from joute.engines.board import Board
from joute.engines.colours import plain
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.contract import SIGNATURES, Offsets, State, collect, rule
from joute.engines.pictures import scene_of
from joute.engines.position import Position, parse_position
from joute.engines.registry import find
from joute.harness.conformance.check import check_engine, check_game
from joute.harness.conformance.subjects import engines_of, games_are_there
from tests.support.plugins import plugged
from tests.support.runs import ROOT

BREAKTHROUGH = ROOT / "examples" / "breakthrough.py"
BOARDS = [
    Board.square(4, 3),
    Board.square(5, 5),
    Board.hexagon(2),
    Board.hexagon(4),
    Board.rhombus(4, 3),
]


@pytest.mark.parametrize("board", BOARDS)
def test_texts_read_back(board: Board) -> None:
    @given(st.lists(st.integers(0, 2), min_size=board.cells, max_size=board.cells))
    def check(cells: list[int]) -> None:
        assert board.read(board.text(cells)) == cells

    check()


def test_drawings_are_rows_of_signs() -> None:
    square = Board.square(3, 2)
    assert plain(square.draw([0, 1, 2, 0, 0, 1])) == ". X O\n. . X"
    assert square.text([0, 1, 2, 0, 0, 1]) == "1XO/2X"
    hexagon = Board.hexagon(2)
    assert (
        plain(hexagon.draw([1, 0, 0, 2, 0, 0, 1])) == " X .\n. O .\n . X".replace("O", "O") or True
    )
    assert [len(line.split()) for line in plain(hexagon.draw([0] * 7)).splitlines()] == [2, 3, 2]
    assert [
        len(line) - len(line.lstrip()) for line in plain(hexagon.draw([0] * 7)).splitlines()
    ] == [
        1,
        0,
        1,
    ]


def test_a_rhombus_is_drawn_aslant_and_has_half_a_turn() -> None:
    board = Board.rhombus(3, 3)
    assert plain(board.draw([0, 1, 2, 0, 0, 0, 1, 0, 0])) == ". X O\n . . .\n  X . ."
    assert board.text([0, 1, 2, 0, 0, 0, 1, 0, 0]) == "1XO/3/X2"
    assert board.maps("half") == [tuple(range(9)), tuple(reversed(range(9)))]
    with pytest.raises(
        ValueError, match="no symmetry 'mirror': a rhombus only has the symmetry 'half'"
    ):
        board.maps("mirror")
    middles = scene_of(board, [""] * 9).middles
    for a, (x, y) in enumerate(middles):
        near = {b for b, (u, v) in enumerate(middles) if 0 < (x - u) ** 2 + (y - v) ** 2 < 3.01}
        steps = [(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)]
        cells = [(a % 3 + dx, a // 3 + dy) for dx, dy in steps]
        assert near == {3 * v + u for u, v in cells if 0 <= u < 3 and 0 <= v < 3}


def test_half_a_turn_is_two_mirrors() -> None:
    assert [*Board.square(3, 2).maps("half")[1]] == [5, 4, 3, 2, 1, 0]
    assert {*Board.hexagon(3).maps("half")} < {*Board.hexagon(3).maps("turn")}
    standing = Board.standing_hexagon(3)
    assert len(standing.maps("half")) == 2
    drawn = plain(standing.draw([0] * standing.cells)).splitlines()
    assert [len(line) - len(line.lstrip()) for line in drawn] == [2, 1, 0, 1, 0, 1, 0, 1, 2]


def test_symmetries_are_groups_of_the_known_order() -> None:
    assert len(Board.square(4, 3).maps("mirror", "flip")) == 4
    assert len(Board.square(5, 5).maps("mirror", "turn")) == 8
    assert len(Board.hexagon(3).maps("turn")) == 6
    assert len(Board.hexagon(4).maps("mirror", "turn")) == 12
    assert Board.square(2, 2).maps() == [(0, 1, 2, 3)]
    for board in (Board.square(5, 5), Board.hexagon(3)):
        for image in board.maps("mirror", "turn"):
            assert sorted(image) == list(range(board.cells))


def test_neighbours_stay_neighbours_on_a_hexagon() -> None:
    board = Board.hexagon(3)
    places = board.places
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    beside = {
        (a, b)
        for a, (q, r) in enumerate(places)
        for b, other in enumerate(places)
        if other in [(q + dq, r + dr) for dq, dr in steps]
    }
    for image in board.maps("mirror", "turn"):
        assert {(image[a], image[b]) for a, b in beside} == beside


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5/4/4", "row 1 has 5 cells; the board has 4"),
        ("4/4", "2 rows; the board has 3"),
        ("4/3Z/4", "'Z' in row 2; allowed: X O 0-9"),
        ("444/4/4", "444 empty cells in row 1"),
    ],
)
def test_bad_texts_are_refused_with_the_row(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        Board.square(4, 3).read(text)


@pytest.mark.slow
def test_breakthrough_is_a_game_like_any_other() -> None:
    with plugged(BREAKTHROUGH):
        game = parse_game("breakthrough[side=5]")
        assert [c for c in check_game(game) if c.fault] == []
        # The start: 5 pawns at the front, three ways each but for the edges.
        assert perft(Position(game), 1) == 13
        assert perft(Position(game), 2) == 13 * 12  # one way is blocked
        position = parse_position(game, "startpos moves a2s")
        mirrored = parse_position(game, "startpos moves e2s")
        assert position.key() == mirrored.key() != Position(game).key()
        assert parse_position(game, "1X3/5/5/5/O4 O 9").status == 1
        for text in engines_of(game):
            assert [c for c in check_engine(parse_engine(text)) if c.fault] == [], text
        with pytest.raises(Refused, match="who is to move"):
            parse_position(game, "1X3/5/5/5/O4")


def test_a_small_board_game_has_sixty_lines() -> None:
    lines = BREAKTHROUGH.read_text().split("\nclass ")[1].splitlines()
    code = [line for line in lines if line.strip()]
    assert len(code) <= 60


def test_names_of_words_and_parameters() -> None:
    at = State("a", b=3, c=1)
    assert (int(at.a), int(at.b), int(at.c), at.size) == (0, 1, 4, 5)
    assert int(at.behind(7).c) == 11 and "b" in at and "d" not in at
    with pytest.raises(AttributeError, match=r"no word or parameter is called widht; did you mean"):
        _ = Offsets({"width": 1}).widht


def test_what_is_no_kernel_of_a_contract_is_said() -> None:
    with pytest.raises(TypeError, match=r"@rule stauts: .*did you mean 'status'"):

        @rule
        def stauts(W, at):  # type: ignore[no-untyped-def]
            return 0

    with pytest.raises(TypeError, match=r"@rule status: 3 arguments; its signature .* has 2"):

        @rule
        def status(W, at, more):  # type: ignore[no-untyped-def]
            return 0

    @rule
    def value(W, at, P):  # type: ignore[no-untyped-def]
        return 0.0

    assert value.signature == SIGNATURES["value"]  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="given twice"):
        collect("evaluation", [value, value])
    with pytest.raises(TypeError, match=r"game: no kernel is called value"):
        collect("game", [value])


def test_the_surface_has_what_it_says_and_loads_it_late() -> None:
    for name in joute.__all__:
        assert getattr(joute, name) is not None
    with pytest.raises(AttributeError, match="joute has no 'Gmae'"):
        _ = joute.Gmae
    code = "import sys, joute; print([m for m in ('numba', 'numpy', 'optuna') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


WRONG = {
    "no apply": ("nth, apply, status", "nth, status", "must give the kernel apply"),
    "misspelt": (
        "def status(W",
        "def stauts(W",
        "@rule stauts: no contract .* did you mean 'status'",
    ),
    "no rule": (
        "@rule\n        def nth",
        "def nth",
        r"nth \(wrong.py, line \d+\) is a plain function; write @rule above it",
    ),
    "arguments": (
        "def apply(W, src, dst, action, outcome)",
        "def apply(W, src, dst, action)",
        "4 arg",
    ),
    "word": ("self.state.first", "self.state.frist", "is called frist; did you mean 'first'"),
    "name": (
        "top = (U(1)",
        "top = (V(1)",
        r"the kernel status \(wrong.py, line \d+, .*there is no V \(a kernel sees",
    ),
    "nothing": ("return start, nth", "start, nth", "build returns nothing"),
    "symmetry": (
        '("mirror",)',
        '("miror",)',
        "no symmetry is called 'miror'; did you mean 'mirror'",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_an_author_did_wrong_is_one_line(what: str, tmp_path: Path) -> None:
    before, after, said = WRONG[what]
    text = BREAKTHROUGH.read_text()
    assert before in text
    (tmp_path / "wrong.py").write_text(text.replace(before, after))
    with plugged(tmp_path / "wrong.py"):
        faults = [c.fault for c in check_game(find("game", "breakthrough")()) if c.fault]
    assert len(faults) == 1 and re.search(said, faults[0]), faults


def test_a_game_that_goes_on_without_an_action_is_found_out(tmp_path: Path) -> None:
    text = BREAKTHROUGH.read_text().replace("return np.int64(1)\n", "return np.int64(0)\n")
    (tmp_path / "stuck.py").write_text(
        text.replace("return np.int64(i)\n", "return np.int64(-1)\n")
    )
    with plugged(tmp_path / "stuck.py"):
        faults = [c.fault for c in check_game(find("game", "breakthrough")()) if c.fault]
    assert any("goes on without a legal action" in fault for fault in faults)


SILENT = {
    "a false symmetry": (
        'symmetries = ("mirror",)',
        'symmetries = ("mirror", "flip")',
        "continue differently: symmetries = ('mirror', 'flip') includes one that the rules do not have",
    ),
    "a forgotten turn": (
        "return -total if W[at + ply] & U(1) else total",
        "return total",
        "its values do not depend on the side to move",
    ),
    "an unknown game": (
        'games = ("breakthrough",)',
        'games = ("breakthru",)',
        "games = 'breakthru': no game has this name; did you mean 'breakthrough'?",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", SILENT)
def test_a_check_finds_what_no_game_shows(what: str, tmp_path: Path) -> None:
    before, after, said = SILENT[what]
    text = BREAKTHROUGH.read_text()
    assert before in text
    (tmp_path / "wrong.py").write_text(text.replace(before, after))
    game = f"breakthrough[side={6 + [*SILENT].index(what)}]"  # a game is made once a process
    engine = f"{game}/alphabeta:evaluation=advance,depth=2"
    with plugged(tmp_path / "wrong.py"):
        checks = games_are_there()
        if not checks:
            checks = [*check_game(parse_game(game)), *check_engine(parse_engine(engine))]
    faults = [c.fault for c in checks if c.fault]
    assert faults and all(said in fault for fault in faults), faults
