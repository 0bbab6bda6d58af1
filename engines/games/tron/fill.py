"""`fill`: the longest walk of a Tron player whom no other can reach any more.

Once the cells within reach touch no other head, the number of cells that the player can cover
decides: a longest path, which is hard in general. A depth-first search tries the neighbour with the
fewest ways on first (Warnsdorff's rule, ties at random), drops a branch whose remaining cells,
capped by the colours of the chequerboard, cannot beat the best walk so far, and begins anew
`fill_restarts` times within `fill_nodes` nodes. A walk that reaches the bound is followed to its
end; any other is searched again at every turn, the rest of the last walk being the one to beat.
Source of the idea: the bot of docs/tron.md.
"""

from __future__ import annotations

import numpy as np

from joute.engines.ending import Ending
from joute.engines.game import Game
from joute.engines.games.tron.alone import (
    LENGTH,
    MOST,
    WALK,
    WHOLE,
    WORK,
    Boards,
    bound_of,
    choose_kernel,
    joined,
    reach_kernel,
)
from joute.engines.games.tron.rooms import has, next_to
from joute.engines.games.tron.territory import DARK
from joute.engines.games.tron.tron import ONE, Tron
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter


class Fill(Ending):
    """Plays for the most cells when no other player can come near."""

    name = "fill"
    summary = "Tron: the longest walk once no other player can come near"
    games = ("tron",)
    work = "fill_nodes"
    parameters = (
        Parameter(
            "fill_restarts",
            "int",
            4,
            1,
            1000,
            meaning="restarts of the search for a walk",
            source="the bot of docs/tron.md restarts until the bound or the end of its time",
        ),
        Parameter(
            "fill_nodes",
            "int",
            4000,
            10,
            10_000_000,
            log=True,
            meaning="cells tried per turn, over all restarts (about 3,000 per millisecond)",
        ),
    )

    def memory(self, game: Game) -> int:
        """Return the room for a walk, a path and the boards."""
        assert isinstance(game, Tron)
        return int(WALK) + 3 * 64 * (game.parts + 2) + 4 * (game.parts + 2)

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return `choose`."""
        assert isinstance(game, Tron)
        return [choose_kernel(game, search_kernel(game, places(self.parameters, base)))]


def order_kernel(open_at: int) -> Kernel:
    """Return `order(W, cell, S) -> ways`: the open neighbours of a cell, fewest ways on first.

    Packs the ways (0 to 3) in three bits each, from the lowest on, and ends with 7; equals come in
    random order.
    """
    opened = U(open_at)

    @kernel("u8(u8[::1], u8, u8[::1])")
    def order(W, cell, S):
        keys = U(0)  # a byte a way: how many ways on, then two random bits, then the way
        n = U(0)
        for way in range(4):
            c = next_to(cell, U(way))
            if not has(W, opened, c):
                continue
            on = U(0)
            for turn in range(4):
                if has(W, opened, next_to(c, U(turn))):
                    on += ONE
            key = (on << U(4)) | (below(S, U(4)) << U(2)) | U(way)
            # Insert into the sorted bytes.
            place = n
            while place > U(0) and ((keys >> (U(8) * (place - ONE))) & U(255)) > key:
                place -= ONE
            under = keys & ((ONE << (U(8) * place)) - ONE)
            over = keys >> (U(8) * place)
            keys = under | (key << (U(8) * place)) | (over << (U(8) * (place + ONE)))
            n += ONE
        ways, i = U(7) << (U(3) * n), U(0)
        while i < n:
            ways |= ((keys >> (U(8) * i)) & U(3)) << (U(3) * i)
            i += ONE
        return ways

    return order


def search_kernel(game: Tron, at: Offsets) -> Kernel:
    """Return `search(W, M, S, P, root, bound) -> length`: improve the walk of M; see alone.py."""
    room, boards = U(64 * (game.parts + 2)), Boards(game)
    opened = boards.opened
    reach, order = reach_kernel(game), order_kernel(opened)
    open_at = U(opened)
    ways_at, path, walk = U(boards.end), WALK + room, WALK
    # Of each cell of the path: the cells within reach, or 0 where they may lie in several parts.
    counts_at = ways_at + room
    restarts, budget = at.fill_restarts, at.fill_nodes

    @kernel("i8(u8[::1], i8[::1], u8[::1], f8[::1], u8, i8)")
    def search(W, M, S, P, root, bound):
        longest, nodes = M[LENGTH], np.int64(0)
        runs, most = np.int64(P[restarts]), np.int64(P[budget])
        if M[MOST] > 0:
            most = min(most, M[MOST])
        for run in range(runs):
            stop = nodes + (most - nodes) // (runs - run)
            depth = U(0)
            cell = root
            W[ways_at], W[counts_at] = order(W, cell, S), U(0)
            while nodes < stop and longest < bound:
                way = W[ways_at + depth] & U(7)
                if way == U(7):
                    if depth == U(0):
                        break
                    W[open_at + (cell >> U(6))] |= ONE << (cell & U(63))
                    depth -= ONE
                    cell = U(M[path + depth - ONE]) if depth else root
                    continue
                W[ways_at + depth] >>= U(3)
                nodes += 1
                cell = next_to(cell, way)
                W[open_at + (cell >> U(6))] &= ~(ONE << (cell & U(63)))
                M[path + depth] = np.int64(cell)
                depth += ONE
                if np.int64(depth) > longest:
                    longest = np.int64(depth)
                    for i in range(longest):
                        M[walk + U(i)] = M[path + U(i)]
                # If this cell cuts nothing off, all that the last one could reach but for this one.
                enough, whole = longest - np.int64(depth), joined(W, open_at, cell)
                counts = W[counts_at + depth - ONE] if whole else U(0)
                if counts:
                    counts -= ONE | (((DARK >> (cell & U(63))) & ONE) << U(16))
                if counts == U(0) or (not counts & WHOLE and bound_of(cell, counts) <= enough):
                    counts = reach(W, cell, enough)
                W[counts_at + depth] = counts if whole else U(0)
                if bound_of(cell, counts) <= enough:
                    W[ways_at + depth] = U(7)
                else:
                    W[ways_at + depth] = order(W, cell, S)
            while depth:  # leave the board as it was
                cell = U(M[path + depth - ONE])
                W[open_at + (cell >> U(6))] |= ONE << (cell & U(63))
                depth -= ONE
            if longest >= bound:
                break
        M[WORK] = nodes
        return longest

    return search
