"""What a whole study hands over, search and final: by points against each other, or against the default.

    python -m benchmarks.tuners.handover CHESS-12-0,CHESS-12-1 --against itself --games 20000

Games of known chances, in pairs. The default is the middle of the box; with `--default quarter` each
number is a quarter of the way up its range, with `lowest` at its low end; with `best` it is the best
point, and every "better" is wrong; `own` is a drawn problem's. With `--against both` points play the
problem's opponent and each other in turn. As in a study, the last 8 % of the games set the best point
found against the default (or both against that opponent), and model and fresh games decide together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.engines import Stored, made
from benchmarks.errors import told
from benchmarks.tuners.ours import make
from benchmarks.tuners.problem import STARTS, Problem, chance
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.ratios import power_table
from benchmarks.tuners.run import luck
from benchmarks.tuners.space import Point, point_of
from joute.reports.reading.decision import settled
from joute.results.gain import paired_gain
from joute.results.statistics import elo_of, wilson
from joute.studies.search.ask_tell import Trials
from joute.studies.search.plan import FINAL
from joute.studies.search.recommend import read
from joute.studies.search.trial import BOTH, COMPLETE, ITSELF, POOL, Trial

PAIR = 2
PLACES = {"quarter": -0.5, "lowest": -1.0}  # where each number of a default is, in [-1, 1]
WORTHY = 20.0  # Elo that a point is above the default, from which "better" is wanted
MADE = ("problem", "against", "default", "games", "seed")
Row = dict[str, Any]


def study(problem: Problem, row: Row) -> Row:
    """Return what a study of a problem hands over."""
    against, games, seed = row["against"], int(row["games"]), int(row["seed"])
    # seeds of their own: no run of another benchmark has this luck
    chances = iter(luck(problem.name, 10**4 + seed, 2 * games).reshape(-1, PAIR))
    domain = make(problem.space, seed, games, None).domain  # type: ignore[attr-defined]
    default = domain.checked(start_of(problem, row["default"]), "the default")
    opponent = None if against == BOTH else default  # None: the problem's own
    first = None if against == POOL else default
    trials = Trials(domain, "joute", seed, 8, first, PAIR, against)

    def played(point: Point, other: Point | None, pairs: int) -> list[float]:
        if point == other:
            return [0.5] * pairs
        ended = [
            problem.outcomes(point, next(chances))
            if other is None
            else problem.duel(point, other, next(chances))
            for _ in range(pairs)
        ]
        return [(wins + draws / 2) / PAIR for wins, draws, _ in ended]

    out: list[Trial] = []
    left = games - round(FINAL * games)
    while left > 0 or out:
        while left > 0 and trials.due is None:
            trial = trials.ask()
            trial.blocks = max(1, min(trial.blocks or 1, left // PAIR))
            trial.values = played(trial.point, trial.other or opponent, trial.blocks)
            left -= PAIR * trial.blocks
            out.append(trial)
        trial = out.pop(0)
        trial.state, trial.block_games = COMPLETE, PAIR
        trials.tell(trial)
    found = read(domain, trials.finished, PAIR, seed, opponent, first)
    point = found.point
    pairs = round(FINAL * games) // PAIR
    every, base = [*trials.finished], [0.5] * pairs
    if opponent is None:
        pairs //= 2
        base = played(default, None, pairs)
        every.append(Trial(0, default, base, COMPLETE))
    fresh = played(point, opponent, pairs)
    every.append(Trial(0, point, fresh, COMPLETE))
    answer = read(domain, every, PAIR, seed, opponent, first)
    place, other = domain.places([point, default])
    model = answer.compare(place, other)
    verdict, by_fresh = settled(model, paired_gain(fresh, base))
    true = problem.log_odds(point) - problem.log_odds(default)
    low, _, high = answer.estimate(place)
    score = chance(true)
    told = score if opponent is not None else problem.score(point)
    return {
        **row, "verdict": verdict, "by_fresh": by_fresh, "by_model": model.verdict,
        "elo": elo_of(score), "regret": problem.regret(point), "holds": bool(low <= told <= high), "fit": answer.fit,
    }  # fmt: skip


def start_of(problem: Problem, name: str) -> Point:
    """Return a default by its name."""
    if name not in PLACES:
        return problem.start(name)
    return point_of(problem.space, np.full(len(problem.space), PLACES[name]))


def run(row: Row) -> Row:
    """Return the row of a study, made."""
    return study(find_problem(row["problem"]), row)


def summary(rows: list[Row]) -> list[str]:
    """Return what the studies say together."""

    def share(what: str, chosen: list[Row], some: list[Row]) -> str:
        if not chosen:
            return f"{what}: none"
        low, high = wilson(len(some), len(chosen))
        return f"{what}: {len(some)} of {len(chosen)} ({100 * low:.0f} to {100 * high:.0f} %)"

    better = [row for row in rows if row["verdict"] == "better"]
    gained = [row for row in rows if row["elo"] >= WORTHY]
    by_model = [row for row in gained if row["by_model"] == "better"]
    return [
        share("better", rows, better),
        share("  wrongly", rows, [row for row in better if row["elo"] <= 0]),
        share("keep", rows, [row for row in rows if row["verdict"] == "keep"]),
        share(f"better, of points truly {WORTHY:.0f} Elo above", gained,
              [row for row in gained if row["verdict"] == "better"]),
        share("  by the model alone", gained, by_model),
        share("interval of the score against the default holds", rows,
              [row for row in rows if row["holds"]]),
        f"regret {np.mean([row['regret'] for row in rows]):.4f}, Elo above the default "
        f"{np.mean([row['elo'] for row in rows]):.1f}",
    ]  # fmt: skip


@click.command()
@click.argument("problems")
@click.option(
    "--against", type=click.Choice([POOL, ITSELF, BOTH]), default=ITSELF, show_default=True
)
@click.option("--default", type=click.Choice([*STARTS, *PLACES]), default="centre")
@click.option("--games", type=click.IntRange(min=300), default=20_000, show_default=True)
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("-j", "--workers", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/handover.jsonl"))
def main(
    problems: str, against: str, default: str, games: int, seeds: int, workers: int, out: Path
) -> None:
    """Play studies of problems, store each as it ends, and say what they hand over."""
    out.parent.mkdir(parents=True, exist_ok=True)
    names = problems.split(",")
    for name in names:
        find_problem(name)
    wanted = [
        {"problem": name, "against": against, "default": default, "games": games, "seed": seed}
        for seed in range(seeds)
        for name in names
    ]
    stored = Stored(out, MADE)
    made(stored, [(run, row) for row in wanted], workers, "studies")
    rows = [stored.rows[stored.key(row)] for row in wanted]
    click.echo("\n".join(summary(rows)))
    found = [(row["elo"], row["verdict"] == "better") for row in rows]
    click.echo(f"\n{power_table(found, games)}")


if __name__ == "__main__":
    with told("tuners.handover"):
        main()
