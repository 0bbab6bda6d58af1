"""Alpha-beta on Connect 4, 12 x 6, against its twin in C: equal values and nodes, time ratios.

Run as `python -m benchmarks.alphabeta`.
"""

from __future__ import annotations

import ctypes
import math
import random

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare, compiled, pointer
from joute.engines.engine import parse_engine
from joute.engines.games.connect4.connect4 import Layout
from joute.engines.games.connect4.lines import LineTable, gains_of, worth_of_lines
from joute.engines.games.connect4.static import weights_of
from joute.engines.kernels.compile import Words
from joute.engines.position import Position

GAME = "connect4[columns=12,rows=6]"
CASES = [
    ("static, depth 8", "evaluation=static,depth=8"),
    ("static, depth 8, width 0.6", "evaluation=static,depth=8,width=0.6"),
    ("lines, depth 7", "evaluation=lines,depth=7"),
    ("lines, depth 7, width 0.6", "evaluation=lines,depth=7,width=0.6"),
]
TARGET = "1.10"


class Twin:
    """The C program with the tables of an engine."""

    def __init__(self, text: str) -> None:
        self.engine = parse_engine(text)
        assert self.engine.evaluation is not None
        self.by_lines = self.engine.evaluation.name == "lines"
        self.width, self.depth = (float(self.engine.values[n]) for n in ("width", "depth"))
        self.kernels = self.engine.evaluation.kernels(self.engine.game, self.engine.search.base)
        self.library = compiled("connect4")
        self.library.search.restype = ctypes.c_double
        table, count = LineTable(Layout(12, 6)), np.zeros(1, np.int64)
        assert table.one_window and table.parts == 1
        gains = gains_of(worth_of_lines(6), 6, "B")
        weights = weights_of(12, 6)
        counts = [0] + [max(1, math.ceil(self.width * n - 1e-9)) for n in range(1, 13)]
        keep = np.array(counts, np.int64)
        self.library.set_weights(pointer(weights))
        self.library.set_keep(pointer(keep))
        self.library.set_lines(
            *map(pointer, (table.starts, table.begins, table.after_it, table.masks, table.belows)),
            ctypes.c_int64(len(table.masks)),
            *map(pointer, (table.through, table.above, table.lines_through, gains)),
        )
        self.count = count

    def state(self, position: Position) -> Words:
        """Return the state followed by the evaluation's words, at least those of `lines`."""
        game = self.engine.game
        W = np.zeros(game.words + max(self.kernels.words, 7), np.uint64)
        W[: game.words] = position.words()
        self.kernels.init(W, 0, self.engine.vector)
        return W

    def search(self, W: Words) -> tuple[float, int]:
        """Return value and nodes."""
        value = self.library.search(
            pointer(W),
            ctypes.c_int64(int(self.depth)),
            ctypes.c_int64(self.by_lines),
            ctypes.c_int64(self.width < 1.0),
            pointer(self.count),
        )
        return value, int(self.count[0])


def midgame(seed: int, count: int) -> list[Position]:
    """Return positions 8 to 30 random plies from the start that are not over."""
    chance = random.Random(seed)
    positions: list[Position] = []
    game = parse_engine(f"{GAME}/random").game
    while len(positions) < count:
        position = Position(game)
        for _ in range(chance.randrange(8, 31)):
            if position.over:
                break
            position.play(chance.choice(position.legal_actions()))
        if not position.over:
            positions.append(position)
    return positions


def main() -> None:
    """Print the table."""
    rows = []
    for name, settings in CASES:
        twin = Twin(f"{GAME}/alphabeta:{settings}")
        player = twin.engine.player()
        start = [Position(twin.engine.game)]
        for place, positions in (("start", start), ("20 mid-game", midgame(1, 20))):
            states = [twin.state(position) for position in positions]
            nodes = 0
            for position, W in zip(positions, states, strict=True):
                choice, expected = player.choose(position), twin.search(W)
                assert (choice.value, choice.nodes) == expected, (position.moves, choice, expected)
                nodes += choice.nodes
            repeat = max(1, 1_500_000 // nodes)

            def ours(positions: list[Position] = positions, repeat: int = repeat) -> None:
                for _ in range(repeat):
                    for position in positions:
                        player.choose(position)  # noqa: B023

            def theirs(states: list[Words] = states, repeat: int = repeat) -> None:
                for _ in range(repeat):
                    for W in states:
                        twin.search(W)  # noqa: B023

            ratio = compare(ours, theirs, 11)
            speed = nodes * repeat / ratio.ours / 1e6
            rows.append([name, place, f"{nodes:,}", f"{speed:.1f}", str(ratio), TARGET])
    head = ["search", "from", "nodes", "M nodes/s", "time / C [quartiles]", "target"]
    print(tabulate(rows, headers=head, disable_numparse=True))


if __name__ == "__main__":
    main()
