"""Dodo and Gopher against their twins in C: playouts and alpha-beta, equal games and nodes, ratios.

Run as `python -m benchmarks.hexagons`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import Ratio, compare, compiled, pointer
from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.random import stream
from joute.engines.position import Position
from joute.engines.searches.mcts.leaf import playout_kernel

GAMES, SEED, DEPTHS = 4000, 2026, {"dodo": 7, "gopher": 9}
TARGET = "1.10"


def playouts_kernel(game: Any) -> Kernel:
    """Return `playouts(W, games, A, S, R, P) -> games that the first player wins`."""
    leaf, start = playout_kernel(game, game.rules, game.words), game.rules.start

    @kernel("i8(u8[::1], i8, i8[::1], u8[::1], f8[::1], f8[::1])", inline=False)
    def playouts(W, games, A, S, R, P):
        wins = np.int64(0)
        for _ in range(games):
            start(W, U(0))
            leaf(W, U(0), A, S, R, P)
            wins += np.int64(R[U(0)])
        return wins

    return playouts


def prepared() -> ctypes.CDLL:
    """Return the C program, with the tables of both games."""
    library = compiled("hexagons")
    for name in ("dodo_best", "gopher_best"):
        getattr(library, name).restype = ctypes.c_double
    for name in ("dodo_playouts", "gopher_playouts"):
        getattr(library, name).restype = ctypes.c_int64
    dodo: Any = parse_game("dodo")
    start = Position(dodo)
    board = sum(1 << bit for bit in dodo.bits)
    library.dodo_prepare(*(ctypes.c_uint64(int(w)) for w in (board, start.W[0], start.W[1])))
    gopher: Any = parse_game("gopher")
    library.gopher_prepare(pointer(np.ascontiguousarray(gopher.beside)))
    return library


def playouts(name: str, library: ctypes.CDLL) -> Ratio:
    """Return the ratio of playouts from the start."""
    game = parse_game(name)
    run, theirs = playouts_kernel(game), getattr(library, f"{name}_playouts")
    W, A = game.room(2 * game.words), np.zeros(game.slots, np.int64)
    R, P = np.zeros(2), np.zeros(1)

    def ours() -> int:
        return int(run(W, GAMES, A, stream(SEED), R, P))

    def twin() -> int:
        return int(theirs(ctypes.c_uint64(SEED), ctypes.c_int64(GAMES)))

    assert ours() == twin(), f"the games of {name} differ"
    return compare(ours, twin, 31)


def searches(name: str, library: ctypes.CDLL) -> tuple[Ratio, int]:
    """Return the ratio of alpha-beta from ten positions, and its nodes."""
    depth = DEPTHS[name]
    engine = parse_engine(f"{name}/alphabeta:evaluation=mobility,depth={depth}")
    player, count = engine.player(), np.zeros(1, np.int64)
    positions = [Position(engine.game) for _ in range(10)]
    for seed, position in enumerate(positions):
        position.wander(stream(seed), 4)
    states = [position.words() for position in positions]

    def twin_of(W: Any) -> tuple[float, int]:
        if name == "dodo":
            words = [ctypes.c_uint64(int(w)) for w in W[:2]]
            mover = ctypes.c_int64(int(W[2]) & 1)
            value = library.dodo_best(*words, mover, ctypes.c_int64(depth), pointer(count))
        else:
            value = library.gopher_best(pointer(W), ctypes.c_int64(depth), pointer(count))
        return float(value), int(count[0])

    nodes = 0
    for position, W in zip(positions, states, strict=True):
        best = player.choose(position)
        assert (best.value, best.nodes) == twin_of(W), (name, position.line(), best, twin_of(W))
        nodes += best.nodes
    ours: Callable[[], object] = lambda: [player.choose(position) for position in positions]  # noqa: E731
    return compare(ours, lambda: [twin_of(W) for W in states], 31), nodes


def main() -> None:
    """Print the table."""
    library, rows = prepared(), []
    for name in DEPTHS:
        ratio = playouts(name, library)
        rows.append(
            [f"{name}: playouts", f"{GAMES / ratio.ours / 1e3:.0f} k/s", str(ratio), TARGET]
        )
        ratio, nodes = searches(name, library)
        speed = f"{nodes / ratio.ours / 1e6:.1f} M nodes/s"
        rows.append([f"{name}: alphabeta, depth {DEPTHS[name]}", speed, str(ratio), TARGET])
    head = ["work", "speed", "time / C [quartiles]", "target"]
    print(tabulate(rows, headers=head, disable_numparse=True))


if __name__ == "__main__":
    main()
