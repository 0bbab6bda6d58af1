"""Tron 30 x 20: the evaluation `zones` and UCT over it against their twins in C: equal values, ratios.

Run as `python -m benchmarks.tron`.
"""

from __future__ import annotations

import ctypes

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare, compiled, pointer
from joute.engines.engine import parse_engine
from joute.engines.kernels.compile import Kernel, U, Words, kernel
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position

ENGINE = "tron/uct:evaluation=zones,k=0.2,parity={},chambers={},iterations={}"
ITERATIONS, EACH = 20_000, 667


def positions(seed: int) -> list[Position]:
    """Return 2,001 positions: a third early and open, a third mid-game, a third twisted.

    Players walk at random with a liking for straight lines; twisted ones hug what is beside them.
    """
    game = parse_engine(ENGINE.format("off", "off", 1)).game
    S, drawn = stream(seed), list[Position]()
    for kind, (low, high) in enumerate(((0, 20), (40, 120), (120, 260))):
        wanted = EACH * (kind + 1)
        while len(drawn) < wanted:
            position = Position(game, game.start_text(int(below(S, U(1 << 31)))))
            plies = low + int(below(S, U(high - low)))
            last = [0, 0]
            while not position.over and position.ply < plies:
                walls = sorted(position.legal_actions(), key=lambda a: room(position, a))
                mover = position.to_move
                straight = last[mover] if last[mover] in walls and kind < 2 else walls[0]
                other = walls[int(below(S, U(len(walls))))]
                last[mover] = straight if below(S, U(10)) < 8 else other
                position.play(last[mover])
            if not position.over and position.ply == plies:
                drawn.append(position)
    return drawn


def room(position: Position, action: int) -> int:
    """Return the number of ways on after an action."""
    after = position.copy()
    after.play(action)
    if after.over:
        return 9
    after.W[after.at + position.game.words - 1] ^= U(1)  # ask for the one who has just moved
    return len(after.legal_actions())


def all_values(expected: Kernel, words: int, begin: int) -> Kernel:
    """Return a kernel that evaluates many states, as the C program does."""
    step, start = U(words), U(begin)

    @kernel("void(u8[::1], i8, f8[::1], f8[::1])", inline=False)
    def evaluate(W, count, P, out):
        for i in range(count):
            expected(W, start + U(i) * step, P, out, U(i))

    return evaluate


def main() -> None:
    """Print the table."""
    library = compiled("tron")
    library.uct.restype = ctypes.c_int64
    cases = positions(2014)
    rows = []
    for parity, chambers in (("off", "off"), ("on", "off"), ("off", "on"), ("on", "on")):
        engine = parse_engine(ENGINE.format(parity, chambers, ITERATIONS))
        assert engine.evaluation is not None
        own = engine.search.base
        kernels = engine.evaluation.kernels(engine.game, own)
        words, begin, P = engine.game.words, kernels.scratch, engine.vector
        W = np.zeros(begin + len(cases) * words, np.uint64)
        for i, position in enumerate(cases):
            W[begin + i * words : begin + (i + 1) * words] = position.words()
        states, weights = W[begin:].copy(), P[own:].copy()
        mine, twins = np.zeros(len(cases) + 1), np.zeros(len(cases))
        assert kernels.expected is not None
        evaluate = all_values(kernels.expected, words, begin)

        def ours() -> None:
            evaluate(W, len(cases), P, mine)  # noqa: B023

        def theirs() -> None:
            library.evaluate_all(
                pointer(states),  # noqa: B023
                ctypes.c_int64(len(cases)),
                pointer(weights),  # noqa: B023
                pointer(twins),  # noqa: B023
            )

        ours()
        theirs()
        assert np.array_equal(mine[:-1], twins), "the values differ"
        for name, part in (("open", 0), ("mid-game", 1), ("twisted", 2), ("all", None)):
            if part is not None:
                continue
            ratio = compare(ours, theirs, 41)
            speed = len(cases) / ratio.ours / 1e6
            named = f"zones, parity {parity}, chambers {chambers}, {name}"
            rows.append([named, f"{speed:.2f} M/s", str(ratio), "1.0"])
    engine = parse_engine(ENGINE.format("off", "off", ITERATIONS))
    player = engine.player()
    weights = engine.vector[engine.search.base :].copy()
    visits, totals = np.zeros(4, np.int64), np.zeros(4)
    for name, chosen in (("open", cases[5]), ("mid-game", cases[EACH + 5])):
        state = chosen.words()

        def search(position: Position = chosen) -> None:
            player.new_game(1, 0)
            player.choose(position)

        def twin(state: Words = state) -> None:
            library.uct(
                pointer(state),
                ctypes.c_int64(ITERATIONS),
                ctypes.c_double(0.2),
                pointer(weights),
                pointer(visits),
                pointer(totals),
            )

        search()
        twin()
        tree = player.tree  # type: ignore[attr-defined]
        n = int(tree.children[0])
        assert list(tree.visits[1 : n + 1]) == list(visits[:n]), "the trees differ"
        assert list(tree.total[1 : n + 1]) == list(totals[:n]), "the totals differ"
        ratio = compare(search, twin, 21)
        rows.append([f"uct over zones, {name}", f"{ITERATIONS / ratio.ours / 1e4:.1f} k in 100 ms",
                     str(ratio), "1.11"])  # fmt: skip
    print(tabulate(rows, headers=["kernel", "speed", "time / C [quartiles]", "target"]))


if __name__ == "__main__":
    main()
