"""`walk`: the end game of the bot of docs/tron.md, a walk by numbered cells.

One run numbers all cells within reach. The head is fixed with number 1. A cell that is fixed with
number n gives n + 1 to every free neighbour not fixed yet, whether or not it had a number. Next comes
the cell with the highest number; among equals the one with the fewest neighbours (our reading: free
and not fixed), and lots decide between those. When all are fixed, the walk is read backwards from the
first cell fixed with the highest number. Runs begin anew until a walk is as long as parity allows, or
`walk_nodes` cells have been fixed; the longest is kept.

With `walk_corpse` above 0 a walk beside a future corpse counts more. A player's plies left are the longest
walk that parity allows it, divided by the heads that share its room. If one that has fewer left than
the player to move has a ribbon beside the cells within reach, each cell of a walk beside that ribbon
counts `walk_corpse` / n more, n plies after its last one. Such a walk is never taken for the best possible,
and made anew at every turn.
"""

from __future__ import annotations

import numpy as np

from joute.engines.ending import Ending
from joute.engines.game import Game
from joute.engines.games.tron.alone import (
    ALIVE,
    LENGTH,
    MOST,
    SURE,
    WALK,
    WORK,
    Boards,
    choose_kernel,
    reach_kernel,
)
from joute.engines.games.tron.rooms import has, next_to
from joute.engines.games.tron.territory import beside
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
        Parameter(
            "walk_corpse",
            "float",
            0.0,
            0.0,
            100.0,
            meaning="cells that a cell of a walk beside a ribbon counts more, the ply after its owner "
            "has died; a half of it one ply later, a third two plies later",
            source="the bot of docs/tron.md, without a number",
        ),
    )

    def memory(self, game: Game) -> int:
        """Return the room for a walk, and for the boards and the numbers behind the state."""
        assert isinstance(game, Tron)
        return Layout(game).end - game.words

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return `choose`."""
        assert isinstance(game, Tron)
        at = places(self.parameters, base)
        return [corpses_kernel(game, choose_kernel(game, search_kernel(game, at)), at)]


class Layout:
    """Where the work lies in W: the boards, the open cells of a run, numbers, and a list."""

    def __init__(self, game: Tron) -> None:
        self.boards, cells = Boards(game), 64 * (game.parts + 2)
        self.left = self.boards.end  # a board: the cells within reach that are not fixed yet
        self.number = self.left + game.parts + 2
        self.listed = self.number + cells  # cell | number << 16, each cell at most four times
        self.trial = self.listed + 4 * cells  # a walk
        self.future = self.trial + cells  # which players will leave a corpse in reach, by bits
        self.left_to = self.future + 1  # plies that each of them has left
        self.near = self.left_to + game.players  # boards: the cells beside the ribbons of each
        self.end = self.near + game.players * (game.parts + 2)


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


def corpses_kernel(game: Tron, inner: Kernel, at: Offsets) -> Kernel:
    """Return `choose`, which notes the corpses to come before `inner` chooses; see engines/ending.py."""
    layout, players, parts = Layout(game), game.players, game.parts
    opened, reached = U(layout.boards.opened), U(layout.boards.reached)
    future, left_to, near = U(layout.future), U(layout.left_to), U(layout.near)
    heads, meta, corpse = game.state.heads, game.state.meta, at.walk_corpse
    reach, board = reach_kernel(game), U(game.parts + 2)

    @kernel("Tuple((i8, i8))(u8[::1], u8, u8)")
    def left(W, at, p):
        # The plies that a player has left, and how many players share its room.
        bound, sharing = reach(W, ((W[at + heads] >> (U(16) * p)) & NOWHERE) + U(64)), np.int64(1)
        for q in range(players):
            if U(q) != p and (W[at + meta] >> (U(4) + U(q))) & ONE:
                other, touched = ((W[at + heads] >> (U(16) * U(q))) & NOWHERE) + U(64), False
                for way in range(4):
                    touched = touched or has(W, reached, next_to(other, U(way)))
                sharing += 1 if touched else 0
        return bound // sharing, sharing

    @kernel("u8(u8[::1], u8)")
    def corpses(W, at):
        mover, found = W[at + meta] & U(15), U(0)
        W[opened], W[opened + U(parts + 1)] = U(0), U(0)
        for k in range(parts):
            W[opened + U(k + 1)] = ~W[at + U(k)]
        own, sharing = left(W, at, mover)
        if sharing > 1:
            return found
        for j in range(players):
            beside_it = near + U(j) * board
            W[beside_it], W[beside_it + U(parts + 1)] = U(0), U(0)
            if U(j) == mover or not (W[at + meta] >> (U(4) + U(j))) & ONE:
                continue
            ribbon, before, touched = at + U(parts * (j + 1)), U(0), False
            word = W[ribbon]
            for k in range(parts):
                after = W[ribbon + U(k) + ONE] if k + 1 < parts else U(0)
                W[beside_it + U(k) + ONE] = beside(before, word, after)
                touched = touched or beside(before, word, after) & W[reached + U(k) + ONE] != U(0)
                before, word = word, after
            if touched:
                found |= ONE << U(j)
        for j in range(players):
            if (found >> U(j)) & ONE:
                plies, _ = left(W, at, U(j))
                W[left_to + U(j)] = U(plies)
                if plies >= own:
                    found ^= ONE << U(j)
        return found

    @kernel("i8(u8[::1], u8, i8[::1], u8[::1], f8[::1])", inline=False)
    def choose(W, at, M, S, P):
        W[future] = U(0)
        if P[corpse] == 0.0:
            return inner(W, at, M, S, P)
        W[future] = corpses(W, at)
        if W[future]:
            M[ALIVE] = 0  # no walk is kept
        action = inner(W, at, M, S, P)
        if W[future]:
            M[SURE] = 0
        return action

    return choose


def search_kernel(game: Tron, at: Offsets) -> Kernel:
    """Return `search(W, M, S, P, root, bound) -> length`: improve the walk of M; see alone.py."""
    layout, parts, budget, corpse = Layout(game), game.parts, at.walk_nodes, at.walk_corpse
    left, reached, number = U(layout.left), U(layout.boards.reached), U(layout.number)
    trial, future, left_to = U(layout.trial), U(layout.future), U(layout.left_to)
    near, board, players = U(layout.near), U(game.parts + 2), game.players
    run = run_kernel(layout)

    @kernel("f8(u8[::1], i8, f8)")
    def bonus(W, length, each):
        # What the walk on trial counts more for the corpses beside it.
        total = 0.0
        for j in range(players):
            if (W[future] >> U(j)) & ONE:
                last = np.int64(W[left_to + U(j)])
                for i in range(last, length):  # step i + 1
                    if has(W, near + U(j) * board, W[trial + U(i)]):
                        total += each / np.float64(i + 1 - last)
        return total

    @kernel("i8(u8[::1], i8[::1], u8[::1], f8[::1], u8, i8)")
    def search(W, M, S, P, root, bound):
        own, nodes, most = np.int64(0), np.int64(0), np.int64(P[budget])
        for k in range(parts + 2):
            own += popcount(W[reached + U(k)])
        if M[MOST] > 0:
            most = min(most, M[MOST])
        for c in range(64 * (parts + 2)):
            W[number + U(c)] = U(0)
        longest, score, hopeful = M[LENGTH], 0.0, W[future] != U(0)
        while (nodes == 0 or nodes + own <= most) and (hopeful or longest < bound):
            for k in range(parts + 2):
                W[left + U(k)] = W[reached + U(k)]
            cell = run(W, S, root)
            nodes += own
            length = W[number + cell] - ONE
            if np.int64(length) <= longest and not hopeful:
                continue
            i = length
            while i:
                i -= ONE
                W[trial + i] = cell
                before = cell
                for way in range(4):
                    c = next_to(before, U(way))
                    if W[number + c] == i + ONE:
                        cell = c
            if hopeful:
                worth = np.float64(length) + bonus(W, np.int64(length), P[corpse])
                if worth <= score:
                    continue
                score = worth
            longest = np.int64(length)
            for k in range(longest):
                M[WALK + U(k)] = np.int64(W[trial + U(k)])
        M[WORK] = nodes
        return longest

    return search
