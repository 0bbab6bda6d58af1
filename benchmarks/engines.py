"""Two samplers tune the same real engine; what they recommend meets on fresh openings.

    python -m benchmarks.engines connect4-tune --games 1000 --seeds 10 [--set nodes=4000 ...]

Every repetition is a run of the study by each sampler with a seed of its own, from outside, as a user
would, and a match of the two answers (the default, where that is the answer). Runs and matches are
kept and found again: the same command goes on where it was stopped.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
from scipy.stats import t as student
from tabulate import tabulate

from benchmarks.errors import told
from joute.engines.errors import JouteError
from joute.reports.telling import answer
from joute.results.frames import Results
from joute.results.statistics import elo_of
from joute.results.tables import load

SAMPLERS = ("joute", "tpe")
MATCH_SEED = 10**6  # of the openings of matches: no search has seen them


def joute(*arguments: object) -> None:
    """Run a command of Joute; raise JouteError with its output if it fails."""
    command = [sys.executable, "-m", "joute", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise JouteError(f"{' '.join(command[2:])}: {last}")


def recommended(results: Results) -> str:
    """Return the engine that a run recommends: its winner, or the default."""
    assert results.search is not None
    name = answer(results).winner or results.search["default"]
    specs = dict(zip(results.engines["name"], results.engines["spec"], strict=True))
    return str(specs[name])


def tuned(study: str, sampler: str, seed: int, settings: Sequence[str], folder: Path) -> str:
    """Return a sampler's recommendation after a run of the study, played unless it exists."""
    own = [f"tune.sampler={sampler!r}".replace("'", '"'), f"seed={seed}", *settings]
    sets = [part for text in own for part in ("--set", text)]
    joute("run", study, *sets, "--no-report", "--out", folder)
    return recommended(load(folder))


def score_of(ours: str, theirs: str, seed: int, blocks: int, folder: Path) -> float:
    """Return the score of one engine against another, in [0, 1]; 1/2 if they are equal."""
    if ours == theirs:
        return 0.5
    joute("match", ours, theirs, "--blocks", blocks, "--seed", MATCH_SEED + seed, "--no-report",
          "--out", folder)  # fmt: skip
    results = load(folder)
    name = dict(zip(results.engines["spec"], results.engines["name"], strict=True))[ours]
    return float(results.seats[results.seats["engine"] == name]["returns"].mean())


def interval(scores: Sequence[float]) -> tuple[float, float, float]:
    """Return mean and ends of the 95 % interval over repetitions (Student's t)."""
    mean, n = float(np.mean(scores)), len(scores)
    half = float(student.ppf(0.975, n - 1)) * float(np.std(scores, ddof=1)) / n**0.5
    return mean, mean - half, mean + half


@click.command()
@click.argument("study")
@click.option("--games", type=click.IntRange(min=100), default=1000, show_default=True)
@click.option("--seeds", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--blocks", type=click.IntRange(min=2), default=100, show_default=True,
              help="Blocks of each match.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Of the study.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/engines"))
def main(
    study: str, games: int, seeds: int, blocks: int, settings: tuple[str, ...], out: Path
) -> None:
    """Let two samplers tune a study's engine, and their answers meet."""
    rows, scores = [], []
    own = (*settings, f'budget="{games} games"')
    for seed in range(1, seeds + 1):
        folder = out / f"{Path(study).stem}-{games}-{seed}"
        ours, theirs = (tuned(study, s, seed, own, folder.with_name(f"{folder.name}-{s}"))
                        for s in SAMPLERS)  # fmt: skip
        scores.append(score_of(ours, theirs, seed, blocks, folder.with_name(f"{folder.name}-met")))
        rows.append((seed, ours.partition("/")[2], theirs.partition("/")[2], 100 * scores[-1]))
        click.echo(f"{seed} of {seeds}: {100 * scores[-1]:.1f} %", err=True)
    heads = ("seed", *SAMPLERS, f"{SAMPLERS[0]} scores, %")
    click.echo(tabulate(rows, heads, "github", floatfmt=".1f"))
    mean, low, high = interval(scores)
    elo = f"; {elo_of(mean):+.0f} Elo" if 0 < mean < 1 else ""
    click.echo(
        f"{SAMPLERS[0]} against {SAMPLERS[1]} on {study}, {games:,} games each, {seeds} repetitions: "
        f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f}){elo}"
    )


if __name__ == "__main__":
    with told("engines"):
        main()
