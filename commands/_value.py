"""Static evaluation of one position (`joute evaluate`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joute.engines.engine_text import split_options
from joute.engines.errors import Refused, unknown
from joute.engines.evaluation import Evaluation
from joute.engines.position import Position
from joute.engines.record import WIN
from joute.engines.registry import make


def value_of(position: Position, name: str, settings: Sequence[str], player: int) -> float:
    """Return an evaluation's value of a position, for a player (1 is the first).

    A finished game is worth WIN, 0 or -WIN whatever the evaluation. `settings` are name=value.
    """
    game = position.game
    if not 1 <= player <= game.players:
        raise Refused(f"--for {player}: {game.name} has players 1 to {game.players}")
    evaluation: Evaluation = make("evaluation", name)
    evaluation.check(game)
    given = split_options(",".join(settings), "-p")
    known = {p.name: p for p in evaluation.parameters}
    for key in given:
        if key not in known:
            raise unknown(f"parameter of {name}", key, known)
    if position.over:
        return float((2 * position.returns()[player - 1] - 1) * WIN)
    values = {n: p.check(given.get(n, p.default), "-p") for n, p in known.items()}
    evaluation = evaluation.bound(game, values)
    text_numbers = evaluation.numbers(game)
    numbers = {
        n: p.choices.index(str(values[n])) if p.choices else text_numbers.get(n, values[n])
        for n, p in known.items()
    }
    P = np.array([0.0 if isinstance(number, str) else number for number in numbers.values()], float)
    kernels = evaluation.kernels(game, 0)
    stride, states = game.words + kernels.words, 1 + position.ply * game.path_dependent
    W = np.zeros(kernels.scratch + states * stride, np.uint64)
    begin = position.lay(W, stride, kernels.scratch)
    kernels.init(W, begin, P)
    if game.players > 2:
        R = np.zeros(game.players)
        kernels.values(W, begin, P, R, 0)  # type: ignore[misc]
        return float(R[player - 1])
    value = float(kernels.value(W, begin, P))
    if failure := evaluation.failure(game):
        raise failure
    return value if position.to_move == player - 1 else -value if value else 0.0
