"""Truth by generation: in how many solved positions keeps each network of a training the game's value?

    python -m benchmarks.truth 'gopher[side=4]' gopher4.toml --evaluation mobility
    joute run gopher-zero --set 'game="gopher[side=4]"' --out runs/gopher4
    python -m benchmarks.generations gopher4.toml runs/gopher4 --ms 5

Each network plays without a tree, with 50 iterations, and at equal time beside `uct` and `alphabeta`.
One engine at a time has the machine.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks import JOUTE
from joute.results.statistics import wilson


def main() -> None:
    """Print shares of positions with Wilson's 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--ms", type=float, default=5.0, help="a move, at equal time")
    parser.add_argument("--every", type=int, default=1, help="generations apart")
    parser.add_argument("--evaluation", default="mobility", help="alphabeta's")
    asked = parser.parse_args()
    nets = sorted((asked.run / "nets").glob("*.onnx"))[:: asked.every]
    ways = {
        "no tree": "greedy:network={}",
        "50 iterations": "puct:network={},iterations=50",
        f"{asked.ms:g} ms": f"puct:network={{}},milliseconds={asked.ms:g}",
    }
    for way, spec in ways.items():
        for net in nets:
            print(f"generation {int(net.stem):2}, {way}: {share(asked.suite, spec.format(net))}")
    deepening = "depth=60,deepening=on,table=16,pvs=on,ordering=history"
    for other in ("uct", f"alphabeta:evaluation={asked.evaluation},{deepening}"):
        spec = f"{other}{',' if ':' in other else ':'}milliseconds={asked.ms:g}"
        print(f"{spec}: {share(asked.suite, spec)}")


def share(suite: Path, spec: str) -> str:
    """Return the share of positions that an engine passes, with its interval."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answers.csv"
        command = [*JOUTE, "suite", str(suite), spec, "-j", "1"]
        done = subprocess.run([*command, "--csv", str(file)], capture_output=True, text=True)
        if not file.exists():
            raise SystemExit(done.stderr)
        passed = pd.read_csv(file)["passed"] == "yes"
    low, high = wilson(passed.sum(), len(passed))
    return f"{100 * passed.mean():.1f} % ({100 * low:.1f} to {100 * high:.1f})"


if __name__ == "__main__":
    main()
