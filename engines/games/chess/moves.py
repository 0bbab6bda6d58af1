"""Legal moves of chess as kernels.

A move is the action to | from << 6 | promotion << 12 (1 knight, 2 bishop, 3 rook, 4 queen). Castling is
the king's move of two squares; in Chess960 the king takes its own rook.

A king's moves are tried one by one. All others must end within `mask`, which is everything, or in check
the checker and what stands before it; and a pinned man stays on its line. So a move listed here is legal,
and none is made and taken back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from joute.engines.games.chess.squares import (
    ENDS,
    KINGS,
    KNIGHTS,
    ONE,
    ahead,
    between,
    diagonals,
    line_of,
    pawn_takes,
    span,
    straights,
)
from joute.engines.kernels.bits import lowest
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, rule

STATE = State(
    "white", "black", "pawns", "knights", "bishops", "rooks", "queens", "kings", "castling",
    "passant", "clock", "before", "ply",
)  # fmt: skip
WHITE, PAWNS, KNIGHT, BISHOPS, ROOKS = (
    STATE.white, STATE.pawns, STATE.knights, STATE.bishops, STATE.rooks,
)  # fmt: skip
QUEENS, KING, CASTLING, PASSANT, PLY = (
    STATE.queens, STATE.kings, STATE.castling, STATE.passant, STATE.ply,
)  # fmt: skip
SQUARE, FROM, PROMOTION = U(63), U(6), U(12)
SECOND = U(0x00FF00000000FF00)  # where pawns stand that may go two squares
EVERYWHERE = ~U(0)


@dataclass(frozen=True)
class MoveKernels:
    """The kernels of this file that others use; see `move_kernels`."""

    actions: Kernel
    forcing: Kernel
    is_legal: Kernel
    can_move: Kernel


@kernel("u8(u8[::1], u8, u8, u8, u8)")
def attackers(W, at, square, men, side):
    """Return the men of a side that attack a square, where `men` block the lines."""
    queens = W[at + QUEENS]
    found = pawn_takes(ONE << square, ONE - side) & W[at + PAWNS]
    found |= (KNIGHTS[square] & W[at + KNIGHT]) | (KINGS[square] & W[at + KING])
    found |= diagonals(men, square) & (W[at + BISHOPS] | queens)
    found |= straights(men, square) & (W[at + ROOKS] | queens)
    return found & W[at + WHITE + side]


@kernel("u8(u8[::1], u8)")
def checkers(W, at):
    """Return the men that give check to the side to move."""
    side = W[at + PLY] & ONE
    king = lowest(W[at + KING] & W[at + WHITE + side])
    return attackers(W, at, king, W[at + WHITE] | W[at + WHITE + ONE], ONE - side)


@kernel("u8(u8[::1], u8, u8, u8)")
def pinned(W, at, king, side):
    """Return the men of a side that are pinned to their king."""
    foe, queens, pins = W[at + WHITE + ONE - side], W[at + QUEENS], U(0)
    left = diagonals(foe, king) & (W[at + BISHOPS] | queens)
    left = (left | (straights(foe, king) & (W[at + ROOKS] | queens))) & foe
    while left:
        before = between(king, lowest(left)) & W[at + WHITE + side]
        left &= left - ONE
        if before & (before - ONE) == U(0):
            pins |= before
    return pins


@kernel("u8(u8, u8)")
def mask_of(king, givers):
    """Return where a move other than the king's may end, by the men that give check."""
    if givers == U(0):
        return EVERYWHERE
    if givers & (givers - ONE):
        return U(0)
    return between(king, lowest(givers)) | givers


@kernel("u8(u8[::1], u8, u8, u8)")
def reach(W, at, square, men):
    """Return where a knight, bishop, rook or queen on a square goes, onto its own men, too."""
    bit, queens, found = ONE << square, W[at + QUEENS], U(0)
    if W[at + KNIGHT] & bit:
        return KNIGHTS[square]
    if (W[at + BISHOPS] | queens) & bit:
        found = diagonals(men, square)
    if (W[at + ROOKS] | queens) & bit:
        found |= straights(men, square)
    return found


@kernel("u8(u8[::1], u8, u8, u8, u8)")
def pawn_reach(W, at, square, men, side):
    """Return where a pawn on a square goes and takes, but for en passant."""
    bit = ONE << square
    found = ahead(bit, side) & ~men
    if found and bit & SECOND:
        found |= ahead(found, side) & ~men
    return found | (pawn_takes(bit, side) & W[at + WHITE + ONE - side])


@kernel("u8(u8[::1], u8, u8, u8)")
def king_reach(W, at, king, side):
    """Return where a king goes, but for castling."""
    men = (W[at + WHITE] | W[at + WHITE + ONE]) ^ (ONE << king)
    left, found = KINGS[king] & ~W[at + WHITE + side], U(0)
    while left:
        square = lowest(left)
        left &= left - ONE
        if attackers(W, at, square, men, ONE - side) == U(0):
            found |= ONE << square
    return found


@kernel("u8(u8[::1], u8, u8, u8)")
def en_passant(W, at, target, side):
    """Return the pawns of a side that may legally take en passant, onto the set `target` of one square."""
    king = lowest(W[at + KING] & W[at + WHITE + side])
    left = pawn_takes(target, ONE - side) & W[at + PAWNS] & W[at + WHITE + side]
    taken, found = ahead(target, ONE - side), U(0)
    while left:
        bit = left & (~left + ONE)
        left ^= bit
        men = (W[at + WHITE] | W[at + WHITE + ONE]) ^ (bit | target | taken)
        if attackers(W, at, king, men, ONE - side) & ~taken == U(0):
            found |= bit
    return found


@kernel("u8(u8[::1], u8, u8)")
def castles(W, at, side):
    """Return the rooks with which a side that is not in check may castle."""
    own, found = W[at + WHITE + side], U(0)
    left, men = W[at + CASTLING] & own, W[at + WHITE] | W[at + WHITE + ONE]
    king = lowest(W[at + KING] & own)
    while left:
        rook = lowest(left)
        left &= left - ONE
        rank, two = king & U(56), (ONE << king) | (ONE << rook)
        king_to, rook_to = rank + U(6), rank + U(5)
        if rook < king:
            king_to, rook_to = rank + U(2), rank + U(3)
        safe = (span(king, king_to) | span(rook, rook_to)) & men & ~two == U(0)
        way = span(king, king_to) & ~((ONE << king) | (ONE << king_to))
        while safe and way:
            safe = attackers(W, at, lowest(way), men ^ (ONE << king), ONE - side) == U(0)
            way &= way - ONE
        after = (men ^ two) | (ONE << rook_to)
        if safe and attackers(W, at, king_to, after, ONE - side) == U(0):
            found |= ONE << rook
    return found


@kernel("u8(u8[::1], u8, u8)")
def worth(W, at, square):
    """Return the rank of the man on a square: 0 none, 1 pawn to 5 queen, 6 king."""
    rank = (W[at + PAWNS] >> square) & ONE
    for kind in range(1, 6):
        rank += U(kind + 1) * ((W[at + PAWNS + U(kind)] >> square) & ONE)
    return rank


@kernel("void(u8[::1], u8, i8[::1], u8, u8)")
def by_victim(W, at, A, first, end):
    """Sort moves: what they take and promote to, more first; then the man that takes, less first."""
    k = first
    while k < end:
        action = U(A[k])
        gain = worth(W, at, action & SQUARE) + (action >> PROMOTION)
        order = (gain << U(24)) - (worth(W, at, (action >> FROM) & SQUARE) << U(16))
        ranked, j = np.int64(order + (U(16) << U(24)) + action), k
        while j > first and A[j - ONE] < ranked:
            A[j] = A[j - ONE]
            j -= ONE
        A[j] = ranked
        k += ONE
    while k > first:
        k -= ONE
        A[k] &= np.int64(0x7FFF)


def move_kernels(freely: bool) -> MoveKernels:
    """Return the kernels of the contract that are about moves, for Chess960 (`freely`) or chess."""

    @kernel("u8(u8, u8)")
    def castling_end(king, rook):
        # The square that names castling: the rook's, or where the king goes.
        if freely:
            return rook
        return (king & U(56)) + (U(2) if rook < king else U(6))

    @kernel("Tuple((u8, u8))(i8[::1], u8, u8, u8, u8, u8, b1)")
    def put(A, n, forcing, origin, ends, promoting, loud):
        # Writes moves from one square, loud ones before all quiet ones: `forcing` is the end of those.
        while ends:
            action = np.int64(lowest(ends) | (origin << FROM) | (promoting << PROMOTION))
            ends &= ends - ONE
            A[n] = action
            if loud:
                A[n] = A[forcing]
                A[forcing] = action
                forcing += ONE
            n += ONE
        return n, forcing

    @kernel("Tuple((u8, u8))(u8[::1], u8, i8[::1], u8, u8, u8, u8, u8, u8, b1)")
    def put_pawns(W, at, A, n, forcing, king, mask, pins, side, quiets):
        foe, men = W[at + WHITE + ONE - side], W[at + WHITE] | W[at + WHITE + ONE]
        left = W[at + PAWNS] & W[at + WHITE + side]
        while left:
            pawn = lowest(left)
            left &= left - ONE
            ends = pawn_reach(W, at, pawn, men, side) & mask
            if pins & (ONE << pawn):
                ends &= line_of(king, pawn)
            last = ends & ENDS
            if last:
                n, forcing = put(A, n, forcing, pawn, last, U(4), True)
                if quiets:
                    for kind in range(3):
                        n, forcing = put(A, n, forcing, pawn, last, U(1 + kind), False)
                ends &= ~ENDS
            n, forcing = put(A, n, forcing, pawn, ends & foe, U(0), True)
            if quiets:
                n, forcing = put(A, n, forcing, pawn, ends & ~foe, U(0), False)
        target = W[at + PASSANT]
        if target:
            left = en_passant(W, at, target, side)
            while left:
                n, forcing = put(A, n, forcing, lowest(left), target, U(0), True)
                left &= left - ONE
        return n, forcing

    @kernel("i8(u8[::1], u8, i8[::1], u8, u8, b1)")
    def listed(W, at, A, to, givers, quiets):
        # Writes all moves, or captures and promotions to queens alone; loud ones first.
        side = W[at + PLY] & ONE
        own, foe = W[at + WHITE + side], W[at + WHITE + ONE - side]
        men, king = own | foe, lowest(W[at + KING] & own)
        mask, pins = mask_of(king, givers), pinned(W, at, king, side)
        n, forcing = to, to
        if quiets and givers == U(0) and W[at + CASTLING] & own:
            left = castles(W, at, side)
            while left:
                end = castling_end(king, lowest(left))
                n, forcing = put(A, n, forcing, king, ONE << end, U(0), False)
                left &= left - ONE
        if mask:
            left = own & ~(W[at + PAWNS] | W[at + KING])
            while left:
                man = lowest(left)
                left &= left - ONE
                ends = reach(W, at, man, men) & ~own & mask
                if pins & (ONE << man):
                    ends &= line_of(king, man)
                n, forcing = put(A, n, forcing, man, ends & foe, U(0), True)
                if quiets:
                    n, forcing = put(A, n, forcing, man, ends & ~foe, U(0), False)
            n, forcing = put_pawns(W, at, A, n, forcing, king, mask, pins, side, quiets)
        if quiets or KINGS[king] & foe:
            ends = king_reach(W, at, king, side)
            n, forcing = put(A, n, forcing, king, ends & foe, U(0), True)
            if quiets:
                n, forcing = put(A, n, forcing, king, ends & ~foe, U(0), False)
        by_victim(W, at, A, to, forcing)
        return np.int64(n - to)

    @rule
    def actions(W, at, A, to):
        return listed(W, at, A, to, checkers(W, at), True)

    @rule
    def forcing(W, at, A, to):
        givers = checkers(W, at)
        if givers:
            return -listed(W, at, A, to, givers, True)
        return listed(W, at, A, to, givers, False)

    @kernel("u8(u8[::1], u8, u8, u8, u8, u8, u8)")
    def ends_of(W, at, square, king, mask, pins, side):
        # Where the man on a square may go, but for castling.
        bit, own = ONE << square, W[at + WHITE + side]
        men = W[at + WHITE] | W[at + WHITE + ONE]
        if square == king:
            return king_reach(W, at, king, side)
        taking = U(0)
        if W[at + PAWNS] & bit:
            ends, target = pawn_reach(W, at, square, men, side), W[at + PASSANT]
            if target and en_passant(W, at, target, side) & bit:
                taking = target
        else:
            ends = reach(W, at, square, men)
        ends &= ~own & mask
        if pins & bit:
            ends &= line_of(king, square)
        return ends | taking

    @rule
    def is_legal(W, at, action):
        if action < 0 or action >= 5 << 12:
            return False
        side = W[at + PLY] & ONE
        end, square = U(action) & SQUARE, (U(action) >> FROM) & SQUARE
        promoting, bit, own = U(action) >> PROMOTION, ONE << square, W[at + WHITE + side]
        if own & bit == U(0):
            return False
        rises = W[at + PAWNS] & bit != U(0) and (ONE << end) & ENDS != U(0)
        if rises != (promoting != U(0)):
            return False
        king, givers = lowest(W[at + KING] & own), checkers(W, at)
        ends = ends_of(W, at, square, king, mask_of(king, givers), pinned(W, at, king, side), side)
        if square == king and givers == U(0):
            left = castles(W, at, side)
            while left:
                ends |= ONE << castling_end(king, lowest(left))
                left &= left - ONE
        return (ends >> end) & ONE == ONE

    @kernel("b1(u8[::1], u8, u8)")
    def can_move(W, at, givers):
        # Whether the side to move has a legal move; `givers` give it check.
        side = W[at + PLY] & ONE
        own, men = W[at + WHITE + side], W[at + WHITE] | W[at + WHITE + ONE]
        king = lowest(W[at + KING] & own)
        mask, pins = mask_of(king, givers), pinned(W, at, king, side)
        if ahead(W[at + PAWNS] & own & ~pins, side) & ~men & mask:
            return True
        left = own
        while left:
            square = lowest(left)
            left &= left - ONE
            if ends_of(W, at, square, king, mask, pins, side):
                return True
        return givers == U(0) and castles(W, at, side) != U(0)

    return MoveKernels(actions, forcing, is_legal, can_move)
