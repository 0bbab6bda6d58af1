"""`vamperouge`: the turns that Vamperouge, the bot with a network, considers in Vampires vs Werewolves.

One group goes to a neighbouring cell as a whole. A turn is coded as by `langorou`: the cell, then
1 + d for direction d from bit 10 on; 17 + d for one unit, where no group can go as a whole.
"""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.vampires.field import MOST, lowest
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import rule
from joute.engines.kernels.random import below

ONE, CELL = U(1), U(1023)
WHOLE, UNIT = 1, 17  # the digits of direction 0


class Vamperouge(Generator):
    """One group a turn; battles by chance."""

    name = "vamperouge"
    summary = "one whole group per turn, to a neighbouring cell"
    games = ("vampires",)

    def assumes(self, game: Game) -> bool:
        """Battles are drawn, never listed."""
        return False

    def build(self, game: Game, stride: int, base: int) -> list[Kernel]:
        """Return the rules for turns of one group."""
        assert isinstance(game, Vampires)
        lay, k = game.layout, game.field
        parts, meta, words = U(lay.parts), lay.state.meta, lay.state.size
        count, holds, take, settle, finish = k.count, k.holds, k.take, k.settle, k.finish
        certain, draw, step = k.certain, k.draw, k.step

        @kernel("i8(u8[::1], u8, i8)")
        def units_of(W, at, action):
            if (action >> 10) >= UNIT:
                return np.int64(1)
            return count(W, at, U(action) & CELL)

        @kernel("u8(u8[::1], u8, i8)")
        def target(W, at, action):
            return U(step(W, at, U(action) & CELL, ((action >> 10) - 1) & 7))

        @kernel("i8(u8[::1], u8, i8[::1], u8, i8)")
        def listed(W, at, A, to, digit):
            n, mover = to, W[at + meta] & ONE
            for part in range(parts):
                bits = W[at + mover * parts + U(part)]
                while bits != U(0):
                    cell = U(64) * U(part) + U(lowest(bits))
                    bits &= bits - ONE
                    units = count(W, at, cell) if digit == WHOLE else np.int64(1)
                    for d in range(8):
                        there = step(W, at, cell, np.int64(d))
                        if there < 0:
                            continue
                        fights = holds(W, at, ONE - mover, U(there))
                        if fights or units + count(W, at, U(there)) <= MOST:
                            A[n] = np.int64(cell) | (digit + d) << 10
                            n += ONE
            return np.int64(n - to)

        @rule
        def actions(W, at, A, to):
            n = listed(W, at, A, to, np.int64(WHOLE))
            return n if n > 0 else listed(W, at, A, to, np.int64(UNIT))

        @rule
        def sample(W, at, A, to, S):
            n = actions(W, at, A, to)
            return A[to + below(S, U(n))] if n > 0 else np.int64(0)

        @rule
        def apply(W, src, dst, action, outcome):
            mover, units = W[src + meta] & ONE, units_of(W, src, action)
            for i in range(words):
                W[dst + U(i)] = W[src + U(i)]
            take(W, dst, mover, U(action) & CELL, units)
            settle(W, dst, mover, target(W, src, action), units, outcome)
            finish(W, dst)

        @rule
        def outcome(W, at, action, S):
            mover, units = W[at + meta] & ONE, units_of(W, at, action)
            cell = target(W, at, action)
            if certain(W, at, mover, cell, units):
                return np.int64(0)
            return draw(W, at, mover, cell, units, S)

        return [actions, sample, apply, outcome]
