"""SGF: what is written reads back; main lines, setups and escapes are read; nonsense is refused."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.games.go.go import Go
from joute.engines.games.go.sgf import Sgf, read, read_file
from joute.engines.position import Position, parse_position
from joute.engines.transcript import Played, transcript_of
from tests.support.runs import here

BRANCHED = (
    "some mail (;FF[4]GM[1]SZ[5]KM[0]RU[Japanese]PB[A\\]B \\\nC]\n(;B[cc];W[bb]C[a \\] ) ; (] "
    "(;B[dd])(;B[aa]))(;B[ee];W[aa]))(;B[ab])"
)


def go(name: str) -> Go:
    game = parse_game(name)
    assert isinstance(game, Go)
    return game


def played(game: Go, line: str, failure: str = "") -> Played:
    position = parse_position(game, line)
    returns = tuple(position.returns()) if position.over else (0.0, 1.0)
    names = ("a]b\\c: d", "uct-2\nii")
    return Played(
        game, "x1", position.start, tuple(position.moves), names, returns, "normal", failure
    )


@pytest.mark.parametrize(
    "name", ["go[size=3,rules=japanese,komi=0]", "go[size=2]", pytest.param("go[columns=7,rows=19]", marks=pytest.mark.slow)]
)  # fmt: skip
def test_what_is_written_reads_back(name: str) -> None:
    game, rng = go(name), random.Random(3)
    for start in ("startpos", game.board.text([1] + [0] * (game.slots - 3) + [2]) + " O 1"):
        position = Position(game, start)
        while not position.over:
            position.play(rng.choice(position.legal_actions()))
        text = Sgf().write(played(game, position.line()))
        found = read(text)
        assert found.game().label == game.label
        again = found.position(game)
        assert again.moves == position.moves and again.text() == position.text()
        lead = game.lead(position.W, position.at)
        assert found.result == (f"{'BW'[lead < 0]}+{abs(lead):g}" if lead else "0")
        assert (found.black, found.white) == ("a]b\\c: d", "uct-2 ii")


@pytest.mark.parametrize(
    ("failure", "said"), [("resigned", "W+R"), ("timeout", "W+T"), ("crash", "W+F")]
)
def test_a_game_that_stopped_before_its_end_says_how(failure: str, said: str) -> None:
    assert read(Sgf().write(played(go("go[size=2]"), "startpos moves A1", failure))).result == said


def test_the_first_variation_of_the_first_game_is_read() -> None:
    found = read(BRANCHED)
    assert (found.columns, found.rows, found.komi, found.rules) == (5, 5, 0.0, "japanese")
    assert found.black == "A]B C"
    assert found.moves == [(0, (2, 2)), (1, (1, 1)), (0, (3, 3))]
    assert found.position().line() == "startpos moves C3 B4 D2"


def test_setups_passes_sizes_and_old_names() -> None:
    found = read("(;GaMe[1]SiZe[4:3]AddBlack[aa:ba][dc]AW[bc]AE[ba];PL[W];White[tt];B[db])")
    game = found.game()
    assert game.label == "go[columns=4,rows=3,rules=chinese,ko=superko,komi=7.5]"
    assert found.position(game).line() == "X3/4/1O1X O 1 moves pass D2"
    assert read("(;)").position().line() == "startpos"
    found = read("(;KM[6,5]RU[AGA]B[aa])")
    assert (found.komi, found.rules) == (6.5, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no game is in this SGF"),
        ("()", "no game is in this SGF"),
        ("hello", "no game is in this SGF"),
        ("(;B[aa]", r"a \) is missing"),
        ("(;B[aa", "character 4: .* is no SGF"),
        ("(;GM[2])", r"GM\[2\] is another game"),
        ("(;SZ[20])", "a board 20 x 20; at most 19 x 19"),
        ("(;SZ[x])", r"SZ\[x\] is no size"),
        ("(;SZ[5]B[ff])", "move 1 at 'ff', which is no point of a board 5 x 5"),
        ("(;SZ[5];B[aa];AB[bb:ff])", "a stone at 'ff', which is no point"),
        ("(;B[aa]W[bb])", "move 1: a node has one move"),
        ("(;B[aa][bb])", "move 1: a node has one move"),
        ("(;KM[x])", r"KM\[x\] is no komi"),
        ("(;PL[x])", r"PL\[x\]; B or W moves"),
        ("(;B[aa](;W[bb]);W[cc])", "a node after variations"),
        ("(;B[aa])" * 3 + ")", ""),
        (")", "no game is in this SGF"),
        ("(;B[aa]$)", "character 8: .* is no SGF"),
    ],
)
def test_what_is_broken_is_refused_with_its_place(text: str, said: str) -> None:
    if not said:
        assert len(read(text).moves) == 1
        return
    with pytest.raises(Refused, match=said):
        read(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(;SZ[2];B[aa];B[bb])", "move 2 is Black's, out of turn"),
        ("(;SZ[2];B[aa];W[aa])", "move 2 .* is illegal; there is a stone on A2"),
        ("(;SZ[2];B[];W[];B[aa])", "move 3 comes after the end of the game"),
        ("(;SZ[2];B[aa];AE[aa];W[bb])", "after move 1 the file sets up another position"),
        ("(;SZ[2]AB[aa][ab][ba][bb])", "has no liberty"),
        ("(;SZ[3];B[aa])", "the file is of a board 3 x 3"),
    ],
)
def test_what_is_no_whole_game_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "a.sgf"
    file.write_text(text)
    with pytest.raises(Refused, match=rf"a\.sgf: .*{said}"):
        Sgf().whole(file, go("go[size=2]"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("(;SZ[3];B[aa];B[bb];W[cc])", "startpos moves A3 pass B2 C1"),
        ("(;SZ[3];B[aa];W[];W[cc];B[bb])", "X2/3/3 O 1 moves C1 B2"),
        ("(;SZ[3];B[aa];B[];W[cc])", "X2/3/3 X 0 moves pass C1"),
        ("(;SZ[3];B[aa];W[];B[];W[cc])", "X2/3/3 O 1 moves C1"),
        ("(;SZ[3];B[aa];W[];B[];W[];B[bb])", "X2/3/3 O 1 moves pass B2"),
        ("(;SZ[3];B[aa];W[];B[];W[])", "X2/3/3 O 1 moves pass"),
        ("(;SZ[3];B[aa];W[];B[])", "startpos moves A3 pass pass"),
        ("(;SZ[3];B[aa];W[bb];AE[bb]AW[cc:cc]AB[ab];B[ba])", "X2/X2/2O X 0 moves B3"),
        ("(;SZ[3];B[aa];AW[bb];AE[aa];B[cc])", "3/1O1/3 X 0 moves C1"),
        ("(;SZ[3];B[aa];AE[aa]PL[1])", "3/3/3 X 0"),
        ("(;SZ[3]PL[2];)", "3/3/3 O 1"),
        ("(;SZ[3];B[aa];PL[W];W[bb])", "startpos moves A3 B2"),
        (
            "(;SZ[3]RU[Japanese];B[aa];W[ba];B[cc];W[ab];B[];W[];AB[ac];B[ca])",
            "1O1/O2/X1X X 0 taken=0,1 moves C3",
        ),
    ],
)  # fmt: skip
def test_where_no_move_leads_on_the_board_is_a_new_start(text: str, line: str) -> None:
    position = read(text).position()
    assert position.line() == line
    assert parse_position(position.game, line).words().tolist() == position.words().tolist()


def test_what_comes_after_the_moves_that_are_asked_for_is_passed_over() -> None:
    for fault in ("W[bb];B[bb];W[cc]", "W[zz]", "AB[cc][cb][bc][bb][ac][ca][ab][ba]", ""):
        text = f"(;SZ[3];B[aa];W[ba];B[cc];{fault})"
        assert read(text, 2).position(plies=2).line() == "startpos moves A3 B3"
    assert read("(;SZ[3];B[aa];AW[bb];W[cc];B[zz]", 1).position(plies=1).line() == "X2/1O1/3 O 1"
    with pytest.raises(Refused, match=r"set up after move 1: .* has no liberty"):
        read("(;SZ[2];B[aa];AB[ab][ba][bb];B[aa])").position()
    with pytest.raises(Refused, match="a stone at 'zz'"):
        read("(;SZ[3];B[aa];AB[zz];W[bb])", 1)


def test_an_opening_may_begin_in_the_middle_of_a_record(tmp_path: Path) -> None:
    file = tmp_path / "a.sgf"
    file.write_text("(;SZ[3];B[aa];B[bb];AW[cc];W[ac];B[zz])")
    with pytest.raises(Refused, match="'zz'"):
        Sgf().read(file, go("go[size=3]"), 3)
    file.write_text("(;SZ[3];B[aa];B[bb];AW[cc];W[ac];B[ca])")
    assert Sgf().read(file, go("go[size=3]"), 3) == "X2/1X1/2O O 1 moves A1"
    with pytest.raises(Refused, match="move 2 is Black's, out of turn"):
        Sgf().whole(file, go("go[size=3]"))


def test_nested_and_huge_files_take_no_time(tmp_path: Path) -> None:
    begun = time.perf_counter()
    deep = "(;B[aa]" * 30_000
    assert len(read(deep + ")" * 30_000).moves) == 30_000
    for text in (
        deep,
        "(" * 90_000,
        "(;" + "C[" * 90_000,
        "(;C[" + "\\" * 199_999,
        "(;B" * 99_999,
    ):
        with pytest.raises(Refused):
            read(text)
    file = tmp_path / "huge.sgf"
    file.write_bytes(b"(;C[" + b"x" * 5_000_000 + b"])")
    with pytest.raises(Refused, match="is not read"):
        read_file(file)
    file.write_bytes("(;PB[Björn]B[aa])".encode("latin-1"))
    assert read_file(file).black == "Björn"
    with pytest.raises(Refused, match="No such file"):
        read_file(tmp_path / "none.sgf")
    assert time.perf_counter() - begun < 20


@settings(max_examples=300)
@given(st.text(st.sampled_from("();BWAC[]\\ab\n:tSZPL19"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read(text)
    except Refused as error:
        assert "\n" not in str(error)


def test_a_format_is_for_its_games() -> None:
    with pytest.raises(Refused, match="sgf is for go; there is none for connect4"):
        transcript_of("sgf", "connect4")
    with pytest.raises(Refused, match="unknown transcript 'sgff'; did you mean 'sgf'"):
        transcript_of("sgff", "go")


@pytest.mark.slow
def test_a_stored_game_is_printed_as_sgf(tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = ("go[size=3]/random", "random", "--blocks", "1", "-j", "1", "--out", run, "--no-report")
    assert here("match", *asked).exit_code == 0
    game = here("replay", run, "--json").stdout.partition('"id": "')[2].partition('"')[0]
    written = here("replay", run, game, "--to", "sgf").stdout
    found = read(written)
    assert (found.columns, found.rows) == (3, 3)
    assert found.position().over
    both = here("replay", run, "--to", "sgf").stdout
    assert both.count("(;") == 2 and written.strip() in both
    said = here("replay", run, "--to", "sgf", "--json")
    assert said.exit_code == 2 and "without a GAME there is no --json" in said.stderr
    said = here("replay", run, game, "--to", "pgn")
    assert said.exit_code == 2 and "pgn is for chess; for go: sgf" in said.stderr
