"""Perft: how many sequences of exactly so many plies there are; play stops where a game ends."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from tabulate import tabulate

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.output import Output
from joute.engines.position import Position

NONE = np.iinfo(np.int64).min


def perft(position: Position, depth: int, without: int | None = None) -> int:
    """Return the number of action sequences of exactly `depth` plies from a position.

    `without` leaves an action out everywhere. Raises Refused for games of chance.
    """
    game = position.game
    if game.chance:
        raise Refused(f"perft counts actions only, and {game.name} has chance moves")
    if depth < 0:
        raise Refused(f"depth {depth} is negative")
    if depth == 0:
        return 1
    if position.over:
        return 0
    if not game.compiled:
        return plain(position, depth, without)
    count = counting(game)
    W = np.zeros((position.ply + depth + 2) * game.words, np.uint64)
    start = position.lay(W, game.words)
    A = np.zeros((depth + 1) * game.slots, np.int64)
    left = np.zeros(2 * (depth + 1), np.int64)
    skip = NONE if without is None else without
    return int(count(W, start, A, left, depth, skip))


def divided(position: Position, depth: int, without: int | None = None) -> Output:
    """Return the number of sequences below each first action, and their sum: to find a wrong rule."""
    if depth < 1:
        raise Refused("--divide needs a depth of 1 or more")
    counts: dict[str, int] = {}
    for action in position.legal_actions():
        if action != without:
            after = position.copy()
            after.play(action)
            counts[position.game.action_text(action)] = perft(after, depth - 1, without)
    lines = [f"{text}: {number}" for text, number in counts.items()]
    total = sum(counts.values())
    data = {"game": position.game.label, "depth": depth, "divide": counts, "count": total}
    return Output(data, "\n".join([*lines, "", str(total)]))


def by_depth(position: Position, depth: int, without: int | None = None) -> Output:
    """Return the number of sequences of each depth from 1, with sequences a second of this machine."""
    perft(position, min(depth, 1), without)  # compiles
    rows: list[dict[str, Any]] = []
    for plies in range(1, depth + 1):
        begun = time.perf_counter()
        count = perft(position, plies, without)
        seconds = time.perf_counter() - begun
        rows.append({"depth": plies, "count": count, "per second": round(count / seconds)})
    shown = [[f"{value:,}" for value in row.values()] for row in rows]
    head = ["depth", "sequences", "a second"]
    text = tabulate(shown, headers=head, disable_numparse=True, colalign=("right",) * len(head))
    return Output({"game": position.game.label, "table": rows}, text)


def plain(position: Position, depth: int, without: int | None) -> int:
    """Return the number for a game in plain Python."""
    actions = [action for action in position.legal_actions() if action != without]
    if depth == 1:
        return len(actions)
    total = 0
    for action in actions:
        child = position.copy()
        child.play(action)
        total += 0 if child.over else plain(child, depth - 1, without)
    return total


def counting(game: Game) -> Kernel:
    """Return `count(W, at, A, left, depth, without)` for a game, made once a process."""
    key = (type(game), game.label)
    if key not in _made:
        _made[key] = template(game)
    return _made[key]


_made: dict[tuple[type[Game], str], Kernel] = {}


def template(game: Game) -> Kernel:
    """Return `counting`'s kernel, made anew: that takes some milliseconds, as long as a million sequences."""
    k = game.kernels()
    apply, status, actions = k.apply, k.status, k.actions
    words, slots = U(game.words), U(game.slots)
    one, two = U(1), U(2)

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], i8, i8)", inline=False)
    def count(W, at, A, left, depth, without):
        total, d, last = np.int64(0), U(0), U(depth - 1)
        left[U(0)], left[one] = 0, actions(W, at, A, U(0))
        while True:
            tried, n = left[two * d], left[two * d + one]
            if d == last:  # its actions are counted, none is played
                total += n
                if without != NONE:
                    for i in range(n):
                        total -= np.int64(A[d * slots + U(i)] == without)
                tried = n
            if tried >= n:
                if d == U(0):
                    return total
                d -= one
                at -= words
                continue
            action = A[d * slots + U(tried)]
            left[two * d] += 1
            if action == without:
                continue
            apply(W, at, at + words, action, 0)
            if status(W, at + words) != 0:
                continue
            d += one
            at += words
            left[two * d], left[two * d + one] = 0, actions(W, at, A, d * slots)

    return count
