"""PGN and EPD: what is written reads back, here and by python-chess; what people write is read; nonsense is not."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.games.chess.chess import Chess
from joute.engines.games.chess.epd import Epd
from joute.engines.games.chess.names import start_of
from joute.engines.games.chess.pgn import Pgn, note_of, records
from joute.engines.position import Position, parse_position
from joute.engines.record import WIN
from joute.engines.transcript import Played, Told, transcripts_of
from joute.studies.file.records import openings_in

PEOPLE = """% made by hand
[Event "A \\"great\\" one"]
[White "Morphy"]

1.e4 e5 {[a comment] with (brackets)} 2. Nf3! $14 (2. f4 exf4 (2... d5 3. -- ) 3. Bc4) 2... d6 ; to the end (
3. d4 Bg4?! 4 dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5
11. Bxb5+ Nbd7 12. 0-0-0 Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
[Event "glued"]
[FEN "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"]
[SetUp "1"]
1. a4 Kd7 1/2-1/2
1. d4 *
"""


def chess_of(name: str) -> Chess:
    game = parse_game(name)
    assert isinstance(game, Chess)
    return game


def played(position: Position, failure: str = "") -> Played:
    returns = tuple(position.returns()) if position.over else (0.0, 1.0)
    names, moves = ('a "b" \\ c', "uct-2\nii"), tuple(position.moves)
    return Played(position.game, "x1", position.start, moves, names, returns, "normal", failure)


@pytest.mark.parametrize("name", ["chess", "chess[chess960=on]"])
def test_what_is_written_reads_back_here_and_elsewhere(name: str, tmp_path: Path) -> None:
    game, rng = chess_of(name), random.Random(name)
    for number in range(4):
        start = start_of(rng.randrange(960)) if game.freely else "startpos"
        if number == 1:
            start = "4k3/8/8/8/8/8/P7/4K3 b - - 12 34"
        position = Position(game, start)
        while not position.over and position.ply < 120:
            position.play(rng.choice(position.legal_actions()))
        text = Pgn().write(played(position, "" if position.over else "timeout"))
        path = tmp_path / "game.pgn"
        path.write_text(text, "utf-8")
        line, returns = Pgn().whole(path, game)
        assert parse_position(game, line).moves == position.moves
        assert returns == played(position).returns
        assert Pgn().read(path, game, 5) == parse_position(game, line_of(position, 5)).line()
        other = chess.pgn.read_game(io.StringIO(text))
        assert other is not None and not other.errors
        assert other.headers["White"] == 'a \\"b\\" \\\\ c' and other.headers["Black"] == "uct-2 ii"
        moves = [game.action_text(action) for action in position.moves]
        assert [move.uci() for move in other.mainline_moves()] == moves
        assert max(map(len, text.split("\n\n")[1].splitlines())) <= 79


def test_what_engines_told_of_their_moves_is_a_comment(tmp_path: Path) -> None:
    game, path = chess_of("chess"), tmp_path / "noted.pgn"
    position = parse_position(game, "startpos moves e2e4 e7e5 g1f3")
    told = (Told(), Told(-12, "evaluation", 5, 33.0), Told(0.75, "return", 0, None))
    text = Pgn().write(replace(played(position, "timeout"), told=told))
    assert "1. e4 e5 {-0.12/5 0.033s} 2. Nf3 {+1.91/0} {timeout} 0-1" in text
    path.write_text(text, "utf-8")
    assert Pgn().whole(path, game) == (position.line(), (0.0, 1.0))


@pytest.mark.parametrize(
    ("told", "comment"),
    [
        (Told(), ""),
        (Told(None, "", 0, 1.4), "0.001s"),
        (Told(WIN - 5, "evaluation", 8, 12.0), "+M5/8 0.012s"),
        (Told(4 - WIN, "evaluation", 3, 0.4), "-M4/3 0.000s"),
        (Told(0.0, "", 12, 2000.0), "+0.00/12 2.000s"),
        (Told(0.5, "return", 0, 10.0), "+0.00/0 0.010s"),
    ],
)
def test_a_comment_is_that_of_cutechess(told: Told, comment: str) -> None:
    assert note_of(told) == comment


def line_of(position: Position, plies: int) -> str:
    moves = " ".join(position.game.action_text(action) for action in position.moves[:plies])
    return f"{position.start} moves {moves}"


def test_games_are_read_as_people_write_them() -> None:
    game = chess_of("chess")
    first, second, third = records(PEOPLE)
    assert first.tags == {"Event": 'A "great" one', "White": "Morphy"} and first.result == "1-0"
    assert first.position(game).status == 1 and len(first.moves) == 33
    assert (second.tags["Event"], second.moves, second.result) == (
        "glued",
        ["a4", "Kd7"],
        "1/2-1/2",
    )
    assert str(second.position(game).text()).startswith("8/3k4/8/8/P7/8/8/4K3 w")
    assert (third.number, third.moves, third.result) == (3, ["d4"], "*")


def test_a_game_without_moves_is_one() -> None:
    fen = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"
    first, second = records(
        f'[Event "a"]\n[FEN "{fen}"]\n\n[Event "b"]\n[Variant "Standard"]\n\n1. e4 e5 *'
    )
    assert (first.tags, first.moves) == ({"Event": "a", "FEN": fen}, [])
    assert (second.number, second.tags["Event"]) == (2, "b") and "FEN" not in second.tags
    assert len(second.position(chess_of("chess")).moves) == 2


def test_a_pawn_taken_in_passing_may_be_told() -> None:
    (record,) = records("1. e4 a6 2. e5 d5 3. exd6 e.p. cxd6 *")
    assert record.position(chess_of("chess")).ply == 6


def test_a_long_variation_that_no_one_can_read_takes_no_time() -> None:
    (record,) = records(f"1. e4 ({'-- ' * 100_000}) e5 *")
    assert record.moves == ["e4", "e5"]


def test_a_file_of_many_games_gives_many_openings(tmp_path: Path) -> None:
    game, path = chess_of("chess"), tmp_path / "many.pgn"
    path.write_text("1. e4 e5 2. Nf3 *\n\n1. d4 d5 *\n1. e4 e5 *\n", "utf-8")
    assert openings_in(path, game, 2) == ("startpos moves e2e4 e7e5", "startpos moves d2d4 d7d5")
    with pytest.raises(
        Refused, match=r"many\.pgn: game 2 has 2 plies, but openings of 3 are wanted"
    ):
        openings_in(path, game, 3)
    with pytest.raises(Refused, match="it has 3 games; a file of one is wanted"):
        Pgn().whole(path, game)


def test_a_list_of_positions_gives_openings(tmp_path: Path) -> None:
    game, path = chess_of("chess"), tmp_path / "book.epd"
    kings = "4k3/8/8/8/8/8/P7/4K3"
    path.write_text(f'{kings} w - - hmvc 7; fmvn 12; id "one; two";\n\n{kings} b - - bm Kd7;\n'
                    f"{kings} w - - 3 4\n", "utf-8")  # fmt: skip
    found = Epd().read_all(path, game, 0)
    assert found == [f"{kings} w - - 7 12", f"{kings} b - - 0 1", f"{kings} w - - 3 4"]
    assert openings_in(path, game, 0) == tuple(found[:2])  # the third is the first one's position
    assert {form.name for form in transcripts_of("chess")} == {"pgn", "epd"}
    position = parse_position(game, f"{kings} w - - 7 12 moves e1d1")
    path.write_text(Epd().write(played(position)), "utf-8")
    assert Epd().read(path, game, 0) == position.text()
    path.write_text(f'{kings} w - - c0 "hmvc 9;"; hmvc 8 ;fmvn 2;\n', "utf-8")
    assert Epd().read(path, game, 0) == f"{kings} w - - 8 2"
    for broken in ("hmvc x;", "hmvc;", "fmvn -1;", "hmvc 1 2 3 4;"):
        path.write_text(f"{kings} w - - {broken}\n", "utf-8")
        with pytest.raises(Refused, match=r"book\.epd, line 1: position .*; allowed: 0 to"):
            Epd().read(path, game, 0)
    path.write_text(f"{kings} w - -\n{kings} x - -\n", "utf-8")
    with pytest.raises(Refused, match=r"book\.epd, line 2: position .*who is to move\? 'x'"):
        Epd().read(path, game, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no game is in this PGN"),
        ("{only a comment}", "no game is in this PGN"),
        ("1. e4 e5 *\n1. e4 #", "game 2, line 2: '#' is no PGN"),
        ("1. e4 e5 *\n1. e4 e5 2. Ke3 *", "game 2, move 3: 'Ke3' is no legal move"),
        ("1. e4 (1. d4 *", r"game 1: a \) is missing"),
        ("1. e4 ) *", r"game 1: \) without \("),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4 *', "game 1: position .* White has 0 kings"),
        ('[Variant "Chess960"]\n1. e4 *', r"game 1 is of Chess960; chess\[chess960=on\] plays it"),
        ('[Variant "Atomic"]\n1. e4 *', "game 1 is of 'Atomic'; allowed: chess and Chess960"),
        ("1. f3 e5 2. g4 Qh4# 3. a3 *", "game 1, move 5, a3: the game is already over"),
        ("1. e4 {never closed", "game 1, line 1: '{never closed' is no PGN"),
    ],
)
def test_broken_games_are_told_by_number(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.pgn"
    path.write_text(text, "utf-8")
    with pytest.raises(Refused, match=why) as raised:
        Pgn().read_all(path, chess_of("chess"), None)  # type: ignore[arg-type]
    assert str(raised.value).startswith(str(path)) and "\n" not in str(raised.value)


@settings(max_examples=60)
@given(st.text('[]{}();%$!?*1.0-/2 e4Nf3O\n"\\aé', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        for record in records(text):
            record.position(chess_of("chess"))
    except Refused as error:
        assert "\n" not in str(error)
