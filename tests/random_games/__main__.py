"""`python -m tests.random_games [GAME ...] [--games 10000] [--twins 50] [--seed N] [--bounds]`: play
random games of Dodo, Gopher and Go, a line for each game and size.

Every game is played to its end, looked at on one random ply and at the end, and played again in every
image of the board: the images have the same key, status, legal actions and returns; texts read back;
with colours exchanged a hexagon's game is the same for the other player. Every 50th game is played along
with the slow twin of the rules. `--bounds` compiles kernels that check their arrays. Exit code 1 when
anything was found, with what repeats it; 2 for what is no such game.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

SHAPES = (
    "columns=2,rows=1", "columns=1,rows=5", "size=2", "size=3", "columns=5,rows=3", "size=9",
    "size=13", "size=19",
)  # fmt: skip
EVERY = [
    *(f"{game}[side={side}]" for game in ("dodo", "gopher") for side in range(2, 8)),
    *(f"go[{shape},rules={rules}]" for shape in SHAPES for rules in ("chinese", "japanese")),
]
SHOWN = 5  # faults of a game
CACHE = Path(__file__).parents[2] / ".cache" / "numba-boundscheck"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, play, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.random_games",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("asked", nargs="*", metavar="GAME", help="as gopher[side=3]; default: all")
    parser.add_argument("--games", type=int, default=10_000, help="of each (default: 10000)")
    parser.add_argument("--twins", type=int, default=50, help="every so many-th beside its twin")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bounds", action="store_true", help="kernels check their bounds")
    said = parser.parse_args(arguments)
    if min(said.games, said.twins) < 1:
        return refused("--games and --twins are whole numbers from 1 up")
    if said.bounds:  # before anything imports numba
        os.environ |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(CACHE)}
    from tqdm import tqdm

    from joute.engines.engine import parse_game
    from joute.engines.errors import JouteError
    from tests.random_games.walk import Walk

    try:
        games = [parse_game(text) for text in said.asked or EVERY]
    except JouteError as error:
        return refused(str(error))
    if strange := [game.label for game in games if game.name not in ("dodo", "gopher", "go")]:
        return refused(f"{strange[0]}: allowed are dodo, gopher and go")
    faults = 0
    for game in games:
        begun, walk = time.monotonic(), Walk(game, said.seed, said.twins)
        found = walk.games(tqdm(range(said.games), game.label, leave=False, disable=None))
        found.seconds = time.monotonic() - begun
        print("\n    ".join([found.text(), *found.faults[:SHOWN]]), flush=True)
        faults += len(found.faults)
    return 1 if faults else 0


def refused(why: str) -> int:
    """Say in one line what was wrong with the request."""
    print(f"random_games: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
