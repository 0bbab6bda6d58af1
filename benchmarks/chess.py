"""Chess: perft and a search of fixed depth against their twins in C, and what a ply of a match costs.

Run as `python -m benchmarks.chess`. Counts, values, actions and nodes must be the twin's.
"""

from __future__ import annotations

import ctypes
import statistics
import time

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare, compiled, pointer
from joute.commands._bench import Script
from joute.commands._perft import perft
from joute.engines.engine import parse_engine, parse_game
from joute.engines.games.chess import squares
from joute.engines.games.chess.material import USUAL
from joute.engines.games.chess.names import START
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.harness.match import Rules, Tally, play_game

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
PLACES = (("start", START, 5, 6), ("kiwipete", KIWIPETE, 4, 5))
TARGET = "1.15"


def main() -> None:
    """Print the table, and the time of a ply."""
    game, library = parse_game("chess"), compiled("chess")
    tables = (squares.KNIGHTS, squares.KINGS, squares.RISING, squares.FALLING, squares.RANKS)
    library.prepare(*map(pointer, tables))
    worths = np.array(list(USUAL.values()))
    library.set_worth(pointer(worths))
    library.perft.restype, library.search.restype = ctypes.c_int64, ctypes.c_double
    rows = []
    for name, fen, plies, depth in PLACES:
        position = parse_position(game, fen)
        W, A, left = (
            np.zeros(32 * game.words, np.uint64),
            np.zeros(32 * 256, np.int64),
            np.zeros(64, np.int64),
        )
        W[: game.words] = position.words()

        def counted(position: Position = position, plies: int = plies) -> int:
            return perft(position, plies)

        def counted_in_c(W: np.ndarray = W, plies: int = plies) -> int:
            return int(library.perft(pointer(W), pointer(A), pointer(left), ctypes.c_int64(plies)))  # noqa: B023

        count = counted()
        assert count == counted_in_c(), "the counts differ"
        ratio = compare(counted, counted_in_c, 21)
        speed = f"{count / ratio.ours / 1e6:.1f} M/s"
        rows.append([f"perft {plies}", name, f"{count:,}", speed, str(ratio), TARGET])
        player = parse_engine(f"chess/alphabeta:evaluation=material,depth={depth}").player()
        nodes, chosen = np.zeros(1, np.int64), np.zeros(1, np.int64)

        def searched(position: Position = position) -> None:
            player.choose(position)  # noqa: B023

        def searched_in_c(W: np.ndarray = W, depth: int = depth) -> float:
            return float(
                library.search(pointer(W), ctypes.c_int64(depth), pointer(nodes), pointer(chosen))  # noqa: B023
            )

        value, move = searched_in_c(), player.choose(position)
        assert (move.value, move.nodes, move.action) == (value + 0.0, nodes[0], chosen[0]), move
        ratio = compare(searched, searched_in_c, 21)
        speed = f"{int(nodes[0]) / ratio.ours / 1e6:.1f} M/s"
        rows.append([f"alphabeta {depth}", name, f"{int(nodes[0]):,}", speed, str(ratio), TARGET])
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
