"""Chess: perft and a search of fixed depth against their twins in C, and what a ply of a match costs.

Run as `python -m benchmarks.chess`. Counts, values, actions and nodes must be the twin's.
"""

from __future__ import annotations

import ctypes
import statistics
import time

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import Ratio, compare, compiled, pointer
from joute.commands._bench import Script
from joute.commands._perft import perft
from joute.engines.engine import parse_engine, parse_game
from joute.engines.game import GameKernels
from joute.engines.games.chess import squares
from joute.engines.games.chess.chess import SLOTS
from joute.engines.games.chess.material import USUAL
from joute.engines.games.chess.moves import STATE
from joute.engines.games.chess.names import START
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.harness.match import Rules, Tally, play_game

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PLACES = (("start", START, 5, 6), ("kiwipete", KIWIPETE, 4, 5))
TARGET = "1.15"


def perft_kernel(k: GameKernels) -> Kernel:
    """Return `perft(W, A, left, depth)`, the twin's: how many sequences of so many plies, every move made."""
    apply, status, actions = k.apply, k.status, k.actions
    words, slots, one = U(STATE.size), U(SLOTS), U(1)

    @kernel("i8(u8[::1], i8[::1], i8[::1], u8)", inline=False)
    def perft(W, A, left, depth):
        total, d, at = np.int64(0), U(0), U(0)
        left[d] = actions(W, at, A, d)
        while True:
            if left[d] == 0:
                if d == U(0):
                    return total
                d -= one
                at -= words
                continue
            left[d] -= 1
            apply(W, at, at + words, A[d * slots + U(left[d])], 0)
            if d + one == depth:
                total += 1
                continue
            if status(W, at + words) != 0:
                continue
            d += one
            at += words
            left[d] = actions(W, at, A, d * slots)

    return perft


def row(work: str, name: str, count: int, ratio: Ratio) -> list[str]:
    """Return a row of the table."""
    speed = f"{count / ratio.ours / 1e6:.1f} M/s"
    return [work, name, f"{count:,}", speed, str(ratio), TARGET]


def counting(library: ctypes.CDLL, played: Kernel, name: str, fen: str, plies: int) -> list[str]:
    """Return the row of a perft."""
    position = parse_position(parse_game("chess"), fen)
    W, A = np.zeros(32 * STATE.size, np.uint64), np.zeros(32 * SLOTS, np.int64)
    W[: STATE.size], left = position.words(), np.zeros(32, np.int64)

    def ours() -> int:
        return int(played(W, A, left, plies))

    def theirs() -> int:
        return int(library.perft(pointer(W), pointer(A), pointer(left), ctypes.c_int64(plies)))

    count = ours()
    assert count == theirs(), "the counts differ"
    return row(f"perft {plies}", name, count, compare(ours, theirs, 21))


def by_command(library: ctypes.CDLL, name: str, fen: str, plies: int) -> list[str]:
    """Return the row of `joute perft`, which counts the moves of the last ply and makes none of them."""
    position = parse_position(parse_game("chess"), fen)
    W, A = np.zeros(32 * STATE.size, np.uint64), np.zeros(32 * SLOTS, np.int64)
    W[: STATE.size], left = position.words(), np.zeros(32, np.int64)

    def theirs() -> int:
        return int(library.counted(pointer(W), pointer(A), pointer(left), ctypes.c_int64(plies)))

    count = perft(position, plies)
    assert count == theirs(), "the counts differ"
    ratio = compare(lambda: perft(position, plies), theirs, 21)
    return row(f"joute perft {plies}", name, count, ratio)


def searching(library: ctypes.CDLL, name: str, fen: str, depth: int) -> list[str]:
    """Return the row of a search."""
    player = parse_engine(f"chess/alphabeta:evaluation=material,depth={depth}").player()
    position = parse_position(parse_game("chess"), fen)
    W, nodes, chosen = position.words(), np.zeros(1, np.int64), np.zeros(1, np.int64)

    def theirs() -> float:
        plies = ctypes.c_int64(depth)
        return float(library.search(pointer(W), plies, pointer(nodes), pointer(chosen)))

    value, move = theirs(), player.choose(position)
    assert (move.value, move.nodes, move.action) == (value + 0.0, nodes[0], chosen[0]), move
    ratio = compare(lambda: player.choose(position), theirs, 21)
    return row(f"alphabeta {depth}", name, move.nodes, ratio)


def main() -> None:
    """Print the table, and the time of a ply."""
    library, played = compiled("chess"), perft_kernel(parse_game("chess").rules)
    tables = (squares.KNIGHTS, squares.KINGS, squares.RISING, squares.FALLING, squares.RANKS)
    library.prepare(*map(pointer, tables))
    worths = np.array(list(USUAL.values()))
    library.set_worth(pointer(worths))
    library.perft.restype, library.counted.restype = ctypes.c_int64, ctypes.c_int64
    library.search.restype = ctypes.c_double
    rows = []
    for name, fen, plies, depth in PLACES:
        rows.append(counting(library, played, name, fen, plies))
        rows.append(by_command(library, name, fen, plies))
        rows.append(searching(library, name, fen, depth))
    head = ["work", "from", "count", "speed", "time / C [quartiles]", "target"]
    print(tabulate(rows, headers=head, disable_numparse=True))
    print(f"match loop: {ply_us():.1f} us a ply with instant players (target 12)")


def ply_us() -> float:
    """Return the median time of a ply of the match loop, in microseconds, over random games played again."""
    game, times = parse_game("chess"), []
    for seed in range(60):
        random_game = Position(game)
        random_game.wander(stream(seed), game.max_plies)
        player, position = Script(random_game.moves), Position(game)
        begun = time.perf_counter()
        play_game(position, [player, player], lambda ply: 0, Rules(), [Tally(), Tally()])
        times.append(1e6 * (time.perf_counter() - begun) / position.ply)
        assert position.moves == random_game.moves and position.over
    return statistics.median(times)


if __name__ == "__main__":
    main()
