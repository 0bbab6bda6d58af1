"""`walk`: the end game of the bot of docs/tron.md, a walk by numbered cells.

One run numbers all cells within reach. The head is fixed with number 1. A cell that is fixed with
number n gives n + 1 to every free neighbour not fixed yet, whether or not it had a number. Next comes
the cell with the highest number; among equals the one with the fewest neighbours (our reading: free
and not fixed), and lots decide between those. When all are fixed, the walk is read backwards from the
first cell fixed with the highest number. Runs begin anew until a walk is as long as parity allows, or
`walk_nodes` cells have been fixed; the longest is kept.
"""

from __future__ import annotations

import numpy as np

from joute.engines.ending import Ending
from joute.engines.game import Game
from joute.engines.games.tron.alone import LENGTH, MOST, WALK, WORK, Boards, choose_kernel
from joute.engines.games.tron.rooms import has, next_to
from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter


class Walk(Ending):
    """Numbers cells, highest number first, until a walk is as long as can be."""

    name = "walk"
    summary = "Tron: the numbered walk of a contest's bot once no other player can come near"
    games = ("tron",)
    work = "walk_nodes"
    parameters = (
        Parameter(
            "walk_nodes",
            "int",
            4000,
            10,
            10_000_000,
            log=True,
            meaning="cells fixed per turn, over all runs; a run fixes all cells within reach, and "
            "one run is always made",
            source="the bot of docs/tron.md: until the bound or the end of its time",
        ),
    )

    def memory(self, game: Game) -> int:
        """Return the room for a walk, and for the boards and the numbers behind the state."""
        assert isinstance(game, Tron)
        return Layout(game).end - game.words

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return `choose`."""
        assert isinstance(game, Tron)
        return [choose_kernel(game, search_kernel(game, places(self.parameters, base)))]


class Layout:
    """Where the work lies in W: the boards, the open cells of a run, numbers, and a list."""

    def __init__(self, game: Tron) -> None:
        self.boards, cells = Boards(game), 64 * (game.parts + 2)
        self.left = self.boards.end  # a board: the cells within reach that are not fixed yet
        self.number = self.left + game.parts + 2
        self.listed = self.number + cells  # cell | number << 16, each cell at most four times
        self.end = self.listed + 4 * cells


def run_kernel(layout: Layout) -> Kernel:
    """Return `run(W, S, root) -> last`: number all cells within reach of a head; return the first cell
    fixed with the highest number.

    Takes the cells that it fixes off the board `left`.
    """
    left, number, listed = U(layout.left), U(layout.number), U(layout.listed)

    @kernel("u8(u8[::1], u8[::1], u8)")
    def run(W, S, root):
        cell, last, high = root, root, U(0)
        W[number + root] = ONE
        while True:
            n = W[number + cell]
            if n > W[number + last]:
                last = cell
            for way in range(4):
                c = next_to(cell, U(way))
                if has(W, left, c):
                    W[number + c] = n + ONE
                    W[listed + high] = c | ((n + ONE) << U(16))
                    high += ONE
            # The list ascends; what was fixed or got another number since is passed over.
            best, tied, chosen, top = U(9), U(0), U(0), U(0)
            while high:
                c, n = W[listed + high - ONE] & NOWHERE, W[listed + high - ONE] >> U(16)
                if has(W, left, c) and W[number + c] == n:
                    top = n
                    break
                high -= ONE
            if high == U(0):
                return last
            i = high
            while i and W[listed + i - ONE] >> U(16) == top:
                i -= ONE
                c = W[listed + i] & NOWHERE
                if not has(W, left, c) or W[number + c] != top:
                    continue
                ways = U(0)
                for way in range(4):
                    if has(W, left, next_to(c, U(way))):
                        ways += ONE
                if ways < best:
                    best, tied, chosen = ways, U(0), U(0)
                if ways == best:
                    chosen |= c << (U(16) * tied)
                    tied += ONE
            cell = (chosen >> (U(16) * below(S, tied))) & NOWHERE
            W[left + (cell >> U(6))] &= ~(ONE << (cell & U(63)))

    return run


def search_kernel(game: Tron, at: Offsets) -> Kernel:
    """Return `search(W, M, S, P, root, bound) -> length`: improve the walk of M; see alone.py."""
    layout, parts, budget = Layout(game), game.parts, at.walk_nodes
    left, reached, number = U(layout.left), U(layout.boards.reached), U(layout.number)
    run = run_kernel(layout)

    @kernel("i8(u8[::1], i8[::1], u8[::1], f8[::1], u8, i8)")
    def search(W, M, S, P, root, bound):
        own, nodes, most = np.int64(0), np.int64(0), np.int64(P[budget])
        for k in range(parts + 2):
            own += popcount(W[reached + U(k)])
        if M[MOST] > 0:
            most = min(most, M[MOST])
        for c in range(64 * (parts + 2)):
            W[number + U(c)] = U(0)
        longest = M[LENGTH]
        while (nodes == 0 or nodes + own <= most) and longest < bound:
            for k in range(parts + 2):
                W[left + U(k)] = W[reached + U(k)]
            cell = run(W, S, root)
            nodes += own
            length = W[number + cell] - ONE
            if np.int64(length) <= longest:
                continue
            longest, i = np.int64(length), length
            while i:
                i -= ONE
                M[WALK + i] = np.int64(cell)
                before = cell
                for way in range(4):
                    c = next_to(before, U(way))
                    if W[number + c] == i + ONE:
                        cell = c
        M[WORK] = nodes
        return longest

    return search
