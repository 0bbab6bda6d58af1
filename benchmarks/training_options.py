"""What each option of a training is worth: whole trainings with it and without, of the same seeds, in matches.

    python -m benchmarks.training_options OUT [--seeds 8] [--games 600] [--processes 2] [--only options|curve] [--quick]

Of each game, option and seed two trainings differ in that option alone. Their last champions meet over 40 openings at
equal iterations. The interval is Student's over the seeds: two trainings of one setting differ by chance, too.
The same training after 40, 200, 800 and 3,200 games is the curve. What lies in OUT already is not made again.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from scipy.stats import t
from tabulate import tabulate

from benchmarks import JOUTE
from joute.results.store import Store
from joute.studies.kinds.train.history import read_history

GAMES = {
    "connect4": (
        "connect4[columns=6,rows=5]",
        "iterations = 50",
        "noise = 0.25, temperature = 1.0, temperature_plies = 10",
    ),
    "gopher": ("gopher[side=4]", 'root = "gumbel"\niterations = 32', "gumbel_noise = 1.0"),
}
STUDY = """
name = "options"
kind = "train"
game = "{game}"
[engine]
search = "puct"
{engine}
max_nodes = 100000
[net]
blocks = 2
filters = 16
[selfplay]
iterations = 12
games = 50
random_plies = 2
engine = {{ {own} }}
[learn]
epochs = 2
window = 6
[gate]
blocks = 10
score = 0.5
[ladder]
generations = 0
[openings]
plies = 3
"""
OPTIONS = {
    "kept": ["learn.optimizer_state=kept"],
    "cosine": ["learn.schedule=cosine"],
    "warmup": ["learn.warmup=10"],
    "half-life": ["learn.half_life=6"],
    "averaging": ["learn.averaging=0.98"],
    "wdl": ["net.value_head=wdl"],
    "overlap": ["selfplay.overlap=true"],
}
CURVE = (40, 200, 800, 3200)
BLOCKS, PLIES = 40, 4


def main() -> None:
    """Train and play what is missing; print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--only", choices=("options", "curve"))
    parser.add_argument("--quick", action="store_true", help="two options, one seed, no curve")
    asked = parser.parse_args()
    options = dict([*OPTIONS.items()][:2]) if asked.quick else OPTIONS
    seeds = range(1, 2 if asked.quick else asked.seeds + 1)
    with ThreadPoolExecutor(asked.processes) as pool:
        for game in GAMES:  # compiles
            pool.submit(trained, asked.out, game, "warm", 1, 100, []).result()
        curves = [
            (g, s) for s in seeds for g in GAMES if asked.only != "options" and not asked.quick
        ]
        long = [pool.submit(trained, asked.out, g, "curve", s, max(CURVE), []) for g, s in curves]
        jobs = {
            (game, name, seed): pool.submit(
                trained, asked.out, game, name, seed, asked.games, changes
            )
            for seed in seeds
            for game in GAMES
            for name, changes in {"base": [], **options}.items()
            if asked.only != "curve"
        }
        for job in [*jobs.values(), *long]:
            job.result()
        duels = {
            key: pool.submit(duel, asked.out, *key, (key[1], None), ("base", None))
            for key in jobs
            if key[1] != "base"
        }
        steps = {
            (game, seed, games): pool.submit(
                duel, asked.out, game, f"curve-{games}", seed,
                ("curve", max(CURVE) // 40), ("curve", games // 40),
            )
            for game, seed in curves
            for games in CURVE[:-1]
        }  # fmt: skip
        scores = {key: job.result() for key, job in duels.items()}
        rungs = {key: job.result() for key, job in steps.items()}
    if scores:
        rows = [
            [
                game,
                name,
                *interval([s for (g, n, _), s in scores.items() if (g, n) == (game, name)]),
            ]
            for game in GAMES
            for name in options
        ]
        print(tabulate(rows, headers=["game", "option", "score against without", "95 %", "seeds"]))
    if rungs:
        rows = [
            [
                game,
                games,
                *interval([s for (g, _, n), s in rungs.items() if (g, n) == (game, games)]),
            ]
            for game in GAMES
            for games in CURVE[:-1]
        ]
        print(tabulate(rows, headers=["game", "games", "score of 3,200 games", "95 %", "seeds"]))


def folder_of(out: Path, game: str, name: str, seed: int) -> Path:
    """Return the folder of a training."""
    return out / f"{game}-{name}-{seed}"


def trained(out: Path, game: str, name: str, seed: int, games: int, changes: list[str]) -> None:
    """Make a training of so many games, if it is not there."""
    folder = folder_of(out, game, name, seed)
    if (done := folder.with_suffix(".seconds")).exists():
        return
    label, engine, own = GAMES[game]
    study = folder.with_suffix(".toml")
    out.mkdir(parents=True, exist_ok=True)
    study.write_text(STUDY.format(game=label, engine=engine, own=own))
    each = 40 if name == "curve" else 50
    command = ["run", study, "--out", folder, "--no-report", "-j", 1]
    changes = [*changes, f"seed={seed}", f"selfplay.games={each}"]
    changes += [f"selfplay.iterations={games // each}"]
    if name == "curve":  # every generation counts, and a gate would cost more than its games
        changes += ["gate.blocks=1", "gate.score=0.001", "gate.rejected=go on"]
    begun = time.monotonic()
    run(*command, *(word for change in changes for word in ("--set", change)))
    done.write_text(f"{time.monotonic() - begun:.1f}")


def duel(
    out: Path, game: str, name: str, seed: int, one: tuple[str, Any], other: tuple[str, Any]
) -> float:
    """Play networks of two trainings, by name and generation (none: the champion); return the first
    one's score.
    """
    label, engine, _ = GAMES[game]
    settings = engine.replace(" = ", "=").replace('"', "").replace("\n", ",")
    texts, own = [], f"{folder_of(out, game, one[0], seed).name}/nets/"
    for training, generation in (one, other):
        folder = folder_of(out, game, training, seed)
        if generation is None:
            with Store.open(folder) as store:
                entries = read_history(store.meta())
            generation = max(k for k, entry in entries.items() if entry.get("accepted"))
        own = own if texts else f"{own}{generation:04}"
        texts.append(f"puct:network={folder.resolve()}/nets/{generation:04}.onnx,{settings}")
    folder = out / f"{game}-{name}-{seed}-duel"
    run(
        *("match", f"{label}/{texts[0]}", texts[1], "--blocks", BLOCKS, "--seed", seed),
        *("--plies", PLIES, "-j", 1, "--out", folder, "--no-report"),
    )
    with Store.open(folder) as store:
        first = next(i for i, text in store.rows("SELECT id, spec FROM engines") if own in text)
        return mean(store.scores("main", first))


def run(*words: object) -> None:
    """Run the command; exit with what it says if it fails."""
    done = subprocess.run([*JOUTE, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"joute {' '.join(map(str, words))}: {done.stderr[-2000:]}")


def interval(scores: list[float]) -> list[str]:
    """Return the mean of scores, its interval and their number, as text."""
    if len(scores) < 2:
        return [f"{100 * mean(scores):.1f} %", "one seed tells nothing", str(len(scores))]
    half = float(t.ppf(0.975, len(scores) - 1)) * stdev(scores) / len(scores) ** 0.5
    low, high = mean(scores) - half, mean(scores) + half
    return [f"{100 * mean(scores):.1f} %", f"{100 * low:.1f} to {100 * high:.1f}", str(len(scores))]


if __name__ == "__main__":
    main()
