"""What the recommended point after so many games may lack to the best, and the trend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from joute.reports.plots.plot import Plot
from joute.reports.plots.style import BLUE, GREY, ORANGE, PALE, caption, figure, log_ticks, title
from joute.reports.reading.search import Search
from joute.reports.reading.words import counted
from joute.studies.search.trial import Trial

PREFIXES = 8  # prefixes of the search, each read by a separate model
FIRST = 10  # trials of the first of them, at least
SPAN = 32  # times that the whole search is longer than the first, at most
LATEST = 5  # of the prefixes, through which the line goes
AHEAD = 2.0  # times the games so far, up to which it is drawn on
MORE = 1000  # games whose gain is shown
LEAST = 0.001  # score, a tenth of a point: a smaller regret is none


@dataclass(frozen=True)
class RegretLine:
    """Regret as a power of the games: factor x games ** exponent, both fitted."""

    factor: float
    exponent: float

    def through(self, games: float, regret: float) -> RegretLine:
        """Return the line of the same slope through a reading."""
        return RegretLine(regret / math.pow(games, self.exponent), self.exponent)

    def at(self, games: float) -> float:
        """Return the regret in score after so many games."""
        return self.factor * math.pow(games, self.exponent)


class RegretPlot(Plot):
    """What the recommended point after so many games may lack to the best, and the trend."""

    name = "regret"
    summary = (
        "how much the recommended point may still fall short of the best one, against games, "
        "extrapolated"
    )
    title = "Expected regret"
    place = 12
    leads = True
    of = "search"

    def wanted(self, search: Search) -> bool:
        """Tell whether this is a tune study with more than a handful of trials."""
        return search.kind != "scan" and len(_played(search)) > 2 * FIRST

    def draw(self, search: Search) -> tuple[Figure, pd.DataFrame]:
        """Draw the regret of each prefix, as expected then and as estimated by all games now."""
        rows = prefixes(search)
        line = fitted([row["games"] for row in rows], [row["expected"] for row in rows])
        made, axes = figure()
        games = [row["games"] for row in rows]
        axes.plot(games, [100 * row["expected"] for row in rows], "o-", color=BLUE, lw=2, ms=5,
                  label="expected at that time, from the games so far")  # fmt: skip
        axes.plot(games, [100 * row["hindsight"] for row in rows], "s", color=ORANGE, ms=5, ls="none",
                  mfc="none", mew=1.4, label="of the same point, from all games")  # fmt: skip
        if line is not None:
            line = line.through(games[-1], rows[-1]["expected"])
            rows += _drawn_on(axes, line, games)
        axes.set_xscale("log")
        log_ticks(axes.xaxis)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("games of the search")
        axes.set_ylabel("expected regret (points of score)")
        axes.grid(color=PALE)
        axes.set_axisbelow(True)
        axes.legend(fontsize=8.5, frameon=False, loc="best")
        title(axes, f"{self.title}: sampler {search.sampler}")
        left = rows[len(games) - 1]["expected"]
        caption(
            made,
            f"Regret: how much more the best point of the space is expected to score than the "
            f"point that the model recommends after so many games. {worth(line, games[-1], left)}",
        )
        numbers = pd.DataFrame(rows, columns=["what", "games", "trials", "expected", "hindsight"])
        return made, numbers


def _played(search: Search) -> list[Trial]:
    return [trial for trial in search.trials if trial.values]


def prefixes(search: Search) -> list[dict[str, Any]]:
    """Return games, trials and regret (in score) of prefixes of the search; the last is all of it.

    Each prefix is read alone, as if the search had ended there; `hindsight`: the regret of its
    point by all games of the study.
    """
    trials = _played(search)
    games = np.cumsum([len(trial.values) for trial in trials]) * search.games_per_block
    first = max(float(games[FIRST - 1]), games[-1] / SPAN)
    wanted = np.geomspace(first, float(games[-1]), PREFIXES)
    ends = sorted({int(np.searchsorted(games, least - 0.5)) + 1 for least in wanted})
    rows = []
    for end in (min(end, len(trials)) for end in ends):
        answer = search.read(trials[:end])
        rows.append(
            {
                "what": "read",
                "games": int(games[end - 1]),
                "trials": end,
                "expected": answer.regret,
                "hindsight": search.answer.regret_of(answer.best),
            }
        )
    return rows


def fitted(games: list[int], regrets: list[float]) -> RegretLine | None:
    """Return the power law through the latest regrets; None if they do not fall, are too few, or
    nearly nothing is lacking any more.
    """
    if regrets[-1] < LEAST:
        return None
    pairs = [(g, r) for g, r in zip(games, regrets, strict=True) if r > 0][-LATEST:]
    if len(pairs) < 3:
        return None
    x, y = np.log(np.array(pairs, dtype=float)).T
    exponent, level = np.polyfit(x, y, 1)
    return RegretLine(math.exp(level), float(exponent)) if exponent < 0 else None


def _drawn_on(axes: Axes, line: RegretLine, games: list[int]) -> list[dict[str, Any]]:
    """Extrapolate the line beyond the games; return its numbers."""
    last = games[-1]
    ahead = np.linspace(last, last + max(AHEAD * last, MORE), 9)
    regrets = [line.at(float(n)) for n in ahead]
    axes.plot(ahead, [100 * r for r in regrets], "--", color=GREY, lw=1.6,
              label="extrapolation")  # fmt: skip
    return [
        {"what": "extrapolated", "games": round(float(n)), "expected": r}
        for n, r in zip(ahead[1:], regrets[1:], strict=True)
    ]


def worth(line: RegretLine | None, games: int, left: float) -> str:
    """Say what more games would gain, by the line; `left`: the regret after all games."""
    if left < LEAST:
        return f"By the model less than {100 * LEAST:.1f} points are lacking after all games."
    if line is None:
        return "It does not fall steadily, so it does not show what more games would gain."
    now, then = (100 * line.at(n) for n in (games, games + MORE))
    return (
        f"Dashed: from the last reading on as steeply as the last {LATEST} fall. It suggests that "
        f"{counted(MORE, 'more game')} would lower the regret by some {100 * (1 - then / now):.0f} %, which "
        "is no promise."
    )
