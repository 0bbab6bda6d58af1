"""What a centipawn is worth: `scale` of the evaluations of chess, fitted to results of games of our own.

Run as `python -m benchmarks.chess_scale [GAMES]`. An engine plays itself from random openings; on every
eighth ply without check the evaluation's value for the side to move is noted beside that side's return.
`scale` is the s for which 1 / (1 + exp(-value / s)) explains the returns best.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from scipy.optimize import minimize_scalar
from tabulate import tabulate
from tqdm import tqdm

from joute.engines.engine import Engine, parse_engine
from joute.engines.kernels.compile import Words
from joute.engines.kernels.random import stream
from joute.engines.position import Position

PLAYER = (
    "chess/alphabeta:evaluation=tapered,depth=3,quiescence=on,pvs=on,killers=2,ordering=history"
)
EVALUATIONS = ("material", "tapered")
OPENING, EVERY, LONGEST = 8, 8, 300  # plies; a longer game counts as a draw


def calm(position: Position) -> bool:
    """Whether no check must be answered."""
    A = np.zeros(position.game.slots, np.int64)
    forcing = position.game.rules.forcing
    assert forcing is not None
    return bool(forcing(position.W, position.at, A, 0) >= 0)


def played(engine: Engine, seed: int) -> tuple[list[tuple[Words, int]], list[float]]:
    """Return the states of a game that are looked at, with who moves there, and its returns."""
    position = Position(engine.game)
    position.wander(stream(seed), OPENING)
    players = [engine.player(), engine.player()]
    for seat, player in enumerate(players):
        player.new_game(seed, seat)
    states: list[tuple[Words, int]] = []
    while not position.over and position.ply < LONGEST:
        if position.ply % EVERY == 0 and calm(position):
            states.append((position.words(), position.to_move))
        position.play(players[position.to_move].choose(position).action)
    return states, position.returns() if position.over else [0.5, 0.5]


def values_of(name: str, states: list[Words]) -> Iterator[float]:
    """Yield the value of each state for the side to move, by an evaluation with its default weights."""
    engine = parse_engine(f"chess/alphabeta:evaluation={name},depth=1")
    assert engine.evaluation is not None
    kernels = engine.evaluation.kernels(engine.game, engine.search.base)
    for state in states:
        yield float(kernels.value(state, 0, engine.vector))


def fitted(values: np.ndarray, returns: np.ndarray) -> tuple[float, float]:
    """Return the scale that explains the returns best, and the mean log loss with it."""

    def loss(scale: float) -> float:
        chance = np.clip(1 / (1 + np.exp(-values / scale)), 1e-12, 1 - 1e-12)
        return float(-np.mean(returns * np.log(chance) + (1 - returns) * np.log(1 - chance)))

    best = minimize_scalar(loss, bounds=(20.0, 2000.0), method="bounded")
    return float(best.x), float(best.fun)


def main() -> None:
    """Play, fit and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    engine, states, returns = parse_engine(PLAYER), [], []
    for seed in tqdm(range(games), disable=None):
        seen, shares = played(engine, seed)
        states += [state for state, _ in seen]
        returns += [shares[mover] for _, mover in seen]
    rows = []
    for name in EVALUATIONS:
        scale, loss = fitted(np.array(list(values_of(name, states))), np.array(returns))
        rows.append([name, f"{scale:.0f}", f"{loss:.4f}", f"{np.log(2):.4f}"])
    print(f"{games} games, {len(states)} positions")
    print(tabulate(rows, headers=["evaluation", "scale", "log loss", "of a coin"]))


if __name__ == "__main__":
    main()
