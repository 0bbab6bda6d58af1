"""`python -m tests.attack [--seed N] [--kills 300] [--inputs 1000] [--files 3000] [--bots 60] [--protocols 60]
[--hosts 200]`: attack, print a table.

The whole takes about 45 minutes on two cores. Exit code 1 when anything was found; what was found is
printed with what repeats it.
"""

from __future__ import annotations

import argparse
import sys
import time

from tests.attack import bots, files, hosts, inputs, kills, protocols
from tests.attack.findings import Findings


def attack(
    seed: int, kill: int, mutated: int, bad: int, lost: int = 0, foreign: int = 0, coarse: int = 0
) -> list[Findings]:
    """Carry out the six parts."""
    found = []
    for part, number in (
        (inputs.attack, mutated),
        (files.attack, foreign),
        (bots.attack, bad),
        (protocols.attack, coarse),
        (kills.attack, kill),
        (hosts.attack, lost),
    ):
        begun = time.monotonic()
        result = part(seed, number) if number else None
        if result is not None:
            result.seconds = time.monotonic() - begun
            print(result.table(), flush=True)
            found.append(result)
    return found


def main() -> None:
    """Read the command line, attack, and say how it went."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--bots", type=int, default=60)
    parser.add_argument("--protocols", type=int, default=60)
    parser.add_argument(
        "--hosts", type=int, default=0, help="of a dask cluster, if it is installed"
    )
    asked = parser.parse_args()
    found = attack(
        *(asked.seed, asked.kills, asked.inputs, asked.bots),
        *(asked.hosts, asked.files, asked.protocols),
    )
    faults = sum(len(part.faults) for part in found)
    print(f"seed {asked.seed}: {faults} faults in {sum(part.seconds for part in found):.0f} s")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
