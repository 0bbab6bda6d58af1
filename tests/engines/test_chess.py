"""Chess: perft counts, games beside another program's rules, ends, texts and refusals."""

from __future__ import annotations

import random

import chess
import pytest

from joute.commands._perft import perft
from joute.engines.colours import plain
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.games.chess.chess import Chess
from joute.engines.games.chess.names import START, first_rank
from joute.engines.games.chess.san import action_of_san, san
from joute.engines.position import Position, parse_position
from tests.support.chess_walk import walked
from tests.support.marks import ASKED, weighed

KNOWN = {
    START: (20, 400, 8902, 197281, 4865609, 119060324),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1":
        (48, 2039, 97862, 4085603, 193690690),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1":
        (14, 191, 2812, 43238, 674624, 11030083, 178633661),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1":
        (6, 264, 9467, 422333, 15833292),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8":
        (44, 1486, 62379, 2103487, 89941194),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10":
        (46, 2079, 89890, 3894594, 164075551),
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9":
        (21, 528, 12189, 326672, 8146062),
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9":
        (21, 807, 18002, 667366, 16253601),
}  # fmt: skip
FREELY = ("HFhf", "HEhe")  # castling of Chess960
QUICK, MOST = 4, 10_000_000  # plies of quick cases, lines of those that are not dear


def of(fen: str) -> Position:
    """Return a position, of Chess960 where its castling rights are files."""
    freely = "on" if fen.split()[2] in FREELY else "off"
    return parse_position(parse_game(f"chess[chess960={freely}]"), fen)


def depths() -> list[object]:
    """Return the cases: position and plies."""
    return [
        weighed((fen, depth), depth <= QUICK and fen.split()[2] not in FREELY, known > MOST)
        for fen, counts in KNOWN.items()
        for depth, known in enumerate(counts, 1)
    ]


@pytest.mark.parametrize(("fen", "depth"), depths())
def test_as_many_positions_are_reached_as_is_known(fen: str, depth: int) -> None:
    assert walked(of(fen), depth) == perft(of(fen), depth) == KNOWN[fen][depth - 1]


def end_of(board: chess.Board) -> str:
    """Return why a game is over by python-chess, with claims, in our words."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    if board.is_fifty_moves():
        return "50 moves without a capture or a pawn's move"
    if board.is_insufficient_material():
        return "neither side can mate"
    return "the position has occurred three times" if board.is_repetition(3) else ""


def beside_python_chess(name: str, seed: int) -> tuple[int, str]:
    """Play a random game beside python-chess; return its plies and its end."""
    game, rng = parse_game(name), random.Random(seed)
    assert isinstance(game, Chess)
    position = Position(game, game.start_text(rng.randrange(960)))
    board = chess.Board(str(position.text()), chess960=game.freely)
    shy = seed % 3 == 0  # most random games end for want of men: let some keep theirs
    while True:
        assert position.text() == board.fen()
        end = end_of(board)
        assert game.ending(position.W, position.at) == end
        if position.over:
            result = {"1-0": [1.0, 0.0], "0-1": [0.0, 1.0]}.get(
                board.result(claim_draw=True), [0.5, 0.5]
            )
            assert (end != "") and position.returns() == result
            return position.ply, end
        assert end == ""
        actions = position.legal_actions()
        texts = [game.action_text(action) for action in actions]
        assert sorted(texts) == sorted(move.uci() for move in board.legal_moves)
        quiet = [
            a for a in actions if not board.is_capture(chess.Move.from_uci(game.action_text(a)))
        ]
        action = rng.choice(quiet if shy and quiet else actions)
        move = chess.Move.from_uci(game.action_text(action))
        if ASKED or position.ply % 8 == 0:
            text = san(position, action)
            assert text == board.san(move)
            assert action_of_san(position, text) == action
        position.play(action)
        board.push(move)


GAMES = 1000 if ASKED else 50  # of each kind


@pytest.mark.parametrize("name", ["chess", "chess[chess960=on]"])
def test_random_games_go_as_in_python_chess(name: str) -> None:
    games = [beside_python_chess(name, seed) for seed in range(GAMES)]
    assert len({end for _, end in games}) >= 3
    assert sum(plies for plies, _ in games) > 100 * GAMES


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        ("startpos moves f2f3 e7e5 g2g4 d8h4", 2, "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3, "stalemate"),
        ("8/8/8/8/8/2k5/8/K1N5 w - - 0 1", 3, "neither side can mate"),
        ("b1b5/8/8/8/8/2k5/8/K1B3B1 w - - 0 1", 0, ""),
        ("b7/3b4/8/8/8/2k5/8/K4B2 w - - 0 1", 3, "neither side can mate"),
        ("8/8/8/8/8/3k4/8/K1NN4 b - - 0 1", 0, ""),
        ("n7/8/8/8/8/2k5/8/K1N5 w - - 0 1", 0, ""),
        ("k7/8/8/8/8/8/8/K1R5 w - - 99 80 moves c1c2", 3, "50 moves without a capture or a pawn's move"),
        ("k7/7R/1K6/8/8/8/8/8 w - - 99 80 moves h7h8", 1, "checkmate"),
        ("startpos moves" + " g1f3 g8f6 f3g1 f6g8" * 2, 3, "the position has occurred three times"),
        ("startpos moves" + " g1f3 g8f6 f3g1 f6g8" * 2 + "x", None, ""),
        # Castling rights were lost between the first and the second time.
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves" + " a1b1 e8d8 b1a1 d8e8" * 2, 0, ""),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves" + " a1b1 e8d8 b1a1 d8e8" * 2 + " a1b1", 3,
         "the position has occurred three times"),
    ],
)  # fmt: skip
def test_a_game_ends_as_the_laws_have_it(text: str, status: int | None, why: str) -> None:
    game = parse_game("chess")
    assert isinstance(game, Chess)
    if status is None:
        with pytest.raises(Refused):
            parse_position(game, text)
        return
    position = parse_position(game, text)
    assert (position.status, game.ending(position.W, position.at)) == (status, why)
    if why:
        assert plain(position.draw()).endswith(why) and not position.legal_actions()


def test_a_game_of_so_many_plies_as_the_option_says_is_a_draw() -> None:
    game = parse_game("chess[plies=100]")
    position = parse_position(game, "k7/8/8/8/8/p1p5/P1P5/K7 w - - 0 1")
    while not position.over:
        position.play(position.legal_actions()[0])
        position.W[position.at + int(game.state.clock)] = 0  # as after pawns' moves
    assert (position.ply, position.status) == (100, 3)


def test_en_passant_counts_only_where_it_is_legal() -> None:
    game = parse_game("chess")
    pinned = parse_position(game, "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1")
    assert "e4d3" not in [game.action_text(a) for a in pinned.legal_actions()]
    assert str(pinned.text()).split()[3] == "-"
    legal = parse_position(game, "startpos moves e2e4 a7a6 e4e5 d7d5")
    assert str(legal.text()).split()[3] == "d6"
    other = parse_position(game, str(legal.text()).replace(" d6 ", " - "))
    assert legal.key() != other.key()
    nobody = parse_position(game, "startpos moves e2e4")
    assert str(nobody.text()).split()[3] == "-"
    legal.play(game.parse_action("e5d6"))
    assert str(legal.text()).startswith("rnbqkbnr/1pp1pppp/p2P4/8/")


def test_a_key_tells_what_decides_the_future_and_nothing_else() -> None:
    game, base = parse_game("chess"), "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    key = parse_position(game, base).key()
    assert parse_position(game, base.replace("0 1", "42 99")).key() == key
    others = [base.replace(" w ", " b "), base.replace("KQkq", "Qkq"), base.replace("KQkq", "-")]
    assert len({key, *(parse_position(game, text).key() for text in others)}) == 4


def test_there_are_960_start_positions_and_518_is_chess() -> None:
    ranks = [first_rank(number) for number in range(960)]
    assert len(set(ranks)) == 960 and ranks[518] == "RNBQKBNR"
    assert ranks[:2] + ranks[959:] == ["BBQNNRKR", "BQNBNRKR", "RKRNNQBB"]
    for rank in ranks:
        assert rank.index("R") < rank.index("K") < rank.rindex("R")
        assert rank.index("B") % 2 != rank.rindex("B") % 2
    for number, rank in enumerate(ranks):
        assert chess.Board.from_chess960_pos(number).fen().split("/")[-1].startswith(rank)


def test_x_fen_names_the_file_of_a_rook_that_is_not_the_outermost() -> None:
    game = parse_game("chess[chess960=on]")
    text = "1r2k2r/8/8/8/8/8/8/RR2K2R w KBkb - 0 1"
    assert parse_position(game, text).text() == text.replace("KBkb", "KBkq")


def test_only_one_rook_on_each_side_of_a_king_may_castle() -> None:
    game = parse_game("chess[chess960=on]")
    for text, may in (
        ("4k3/8/8/8/8/8/8/RR2K1RR w %s - 0 1", "AB"),
        ("r3k1rr/8/8/8/8/8/8/4K3 w %s - 0 1", "gk"),
    ):
        parse_position(game, text % may[0])
        with pytest.raises(Refused, match=f"castling '{may}': two rooks on one side of their king"):
            parse_position(game, text % may)
    both = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    assert parse_position(game, both.replace("KQkq", "KHQAkhqa")).text() == both


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "White has 0 kings; allowed: 1"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "Black has 2 kings"),
        ("k7/8/8/8/8/8/8/K7/8 w - - 0 1", "9 ranks; a board has 8"),
        ("k7/8/8/8/8/8/8/K8 w - - 0 1", "rank 1 has 9 squares"),
        ("k7/8/8/8/8/8/8/K6x w - - 0 1", "'x' on rank 1; allowed: PNBRQK pnbrqk 1-8"),
        ("k7/8/8/8/8/8/8/K6P w - - 0 1", "a pawn stands on the first or the last rank"),
        ("k7/8/8/8/8/QQQ5/PPPPPPPP/K7 w - - 0 1", "2 men more than at the start and lacks 0 pawns"),
        ("k7/8/8/8/8/PPP5/PPPPPPPP/K7 w - - 0 1", "White has 3 men more than at the start"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "the side that has moved is in check"),
        ("k7/8/8/8/8/8/8/K7 x - - 0 1", "who is to move? 'x'; allowed: w or b"),
        ("k7/8/8/8/8/8/8/K6R w K - 0 1", "White has no king and rook for it"),
        ("4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "White has no king and rook for it"),
        ("4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1", "on their first squares; chess[chess960=on] has room"),
        ("x" * 500, "... xxx"),
        ("4k3/8/8/8/8/8/8/R3K3 w Z - 0 1", "castling 'Z'; allowed: KQkq, files as HAha, or -"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn can just have gone two squares there"),
        ("4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1", "allowed: a square of rank 6"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - x 1", "'x'; allowed: 0 to 150"),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 99999", "allowed: 0 to 9999"),
        ("4k3/8/8/8/8/8/8/R3K3 w -", "3 fields; a FEN has 6"),
    ],
)
def test_no_position_of_chess_is_refused_with_what_is_wrong(fen: str, why: str) -> None:
    with pytest.raises(Refused) as raised:
        parse_position(parse_game("chess"), fen)
    assert why in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("text", ["e2", "e2e9", "e7e8k", "O-O", "e2e4 ", "-", "e7e8qq"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is no move; allowed: two squares"):
        parse_game("chess").action_of(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Nf3", "g1f3"),
        ("e4!", "e2e4"),
        ("Ng1f3", "g1f3"),
        ("e2e4", "e2e4"),
        ("Nc3+", "b1c3"),
        ("e2-e4", "e2e4"),
        ("Nb1-c3", "b1c3"),
    ],
)
def test_san_is_read_as_people_write_it(text: str, meant: str) -> None:
    position = Position(parse_game("chess"))
    assert position.game.action_text(action_of_san(position, text)) == meant


@pytest.mark.parametrize("text", ["bxa8=N", "bxa8=n+", "b7xa8N", "b7a8n", "ba8=N"])
def test_a_pawn_may_become_less_than_a_queen_in_san(text: str) -> None:
    position = parse_position(parse_game("chess"), "r3k3/1P6/8/8/8/8/8/4K3 w q - 0 1")
    assert position.game.action_text(action_of_san(position, text)) == "b7a8n"


def test_san_that_fits_no_move_or_several_is_refused() -> None:
    position = parse_position(parse_game("chess"), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert position.game.action_text(action_of_san(position, "0-0-0")) == "e1c1"
    for text, why in (
        ("Rd9", "is no legal move"),
        ("Rx", "is no legal move"),
        ("R", "is no legal move"),
    ):
        with pytest.raises(Refused, match=why):
            action_of_san(position, text)
    both = parse_position(parse_game("chess"), "4k3/8/8/8/8/8/4K3/R6R w - - 0 1")
    with pytest.raises(Refused, match="is more than one legal move"):
        action_of_san(both, "Rd1")
