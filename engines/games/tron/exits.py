"""`exits`: playouts of Tron that keep away from cells with few ways on.

The bot of docs/tron.md tried random playouts that take "moves that leave at least n possibilities, so
as not to shut oneself in". Our reading: a move's exits are the free neighbours of the cell that it
leads to, the player's new ribbon counted; a playout draws uniformly among the moves with at least
`exits` of them and, if there is none, among those with the most.
"""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.tron.tron import NOWHERE, Tron, ahead_kernel
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import places, rule
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter

NOTED = U(32)  # where `meta` holds the parameter during a search: its bits from 32 on are free


class Exits(Generator):
    """All actions in the tree, those that keep ways open in playouts."""

    name = "exits"
    summary = "Tron: playouts that take moves with ways on; all actions in the tree"
    games = ("tron",)
    symmetric = True
    parameters = (
        Parameter(
            "exits",
            "int",
            2,
            0,
            3,
            meaning="a playout takes moves to cells with at least this many free neighbours, or, if "
            "there is none, with the most; 0: any move, 3: always the most",
            source="the bot of docs/tron.md: at least n possibilities",
        ),
    )

    def build(self, game: Game, stride: int, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Tron)
        meta, exits = game.state.meta, places(self.parameters, base).exits

        @rule
        def prepare(W, root, P):
            W[root + meta] = (W[root + meta] & U(0xFFFFFFFF)) | (U(P[exits]) << NOTED)

        return [prepare, playout_kernel(game)]


def playout_kernel(game: Tron) -> Kernel:
    """Return `playout`: a free neighbour drawn among those with enough exits; 0, death, without one."""
    heads, meta = game.state.heads, game.state.meta
    ahead = ahead_kernel(game)

    @kernel("i8(u8[::1], u8, u8)")
    def exits_of(W, at, cell):
        ways = np.int64(0)
        for a in range(4):
            if ahead(W, at, cell, np.int64(a)) >= 0:
                ways += 1
        return ways

    @rule
    def playout(W, at, A, to, S):
        head = (W[at + heads] >> (U(16) * (W[at + meta] & U(15)))) & NOWHERE
        enough = np.int64((W[at + meta] >> NOTED) & U(3))
        best, tied, chosen = np.int64(-1), U(0), U(0)  # chosen: two bits for each of those tied
        for a in range(4):
            cell = ahead(W, at, head, np.int64(a))
            if cell < 0:
                continue
            ways = min(exits_of(W, at, U(cell)), enough)
            if ways > best:
                best, tied, chosen = ways, U(0), U(0)
            if ways == best:
                chosen |= U(a) << (U(2) * tied)
                tied += U(1)
        if tied == U(0):
            return np.int64(0)
        return np.int64((chosen >> (U(2) * below(S, tied))) & U(3))

    return playout
