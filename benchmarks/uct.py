"""UCT with random playouts against open_spiel's C++ MCTSBot: processor time, alternating in one process.

On Go the two do not do the same work: our playouts fill no own eyes and pass only where nothing else is
left; open_spiel's play any legal move and stop after 2 x 81 of them. So their lengths are counted, and
the ratio is told per ply of a playout too.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

import numpy as np
from tabulate import tabulate

from joute.engines.engine import parse_engine
from joute.engines.kernels.random import stream
from joute.engines.position import Position

REPEATS, COUNTED = 15, 200


@dataclass(frozen=True)
class Case:
    """A game as both call it, how many iterations a move, and how much faster we mean to be."""

    name: str
    ours: str
    theirs: str
    iterations: int
    target: float


CASES = (
    Case(
        "connect4 12 x 6",
        "connect4[columns=12,rows=6]",
        "connect_four(rows=6,columns=12)",
        5000,
        20,
    ),
    Case("go 9 x 9", "go[size=9]", "go(board_size=9,komi=7.5)", 2000, 8),
)


def main() -> None:
    """Print the table."""
    try:
        import pyspiel
    except ImportError:
        print("open_spiel is not installed (pip install open_spiel): skipped")
        return
    rows = [measured(pyspiel, case) for case in CASES]
    headers = ["game", "joute", "open_spiel", "ratio", "target", "plies a playout", "ratio per ply"]
    print("iterations a second")
    print(tabulate(rows, headers=headers))


def measured(pyspiel: Any, case: Case) -> list[str]:
    """Return a row of the table: medians over alternating moves from the start."""
    engine = parse_engine(f"{case.ours}/uct:iterations={case.iterations},k=1.4")
    player, position = engine.player(), Position(engine.game)
    game = pyspiel.load_game(case.theirs)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 42)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, case.iterations, 2000, False, 42, False)
    state = game.new_initial_state()
    player.new_game(0, 0)
    player.choose(position)
    ours, theirs = [], []
    for seed in range(REPEATS):
        player.new_game(seed, 0)
        begun = time.thread_time()
        assert player.choose(position).nodes == case.iterations
        ours.append(time.thread_time() - begun)
        begun = time.thread_time()
        bot.step(state)
        theirs.append(time.thread_time() - begun)
    ratio = median(t / o for o, t in zip(ours, theirs, strict=True))
    length, their_length = our_plies(position), their_plies(state)
    return [
        case.name,
        f"{case.iterations / median(ours):,.0f}",
        f"{case.iterations / median(theirs):,.0f}",
        f"{ratio:.1f} x",
        f"{case.target:.0f} x",
        f"{length:.0f} and {their_length:.0f}",
        f"{ratio * length / their_length:.1f} x",
    ]


def our_plies(start: Position) -> float:
    """Return the mean length of our playouts."""
    rules, S, plies = start.game.rules, stream(1), []
    draw, A = rules.playout or rules.sample, np.zeros(start.game.slots, np.int64)
    for _ in range(COUNTED):
        position = start.copy()
        while not position.over:
            position.play(int(draw(position.W, position.at, A, 0, S)))
        plies.append(position.ply)
    return mean(plies)


def their_plies(start: Any) -> float:
    """Return the mean length of playouts of legal actions, each as likely as the other."""
    rng, lengths = random.Random(1), []
    for _ in range(COUNTED):
        state, plies = start.clone(), 0
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            plies += 1
        lengths.append(plies)
    return mean(lengths)


if __name__ == "__main__":
    main()
