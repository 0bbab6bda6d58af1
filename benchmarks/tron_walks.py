"""The endings of Tron beside each other: the cells that they walk alone in a room, by work and time.

    python -m benchmarks.tron_walks [--rooms 100]

A room is what the head can reach on a field of 30 x 20 with one cell in eight a wall, the other player shut
in. Each ending plays it to its end. The bound is parity's at the first turn.
"""

from __future__ import annotations

import argparse
import time
from math import sqrt
from statistics import mean, median, stdev

import numpy as np
from tabulate import tabulate

from joute.engines.engine import parse_engine, parse_game
from joute.engines.position import Position, parse_position

GAME = parse_game("tron")
WORK = (1000, 4000, 16_000)
WIDTH, HEIGHT = 30, 20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", type=int, default=100)
    seeds = range(parser.parse_args().rooms)
    rows = []
    for work in WORK:
        names = (f"fill,fill_nodes={work}", f"walk,walk_nodes={work}")
        walked(names[0], 0), walked(names[1], 0)  # compiles
        both = [[walked(name, seed) for name in names] for seed in seeds]
        more = [one[0] - other[0] for one, other in both]
        half = 1.96 * stdev(more) / sqrt(len(more))
        for k, name in enumerate(names):
            cells, times = [pair[k][0] for pair in both], [pair[k][1] for pair in both]
            rows.append([name, f"{mean(cells):.1f}", f"{1e3 * median(times):.2f}", ""])
        rows[-2][-1] = f"{mean(more):+.1f} ({mean(more) - half:+.1f} to {mean(more) + half:+.1f})"
    print(tabulate(rows, headers=["ending", "cells", "ms a turn", "more than walk"]))


def walked(ending: str, seed: int) -> tuple[int, float]:
    """Return the cells walked in a room, and the mean seconds of a turn."""
    player = parse_engine(f"tron/uct:evaluation=zones,iterations=1,ending={ending}").player()
    player.new_game(seed, 0)
    position, cells = room(seed), 0
    begun = time.perf_counter()
    while not position.over and position.to_move == 0:
        position.play(player.choose(position).action)
        if position.over:
            break
        cells += 1
        position.W[position.at + GAME.words - 1] ^= np.uint64(1)  # the other one passes
    return cells, (time.perf_counter() - begun) / max(1, cells)


def room(seed: int) -> Position:
    """Return a field of walls at random, the first player's head inside, the other one shut in."""
    rng = np.random.default_rng(seed)
    board = np.where(rng.random((HEIGHT, WIDTH)) < 1 / 8, "#", ".")
    board[0, -2:], board[1, -2:] = "#", "#"
    board[0, -1] = "B"
    board[rng.integers(4, HEIGHT - 4), rng.integers(4, WIDTH - 4)] = "A"
    text = "/".join("".join(row) for row in board)
    for n in range(WIDTH, 0, -1):
        text = text.replace("." * n, str(n))
    return parse_position(GAME, text)


if __name__ == "__main__":
    main()
