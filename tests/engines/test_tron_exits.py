"""The generator `exits`: its playouts draw what the obvious twin draws."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_game
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position, parse_position
from joute.engines.registry import make
from tests.engines.slow_tron import Field, around, slow_of

FIELD = "tron[width=9,height=7,players=3]"


def drawn(f: Field, enough: int, S: np.ndarray) -> int:
    """Draw a move with enough exits, or one of those with the most; 0 where there is none."""
    exits = {
        a: min(sum(f.free(c) for c in around(f.ahead(a))), enough)
        for a in range(4)
        if f.free(f.ahead(a))
    }
    if not exits:
        return 0
    best = [a for a in exits if exits[a] == max(exits.values())]
    return best[int(below(S, np.uint64(len(best))))]


@settings(max_examples=30)
@given(st.integers(0, 100_000), st.integers(0, 3))
def test_a_playout_draws_as_its_twin_does(seed: int, enough: int) -> None:
    game = parse_game(FIELD)
    kernels = make("generator", "exits").kernels(game, game.words, 0)
    position: Position = parse_position(game, game.start_text(seed))
    W, A = np.zeros(game.words, np.uint64), np.zeros(8, np.int64)
    W[:] = position.W[position.at : position.at + game.words]
    kernels.prepare(W, 0, np.array([enough], np.float64))
    S, T, f = stream(seed), stream(seed), slow_of(position)
    while not f.over:
        action = int(kernels.playout(W, 0, A, 0, S))
        assert action == drawn(f, enough, T)
        kernels.apply(W, 0, 0, action, 0)
        f.play(action)
    assert kernels.status(W, 0) != 0
