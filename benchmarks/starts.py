"""Does a start from the games of classical engines help, do the board's symmetries (an IA02 course
project asks), and what is a policy worth whose every entry sees all cells?

    python -m benchmarks.starts gopher-zero 'gopher[side=4]' --out runs/starts --set net.blocks=2 ...

A study is trained as it is, without symmetries, with a dense policy, and from the games of `alphabeta`
against `uct` that it learns first; each with several seeds. Then each meets the one that was trained as it
is with the same seed, after some iterations and at the end. The same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import joute
from benchmarks.littlego import interval
from joute.engines.engine import parse_game
from joute.results.store import Store
from joute.studies.kinds.train.history import History
from joute.studies.learning.recorded_games import games_of_run

BASE = "as-it-is"
CLASSICS = ("alphabeta:evaluation=mobility,depth=4", "uct:iterations=1000")


class Job(NamedTuple):
    """A training: its variant and its seed."""

    way: str
    seed: int


def main() -> None:
    """Train and play what is missing; print the scores against the study as it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("game")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="PATH=VALUE")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--teaching", type=int, default=150, help="blocks of the classical engines")
    parser.add_argument("--after", type=int, nargs="+", default=[3, 10], help="iterations")
    parser.add_argument("--blocks", type=int, default=100)
    asked = parser.parse_args()
    teacher = match(
        f"{asked.game}/{CLASSICS[0]}", CLASSICS[1], asked.teaching, asked.out / "teacher"
    )
    ways = {
        BASE: [],
        "no-symmetries": ["learn.symmetries=false"],
        "dense-policy": ['net.policy_head="dense"'],
        "classical-start": [f'records.run="{teacher}"', "records.epochs=5"],
    }
    jobs = [Job(way, seed) for seed in range(1, asked.seeds + 1) for way in ways]
    with ThreadPoolExecutor(2) as pool:
        usual = [asked.study, "--set", f'game="{asked.game}"', "--set", "ladder.generations=0"]
        usual += [word for setting in asked.settings for word in ("--set", setting)]
        runs = pool.map(lambda job: trained(job, usual, ways[job.way], asked.out), jobs)
        folders = dict(zip(jobs, runs, strict=True))
        pairs = list(product(asked.after, [way for way in ways if way != BASE]))
        for after, way in pairs:
            scores = pool.map(
                lambda seed, after=after, way=way: met(
                    folders[Job(way, seed)], folders[Job(BASE, seed)], after, asked
                ),
                range(1, asked.seeds + 1),
            )
            means = np.array([*scores])
            print(
                f"after {after} iterations {way} scores {100 * means.mean():.1f} % against {BASE}: "
                f"{', '.join(f'{100 * mean:.1f}' for mean in means)}; less a half "
                f"{interval(means - 0.5)}",
                flush=True,
            )


def trained(job: Job, usual: Sequence[str], settings: Sequence[str], out: Path) -> Path:
    """Train one variant with one seed, unless it is done; return the run's folder."""
    folder = out / f"{job.way}-{job.seed}"
    more = [word for setting in (f"seed={job.seed}", *settings) for word in ("--set", setting)]
    joute("run", *usual, *more, "--out", str(folder), "-j", "1", "--no-report")
    return folder


def match(first: str, second: str, blocks: int, out: Path) -> Path:
    """Play a match, unless it is played; return its folder."""
    words = ["match", first, second, "--blocks", str(blocks), "--plies", "6", "-j", "1"]
    joute(*words, "--out", str(out), "--no-report")
    return out.resolve()


def champion(folder: Path, after: int) -> Path:
    """Return the champion's network after so many iterations."""
    with Store.open(folder) as store:
        last = max(number for number in History(store).accepted if number <= after)
    return folder / "nets" / f"{last:04}.onnx"


def met(folder: Path, base: Path, after: int, asked: argparse.Namespace) -> float:
    """Return the score of one training's champion against another's, both with 50 iterations."""
    specs = [
        f"puct:network={champion(run, after)},iterations=50,max_nodes=100000"
        for run in (folder, base)
    ]
    out = asked.out / "matches" / f"{folder.name}, {after}"
    match(f"{asked.game}/{specs[0]}", specs[1], asked.blocks, out)
    with Store.open(out) as store:
        ((own,),) = store.rows(
            "SELECT name FROM engines WHERE instr(spec, ?)", str(champion(folder, after))
        )
    games = games_of_run(out, parse_game(asked.game)).games
    return float(np.mean([game.returns[game.seats.index(own)] for game in games]))


if __name__ == "__main__":
    main()
