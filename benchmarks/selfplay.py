"""Self-play with two workers against one, in turns; and what the machine itself allows: two runs at once
with one worker each, against one alone. A worker's start takes part.

    python -m benchmarks.selfplay [--study gopher-zero] [--games 200] [--repeats 3]
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from benchmarks import JOUTE
from joute.results.store import Store
from joute.studies.kinds.train.history import read_history


def main() -> None:
    """Play in turns; print games a second and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--study", default="gopher-zero")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    rates: dict[str, list[float]] = {"one worker": [], "two workers": [], "two runs": []}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        place = Path(folder)
        played(asked.study, asked.games // 10, 1, place / "warm")  # compiles
        for turn in range(asked.repeats):
            for name, workers, runs in (
                ("one worker", 1, 1),
                ("two workers", 2, 1),
                ("two runs", 1, 2),
            ):
                seconds = pool.map(
                    lambda i, turn=turn, name=name, workers=workers: played(
                        asked.study, asked.games, workers, place / f"{turn} {name} {i}"
                    ),
                    range(runs),
                )
                rates[name].append(sum(asked.games / s for s in seconds))
                print(f"{name:12} {rates[name][-1]:6.2f} games/s", flush=True)
    base = median(rates["one worker"])
    print(
        f"two workers are {median(rates['two workers']) / base:.2f} x as fast as one (target: 1.7)"
    )
    print(
        f"two runs at once: {median(rates['two runs']) / base:.2f} x, which is what the machine allows"
    )


def played(study: str, games: int, workers: int, folder: Path) -> float:
    """Play one iteration of a training; return the seconds of its self-play."""
    command = [*JOUTE, "run", study, "--out", str(folder)]
    command += ["--no-report", "-j", str(workers)]
    for setting in (
        "selfplay.iterations=1", f"selfplay.games={games}", "gate.blocks=1", "ladder.generations=0",
    ):  # fmt: skip
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    with Store.open(folder) as store:
        seconds: float = read_history(store.meta())[1]["seconds"]["self-play"]
    return seconds


if __name__ == "__main__":
    main()
