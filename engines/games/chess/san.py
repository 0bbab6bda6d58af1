"""SAN: a move as people write it, Nbd7, exd6, O-O, e8=Q+ (PGN specification, Edwards 1994, 8.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joute.engines.errors import Refused
from joute.engines.games.chess.fen import men_of
from joute.engines.games.chess.names import FILES, PROMOTIONS, square_name
from joute.engines.position import Position

if TYPE_CHECKING:
    from joute.engines.games.chess.chess import Chess


SIGNS = str.maketrans("", "", "x=-")


def san(position: Position, action: int) -> str:
    """Return the text of a legal action of a position."""
    after = position.copy()
    after.play(action)
    game: Chess = position.game  # type: ignore[assignment]
    mark = "#" if after.status in (1, 2) else "+" if game.in_check(after.W, after.at) else ""
    return bare(position, action) + mark


def bare(position: Position, action: int) -> str:
    """Return the text without the sign of check or mate."""
    game: Chess = position.game  # type: ignore[assignment]
    end, begin, promotion = action & 63, action >> 6 & 63, action >> 12
    if game.is_castling(position.W, position.at, action):
        return "O-O" if end > begin else "O-O-O"
    men = men_of(position.W, position.at).on
    kind = men[begin].upper()
    if kind == "P":
        taking = f"{FILES[begin % 8]}x" if end % 8 != begin % 8 else ""
        rise = f"={PROMOTIONS[promotion]}" if promotion else ""
        return f"{taking}{square_name(end)}{rise}"
    others = [
        other >> 6 & 63
        for other in position.legal_actions()
        if other & 63 == end
        and other >> 6 & 63 != begin
        and men[other >> 6 & 63] == men[begin]
        and not game.is_castling(position.W, position.at, other)
    ]
    return kind + told_apart(begin, others) + ("x" if men[end] else "") + square_name(end)


def told_apart(begin: int, others: list[int]) -> str:
    """Return what tells a man from others that can go to the same square: its file, else rank, else both."""
    if not others:
        return ""
    if all(other % 8 != begin % 8 for other in others):
        return FILES[begin % 8]
    if all(other // 8 != begin // 8 for other in others):
        return str(begin // 8 + 1)
    return square_name(begin)


def action_of_san(position: Position, text: str) -> int:
    """Return the legal action that a text means: signs of check and praise may lack, a man may be told
    by more than is needed, also as in e2-e4, castling may be written with zeros. Raise Refused where
    none or several fit.
    """
    wanted = stripped(text.rstrip("+#!?").replace("0", "O"))
    if wanted[-2:-1].isdigit():  # e8=q
        wanted = wanted[:-1] + wanted[-1].upper()
    fitting = []
    for action in position.legal_actions():
        begin, end = square_name(action >> 6 & 63), square_name(action & 63)
        if not (wanted.startswith("O") or end in wanted):
            continue  # most of them, quickly
        plain = stripped(bare(position, action))
        spelled = {plain}
        if not plain.startswith("O"):
            kind = plain[0] if plain[0].isupper() else ""
            rise = plain[-1] if action >> 12 else ""
            spelled |= {f"{kind}{more}{end}{rise}" for more in ("", *begin, begin)}
        if wanted in spelled:
            fitting.append((action, plain == wanted))
    exact = [action for action, same in fitting if same] or [action for action, _ in fitting]
    if len(exact) != 1:
        legal = " ".join(bare(position, action) for action in position.legal_actions())
        raise Refused(f"{text!r} is {'no' if not exact else 'more than one'} legal move: {legal}")
    return exact[0]


def stripped(text: str) -> str:
    """Return a move without the signs that tell nothing: Nxd4, e8=Q, O-O, e2-e4."""
    return text.translate(SIGNS)
