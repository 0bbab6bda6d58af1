"""A Tron player whom no other can reach any more: shared by the endings `fill` and `walk`.

Once the cells within reach touch no other head, the number of cells that the player can cover
decides: a longest path, which is hard in general. A walk that reaches the bound is followed to its
end; any other is searched again at every turn, the rest of the last walk being the one to beat.
"""

from __future__ import annotations

import numpy as np

from joute.engines.games.tron.rooms import add, has, next_to
from joute.engines.games.tron.territory import DARK, beside, walk_from
from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel

# In M: work done, plies left, the most work allowed, length of the walk known, who was alive, and
# whether it is as long as can be; then the walk.
WORK, LEFT, MOST, LENGTH, ALIVE, SURE, WALK = (U(i) for i in range(7))

WHOLE = U(1 << 32)  # of the cells within reach: all are counted
NEVER = np.int64(1 << 16)  # more than any walk


class Boards:
    """Where the open cells and those within reach lie in W, behind the state; the rest from `end` on.

    A board has an empty word on either side; a cell's number there is 64 higher.
    """

    def __init__(self, game: Tron) -> None:
        self.opened = game.words
        self.reached = self.opened + game.parts + 2
        self.end = self.reached + 2 * (game.parts + 2)


@kernel("i8(u8, u8)")
def bound_of(cell, counts):
    """Return the longest walk from a cell through so many cells, at most: `counts` as `reach` has them."""
    return walk_from(cell, np.int64(counts & U(0xFFFF)), np.int64((counts >> U(16)) & U(0xFFFF)))


def reach_kernel(game: Tron) -> Kernel:
    """Return `reach(W, cell, enough) -> counts`: the open cells within reach of a cell, on their board.

    Counts are the cells, those with x + y even from bit 16 on, and bit 32, `WHOLE`. Where the bound of
    a walk is beyond `enough` before all cells are found, the search ends there without that bit.
    """
    parts = game.parts
    boards = Boards(game)
    opened, reached = U(boards.opened), U(boards.reached)

    @kernel("u8(u8[::1], u8, i8)")
    def reach(W, cell, enough):
        for i in range(parts + 2):
            W[reached + U(i)] = U(0)
        counts, each = U(0), ONE  # neighbours have the other colour
        if not (DARK >> (cell & U(63))) & ONE:
            each |= U(1 << 16)
        for way in range(4):
            c = next_to(cell, U(way))
            if has(W, opened, c):
                add(W, reached, c)
                counts += each
        low = max(cell >> U(6), U(2)) - ONE
        high = min((cell >> U(6)) + ONE, U(parts))
        while True:
            grown = False
            first, last, k = low, high, low
            while k <= high:
                word = W[reached + k]
                spread = beside(W[reached + k - ONE], word, W[reached + k + ONE])
                new = spread & W[opened + k] & ~word
                if new:
                    W[reached + k] = word | new
                    counts += U(popcount(new)) + (U(popcount(new & DARK)) << U(16))
                    grown = True
                    if k == low and low > ONE:
                        first = low - ONE
                    if k == high and high < U(parts):
                        last = high + ONE
                k += ONE
            if not grown:
                return counts | WHOLE
            if bound_of(cell, counts) > enough:
                return counts
            low, high = first, last

    return reach


@kernel("b1(u8[::1], u8, u8)")
def joined(W, opened, cell):
    """Whether the open neighbours of a cell, if any, are all joined by open cells beside it.

    Then whatever can be reached from one of them can be reached from all.
    """
    above, below = cell - U(32), cell + U(32)
    up, down = has(W, opened, above), has(W, opened, below)
    left, right = has(W, opened, cell - ONE), has(W, opened, cell + ONE)
    # Neighbours, clockwise, that are not joined to the next one by the corner between them.
    ends = np.int64(up and not (right and has(W, opened, above + ONE)))
    ends += np.int64(right and not (down and has(W, opened, below + ONE)))
    ends += np.int64(down and not (left and has(W, opened, below - ONE)))
    ends += np.int64(left and not (up and has(W, opened, above - ONE)))
    return ends <= 1


def choose_kernel(game: Tron, search: Kernel) -> Kernel:
    """Return `choose(W, at, M, S, P)`; see engines/ending.py.

    `search(W, M, S, P, root, bound) -> length` improves the walk of M from the head `root`, of at
    most `bound` cells, over the boards of `Boards`, and tells its work in M.
    """
    players, parts, boards = game.players, game.parts, Boards(game)
    heads, meta = game.state.heads, game.state.meta
    open_at, reach_at = U(boards.opened), U(boards.reached)
    reach = reach_kernel(game)

    @kernel("i8(u8[::1], u8, i8[::1], u8[::1], f8[::1])", inline=False)
    def choose(W, at, M, S, P):
        mover = W[at + meta] & U(15)
        head = (W[at + heads] >> (U(16) * mover)) & NOWHERE
        root, alive = head + U(64), (W[at + meta] >> U(4)) & U(15)
        W[open_at], W[open_at + U(parts + 1)] = U(0), U(0)
        for k in range(parts):
            W[open_at + U(k + 1)] = ~W[at + U(k)]
        bound = bound_of(root, reach(W, root, NEVER))
        M[WORK] = 0
        if bound == 0:
            M[LENGTH] = 0
            return np.int64(-1)
        for p in range(players):
            if U(p) != mover and (alive >> U(p)) & ONE:
                other = ((W[at + heads] >> (U(16) * U(p))) & NOWHERE) + U(64)
                for way in range(4):
                    if has(W, reach_at, next_to(other, U(way))):
                        M[LENGTH] = 0
                        return np.int64(-1)
        # The rest of the walk known, if it still holds.
        if M[LENGTH] > 1 and M[WALK] == np.int64(root) and M[ALIVE] == np.int64(alive):
            for i in range(M[LENGTH] - 1):
                M[WALK + U(i)] = M[WALK + U(i + 1)]
            M[LENGTH] -= 1
        else:
            M[LENGTH], M[SURE] = 0, 0
        M[ALIVE] = np.int64(alive)
        if M[SURE] == 0:
            M[LENGTH] = search(W, M, S, P, root, bound)
            M[SURE] = np.int64(M[LENGTH] >= bound)
        M[LEFT] = M[LENGTH]
        first = U(M[WALK])
        for action in range(4):
            if next_to(root, U(action)) == first:
                return np.int64(action)
        return np.int64(-1)

    return choose
