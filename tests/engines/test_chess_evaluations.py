"""The evaluations of chess: a slow twin on python-chess's boards, colours exchanged, weights one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from joute.engines.engine import Engine, parse_engine
from joute.engines.position import Position, parse_position
from tests.support.chess_lines import material


def middle(square: int) -> int:
    """How many steps a square is nearer the middle than the edge is."""
    x, y = chess.square_file(square), chess.square_rank(square)
    return min(x, 7 - x, y, 7 - y)


def gone(square: int, white: bool) -> int:
    rank = chess.square_rank(square)
    return (rank if white else 7 - rank) - 1


def terms(board: chess.Board, white: bool, P: dict[str, float]) -> tuple[float, float]:
    """One side's worth in the middle game and in the ending."""
    pawns = [
        chess.square_rank(s) * 8 + chess.square_file(s) for s in board.pieces(chess.PAWN, white)
    ]
    foes = list(board.pieces(chess.PAWN, not white))
    files = [chess.square_file(pawn) for pawn in pawns]
    early = P["pawn"] * len(pawns) + P["centre"] * sum(map(middle, pawns))
    late = P["pawn_end"] * len(pawns) + P["advance"] * sum(gone(pawn, white) for pawn in pawns)
    for pawn in pawns:
        file, far = chess.square_file(pawn), gone(pawn, white)
        ahead = any(chess.square_file(p) == file and gone(p, white) > far for p in pawns)
        alone = not any(abs(other - file) == 1 for other in files)
        stopped = any(
            abs(chess.square_file(foe) - file) <= 1 and gone(foe, white) > far for foe in foes
        )
        flaw = P["doubled"] * ahead + P["isolated"] * alone
        free = P["passed"] * far * far * (not ahead and not stopped)
        early, late = early + 0.5 * free - flaw, late + free - flaw
    king, other = board.king(white), board.king(not white)
    assert king is not None and other is not None
    guarded = {s for foe in foes for s in board.attacks(foe)}
    round_it = board.attacks(other)
    for kind, name in ((2, "knight"), (3, "bishop"), (4, "rook"), (5, "queen")):
        for man in board.pieces(kind, white):
            goes = [s for s in board.attacks(man) if board.color_at(s) != white]
            count = sum(s not in guarded for s in goes)
            hits = sum(s in round_it for s in board.attacks(man))
            share, ending = {2: (1, 1), 3: (1, 1), 4: (0.5, 1), 5: (0.5, 0.5)}[kind]
            early += P[name] + P["mobility"] * share * count + P["king_attack"] * hits
            late += P[name] + P["mobility"] * ending * count
            if kind < 4:
                early += P["centre"] * middle(man)
                late += P["centre"] * middle(man) * (kind == 2)
            if kind == 4 and chess.square_file(man) not in files:
                early, late = early + P["open_file"], late + 0.5 * P["open_file"]
    if len(board.pieces(chess.BISHOP, white)) > 1:
        early, late = early + P["pair"], late + P["pair"]
    near = [
        p for p in pawns
        if abs(chess.square_file(p) - chess.square_file(king)) <= 1 and 1 <= gone(p, white) - gone(king, white) <= 2
    ]  # fmt: skip
    early += P["shelter"] * len(near) - 0.5 * P["king_centre"] * middle(king)
    return early, late + P["king_centre"] * middle(king)


def twin(board: chess.Board, P: dict[str, float]) -> float:
    counts = [len(board.pieces(kind, side)) for kind in (2, 3, 4, 5) for side in (True, False)]
    phase = min(24, sum(c * w for c, w in zip(counts, (1, 1, 1, 1, 2, 2, 4, 4), strict=True))) / 24
    own, foe = terms(board, board.turn, P), terms(board, not board.turn, P)
    return P["tempo"] + phase * (own[0] - foe[0]) + (1 - phase) * (own[1] - foe[1])


def value_of(engine: Engine, position: Position) -> float:
    assert engine.evaluation is not None
    kernels = engine.evaluation.kernels(engine.game, engine.search.base)
    return float(kernels.value(position.words(), 0, engine.vector))


def positions(engine: Engine, count: int) -> Iterator[Position]:
    """Random positions of all lengths."""
    rng = random.Random(4)
    for _ in range(count):
        position = Position(engine.game)
        for _ in range(rng.randrange(150)):
            if position.over:
                break
            position.play(rng.choice(position.legal_actions()))
        yield position


def drawn(rng: random.Random, engine: Engine) -> Engine:
    """The same engine with other weights."""
    assert engine.evaluation is not None
    weights = ",".join(
        f"{p.name}={rng.randrange(int(p.low), int(p.high))}" for p in engine.evaluation.parameters
    )
    return parse_engine(f"chess/alphabeta:evaluation=tapered,depth=1,{weights}")


def test_tapered_is_its_twin_whatever_the_weights() -> None:
    rng, usual = random.Random(5), parse_engine("chess/alphabeta:evaluation=tapered,depth=1")
    assert usual.evaluation is not None
    for number, position in enumerate(positions(usual, 60)):
        engine = drawn(rng, usual) if number % 2 else usual
        P = {p.name: float(engine.values[p.name]) for p in usual.evaluation.parameters}
        board = chess.Board(str(position.text()))
        assert value_of(engine, position) == pytest.approx(twin(board, P), abs=1e-6), board.fen()


def test_material_counts_men() -> None:
    engine = parse_engine("chess/alphabeta:evaluation=material,depth=1")
    assert all(value_of(engine, p) == material(p) for p in positions(engine, 40))


@pytest.mark.parametrize("name", ["material", "tapered"])
def test_colours_do_not_matter(name: str) -> None:
    engine = parse_engine(f"chess/alphabeta:evaluation={name},depth=1")
    for position in positions(engine, 40):
        mirrored = chess.Board(str(position.text())).mirror().fen()
        other = parse_position(engine.game, mirrored)
        assert value_of(engine, other) == pytest.approx(value_of(engine, position), abs=1e-9)
