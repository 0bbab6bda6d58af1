"""Whether balanced openings save games: a match with random openings beside the same with openings that a
search judges to be even (`openings.balanced_by`).

Prints what `python -m benchmarks.forced_ends` prints. Run as
`python -m benchmarks.balanced_openings [--blocks 600]`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.forced_ends import PAIRS, ratio, told
from joute.engines.kernels.compile import Floats
from joute.results.frames import load
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study

JUDGE = "alphabeta:evaluation=lines,depth={}"
JUDGES = ((4, 8), (6, 8), (6, 4), (8, 4), (8, 2))  # depth, and how far from even the value may be


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=600)
    blocks = parser.parse_args().blocks
    for game, (one, two) in PAIRS.items():
        if not game.startswith("connect4"):
            continue
        print(game)
        usual = played(game, one, two, blocks, "random openings", ())
        for depth, within in JUDGES:
            chosen = (
                f'openings.balanced_by="{JUDGE.format(depth)}"',
                f"openings.balanced_within={within}",
            )
            ours = played(game, one, two, blocks, f"depth {depth} within {within}", chosen)
            print(f"  games for the same certainty, balanced / random: {ratio(ours, usual)}")


def played(
    game: str, one: str, two: str, blocks: int, name: str, overrides: tuple[str, ...]
) -> Floats:
    """Play a match; print its figures, return the scores of the first engine by block."""
    table = {"name": "balance", "kind": "match", "game": game, "seed": 7, "blocks": blocks}
    study = load_study({**table, "a": {"spec": one}, "b": {"spec": two}}, overrides)
    with tempfile.TemporaryDirectory() as folder:
        run_study(study, Path(folder) / "run", workers=2)
        return told(load(Path(folder) / "run"), name)


if __name__ == "__main__":
    main()
