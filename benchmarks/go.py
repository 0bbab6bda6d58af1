"""Go 9 x 9: random playouts that fill no eyes against their twin in C: equal games, ratios.

Run as `python -m benchmarks.go`.
"""

from __future__ import annotations

import ctypes

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare, compiled, pointer
from joute.engines.engine import parse_game
from joute.engines.games.go.go import Go
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.random import stream
from joute.engines.searches.mcts.leaf import playout_kernel

GAMES, SEED = 2000, 2026


def playouts_kernel(game: Go) -> Kernel:
    """Return `playouts(W, games, A, S, R, P) -> games that Black wins`, from the state at 0."""
    leaf = playout_kernel(game, game.kernels(), game.words)

    @kernel("i8(u8[::1], i8, i8[::1], u8[::1], f8[::1], f8[::1])", inline=False)
    def playouts(W, games, A, S, R, P):
        wins = np.int64(0)
        for _ in range(games):
            leaf(W, U(0), A, S, R, P)
            wins += np.int64(R[U(0)])
        return wins

    return playouts


def main() -> None:
    """Print the table."""
    game, library = parse_game("go"), compiled("go")
    assert isinstance(game, Go)
    playouts = playouts_kernel(game)
    W, A = game.room((game.max_plies + 2) * game.words), np.zeros(game.slots, np.int64)
    game.rules.start(W, 0)
    R, P, plies = np.zeros(2), np.zeros(1), np.zeros(1, np.int64)
    library.playouts.restype = ctypes.c_int64

    def ours() -> int:
        return int(playouts(W, GAMES, A, stream(SEED), R, P))

    def theirs() -> int:
        library.prepare(ctypes.c_uint64(SEED))
        komi = ctypes.c_int(game.what.komi)
        return int(library.playouts(ctypes.c_int64(GAMES), komi, pointer(plies)))

    assert ours() == theirs(), "the games differ"
    ratio = compare(ours, theirs, 41)
    rows = [["playouts", f"{GAMES / ratio.ours / 1e3:.1f} k/s", str(ratio), "1.3"]]
    print(f"{plies[0] / GAMES:.1f} plies a playout")
    print(tabulate(rows, headers=["kernel", "speed", "time / C [quartiles]", "target"]))


if __name__ == "__main__":
    main()
