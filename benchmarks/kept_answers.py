"""What `cache` of `puct` saves: whole games with kept answers and without, alternating, and the share found.

    python -m benchmarks.kept_answers [--games 3]

Both play the same games, after six random plies. A player keeps its answers from move to move.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import numpy as np
from tabulate import tabulate

from joute.engines.engine import parse_engine
from joute.engines.game import Game
from joute.engines.nets.batches import KeptAnswers
from joute.engines.position import Position
from joute.engines.searches.puct import PuctPlayer

ENGINES = (
    "gopher[side=6]/puct:network=gopher-zero",
    "dodo[side=4]/puct:network=dodo-zero",
)
KNOBS = (
    "iterations=200",
    "iterations=200,batch=8",
    "iterations=1000,batch=8",
    "iterations=200,symmetry=random",
)
KEPT, PLIES = 1_000_000, 6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=3)
    games = parser.parse_args().games
    rows = []
    for text in ENGINES:
        for knobs in KNOBS:
            plain, keeping = player_of(f"{text},{knobs}"), player_of(f"{text},{knobs},cache={KEPT}")
            board = parse_engine(f"{text},{knobs}").game
            ratios = []
            for seed in range(games + 1):
                (moves, without), (same, with_kept) = (
                    game(board, plain, seed),
                    game(board, keeping, seed),
                )
                assert moves == same
                if seed:  # the first one warms up
                    ratios.append(without / with_kept)
            kept = keeping._ask
            assert isinstance(kept, KeptAnswers)
            rows.append(
                [text, knobs, f"{100 * kept.found / kept.asked:.0f} %", f"{median(ratios):.2f}"]
            )
    headers = ["engine", "knobs", "found", "times as fast"]
    print(tabulate(rows, headers=headers, disable_numparse=True))


def player_of(text: str) -> PuctPlayer:
    """Return an engine's player."""
    player = parse_engine(text).player()
    assert isinstance(player, PuctPlayer)
    return player


def game(board: Game, player: PuctPlayer, seed: int) -> tuple[list[int], float]:
    """Play a game against itself after random plies; return its moves and the seconds."""
    position, moves, rng = Position(board), list[int](), np.random.default_rng(seed)
    for _ in range(PLIES):
        position.play(int(rng.choice(position.legal_actions())))
    player.new_game(seed, 0)
    begun = time.perf_counter()
    while not position.over:
        moves.append(player.choose(position).action)
        position.play(moves[-1])
    return moves, time.perf_counter() - begun


if __name__ == "__main__":
    main()
