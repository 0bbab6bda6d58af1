"""The score of a search by the values of a parameter: games in bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from joute.engines.parameter import Value
from joute.reports.reading.search import Search
from joute.results.statistics import wilson
from joute.studies.search.trial import UNPLAYED
from joute.studies.tuner.axis import Axis

BINS = 12


def binned(search: Search, axis: Axis) -> list[dict[str, Any]]:
    """Return games and score by value of an axis, numbers in bins of about equal games."""
    pairs = [
        (trial.point[axis.name], score)
        for trial in search.trials
        for score in trial.values
        if axis.name in trial.point and trial.state != UNPLAYED
    ]
    groups: list[tuple[Value, list[float]]] = []
    if axis.kind == "choice":
        groups = [(c, [s for v, s in pairs if v == c]) for c in axis.choices]
    else:
        pairs.sort(key=lambda pair: float(pair[0]))
        values = sorted({float(v) for v, _ in pairs})
        if len(values) <= BINS:
            groups = [(v, [s for w, s in pairs if float(w) == v]) for v in values]
        else:
            for part in np.array_split(np.arange(len(pairs)), BINS):
                own = [pairs[i] for i in part]
                if own:
                    groups.append((float(np.mean([float(v) for v, _ in own])), [s for _, s in own]))
    rows = []
    for value, scores in groups:
        if scores:
            games = len(scores) * search.games_per_block
            low, high = wilson(sum(scores) * search.games_per_block, games)
            rows.append(
                {
                    "value": value,
                    "games": games,
                    "score": float(np.mean(scores)),
                    "score_low": low,
                    "score_high": high,
                }
            )
    return rows
