"""Graph-history interaction: what a transposition table changes where the evaluation depends on the path.

    joute match 'vampires[map=random:langorou]/expectiminimax:evaluation=langorou,depth=30,nodes=2000' ... --out runs/boards
    python -m benchmarks.graph_history runs/boards --depths 4,5,6 --positions 300 [--cum-score 0.008]

Puts positions of a run to Langorou's search at fixed depths. Of tables with other keys is told in how many
positions another turn is played, and another value given, than with the key that holds the path; of table,
killers and history, how many nodes they take beside the plain search. One engine at a time has the machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from joute.reports.asked_positions import Asked, positions_of
from joute.reports.moves import differences
from joute.results.grouped import Ratio, Share, share_of
from joute.studies.suites.answers import Column, ask, engines_of

RIGHT = "table=16,killers=2"
KEYS = (RIGHT, f"{RIGHT},table_key=position", f"{RIGHT},table_key=board")
HELP = ("table=0", "table=16", "killers=2", "history=on", RIGHT, f"{RIGHT},history=on")


def main() -> None:
    """Print both tables, a line for each depth and setting."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run")
    parser.add_argument("--depths", default="3,4,5")
    parser.add_argument("--positions", type=int, default=300)
    parser.add_argument("--cum-score", type=float, default=1e-4)
    parser.add_argument("--keys", action="store_true", help="leave out what saves nodes")
    asked = parser.parse_args()
    positions = positions_of(asked.run, asked.positions, 0)
    blocks = len({position.block for position in positions.positions})
    print(f"{len(positions.positions)} positions of {blocks} blocks")
    for depth in map(int, asked.depths.split(",")):
        for settings in (KEYS,) if asked.keys else (KEYS, HELP):
            compare(positions, depth, asked.cum_score, settings)


def compare(asked: Asked, depth: int, cum_score: float, settings: Sequence[str]) -> None:
    """Print each setting beside the first one."""
    common = f"expectiminimax:evaluation=langorou,depth={depth},cum_score={cum_score:.12f}"
    specs = [f"{common},{setting}" for setting in settings]
    columns = ask(asked.suite, engines_of(asked.game, specs, ()), 0, 1)
    nodes = sum(answer.nodes for answer in columns[0].answers) / len(columns[0].answers)
    print(f"depth {depth}, beside {settings[0]} ({nodes:,.0f} nodes a turn):")
    found = differences(asked, columns)
    for setting, column, other in zip(settings[1:], columns[1:], found, strict=True):
        values = other_values(asked, columns[0], column)
        print(
            f"    {setting}: other turns {share(other.share)}, other values {share(values)}, "
            f"nodes {ratio(other.nodes)}, time {ratio(other.time)}",
            flush=True,
        )


def other_values(asked: Asked, first: Column, other: Column) -> Share:
    """Return the share of positions whose value is not that of the first engine."""
    blocks = [position.block for position in asked.positions]
    groups = np.unique(blocks, return_inverse=True)[1]
    differs = [a.value != b.value for a, b in zip(first.answers, other.answers, strict=True)]
    return share_of(np.bincount(groups, differs), np.bincount(groups))


def share(found: Share | None) -> str:
    """Return a share in percent with its interval."""
    if found is None:
        return "-"
    return f"{100 * found.mean:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f})"


def ratio(found: Ratio | None) -> str:
    """Return a ratio with its interval."""
    if found is None or found.low is None or found.high is None:
        return "-"
    return f"x {found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


if __name__ == "__main__":
    main()
