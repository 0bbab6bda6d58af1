"""Three models of Dodo's board: a dictionary of cells, an array, and the bitboards of Joute.

A student wrote the first two (docs/measured/seeds.md). Each plays random games of the usual board to their
end; run as `python -m benchmarks.boards`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np
from tabulate import tabulate

from benchmarks.hexagons import playouts_kernel
from joute.engines.engine import parse_game
from joute.engines.kernels.random import stream

STEPS, M, THRESHOLD = ((1, 0), (0, 1), (1, 1)), 3, 2
GAMES, BATCH, REPEATS = 60, 20_000, 7


def by_dictionary(rng: random.Random) -> int:
    """Play a game on {(x, y): holder}; return its plies."""
    span = range(-M, M + 1)
    board = {(x, y): 0 for x in span for y in span if abs(x - y) <= M}
    for x, y in board:
        board[x, y] = 1 if x + y <= -THRESHOLD else 2 if x + y >= THRESHOLD else 0
    plies = 0
    while True:
        player = 1 + plies % 2
        sign = 3 - 2 * player
        moves = [((x, y), (x + sign * dx, y + sign * dy)) for (x, y), holder in board.items()
                 if holder == player for dx, dy in STEPS
                 if board.get((x + sign * dx, y + sign * dy)) == 0]  # fmt: skip
        if not moves:
            return plies
        start, end = rng.choice(moves)
        board[start], board[end] = 0, player
        plies += 1


def by_array(rng: random.Random) -> int:
    """Play a game on a numpy array with a rim; return its plies."""
    size = 2 * M + 1
    x, y = np.indices((size + 2, size + 2)) - M - 1
    inside = (abs(x) <= M) & (abs(y) <= M) & (abs(x - y) <= M)
    board = np.where(x + y <= -THRESHOLD, 1, np.where(x + y >= THRESHOLD, 2, 0))
    board[~inside] = 9
    plies = 0
    while True:
        player = 1 + plies % 2
        sign = 3 - 2 * player
        own, free = board == player, board == 0
        moves = []
        for dx, dy in STEPS:
            reached = np.roll(free, (-sign * dx, -sign * dy), (0, 1))
            moves += [(cell, (dx, dy)) for cell in np.argwhere(own & reached).tolist()]
        if not moves:
            return plies
        (a, b), (dx, dy) = rng.choice(moves)
        board[a, b], board[a + sign * dx, b + sign * dy] = 0, player
        plies += 1


def rate(work: Callable[[], int]) -> float:
    """Return the median of games a second; `work` returns how many it played."""
    rates = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        games = work()
        rates.append(games / (time.perf_counter() - begun))
    return float(np.median(rates))


def main() -> None:
    """Print the table."""
    game, rng = parse_game("dodo"), random.Random(1)
    run = playouts_kernel(game)
    W, A = game.room(2 * game.words), np.zeros(game.slots, np.int64)
    R, P, S = np.zeros(2), np.zeros(1), stream(1)

    def played(play: Callable[[random.Random], int]) -> Callable[[], int]:
        return lambda: len([play(rng) for _ in range(GAMES)])

    def bitboards() -> int:
        run(W, BATCH, A, S, R, P)
        return BATCH

    run(W, 1, A, S, R, P)
    rates = {
        "a dictionary of cells": rate(played(by_dictionary)),
        "an array (numpy)": rate(played(by_array)),
        "bitboards, compiled (ours)": rate(bitboards),
    }
    slowest = min(rates.values())
    rows = [[name, f"{value:,.0f}", f"{value / slowest:,.1f}"] for name, value in rates.items()]
    print(tabulate(rows, headers=["board", "random games a second", "times the slowest"],
                   disable_numparse=True))  # fmt: skip


if __name__ == "__main__":
    main()
