"""The rules of chess beyond single moves, as kernels: what a move makes, when a game is over, the key.

State (`moves.STATE`): the squares of both sides and of each kind of man, the rooks that may still castle
(`castling`), the square on which a pawn may legally be taken en passant (`passant`, one bit), the plies
since a capture or a pawn's move (`clock`), how many states of the line lie before this one (`before`),
and the plies by the text's move number (`ply`, even: White moves). Only the end of a game looks back:
a position that occurs for the third time.
"""

from __future__ import annotations

import numpy as np

from joute.engines.games.chess.moves import (
    BISHOPS,
    CASTLING,
    FROM,
    KING,
    KNIGHT,
    PASSANT,
    PAWNS,
    PLY,
    PROMOTION,
    QUEENS,
    ROOKS,
    SECOND,
    SQUARE,
    STATE,
    WHITE,
    checkers,
    en_passant,
    move_kernels,
)
from joute.engines.games.chess.squares import ONE, TWO, ahead, pawn_takes
from joute.engines.kernels.bits import lowest, mix
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.contract import rule

CLOCK, BEFORE = STATE.clock, STATE.before
KINDS = 6
FIFTY = 100  # plies without a capture or a pawn's move that end a game
DRAWN = 3
DARK = U(0xAA55AA55AA55AA55)


@kernel("u8(u8[::1], u8, u8, i8)")
def occurrences(W, at, stride, enough):
    """Return how often this position has occurred before in the line, at most `enough` times.

    The same position has the same side to move, men, castling rights and legal en passant. A move
    that winds the clock back can never be undone.
    """
    count, found = min(W[at + CLOCK], W[at + BEFORE]), U(0)
    back = U(4)
    while back <= count and found < U(enough):
        then, k = at - back * stride, U(0)
        while k <= PASSANT and W[then + k] == W[at + k]:
            k += ONE
        found += ONE if k > PASSANT else U(0)
        back += TWO
    return found


@kernel("b1(u8[::1], u8)")
def is_dead(W, at):
    """Whether no moves can lead to mate: a lone minor piece, or bishops of one colour of squares only."""
    if W[at + PAWNS] | W[at + ROOKS] | W[at + QUEENS]:
        return False
    knights, bishops = W[at + KNIGHT], W[at + BISHOPS]
    if knights:
        return bishops == U(0) and knights & (knights - ONE) == U(0)
    return bishops & DARK == U(0) or bishops & ~DARK == U(0)


def rule_kernels(freely: bool, most: int, start_words: Words, stride: int) -> list[Kernel]:
    """Return the kernels of chess or Chess960 (`freely`), drawn after `most` plies, which starts from
    `start_words`, in states `stride` words apart.
    """
    moves, words, step = move_kernels(freely), STATE.size, U(stride)
    can_move = moves.can_move

    @rule
    def start(W, at):
        for i in range(words):
            W[at + U(i)] = start_words[U(i)]

    @kernel("void(u8[::1], u8, u8, u8, u8, u8)")
    def castle(W, src, dst, king, end, side):
        # In Chess960 `end` is the rook's square, else the king's new one.
        right, rank = end > king, king & U(56)
        rook = end
        if not freely:
            rook = W[src + CASTLING] & W[src + WHITE + side]
            rook = lowest(rook & ~((ONE << king) - ONE)) if right else lowest(rook)
        king_to, rook_to = (rank + U(6), rank + U(5)) if right else (rank + U(2), rank + U(3))
        for k in range(KINDS + 2):
            W[dst + U(k)] = W[src + U(k)]
        two, both = (ONE << king) | (ONE << rook), (ONE << king_to) | (ONE << rook_to)
        W[dst + WHITE + side] = (W[src + WHITE + side] & ~two) | both
        W[dst + KING] = (W[src + KING] & ~(ONE << king)) | (ONE << king_to)
        W[dst + ROOKS] = (W[src + ROOKS] & ~(ONE << rook)) | (ONE << rook_to)

    @rule
    def apply(W, src, dst, action, outcome):
        side, end, begin = W[src + PLY] & ONE, U(action) & SQUARE, (U(action) >> FROM) & SQUARE
        to, of = ONE << end, ONE << begin
        rights = W[src + CASTLING]
        W[dst + BEFORE], W[dst + PASSANT] = W[src + BEFORE] + ONE, U(0)
        if W[src + KING] & of:
            castling = W[src + WHITE + side] & to != U(0)
            if not freely:
                castling = begin + TWO == end or end + TWO == begin
            if castling:
                castle(W, src, dst, begin, end, side)
                W[dst + CASTLING] = rights & ~W[src + WHITE + side]
                W[dst + CLOCK] = W[src + CLOCK] + ONE
                return
            rights &= ~W[src + WHITE + side]
        W[dst + CASTLING] = rights & ~(of | to)
        taken = W[src + WHITE + ONE - side] & to
        for k in range(KINDS):
            men = W[src + PAWNS + U(k)]
            W[dst + PAWNS + U(k)] = (men & ~(of | to)) | (((men >> begin) & ONE) << end)
        W[dst + WHITE + side] = W[src + WHITE + side] ^ (of | to)
        W[dst + WHITE + ONE - side] = W[src + WHITE + ONE - side] & ~to
        W[dst + CLOCK] = U(0) if taken else W[src + CLOCK] + ONE
        if W[src + PAWNS] & of:
            W[dst + CLOCK] = U(0)
            promoted = U(action) >> PROMOTION
            if promoted:
                W[dst + PAWNS] ^= to
                W[dst + PAWNS + promoted] |= to
            elif to == W[src + PASSANT]:
                behind = ahead(to, ONE - side)
                W[dst + PAWNS] ^= behind
                W[dst + WHITE + ONE - side] ^= behind
            elif (of & SECOND) != U(0) and (begin + U(16) == end or end + U(16) == begin):
                over = ahead(of, side)
                beside = pawn_takes(over, side) & W[dst + PAWNS] & W[dst + WHITE + ONE - side]
                if beside and en_passant(W, dst, over, ONE - side):
                    W[dst + PASSANT] = over

    @rule
    def skip(W, src, dst):
        side = W[src + PLY] & ONE
        men = W[src + WHITE + side] & ~(W[src + PAWNS] | W[src + KING])
        if men == U(0) or checkers(W, src):  # with pawns alone to have to move is often a loss
            return False
        for i in range(words):
            W[dst + U(i)] = W[src + U(i)]
        W[dst + PASSANT], W[dst + CLOCK] = U(0), U(0)  # no position before can occur again
        W[dst + BEFORE], W[dst + PLY] = W[src + BEFORE] + ONE, W[src + PLY] + ONE
        return can_move(W, dst, U(0))  # else to pass is to stalemate

    @rule
    def status(W, at):
        givers = checkers(W, at)
        if not can_move(W, at, givers):
            if givers:
                return np.int64(TWO - (W[at + PLY] & ONE))
            return np.int64(DRAWN)
        if W[at + CLOCK] >= U(FIFTY) or W[at + BEFORE] >= U(most) or is_dead(W, at):
            return np.int64(DRAWN)
        if occurrences(W, at, step, 2) == TWO:
            return np.int64(DRAWN)
        return np.int64(0)

    @rule
    def repeats(W, at):
        if W[at + CLOCK] >= U(FIFTY) or W[at + BEFORE] >= U(most):
            return True
        return occurrences(W, at, step, 1) != U(0)

    @rule
    def key(W, at):
        h = W[at + PLY] & ONE
        for k in range(KINDS + 1):
            h = mix(h, W[at + WHITE + U(k)])
        return mix(mix(h, W[at + CASTLING] | W[at + PASSANT]), U(0))

    return [start, apply, skip, status, repeats, key, moves.actions, moves.forcing, moves.is_legal]
