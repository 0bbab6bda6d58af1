"""Connect 4 on 7 x 6 solved after 12 random plies: the search with a table beside the plain one.

Both search the 30 plies that are left, children sorted by `lines`, so that a value is the way the game
ends and when. The plain search is given up after PATIENCE_S. Times are the processor's, for one search
is one thread. Run as `python -m benchmarks.solve`.
"""

from __future__ import annotations

import random
import time
from statistics import median

from tabulate import tabulate

from engines.engine import parse_engine
from engines.player import Choice, Player
from engines.position import Position
from engines.search import WIN

GAME = "connect4[columns=7,rows=6]"
PLAIN = f"{GAME}/alphabeta:evaluation=lines,depth=30,ordering=evaluation"
TABLED = f"{PLAIN},table=64,pvs=on"
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


def timed(player: Player, position: Position) -> tuple[float, Choice]:
    """Return the seconds that a player takes for a position of a new game, and its choice."""
    player.new_game(0, 0)
    begun = time.process_time()
    choice = player.choose(position)
    return time.process_time() - begun, choice


def main() -> None:
    """Print the table."""
    plain, tabled = (parse_engine(text).player() for text in (PLAIN, TABLED))
    plain.guard_ms = 1e3 * PATIENCE_S
    for player in (plain, tabled):
        timed(player, position_of(4))  # loads the kernels
    rows, ours = [], list[float]()
    for seed in range(POSITIONS):
        position, took, theirs = position_of(seed), list[float](), list[float]()
        solved = True
        for _ in range(ROUNDS):
            seconds, found = timed(tabled, position)
            took.append(seconds)
            if solved:
                seconds, expected = timed(plain, position)
                theirs.append(seconds)
                solved = expected.depth == found.depth
        value = found.value or 0.0
        assert not solved or expected.value == value, position.moves
        end = f"{'won' if value > 0 else 'lost'} in {WIN - abs(value):.0f}" if value else "drawn"
        ours.append(median(took))
        row = [seed, end, f"{found.nodes / 1e6:.2f}", f"{ours[-1]:.3f}"]
        if solved:
            row += [f"{expected.nodes / 1e6:.1f}", f"{median(theirs):.2f}"]
        else:
            row += ["", f"> {theirs[0]:.0f}"]
        rows.append(row)
    head = ["position", "is", "M nodes", "s", "plain: M nodes", "s"]
    print(tabulate(rows, headers=head, disable_numparse=True))
    print(f"with the table: median {median(ours):.2f} s, at most {max(ours):.2f} s")


if __name__ == "__main__":
    main()
