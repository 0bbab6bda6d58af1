"""Langorou's search against its twin in C: equal values and nodes, time ratios; depths in a time.

Both search the suite's positions to a fixed depth in the same order (no deepening, no table). Run as
`python -m benchmarks.vampires`.
"""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare, compiled, pointer
from joute.engines.engine import parse_engine
from joute.engines.position import parse_position

COMPLEX = "10x10 V68@1,1 V11@3,3 H7@2,2 H18@2,7 H3@5,7 H4@5,8 H18@5,9 W2@8,1 W53@9,0 turn V"
SIMPLE = "5x5 V68@0,0 H4@4,2 W68@0,4 turn V"
CROWD = "11x11 V20@2,5 V9@4,4 W24@5,2 " + " ".join(
    f"H{1 + (3 * x + y) % 7}@{x},{y}" for x in range(0, 11, 3) for y in range(0, 11, 3) if x != 5
)
# The original's milliseconds, on a machine like ours (facts, section 7).
ORIGINAL = {COMPLEX: [0, 0, 1.14, 45.8, 270, 1983], SIMPLE: [0, 0, 0.05, 0.32, 2.8, 17.8, 209]}
CASES: list[tuple[str, str, int, str, float, int]] = [
    ("complex, depth 4", COMPLEX, 4, "shared", 1.0, 2),
    ("complex, depth 5", COMPLEX, 5, "shared", 1.0, 2),
    ("complex, depth 4, full windows, threshold .8", COMPLEX, 4, "full", 0.8, 2),
    ("complex, depth 3, 3 groups", COMPLEX, 3, "shared", 1.0, 3),
    ("simple, depth 7", SIMPLE, 7, "shared", 1.0, 2),
    ("22 houses, depth 4", CROWD, 4, "shared", 0.8, 2),
]
TARGET, MOVE_MS = 1.4, 1600.0


def engine_text(depth: int, window: str, threshold: float, groups: int, more: str) -> str:
    """Return the engine that does what the original does."""
    return (
        f"vampires/expectiminimax:evaluation=langorou,depth={depth},window={window},ties=last,"
        f"win_threshold={threshold},max_groups={groups}{more}"
    )


def measured(
    library: ctypes.CDLL,
    made: Any,
    text: str,
    depth: int,
    window: str,
    threshold: float,
    groups: int,
) -> list[object]:
    """Return nodes, milliseconds and the ratio of one search; values and nodes must be equal."""
    engine = parse_engine(engine_text(depth, window, threshold, groups, ",deepening=off"))
    player, position = engine.player(), parse_position(engine.game, text)

    def ours() -> object:
        return player.choose(position)

    def theirs() -> float:
        return library.run(  # type: ignore[no-any-return]
            text.encode(),
            ctypes.c_int(depth),
            ctypes.c_int(window == "full"),
            ctypes.c_double(threshold),
            ctypes.c_int(groups),
            pointer(made),
        )

    choice, value = player.choose(position), theirs()
    assert choice.value is not None and abs(choice.value - value) <= 1e-9 * abs(value)
    assert choice.nodes == made[0], (choice.nodes, made[0])
    ratio = compare(ours, theirs, 9)
    return [choice.nodes, f"{ratio.ours * 1e3:.1f}", str(ratio)]


def main() -> None:
    """Print the tables."""
    library, made = compiled("vampires"), np.zeros(1, np.int64)
    library.run.restype = ctypes.c_double
    rows = []
    for name, *case in CASES:
        rows.append([name, *measured(library, made, *case)])
    print(tabulate(rows, ["position", "nodes", "ms", f"x C (target {TARGET})"]))
    print()
    for text, name in ((COMPLEX, "complex"), (SIMPLE, "simple")):
        engine = parse_engine(engine_text(12, "shared", 1.0, 2, f",milliseconds={MOVE_MS:g}"))
        depth = engine.player().choose(parse_position(engine.game, text)).depth
        print(f"{name}: depth {depth} is finished in {MOVE_MS:g} ms a move")
        for depth in range(2, len(ORIGINAL[text])):
            player = parse_engine(engine_text(depth, "shared", 1.0, 2, "")).player()
            position = parse_position(engine.game, text)
            player.choose(position)
            begun = time.perf_counter()
            player.choose(position)
            spent = (time.perf_counter() - begun) * 1e3
            was = ORIGINAL[text][depth]
            print(f"  depth {depth}: {spent:.2f} ms, the original {was:g} ms: {was / spent:.0f} x")


if __name__ == "__main__":
    main()
