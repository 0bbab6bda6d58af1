"""Quiescence, null move and late-move reductions: values of a slow twin, and what may change them."""

from __future__ import annotations

from functools import cache

import chess
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.player import Move
from joute.engines.position import Position, parse_position
from joute.engines.record import WIN
from joute.engines.search import BY_LINE
from joute.engines.searches._stack import NODES, RUNNING, STOP, StackPlayer
from tests.support.chess_lines import material, name
from tests.support.marks import quick

HELPED = "deepening=on,pvs=on,killers=2,ordering=history"
POSITIONS = (
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 4",
    "4k3/2P5/8/1b3p2/4P3/8/3p4/4K3 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "6k1/5ppp/8/8/8/2q5/2R2PPP/6K1 b - - 0 1",
    "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
)


def after(position: Position, action: int) -> Position:
    other = position.copy()
    other.play(action)
    return other


def ended(position: Position, line: list[str], ply: int) -> float | None:
    """The value, for who has moved, of a finished game or a draw by the line; None where it goes on."""
    if position.status in (1, 2):
        return WIN - ply
    if int(str(position.text()).split()[4]) >= 100 or name(position) in line:
        return -BY_LINE
    return 0.0 if position.status else None


def quiet(position: Position, line: list[str], alpha: float, beta: float, ply: int) -> float:
    """Standing pat, captures and queens; all moves in check; python-chess says which is which."""
    board = chess.Board(str(position.text()))
    best = -2 * WIN if board.is_check() else material(position)
    for action in position.legal_actions():
        move = chess.Move.from_uci(position.game.action_text(action))
        if best >= beta:
            break
        if not (
            board.is_check()
            or ((board.is_capture(move) or move.promotion) and move.promotion in (None, 5))
        ):
            continue
        child = after(position, action)
        value = ended(child, line, ply + 1)
        if value is None:
            value = -quiet(child, [*line, name(child)], -beta, -max(alpha, best), ply + 1)
        best = max(best, value)
    return best


def valued(position: Position, line: list[str], depth: int, ply: int = 0) -> float:
    """The value of the tree of that depth, its leaves quiet; its own frames without a window."""
    best = -2 * WIN
    for action in position.legal_actions():
        child = after(position, action)
        value = ended(child, line, ply + 1)
        if value is None and depth > 1:
            value = -valued(child, [*line, name(child)], depth - 1, ply + 1)
        elif value is None:
            value = -quiet(child, [*line, name(child)], -2 * WIN, 2 * WIN, ply + 1)
        best = max(best, value)
    return best


@cache
def known(fen: str, depth: int) -> float:
    position = parse_position(parse_game("chess"), fen)
    value = valued(position, [name(position)], depth)
    return 0.0 if abs(value) == BY_LINE else value


def chosen(fen: str, settings: str) -> Move:
    engine = parse_engine(f"chess/alphabeta:evaluation=material,quiescence=on,{settings}")
    return engine.player().choose(parse_position(engine.game, fen))


@pytest.mark.parametrize(
    "settings",
    quick(
        ["", ",ordering=evaluation", f",{HELPED}", f",{HELPED},table=1", ",mtd=on,table=1"],
        lambda text: "evaluation" not in text and "mtd" not in text,
    ),
)
@pytest.mark.parametrize("fen", POSITIONS)
def test_the_value_is_the_twins_whatever_helps(fen: str, settings: str) -> None:
    wide = len(parse_position(parse_game("chess"), fen).legal_actions())
    if wide < 48:
        assert chosen(fen, f"depth=1{settings}").value == known(fen, 1)
    if wide < 16:
        assert chosen(fen, f"depth=3{settings}").value == known(fen, 3)
    assert chosen(fen, f"depth=3{settings}").value == chosen(fen, "depth=3").value


def test_it_sees_what_a_leaf_hides() -> None:
    fen = "4k3/8/3p4/4p3/8/8/8/4QK2 w - - 0 1"  # the pawn is guarded
    position = parse_position(parse_game("chess"), fen)
    assert material(after(position, position.game.action_of("e1e5"))) == -800.0
    assert chosen(fen, "depth=1").value == 700.0


@pytest.mark.parametrize(
    "settings",
    quick(
        [f"{HELPED},table=1,null_move=2,late_moves=3", "mtd=on,table=1"],
        lambda text: "null" in text,
    ),
)
def test_a_search_that_stops_after_every_node_goes_on_where_it_was(settings: str) -> None:
    engine = parse_engine(f"chess/alphabeta:evaluation=material,quiescence=on,depth=4,{settings}")
    position = parse_position(engine.game, POSITIONS[0])
    whole, parts = engine.player(), engine.player()
    assert isinstance(whole, StackPlayer) and isinstance(parts, StackPlayer)
    whole._deepening = parts._deepening = False
    move = whole.choose(position)
    root = position.lay(parts._W, parts._stride, 0)
    parts._root, control = root, parts._I
    parts._begin(parts._W, root, parts._A, control, parts._P)
    control[RUNNING], slices = 0, 0
    control[STOP] = 1
    while not parts._search(parts._W, root, parts._A, control, parts._F, parts._P, 4):
        control[STOP], slices = control[NODES] + 1, slices + 1
    assert slices > 100
    assert (parts._found(4).action, parts._found(4).value) == (move.action, move.value)
    assert control[NODES] == move.nodes


def test_reductions_change_nothing_where_they_do_not_apply() -> None:
    """No node has more than 64 moves here, and with pawns alone nobody passes."""
    pawns = "4k3/pp3p2/8/2P5/8/5p2/PP4P1/4K3 w - - 0 1"
    plain = chosen(pawns, f"depth=6,{HELPED}")
    assert chosen(pawns, f"depth=6,{HELPED},null_move=3,late_moves=64") == plain


@pytest.mark.parametrize(
    "settings", [",null_move=2", ",late_moves=3", ",null_move=3,late_moves=2,table=1"]
)
def test_reductions_search_less_and_find_the_mate(settings: str) -> None:
    fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"
    assert chosen(fen, f"depth=6,{HELPED}{settings}").nodes < chosen(fen, f"depth=6,{HELPED}").nodes
    mate = "6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w - - 0 1"
    assert chosen(mate, f"depth=5,{HELPED}{settings}").value == WIN - 1.0


def test_a_pass_is_not_allowed_in_check_with_pawns_alone_or_into_stalemate() -> None:
    game = parse_game("chess")
    skip = game.rules.skip
    assert skip is not None
    for fen, may in (("4k3/8/8/8/8/8/4r3/RN2K3 w Q - 7 30", False), ("4k3/8/8/8/8/8/P7/4K3 w - - 7 30", False),
                     ("7k/8/5KQ1/8/8/8/8/8 w - - 7 30", False), ("4k3/8/8/8/8/8/8/R3K3 w Q - 7 30", True)):  # fmt: skip
        position, W = parse_position(game, fen), game.room(2 * game.words)
        W[: game.words] = position.words()
        assert skip(W, 0, game.words) == may
    assert game.position_text(W, game.words) == "4k3/8/8/8/8/8/8/R3K3 b Q - 0 30"


def test_a_game_without_forcing_actions_has_no_quiescence() -> None:
    with pytest.raises(Refused, match="does not say which actions are forcing; allowed: off"):
        parse_engine("connect4/alphabeta:evaluation=lines,depth=3,quiescence=on")
