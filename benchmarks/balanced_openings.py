"""Whether balanced openings save games: a match with random openings beside the same with openings that a
search judges to be even (`openings.balanced_by`).

Prints what `python -m benchmarks.forced_ends` prints. Run as
`python -m benchmarks.balanced_openings [--blocks 600] [--games tron dodo] [--seed 7] [--workers 2]`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.forced_ends import PAIRS, ratio, told
from joute.engines.kernels.compile import Floats
from joute.results.frames import load
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study

LINES = [
    (f"alphabeta:evaluation=lines,depth={depth}", within)
    for depth, within in ((4, 8), (6, 8), (6, 4), (8, 4), (8, 2))
]
CHAMBERS = "alphabeta:evaluation=chambers,depth={},table=16,ordering=history,killers=2"
ZONES = "uct:evaluation=zones,ending=fill,k=0.2,iterations={}"
CASES = [
    *((game, pair, LINES) for game, pair in PAIRS.items() if game.startswith("connect4")),
    (
        "tron",
        (ZONES.format(300), ZONES.format(20)),
        [
            ("alphabeta:evaluation=zones,depth=4", 0.1),
            ("alphabeta:evaluation=zones,depth=4", 0.03),
            (CHAMBERS.format(4), 12_000),
            (CHAMBERS.format(4), 6_000),
            (CHAMBERS.format(6), 12_000),
            (CHAMBERS.format(6), 6_000),
        ],
    ),
    (
        "tron",
        (f"{CHAMBERS.format(6)},pvs=on,ending=fill", f"{CHAMBERS.format(3)},pvs=on,ending=fill"),
        [("alphabeta:evaluation=zones,depth=4", 0.1)],
    ),
    (
        "tron[width=15,height=12]",
        (ZONES.format(300), ZONES.format(20)),
        [("alphabeta:evaluation=zones,depth=4", 0.1)],
    ),
    (
        "dodo",
        ("uct:iterations=400", "uct:iterations=200"),
        [
            ("alphabeta:evaluation=steps,depth=6", 0.5),
            ("alphabeta:evaluation=mobility,depth=8", 0.5),
        ],
    ),
    ("gopher", PAIRS["gopher"], [("alphabeta:evaluation=mobility,depth=8", 1.5)]),
]  # a game, two engines, and judges: an engine, and how far from even the value may be


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=600)
    parser.add_argument("--games", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    for game, (one, two), judges in CASES:
        if given.games and game not in given.games:
            continue
        print(f"{game}: {one} against {two}")
        table: dict[str, Any] = {"name": "balance", "kind": "match", "game": game}
        table |= {"seed": given.seed, "blocks": given.blocks}
        table |= {"a": {"spec": one}, "b": {"spec": two}}
        usual = played(table, "random openings", (), given.workers)
        for judge, within in judges:
            chosen = (
                f'openings.balanced_by="{judge}"',
                f"openings.balanced_within={within}",
            )
            ours = played(table, f"{judge} within {within}", chosen, given.workers)
            print(
                f"  games for the same certainty, balanced / random: {ratio(ours, usual)}",
                flush=True,
            )


def played(table: dict[str, Any], name: str, overrides: tuple[str, ...], workers: int) -> Floats:
    """Play a match; print its figures, return the scores of the first engine by block."""
    study = load_study(table, overrides)
    with tempfile.TemporaryDirectory() as folder:
        run_study(study, Path(folder) / "run", workers=workers)
        return told(load(Path(folder) / "run"), name)


if __name__ == "__main__":
    main()
