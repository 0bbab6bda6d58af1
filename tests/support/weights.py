"""Two toy evaluations of board games: one that knows their symmetries, and one that forgets them.

Loaded as a plugin.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import U
from joute.engines.kernels.contract import rule


class Orbits(Evaluation):
    """Stones are worth something by their cell, the same on cells that a symmetry maps on each other."""

    name = "orbits"
    summary = "own stones' cells less the opponent's, as the symmetries see them"
    games = ("dodo", "gopher")
    lopsided = False

    def build(self, game, base):
        maps = game.board.maps(*game.symmetries)
        cells, parts = game.board.cells, game.parts
        orbit = [c if self.lopsided else min(m[c] for m in maps) for c in range(cells)]
        bits = np.zeros(4 * parts, np.uint64)  # four masks: cells worth 1, 2, 4 and 8 more
        for cell, first in enumerate(orbit):
            for k in range(4):
                if (first * 2654435761 >> 7) >> k & 1:
                    bits[k * parts + game.bits[cell] // 64] |= U(1 << game.bits[cell] % 64)
        one, two, ply = game.state.first, game.state.second, game.state.ply

        @rule
        def value(W, at, P):
            total = np.int64(0)
            for k in range(4):
                for part in range(parts):
                    mask = bits[k * parts + part]
                    here = popcount(W[at + one + U(part)] & mask)
                    total += (here - popcount(W[at + two + U(part)] & mask)) << k
            return np.float64(-total if W[at + ply] & U(1) else total)

        return (value,)


class Lopsided(Orbits):
    """The same by cells alone: a mirrored position has another value."""

    name = "lopsided"
    lopsided = True


class Admitted(Lopsided):
    """The same, and says so."""

    name = "admitted"
    symmetric = False
