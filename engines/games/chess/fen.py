"""FEN: a position of chess in a line of text, read with checks and written.

Castling rights are those of X-FEN: KQkq, or a file's letter for a rook that is not the outermost on its side
of the king; both are read, and so are files everywhere (Shredder-FEN). A square of en passant is written
where a pawn may legally be taken, and read where one may have gone two squares.
Source: PGN specification (Edwards 1994), 16.1; X-FEN (Schwarz 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

from joute.engines.errors import Refused, cut
from joute.engines.games.chess.moves import STATE, attackers, en_passant
from joute.engines.games.chess.names import FILES, KINDS, square_name, square_of
from joute.engines.kernels.compile import U, Words

SIDES = "wb"
AT_START = {"P": 8, "N": 2, "B": 2, "R": 2, "Q": 1}
MOST_CLOCK, MOST_MOVE = 150, 9999  # of the two numbers of a text
LONGEST = 120  # characters of a text that a refusal repeats


@dataclass
class Men:
    """A board: the man on each square, 64 of them from a1 on, '' for none; White's letters are capital."""

    on: list[str]

    def of(self, letter: str) -> list[int]:
        """Return the squares of a side's men of a kind."""
        return [square for square, man in enumerate(self.on) if man == letter]


def men_of(W: Words, at: int) -> Men:
    """Return the board of a state."""
    words: list[int] = W[at : at + STATE.size].tolist()
    on = [""] * 64
    for kind, letter in enumerate(KINDS):
        held = words[int(STATE.pawns) + kind]
        while held:
            square = (held & -held).bit_length() - 1
            on[square] = letter if words[0] >> square & 1 else letter.lower()
            held &= held - 1
    return Men(on)


def write_fen(W: Words, at: int) -> str:
    """Return the FEN of a state."""
    men, ply = men_of(W, at), int(W[at + int(STATE.ply)])
    rows = []
    for rank in range(7, -1, -1):
        row, empty = "", 0
        for man in men.on[8 * rank : 8 * rank + 8]:
            row += (str(empty) if man and empty else "") + man
            empty = 0 if man else empty + 1
        rows.append(row + (str(empty) if empty else ""))
    target = int(W[at + int(STATE.passant)])
    passant = square_name(target.bit_length() - 1) if target else "-"
    rights = castling_text(men, int(W[at + int(STATE.castling)]))
    clock = int(W[at + int(STATE.clock)])
    return f"{'/'.join(rows)} {SIDES[ply % 2]} {rights} {passant} {clock} {ply // 2 + 1}"


def castling_text(men: Men, rooks: int) -> str:
    """Return the castling rights, or '-'."""
    text = ""
    for king_letter, rook_letter, first in (("K", "R", 0), ("k", "r", 56)):
        for square in range(first + 7, first - 1, -1):
            if rooks >> square & 1:
                right = square > men.of(king_letter)[0]
                beyond = range(square + 1, first + 8) if right else range(first, square)
                letter = "K" if right else "Q"
                if any(men.on[other] == rook_letter for other in beyond):
                    letter = FILES[square % 8].upper()
                text += letter if king_letter == "K" else letter.lower()
    return text or "-"


def read_fen(text: str, W: Words, at: int, freely: bool) -> None:
    """Write the state of a FEN at W[at]; the last two numbers may be left out. Raise Refused with what is
    wrong: no position of a game of chess, or castling that only Chess960 (`freely`) has.
    """
    place, fields = f"position {cut(repr(text), LONGEST)}", text.split()
    if not 4 <= len(fields) <= 6:
        raise Refused(
            f"{place}: {len(fields)} fields; a FEN has 6: men, side, castling, en passant, two numbers"
        )
    men, side = read_men(fields[0], place), side_of(fields[1], place)
    check_men(men, place)
    clock, move = (
        number(fields[k : k + 1], usual, most, name, place)
        for k, usual, most, name in (
            (4, 0, MOST_CLOCK, "plies without a capture or a pawn's move"),
            (5, 1, MOST_MOVE, "the move's number"),
        )
    )
    W[at : at + STATE.size] = 0
    for square, man in enumerate(men.on):
        if man:
            bit = U(1 << square)
            W[at + int(man.islower())] |= bit
            W[at + int(STATE.pawns) + KINDS.index(man.upper())] |= bit
    W[at + int(STATE.clock)] = U(clock)
    W[at + int(STATE.ply)] = U(2 * (max(move, 1) - 1) + side)
    king = U(men.of("kK"[side])[0])  # of the side that has moved
    if attackers(W, U(at), king, W[at] | W[at + 1], U(side)):
        raise Refused(f"{place}: the side that has moved is in check")
    W[at + int(STATE.castling)] = U(
        sum(1 << rook for rook in rooks_of(fields[2], men, freely, place))
    )
    if fields[3] != "-":
        target = U(1 << passant_of(fields[3], men, side, place))
        if en_passant(W, U(at), target, U(side)):
            W[at + int(STATE.passant)] = target


def read_men(text: str, place: str) -> Men:
    """Return the board of a FEN's first field."""
    rows = text.split("/")
    if len(rows) != 8:
        raise Refused(f"{place}: {len(rows)} ranks; a board has 8")
    on: list[str] = []
    for rank, row in zip(range(8, 0, -1), rows, strict=True):
        squares: list[str] = []
        for sign in row:
            if sign not in "12345678" and sign.upper() not in KINDS:
                raise Refused(f"{place}: {sign!r} on rank {rank}; allowed: PNBRQK pnbrqk 1-8")
            squares += [""] * int(sign) if sign in "12345678" else [sign]
        if len(squares) != 8:
            raise Refused(f"{place}: rank {rank} has {len(squares)} squares; allowed: 8")
        on = squares + on
    return Men(on)


def side_of(text: str, place: str) -> int:
    """Return the side to move, 0 or 1."""
    if text not in tuple(SIDES):
        raise Refused(f"{place}: who is to move? {text!r}; allowed: w or b")
    return SIDES.index(text)


def check_men(men: Men, place: str) -> None:
    """Raise Refused for men that no game of chess can have."""
    for name, kinds in (("White", KINDS), ("Black", KINDS.lower())):
        counts = {kind.upper(): len(men.of(kind)) for kind in kinds}
        if counts["K"] != 1:
            raise Refused(f"{place}: {name} has {counts['K']} kings; allowed: 1")
        if sum(counts.values()) > 16:
            raise Refused(f"{place}: {name} has {sum(counts.values())} men; allowed: up to 16")
        more = sum(max(0, counts[kind] - most) for kind, most in AT_START.items())
        missing = AT_START["P"] - counts["P"]
        if more > missing:
            raise Refused(
                f"{place}: {name} has {more} men more than at the start and lacks {missing} pawns"
            )
    if any(man in ("P", "p") for man in men.on[:8] + men.on[56:]):
        raise Refused(f"{place}: a pawn stands on the first or the last rank")


def number(given: list[str], usual: int, most: int, name: str, place: str) -> int:
    """Return a number of a FEN, or the usual one where it is left out."""
    text = given[0] if given else str(usual)
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) <= most):
        raise Refused(f"{place}: {name}: {text!r}; allowed: 0 to {most}")
    return int(text)


def rooks_of(text: str, men: Men, freely: bool, place: str) -> set[int]:
    """Return the squares of the rooks that may castle: at most one on either side of each king."""
    rooks = {rook_of(letter, men, freely, place) for letter in text} if text != "-" else set()
    kings = men.of("K") + men.of("k")
    ways = {(rook // 8, rook > king) for rook in rooks for king in kings if rook // 8 == king // 8}
    if len(ways) < len(rooks):
        raise Refused(f"{place}: castling {text!r}: two rooks on one side of their king")
    return rooks


def rook_of(letter: str, men: Men, freely: bool, place: str) -> int:
    """Return the square of the rook that a letter of the castling rights means."""
    white = letter.isupper()
    first, king = (0, men.of("K")[0]) if white else (56, men.of("k")[0])
    name, rook = ("White", "R") if white else ("Black", "r")
    wrong = f"{place}: castling {letter!r}: {name} has no king and rook for it"
    if not first <= king < first + 8:
        raise Refused(wrong)
    rooks = [square for square in range(first, first + 8) if men.on[square] == rook]
    sign, meant = letter.upper(), -1
    if sign == "K" and rooks and rooks[-1] > king:
        meant = rooks[-1]
    elif sign == "Q" and rooks and rooks[0] < king:
        meant = rooks[0]
    elif sign.lower() in FILES and first + FILES.index(sign.lower()) in rooks:
        meant = first + FILES.index(sign.lower())
    elif sign not in "KQ" and sign.lower() not in FILES:
        raise Refused(f"{place}: castling {letter!r}; allowed: KQkq, files as HAha, or -")
    if meant < 0:
        raise Refused(wrong)
    if not freely and (king != first + 4 or meant not in (first, first + 7)):
        raise Refused(f"{wrong} on their first squares; chess[chess960=on] has room for it")
    return meant


def passant_of(text: str, men: Men, side: int, place: str) -> int:
    """Return the square of en passant; raise Refused where no pawn can have gone two squares."""
    target, step = square_of(text), 8 if side == 0 else -8
    if target is None or target // 8 != (5 if side == 0 else 2):
        raise Refused(
            f"{place}: en passant {text!r}; allowed: a square of rank {6 - 3 * side}, or -"
        )
    pawn = "p" if side == 0 else "P"
    if men.on[target] or men.on[target + step] or men.on[target - step] != pawn:
        raise Refused(f"{place}: en passant {text}: no pawn can just have gone two squares there")
    return target
