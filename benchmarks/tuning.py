"""Tuning a planted optimum: how near the recommendation comes, and whether its interval is true.

No games are played: block scores are drawn from the known curve, and everything else is the tuner
as `joute run` uses it. Run as `python -m benchmarks.tuning [SEEDS]`.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from tabulate import tabulate

from engines.engine import parse_game
from results.gain import paired_gain
from results.statistics import elo_of, estimate_means
from studies.file.search import Shares, split
from studies.tuner.ask_tell import COMPLETE, PRUNED, Point, Trial, Tuner, hopeless
from studies.tuner.recommend import best_of, candidates
from studies.tuner.space import Axis, Space

GAMES, TRIAL, RUNG, PARALLEL, RISK, KEPT = 4000, 8, 4, 8, 0.05, 3
DEFAULT = 0.5
BEST = -0.525


@dataclass(frozen=True)
class Run:
    """What one run ended with: the score of what it recommends, and the interval it printed."""

    kept_default: bool
    true: float
    low: float
    high: float
    trials: int


def log_curve(x: float) -> float:
    """LOG of Coulom's CLOP paper (2011): log-odds with the optimum at -0.525."""
    u = 2 * x + 1
    return 2 * math.log(2 * u + 2.1) - 2 * u - 1 if 2 * u + 2.1 > 0 else -50.0


def dead_curve(x: float) -> float:
    """Nothing matters."""
    return 0.0


class Line(Space):
    """One axis from -1 to 1 that no engine reads."""

    def active(self, axis: Axis, point: object) -> bool:
        return True


def simulate(curve: Callable[[float], float], sampler: str, seed: int, games: int) -> Run:
    """Tune the axis against an opponent of strength 0 with so many games in all."""
    space = Line(parse_game("connect4"), {}, (Axis("x", "float", -1.0, 1.0),))
    rng = np.random.default_rng([7, seed])

    def blocks(point: Point, count: int) -> list[float]:
        chance = 1 / (1 + math.exp(-curve(float(point["x"]))))
        return [float(v) for v in rng.binomial(2, chance, count) / 2]

    shares: Shares = split(games, 2, KEPT, [False])
    tuner = Tuner(space, sampler, seed, PARALLEL, {"x": DEFAULT})
    waiting, left = [], shares.search
    while True:
        while tuner.due is None and left >= 2 * TRIAL * (len(waiting) + 1):
            trial = tuner.ask()
            best = tuner.incumbent()
            while len(trial.values) < TRIAL and trial.state != PRUNED:
                trial.values += blocks(trial.point, RUNG)
                if hopeless(trial.values, best.values if best else None, RISK):
                    trial.state = PRUNED
            trial.state = trial.state or COMPLETE
            waiting.append(trial)
        if not waiting:
            break
        done = waiting.pop(0)
        left -= 2 * len(done.values)
        tuner.tell(done)
    found = candidates(space, tuner.finished, 2, KEPT, seed)
    screened = [
        Trial(i, c.point, blocks(c.point, shares.screen_rounds)) for i, c in enumerate(found)
    ]
    best_one = screened[best_of(space, tuner.finished, 2, screened)[0]].point
    mine = blocks(best_one, shares.final_rounds)
    default = blocks({"x": DEFAULT}, shares.final_rounds)
    kept = not paired_gain(mine, default).better
    told = estimate_means(default if kept else mine)
    x = DEFAULT if kept else float(best_one["x"])
    true = 1 / (1 + math.exp(-curve(x)))
    return Run(kept, true, told.score_low, told.score_high, len(tuner.finished))


def main() -> None:
    """Print the table."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    top = 1 / (1 + math.exp(-log_curve(BEST)))
    rows = []
    for name, curve, sampler in (("LOG", log_curve, "tpe"), ("nothing matters", dead_curve, "tpe")):
        begun = time.perf_counter()
        runs = Parallel(n_jobs=2)(
            delayed(simulate)(curve, sampler, seed, GAMES) for seed in range(seeds)
        )
        covered = np.mean([run.low <= run.true <= run.high for run in runs])
        kept = np.mean([run.kept_default for run in runs])
        best = top if curve is log_curve else 0.5
        lost = [elo_of(best) - elo_of(run.true) for run in runs]
        rows.append(
            [
                name,
                sampler,
                seeds,
                f"{np.mean([run.trials for run in runs]):.0f}",
                f"{100 * np.mean([loss <= 10 for loss in lost]):.1f} %",
                f"{best - np.mean([run.true for run in runs]):.4f}",
                f"{100 * covered:.1f} %",
                f"{100 * kept:.1f} %",
                f"{(time.perf_counter() - begun) / seeds:.2f} s",
            ]
        )
    head = [
        "curve",
        "sampler",
        "seeds",
        "trials",
        "within 10 Elo",
        "mean regret",
        "interval covers",
    ]
    print(f"{GAMES} games, search and confirmation together")
    print(tabulate(rows, headers=[*head, "keep the default", "time each"], disable_numparse=True))
    print("targets: LOG within 10 Elo in 90 %, covered in 90-99 %; nothing: default kept in 90 %")


if __name__ == "__main__":
    main()
