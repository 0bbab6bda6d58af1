"""Connect 4 on 7 x 6 solved after 12 random plies: all helpers, the table alone, the plain search.

All search the 30 plies that are left, so a value tells how and when the game ends. The solver lists
moves by `threats`, uses MTD(f) and probes the table; the other two sort children by `lines`. The
plain search is given up after PATIENCE_S, and left out by `--quick`. Times are CPU times, as one
search is one thread. Run as `python -m benchmarks.solve`.
"""

from __future__ import annotations

import random
import sys
import time
from statistics import median

from tabulate import tabulate

from joute.engines.engine import parse_engine
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.record import WIN

GAME = "connect4[columns=7,rows=6]"
PLAIN = f"{GAME}/alphabeta:evaluation=lines,depth=30,ordering=evaluation"
TABLED = f"{PLAIN},table=64,pvs=on"
SOLVER = f"{GAME}/alphabeta:evaluation=static,generator=threats,depth=30,table=4,mtd=on,probing=on"
PLIES, POSITIONS, ROUNDS, PATIENCE_S = 12, 20, 3, 10.0


def position_of(seed: int) -> Position:
    """Return a position after some random plies that is not over."""
    chance, game = random.Random(seed), parse_engine(PLAIN).game
    while True:
        position = Position(game)
        while not position.over and position.ply < PLIES:
            position.play(chance.choice(position.legal_actions()))
        if not position.over:
            return position


def timed(player: Player, position: Position) -> tuple[float, Move]:
    """Return a player's seconds for a position of a new game, and its choice."""
    player.new_game(0, 0)
    begun = time.process_time()
    choice = player.choose(position)
    return time.process_time() - begun, choice


def main() -> None:
    """Print the table."""
    players = {"threats": SOLVER, "table": TABLED}
    if "--quick" not in sys.argv[1:]:
        players["plain"] = PLAIN
    made = {name: parse_engine(text).player() for name, text in players.items()}
    for player in made.values():
        timed(player, position_of(4))  # loads the kernels
    rows, took = [], {name: list[float]() for name in made}
    for seed in range(POSITIONS):
        position, row, solution = position_of(seed), list[str](), None
        for name, player in made.items():
            player.guard_ms = 1e3 * PATIENCE_S if name == "plain" else None
            runs = [timed(player, position)]
            solved = solution is None or runs[0][1].depth == solution.depth
            runs += [timed(player, position) for _ in range(ROUNDS - 1 if solved else 0)]
            seconds, choice = median(run[0] for run in runs), runs[0][1]
            solution = solution or choice
            assert not solved or choice.value == solution.value, position.moves
            took[name].append(seconds)
            nodes = f"{choice.nodes / 1e6:.2f}" if solved else ""
            row += [nodes, f"{seconds:.3f}" if solved else f"> {seconds:.0f}"]
        assert solution is not None
        value = solution.value or 0.0
        end = f"{'won' if value > 0 else 'lost'} in {WIN - abs(value):.0f}" if value else "drawn"
        rows.append([seed, end, *row])
    head = ["position", "is", *(part for name in made for part in (f"{name}: M nodes", "s"))]
    print(tabulate(rows, headers=head, disable_numparse=True))
    for name in ("threats", "table"):
        print(f"{name}: median {median(took[name]):.3f} s, at most {max(took[name]):.2f} s")


if __name__ == "__main__":
    main()
