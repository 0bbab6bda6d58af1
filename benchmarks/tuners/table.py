"""What the runs say, as tables: regret, honesty of the estimate, time, and the final answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv
from tabulate import tabulate

from benchmarks.tuners.ours import NAME
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.rivals import RIVALS
from benchmarks.tuners.run import NO_DEFAULT, Row

PARTS = 6  # in which looks are sorted by what they expect
ANSWER_GAMES = 1000
"""The games after which the final answer has a target."""


class Mean(NamedTuple):
    """A mean, its standard error (nan for a single number) and of how many runs."""

    value: float
    error: float
    runs: int

    def __str__(self) -> str:
        if not self.runs:
            return "-"
        tail = "" if math.isnan(self.error) else f" ± {self.error:.4f}"
        return f"{self.value:.4f}{tail}"


def mean(values: Iterable[float]) -> Mean:
    """Return the mean of some numbers."""
    numbers = np.array(list(values), dtype=float)
    if not len(numbers):
        return Mean(math.nan, math.nan, 0)
    error = float(numbers.std(ddof=1)) / math.sqrt(len(numbers)) if len(numbers) > 1 else math.nan
    return Mean(float(numbers.mean()), error, len(numbers))


def upper_bound(events: int, runs: int) -> float:
    """Return the 95 % upper bound (Clopper and Pearson, one-sided) of a chance, from events in runs."""
    return 1.0 if events == runs else float(betaincinv(events + 1, runs - events, 0.95))


def regret(rows: Iterable[Row], games: int) -> Mean:
    """Return the mean regret of runs after so many games."""
    return mean(c["regret"] for row in rows for c in row["checkpoints"] if c["games"] == games)


def group(
    rows: Iterable[Row], problem: str, tuner: str, games: int, default: str = NO_DEFAULT
) -> list[Row]:
    """Return the runs of one kind."""
    wanted = (problem, tuner, games, default)
    names = ("problem", "tuner", "games", "default")
    return [row for row in rows if tuple(row[name] for name in names) == wanted]


def present(rows: Sequence[Row], name: str) -> list[str]:
    """Return the values of a key of runs, in the order in which they come first."""
    return list(dict.fromkeys(row[name] for row in rows))


def tables(rows: Sequence[Row]) -> str:
    """Return all tables of the runs."""
    parts = []
    for games in sorted({row["games"] for row in rows}):
        own = [row for row in rows if row["games"] == games]
        free = [row for row in own if row["default"] == NO_DEFAULT]
        if free:
            parts += [f"{games:,} games, no default", regret_table(free, games)]
            if any(row["tuner"] == NAME for row in free):
                parts += ["Ours and the best rival", comparison_table(free, games)]
                parts += ["What ours says that it may still lack, and what it lacks"]
                parts += [calibration_table(free)]
        if len(free) < len(own):
            asked = [row for row in own if row["default"] != NO_DEFAULT]
            parts += [f"{games:,} games, a default in the game", answer_table(asked, games)]
    return "\n\n".join(parts)


def regret_table(rows: Sequence[Row], games: int) -> str:
    """Return mean regret by problem, tuner and checkpoint, and how true the last estimate was."""
    points = sorted({c["games"] for row in rows for c in row["checkpoints"]})
    lines = []
    for problem in present(rows, "problem"):
        for tuner in present(rows, "tuner"):
            own = group(rows, problem, tuner, games)
            if not own:
                continue
            last = [row["checkpoints"][-1] for row in own]
            estimated = [c for c in last if c["low"] is not None]
            covered = [c["low"] <= c["true"] <= c["high"] for c in estimated]
            bias = mean(c["mean"] - c["true"] for c in estimated)
            aim = find_problem(problem).targets.get(games) if tuner == NAME else None
            lines.append(
                [
                    problem,
                    tuner,
                    len(own),
                    *(str(regret(own, point)) for point in points),
                    "" if aim is None else f"{aim:g}",
                    f"{np.mean(covered):.2f}" if estimated else "-",
                    f"{bias.value:+.3f}" if estimated else "-",
                    f"{np.mean([c['high'] - c['low'] for c in estimated]):.3f}"
                    if estimated
                    else "-",
                    f"{np.mean([c['cpu'] for c in last]):.2f}",
                ]
            )
    head = ["problem", "tuner", "runs", *(f"regret at {p:,}" for p in points)]
    return as_table([*head, "target", "covers", "bias", "width", "CPU s"], lines)


def comparison_table(rows: Sequence[Row], games: int) -> str:
    """Return, by problem, our regret beside that of the best rival that is no oracle."""
    lines = []
    for problem in present(rows, "problem"):
        ours = regret(group(rows, problem, NAME, games), games)
        rivals = {
            name: regret(group(rows, problem, name, games), games)
            for name in present(rows, "tuner")
            if name != NAME and not (RIVALS[name].oracle or RIVALS[name].ours)
        }
        known = {name: rival for name, rival in rivals.items() if rival.runs}
        if ours.runs and known:
            best = min(known, key=lambda name: known[name].value)
            difference = against(ours, known[best])
            lines.append([problem, str(ours), best, str(known[best]), difference])
    return as_table(["problem", NAME, "best rival", "its regret", "ours is"], lines)


def calibration_table(rows: Sequence[Row]) -> str:
    """Return the regret that ours expects beside the true one, of all problems and checkpoints together,
    from the runs that expect least to those that expect most.
    """
    looks = [c for row in rows if row["tuner"] == NAME for c in row["checkpoints"]]
    pairs = np.array([[c["told"], c["regret"]] for c in looks if c.get("told") is not None])
    if not len(pairs):
        return "no run says it"
    pairs = pairs[np.argsort(pairs[:, 0], kind="stable")]
    lines = [
        [
            f"{part[0, 0]:.4f} to {part[-1, 0]:.4f}",
            len(part),
            str(mean(part[:, 0])),
            str(mean(part[:, 1])),
        ]
        for part in np.array_split(pairs, min(PARTS, len(pairs)))
    ]
    return as_table(["expected, from to", "looks", "expected", "true"], lines)


def against(ours: Mean, other: Mean) -> str:
    """Return "better", "level" (within one standard error of the difference) or "behind"."""
    error = math.hypot(ours.error, other.error)
    if math.isnan(error):
        return "one run: cannot tell"
    gain = other.value - ours.value
    return "level" if abs(gain) <= error else ("better" if gain > 0 else "behind")


def answer_table(rows: Sequence[Row], games: int) -> str:
    """Return how runs with a default ended, by problem and default, and all of them together."""
    lines = []
    for problem in present(rows, "problem"):
        for default in present(rows, "default"):
            own = group(rows, problem, NAME, games, default)
            if not own:
                continue
            aim = find_problem(problem).answer_target
            aimed = games == ANSWER_GAMES and default == "centre" and aim is not None
            lines.append([problem, default, *_ends(own), f"{aim:g}" if aimed else ""])
    lines.append(["all", "", *_ends(rows), ""])
    head = ["problem", "default", "runs", "better", "keep", "ever better", "wrong better"]
    more = ["at most (95 %)", "ever wrong", "answer's regret", "target"]
    return as_table([*head, *more], lines)


def _ends(rows: Sequence[Row]) -> list[str]:
    wrong = sum(row["wrong"] for row in rows)
    return [
        str(len(rows)),
        f"{np.mean([row['verdict'] == 'better' for row in rows]):.2f}",
        f"{np.mean([row['verdict'] == 'keep' for row in rows]):.2f}",
        f"{np.mean([row['ever_better'] for row in rows]):.2f}",
        str(wrong),
        f"{upper_bound(wrong, len(rows)):.3f}",
        str(sum(row["ever_wrong"] for row in rows)),
        str(mean(row["answer_regret"] for row in rows)),
    ]


def as_table(head: list[str], lines: list[list[object]] | list[list[str]]) -> str:
    """Return a table as text."""
    return tabulate(lines, headers=head, tablefmt="github", disable_numparse=True)
