"""`static`: every cell is worth the number of lines of four through it (docs/measured/seeds.md)."""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.connect4.connect4 import Layout, lines_of
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, rule


class Static(Evaluation):
    """Weights of own cells less the opponent's; ignores neighbouring stones."""

    name = "static"
    summary = "number of lines through each own stone's cell, less the opponent's"
    games = ("connect4",)
    scale = 20.0
    own = State("score")

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels; `score` is the value for the side to move as an int64."""
        columns, rows = int(game.values["columns"]), int(game.values["rows"])
        layout = Layout(columns, rows)
        weights = weights_of(columns, rows)
        own, other, heights = layout.state.mine, layout.state.theirs, layout.state.heights
        score, stride = self.state(game).behind(game.words).score, U(layout.stride)
        per_word, height = U(layout.per_word), U(rows)

        @rule
        def init(W, at, P):
            total = np.int64(0)
            for c in range(columns):
                word = U(c) // per_word
                lane = (U(c) - word * per_word) * stride
                for r in range(rows):
                    bit = lane + U(r)
                    weight = weights[U(c) * height + U(r)]
                    total += weight * np.int64((W[at + own + word] >> bit) & U(1))
                    total -= weight * np.int64((W[at + other + word] >> bit) & U(1))
            W[at + score] = U(total)

        @kernel("i8(u8[::1], u8, i8)")
        def changed(W, src, action):
            column = U(action)
            row = (W[src + heights] >> (U(4) * column)) & U(15)
            return -(np.int64(W[src + score]) + weights[column * height + row])

        @rule
        def update(W, src, dst, action, P):
            W[dst + score] = U(changed(W, src, action))

        @rule
        def after(W, src, action, P):
            return np.float64(changed(W, src, action))

        @rule
        def value(W, at, P):
            return np.float64(np.int64(W[at + score]))

        return [value, init, update, after]


def weights_of(columns: int, rows: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the number of lines through each cell, at index column * rows + row."""
    weights = np.zeros(columns * rows, np.int64)
    for line in lines_of(columns, rows):
        for c, r in line:
            weights[c * rows + r] += 1
    return weights
