"""Sets of pawns: open files, passed, doubled and isolated pawns, as kernels."""

from __future__ import annotations

from joute.engines.games.chess.squares import EIGHT, FILE_A, FILE_H, ONE
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import U, kernel

# The squares of the ranks whose number, 0 to 7, has its first, second, third bit.
UNITS, TWOS, FOURS = (
    U(sum(0xFF << 8 * rank for rank in range(8) if rank >> k & 1)) for k in range(3)
)


@kernel("u8(u8, u8)")
def in_front(squares, side):
    """Return all squares before these on their files, as a side sees them."""
    if side:
        squares = squares >> EIGHT
        squares |= squares >> EIGHT
        squares |= squares >> U(16)
        return squares | (squares >> U(32))
    squares = squares << EIGHT
    squares |= squares << EIGHT
    squares |= squares << U(16)
    return squares | (squares << U(32))


@kernel("u8(u8)")
def files_of(squares):
    """Return the whole files of these squares."""
    return squares | in_front(squares, U(0)) | in_front(squares, ONE)


@kernel("u8(u8)")
def beside(squares):
    """Return the squares next to these on their ranks."""
    return ((squares & ~FILE_H) << ONE) | ((squares & ~FILE_A) >> ONE)


@kernel("u8(u8, u8, u8)")
def passed(own, foe, side):
    """Return the own pawns that no pawn of the other side can stop or take on their way."""
    stopped = in_front(foe, ONE - side)
    return own & ~(stopped | beside(stopped) | in_front(own, ONE - side))


@kernel("u8(u8, u8)")
def doubled(own, side):
    """Return the pawns behind another of their side."""
    return own & in_front(own, ONE - side)


@kernel("u8(u8)")
def isolated(own):
    """Return the pawns without another of their side on a file beside theirs."""
    return own & ~beside(files_of(own))


@kernel("i8(u8, u8)")
def ranks_of(squares, side):
    """Return the ranks of these squares in all, each 0 to 7 as a side counts them."""
    total = popcount(squares & UNITS) + 2 * popcount(squares & TWOS)
    total += 4 * popcount(squares & FOURS)
    return 7 * popcount(squares) - total if side else total
