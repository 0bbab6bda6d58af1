"""Regret beside each rival's, by class: geometric means of ratios, with what chance may have done to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from scipy.special import ndtr, stdtr

from benchmarks.tuners.family import ELO, kind_of
from benchmarks.tuners.ours import NAME
from benchmarks.tuners.problem import chance
from benchmarks.tuners.problems import find_problem
from benchmarks.tuners.rivals import RIVALS
from benchmarks.tuners.run import NO_DEFAULT, Row
from benchmarks.tuners.table import as_table, group, mean, present, regret
from joute.results.statistics import Z, elo_of, wilson

VERDICTS = ("better", "keep", "unknown")
BELOW = 2.0
"""Elo that a recommended point may lack to the default before it counts as below it."""
GAINS = (1.0, 5.0, 15.0, 30.0, math.inf)
"""Ends of classes of true gains, in Elo."""

ADDED = 0.0005
"""Score added to both regrets of a ratio, so that two tiny ones are about equal."""

RESAMPLED = 4000
LEVEL = 0.05
"""Chance of a false finding among all classes and rivals."""
NOT_NUMERIC = ("NAMES", "CONDITIONS", "NOTHING")
"""Classes with names, and the one in which nothing matters."""


def ratio_tables(rows: Sequence[Row]) -> list[str]:
    """Return, by length of run, ours against each rival by class, and how honest ours is by class."""
    parts = []
    for games in sorted({row["games"] for row in rows}):
        parts += [f"{games:,} games", *_tables([r for r in rows if r["games"] == games], games)]
    return parts


def _tables(rows: Sequence[Row], games: int) -> list[str]:
    kinds = list(dict.fromkeys(kind_of(row["problem"]) for row in rows))
    free = [row for row in rows if row["default"] == NO_DEFAULT]
    parts = []
    for own in [name for name in present(free, "tuner") if name == NAME or RIVALS[name].ours]:
        parts += [
            f"Regret of {own} over a rival's: geometric mean over problems, 95 % by bootstrap over problems",
            _ratios(free, own, games, kinds),
            f"What {own} says of itself",
            _honesty(free, own, kinds),
        ]
    judged = [row for row in rows if "verdict" in row]
    if judged:
        parts += [
            "Verdicts against a default, of our last looks",
            verdicts(judged, kinds),
            'How often "better", by what the recommended point truly gains, beside a plain match',
            powers(judged, games),
        ]
    return parts


def ratios(rows: Sequence[Row], own: str, rival: str, games: int) -> dict[str, float]:
    """Return, by problem that both played, the ratio of mean regrets."""
    found = {}
    for problem in present(rows, "problem"):
        ours = regret(group(rows, problem, own, games), games)
        other = regret(group(rows, problem, rival, games), games)
        if ours.runs and other.runs:
            found[problem] = (ours.value + ADDED) / (other.value + ADDED)
    return found


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return low end, geometric mean and high end of ratios, 95 % by bootstrap over problems."""
    logs = np.log(values)
    picked = np.random.default_rng(1).integers(len(logs), size=(RESAMPLED, len(logs)))
    low, high = np.quantile(logs[picked].mean(axis=1), [0.025, 0.975])
    return float(np.exp(low)), float(np.exp(logs.mean())), float(np.exp(high))


def _ratios(rows: Sequence[Row], own: str, games: int, kinds: Sequence[str]) -> str:
    rivals = [n for n in present(rows, "tuner") if n not in (NAME, own)]
    rivals = [n for n in rivals if not (RIVALS[n].oracle or RIVALS[n].ours)]
    by_rival = {rival: ratios(rows, own, rival, games) for rival in rivals}
    parts = {kind: [kind] for kind in kinds}
    parts |= {
        "numbers, all classes": [k for k in kinds if k not in NOT_NUMERIC],
        "all": list(kinds),
    }
    lines: list[list[object]] = []
    for label, among in parts.items():
        cells, most = [], 0
        for rival in rivals:
            values = [v for problem, v in by_rival[rival].items() if kind_of(problem) in among]
            most = max(most, len(values))
            cells.append(_told(values))
        lines.append([label, most, *cells])
    logs = {
        (kind, rival): [
            math.log(v) for problem, v in by_rival[rival].items() if kind_of(problem) == kind
        ]
        for kind in kinds
        for rival in rivals
    }
    worse = [f"{kind} by {rival} (p = {p:.3f})" for (kind, rival), p in beyond_chance(logs)]
    line = (
        f"Beaten beyond chance, among {len(logs)} pairs of a class and a rival (t-tests of the log "
        f"ratios, Holm, {100 * LEVEL:.0f} %): {', '.join(worse) or 'none'}."
    )
    return f"{as_table(['class', 'problems', *rivals], lines)}\n{line}"


Pair = tuple[str, str]


def beyond_chance(logs: Mapping[Pair, Sequence[float]]) -> list[tuple[Pair, float]]:
    """Return the pairs whose mean log ratio is above 0 (the rival is better) by one-sided t-tests with
    Holm's correction over all pairs, each with its p-value corrected; the surest first.
    """
    known = {pair: np.asarray(values) for pair, values in logs.items() if len(values) > 2}
    chances = {}
    for pair, values in known.items():
        spread = values.std(ddof=1) / math.sqrt(len(values))
        distance = values.mean() / spread if spread > 0 else math.copysign(math.inf, values.mean())
        chances[pair] = float(stdtr(len(values) - 1, -distance)) if values.any() else 1.0
    found, least = [], 0.0
    for rank, (pair, p) in enumerate(sorted(chances.items(), key=lambda item: item[1])):
        least = max(least, min(1.0, p * (len(chances) - rank)))
        if least > LEVEL:
            break
        found.append((pair, least))
    return found


def _told(values: Sequence[float]) -> str:
    if not values:
        return "-"
    low, middle, high = interval(values)
    if len(values) == 1:
        return f"{middle:.2f}"
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def verdicts(rows: Sequence[Row], kinds: Sequence[str]) -> str:
    """Return by class how runs with a default end, and how often they are wrong."""
    lines: list[list[object]] = []
    for kind in [*kinds, "all"]:
        own = [r for r in rows if kind in ("all", kind_of(r["problem"]))]
        if not own:
            continue
        ends = [f"{np.mean([r['verdict'] == word for r in own]):.2f}" for word in VERDICTS]
        wrong, ever = sum(r["wrong"] for r in own), sum(r["ever_wrong"] for r in own)
        below = sum(_gained(r) < -BELOW for r in own)
        lines.append(
            [kind, len(own), *ends, wrong, ever, f"{wilson(ever, len(own))[1]:.3f}", below]
        )
    head = ["class", "runs", *VERDICTS, "wrong better", "at any look", "at most (95 %)"]
    return as_table([*head, "recommended > 2 Elo below"], lines)


def _gained(row: Row) -> float:
    """Return the Elo by which the recommended point is truly above the default."""
    best = find_problem(row["problem"]).best_score
    mine, base = (elo_of(best - row[key]) for key in ("recommended_regret", "default_regret"))
    return mine - base


def powers(rows: Sequence[Row], games: int) -> str:
    """Return how often a gain is found, beside a match of all those games between the two points."""
    return power_table([(_gained(row), row["verdict"] == "better") for row in rows], games)


def power_table(runs: Sequence[tuple[float, bool]], games: int) -> str:
    """Return the same of runs: what each truly gains, in Elo, and whether it says so."""
    lines: list[list[object]] = []
    for low, high in pairwise(GAINS):
        own, match = [], []
        for gained, better in runs:
            if low <= gained < high:
                own.append(better)
                z = (chance(gained * ELO) - 0.5) / math.sqrt(0.25 / games)
                match.append(float(ndtr(z - Z)))
        if own:
            label = f"{low:g} to {high:g} Elo" if high < math.inf else f"{low:g} Elo and more"
            lines.append([label, len(own), f"{np.mean(own):.2f}", f"{np.mean(match):.2f}"])
    return as_table(["true gain", "runs", "better", "a match would"], lines)


def _honesty(rows: Sequence[Row], own: str, kinds: Sequence[str]) -> str:
    """Return coverage, bias, width and regret told over true by class, of its last looks."""
    lines: list[list[object]] = []
    for kind in kinds:
        made = [r for r in rows if r["tuner"] == own and kind_of(r["problem"]) == kind]
        if not made:
            continue
        last = [row["checkpoints"][-1] for row in made]
        covered = [c["low"] <= c["true"] <= c["high"] for c in last]
        width = mean((c["high"] - c["low"]) / 2 for c in last)
        true, told = mean(c["regret"] for c in last), mean(c["told"] for c in last)
        low, high = wilson(sum(covered), len(covered))
        lines.append([
            kind, len(made), f"{np.mean(covered):.2f} ({low:.2f} to {high:.2f})",
            f"{mean(c['mean'] - c['true'] for c in last).value:+.4f}", f"{width.value:.4f}",
            str(true), f"{told.value / true.value:.2f}" if true.value > 0 else "-",
            f"{np.mean([c['cpu'] for c in last]):.2f}",
        ])  # fmt: skip
    head = ["class", "runs", "covers (95 %)", "bias", "half width", "regret", "told / true"]
    return as_table([*head, "CPU s"], lines)
