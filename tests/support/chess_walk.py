"""Counts the lines of chess of so many plies by making every move, and looks at every position reached."""

from __future__ import annotations

import numpy as np

from joute.engines.games.chess.moves import KING, PAWNS, PLY, WHITE, attackers
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.position import Position

ONE, SLOTS = U(1), U(256)


def sound_kernel() -> Kernel:
    """Return `sound(W, at)`: each man is of one kind and side, each side has a king, none is left en prise."""

    @kernel("b1(u8[::1], u8)")
    def sound(W, at):
        white, black, men, count = W[at + WHITE], W[at + WHITE + ONE], U(0), np.int64(0)
        for k in range(6):
            men |= W[at + PAWNS + U(k)]
            count += popcount(W[at + PAWNS + U(k)])
        side = W[at + PLY] & ONE
        kings = W[at + KING]
        if white & black or white | black != men or count != popcount(men):
            return False
        if popcount(kings & white) != 1 or popcount(kings & black) != 1:
            return False
        king = lowest(kings & W[at + WHITE + ONE - side])
        return attackers(W, at, king, men, side) == U(0)

    return sound


def walk_kernel(position: Position) -> Kernel:
    """Return `walk(W, at, A, left, depth)`: how many sound positions lie so many plies on."""
    k, words, sound = position.game.rules, U(position.game.words), sound_kernel()
    apply, actions, legal = k.apply, k.actions, k.is_legal

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], u8)", inline=False)
    def walk(W, at, A, left, depth):
        total, d = np.int64(0), U(0)
        left[d] = actions(W, at, A, d)
        while True:
            if left[d] == 0:
                if d == U(0):
                    return total
                d -= ONE
                continue
            left[d] -= 1
            here, action = at + d * words, A[d * SLOTS + U(left[d])]
            apply(W, here, here + words, action, 0)
            if not legal(W, here, action) or not sound(W, here + words):
                continue
            if d + ONE == depth:
                total += 1
                continue
            d += ONE
            left[d] = actions(W, here + words, A, d * SLOTS)

    return walk


def walked(position: Position, depth: int) -> int:
    """Return how many sound positions lie so many plies beyond a position, each counted by its line."""
    words = position.game.words
    W, A = np.zeros((depth + 2) * words, np.uint64), np.zeros((depth + 1) * 256, np.int64)
    W[:words] = position.words()
    left = np.zeros(depth + 1, np.int64)
    return int(walk_kernel(position)(W, 0, A, left, depth))
