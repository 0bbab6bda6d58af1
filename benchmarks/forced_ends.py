"""What leaving out openings with a forced end changes: shares, the first player's score, and the games that
show the same difference between two engines.

Each pair of engines plays the same number of blocks with all random openings and with those that are not
decided within 3 plies. A match of given certainty needs games in proportion to the variance of the blocks
over the square of their mean above 1/2; the ratio of the two has its interval by bootstrap. Run as
`python -m benchmarks.forced_ends [--blocks 2000]`.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from joute.engines.engine import parse_game
from joute.engines.forced import forced_end
from joute.engines.kernels.compile import Floats
from joute.harness.openings import random_plies
from joute.results.frames import load
from joute.studies.adhoc import match_study
from joute.studies.play.study_run import run_study

PAIRS = {
    "connect4": ("alphabeta:evaluation=lines,depth=6", "alphabeta:evaluation=lines,depth=4"),
    "connect4[columns=12,rows=6]": (
        "alphabeta:evaluation=lines,depth=5", "alphabeta:evaluation=lines,depth=3",
    ),
    "gopher": ("uct:iterations=400", "uct:iterations=200"),
}  # fmt: skip
DRAWN, DRAWS = 2000, 2000


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=2000)
    blocks = parser.parse_args().blocks
    for name, (one, two) in PAIRS.items():
        game = parse_game(name)
        is_forced = forced_end(game)
        drawn = [random_plies(game, seed, game.opening_plies) for seed in range(DRAWN)]
        there = [position for position in drawn if position is not None]
        share = np.mean([is_forced(position) for position in there])
        print(f"{name}: {100 * share:.1f} % of {len(there)} openings are decided within 3 plies")
        found = {}
        for drop in (False, True):
            study = match_study(f"{game.label}/{one}", two, blocks)
            study = replace(study, openings=replace(study.openings, drop_forced=drop))
            with tempfile.TemporaryDirectory() as folder:
                run_study(study, Path(folder) / "run", workers=2)
                found[drop] = told(load(Path(folder) / "run"), "dropped" if drop else "all")
        print(f"  games for the same certainty, dropped / all: {ratio(found[True], found[False])}")


def told(results: object, name: str) -> Floats:
    """Print the figures of a run; return the scores of the tested engine by block."""
    seats: pd.DataFrame = results.seats  # type: ignore[attr-defined]
    first = seats[seats["seat"] == 0]["returns"].mean()
    tested = seats["engine"].iloc[0]
    ours = seats[seats["engine"] == tested].groupby("block")["returns"].mean()
    by_seat = seats.pivot_table(index="block", columns=["engine", "seat"], values="returns")
    won_by_first = (by_seat.xs(0, axis=1, level="seat") == 1).all(axis=1)
    won_by_second = (by_seat.xs(1, axis=1, level="seat") == 1).all(axis=1)
    decided = (won_by_first | won_by_second).mean()
    print(
        f"  {name}: {len(ours)} blocks, {tested} scores {100 * ours.mean():.1f} %, who begins "
        f"{100 * first:.1f} %, the opening decides {100 * decided:.1f} % of the blocks"
    )
    return np.asarray(ours, np.float64)


def ratio(ours: Floats, twin: Floats) -> str:
    """Return the ratio of the games needed, with its 95 % interval."""
    chance = np.random.default_rng(1)
    drawn = [
        needed(chance.choice(ours, len(ours))) / needed(chance.choice(twin, len(twin)))
        for _ in range(DRAWS)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return f"{needed(ours) / needed(twin):.2f} ({low:.2f} to {high:.2f})"


def needed(scores: Floats) -> float:
    """Return a number in proportion to the games of a match of given certainty."""
    return float(scores.var() / (scores.mean() - 0.5) ** 2)


if __name__ == "__main__":
    main()
