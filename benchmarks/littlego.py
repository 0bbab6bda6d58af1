"""LittleGo's questions: do two boards help, do wide heads, and does it hold on the games of somebody else?

    joute run littlego-games && joute run littlego-gnugo
    python -m benchmarks.littlego runs/littlego-games runs/littlego-gnugo --out runs/littlego-table

Trains `littlego` with each setting from either source, with as many seeds as are asked for; tells by
games held out and by the games of the other source. The same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from benchmarks import joute
from joute.results.store import Store
from joute.studies.kinds.train.history import read_history

SETTINGS: Mapping[str, Sequence[str]] = {
    "one board": ("view.history=1",),
    "two boards": (),
    "eight boards": ("view.history=8",),
    "two boards, narrow heads": ("net.policy_filters=2", "net.value_filters=1"),
}
BASE = "two boards"
TOLD = ("accuracy_learnt", "accuracy", "accuracy_other", "error", "error_other")
COMPARED = ("accuracy", "accuracy_other", "error")
Job = tuple[Path, Path, str, int]
"""The run that teaches, the other one, a setting's name, the seed."""


class Trained(NamedTuple):
    """A network's measures: accuracy of the policy and error of the value, on either source."""

    accuracy: float
    error: float
    accuracy_other: float
    error_other: float
    accuracy_learnt: float


def main() -> None:
    """Train what is missing, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs=2, type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--together", type=int, default=2, help="trainings at once")
    asked = parser.parse_args()
    both = (asked.sources, asked.sources[::-1])
    jobs: list[Job] = [
        (source, other, name, seed)
        for seed in range(1, asked.seeds + 1)
        for source, other in both
        for name in SETTINGS
    ]
    with ThreadPoolExecutor(asked.together) as pool:
        rows = pool.map(lambda job: trained(job, asked.epochs, asked.out), jobs)
        row_of = dict(zip(jobs, rows, strict=True))
    for source, other in both:
        print(f"\nlearnt from {source.name}; other source: {other.name}")
        show(
            {
                name: [row_of[source, other, name, seed] for seed in range(1, asked.seeds + 1)]
                for name in SETTINGS
            }
        )


def show(scores: Mapping[str, Sequence[Trained]]) -> None:
    """Print the measures of each setting's networks, one a seed, and the difference to `BASE`."""
    columns = {
        name: {of: np.array([getattr(row, of) for row in rows]) for of in Trained._fields}
        for name, rows in scores.items()
    }
    for name, own in columns.items():
        print(f"{name}: " + ", ".join(f"{of} {mean_and_spread(own[of])}" for of in TOLD))
        if name != BASE:
            for of in COMPARED:
                print(f"    {BASE} minus {name}, {of}: {interval(columns[BASE][of] - own[of])}")


def trained(job: Job, epochs: int, out: Path) -> Trained:
    """Train one network, unless it exists; return its measures."""
    source, other, name, seed = job
    folder = out / f"{source.name}, {name}, {seed}"
    command = ["run", "littlego", "--out", str(folder)]
    settings = [
        f"seed={seed}", f'records.run="{source}"', f'records.tests=["{other}"]',
        f"records.epochs={epochs}", "ladder.generations=0", *SETTINGS[name],
    ]  # fmt: skip
    command += ["--no-report", "-j", "1"]
    for setting in settings:
        command += ["--set", setting]
    joute(*command)
    with Store.open(folder) as store:
        first = read_history(store.meta())[0]
    own, (tests,) = first["held_out"]["all"], first["tests"].values()
    row = Trained(
        own["accuracy"], own["error"], tests["all"]["accuracy"], tests["all"]["error"],
        first["epochs"][-1]["learnt"]["accuracy"],
    )  # fmt: skip
    print(json.dumps({"net": folder.name, **row._asdict()}), file=sys.stderr, flush=True)
    return row


def mean_and_spread(values: np.ndarray) -> str:
    """Return the mean over seeds and their standard deviation."""
    return f"{values.mean():.3f} (± {values.std(ddof=1):.3f})"


def interval(differences: np.ndarray) -> str:
    """Return the mean of differences by seed with its 95 % interval, by Student's t."""
    half = student.ppf(0.975, len(differences) - 1) * differences.std(ddof=1)
    half /= np.sqrt(len(differences))
    mean = differences.mean()
    return f"{mean:+.3f} ({mean - half:+.3f} to {mean + half:+.3f})"


if __name__ == "__main__":
    main()
