"""The score of a search by the values of a parameter: games in bins.

Beside a curve, which holds the other parameters fixed, a game counts as if it had been played there
too: its score less what the model says of its point, added to the curve (a partial residual).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from joute.engines.parameter import Value
from joute.results.statistics import wilson
from joute.studies.search.trial import UNPLAYED, Trial
from joute.studies.tuner.axis import Axis

if TYPE_CHECKING:
    from joute.reports.reading.search import Curve, Search

BINS = 12


def sided(trials: Sequence[Trial], curve: Curve | None) -> Iterator[Trial]:
    """Yield the played trials; duels, if there is a curve, from both sides."""
    for trial in trials:
        if trial.state == UNPLAYED:
            continue
        if trial.other is None:
            yield trial
        elif curve is not None:
            yield trial
            turned = [1 - score for score in trial.values]
            yield replace(trial, point=trial.other, values=turned, other=trial.point)


def binned(search: Search, axis: Axis, curve: Curve | None = None) -> list[dict[str, Any]]:
    """Return games and score by value of an axis, numbers in bins of about equal games, each value in one;
    beside a curve the scores are partial residuals.

    A duel between two points counts at both, beside a curve alone: it has no score at one of them.
    """
    trials = [t for t in sided(search.trials, curve) if axis.name in t.point]
    moves = np.zeros(len(trials))
    if curve is not None and (len(search.axes) > 1 or search.duels) and trials:
        values = [trial.point[axis.name] for trial in trials]
        moves = curve.at(axis, values) - search.modelled(trials)
    pairs = [
        (trial.point[axis.name], (score, move))
        for trial, move in zip(trials, moves.tolist(), strict=True)
        for score in trial.values
    ]
    groups: list[tuple[Value, list[tuple[float, float]]]] = []
    if axis.kind == "choice":
        groups = [(c, [s for v, s in pairs if v == c]) for c in axis.choices]
    else:
        pairs.sort(key=lambda pair: float(pair[0]))
        few = len({float(v) for v, _ in pairs}) <= BINS
        bins: dict[float, list[tuple[float, tuple[float, float]]]] = {}
        done = 0
        for number, same in groupby(pairs, key=lambda pair: float(pair[0])):
            own = [(number, score) for _, score in same]
            middle = (done + len(own) / 2) / len(pairs)
            bins.setdefault(number if few else int(middle * BINS), []).extend(own)
            done += len(own)
        for held in bins.values():
            groups.append((float(np.mean([v for v, _ in held])), [s for _, s in held]))
    rows = []
    for value, scores in groups:
        if scores:
            games = len(scores) * search.games_per_block
            score, move = (float(mean) for mean in np.mean(scores, axis=0))
            ends = wilson(score * games, games)
            moved = [min(max(end + move, 0.0), 1.0) for end in (score, *ends)]
            rows.append(
                {
                    "value": value,
                    "games": games,
                    **dict(zip(("score", "score_low", "score_high"), moved, strict=True)),
                }
            )
    return rows
