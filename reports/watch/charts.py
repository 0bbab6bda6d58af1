"""Score against parameter as small SVG charts in the page's own colours: dots with their intervals,
and the model's line with its band if there is one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from joute.engines.parameter import text_of
from joute.reports.reading.binned import binned
from joute.reports.ticks import round_ticks
from joute.results.frames import Results
from joute.results.quantity import SHARE, Quantity
from joute.results.standings import standings_table
from joute.studies.tuner.axis import Axis

if TYPE_CHECKING:
    from joute.reports.reading.search import Curve, Search

WIDE, HIGH = 420, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 40
TICKS = 5
LONGEST = 24  # letters of a value that stands under a chart


@dataclass(frozen=True)
class Dot:
    """A score at a value, with its interval, of so many games; `name`: the engine of the score."""

    value: Any
    score: float
    low: float
    high: float
    games: int
    name: str = ""


@dataclass(frozen=True)
class Chart:
    """A chart and its content in words."""

    title: str
    svg: Markup


class Axes:
    """Positions of values and scores on a chart."""

    def __init__(
        self, values: Sequence[Any], log: bool, scores: Sequence[float], choices: Sequence[str] = ()
    ) -> None:
        self.choices, self.log = list(choices), log
        places = [self._place(value) for value in values]
        self.begin, self.end = min(places), max(places)
        if self.choices:
            self.begin, self.end = -0.5, len(self.choices) - 0.5
        elif self.end == self.begin:
            self.begin, self.end = self.begin - 0.5, self.end + 0.5
        self.low = math.floor(10 * min([*scores, 0.5]) + 1e-9) / 10
        self.high = math.ceil(10 * max([*scores, 0.5]) - 1e-9) / 10
        self.high = max(self.high, self.low + 0.1)

    def _place(self, value: Any) -> float:
        if self.choices:
            return float(self.choices.index(str(value)))
        return math.log(float(value)) if self.log else float(value)

    def x(self, value: Any) -> float:
        """Return the position of a value."""
        share = (self._place(value) - self.begin) / (self.end - self.begin)
        return LEFT + 8 + share * (WIDE - LEFT - RIGHT - 16)

    def y(self, score: float) -> float:
        """Return the position of a score."""
        share = (min(max(score, self.low), self.high) - self.low) / (self.high - self.low)
        return TOP + (1 - share) * (HIGH - TOP - BOTTOM)


def drawn(
    title: str,
    axes: Axes,
    dots: Sequence[Dot],
    model: Curve | None,
    default: Any,
    ticks: Sequence[Any],
) -> Chart:
    """Return the chart of a parameter."""
    parts = []
    steps = max(1, round((axes.high - axes.low) * 10))
    for k in range(0, steps + 1, -(-steps // TICKS)):
        score = axes.low + k / 10
        y = axes.y(score)
        parts.append(
            f'<line class="rule" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(
            f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{100 * score:.0f} %</text>'
        )
    for value in ticks:
        text = escape(text_of(value))
        parts.append(
            f'<text x="{axes.x(value):.1f}" y="{HIGH - 22}" text-anchor="middle">{text}</text>'
        )
    if default is not None:
        x = axes.x(default)
        parts.append(
            f'<line class="default" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HIGH - BOTTOM}"/>'
        )
    if model is not None:
        parts.append(_model(axes, model))
    for dot in dots:
        x, y = axes.x(dot.value), axes.y(dot.score)
        caption = f"{dot.name or text_of(dot.value)}: {Quantity('', SHARE, dot.score, dot.low, dot.high).cell}, {dot.games} games"
        parts.append(
            f'<g><title>{escape(caption)}</title><line class="whisker" x1="{x:.1f}" x2="{x:.1f}" '
            f'y1="{axes.y(dot.low):.1f}" y2="{axes.y(dot.high):.1f}"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2"/></g>'
        )
    middle = (LEFT + WIDE - RIGHT) / 2
    parts.append(
        f'<text class="title" x="{middle}" y="{HIGH - 5}" text-anchor="middle">{escape(title)}</text>'
    )
    label = f"Score against {title}, with 95 % intervals"
    svg = f'<svg class="chart" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    return Chart(label, Markup(svg))  # texts are escaped above


def _model(axes: Axes, model: Curve) -> str:
    points = list(zip(model.values, model.mean, model.low, model.high, strict=True))
    if axes.choices:
        return "".join(
            f'<rect class="band" x="{axes.x(v) + 6:.1f}" width="8" y="{axes.y(float(h)):.1f}" height="{max(1.0, axes.y(float(lo)) - axes.y(float(h))):.1f}"/>'
            f'<line class="line" x1="{axes.x(v) + 5:.1f}" x2="{axes.x(v) + 15:.1f}" y1="{axes.y(float(m)):.1f}" y2="{axes.y(float(m)):.1f}"/>'
            for v, m, lo, h in points
        )
    upper = [f"{axes.x(v):.1f},{axes.y(float(h)):.1f}" for v, _, _, h in points]
    lower = [f"{axes.x(v):.1f},{axes.y(float(lo)):.1f}" for v, _, lo, _ in reversed(points)]
    line = [f"{axes.x(v):.1f},{axes.y(float(m)):.1f}" for v, m, _, _ in points]
    return (
        f'<polygon class="band" points="{" ".join(upper + lower)}"/>'
        f'<polyline class="line" points="{" ".join(line)}"/>'
    )


def search_charts(
    search: Search, curves: dict[str, Curve], beside: dict[str, list[dict[str, Any]]]
) -> list[Chart]:
    """Return a chart of each searched parameter, all to one scale: the model's line and the dots beside it,
    or before there is a model the trials in bins.
    """
    shown, scores = [], list[float]()
    for axis in search.axes:
        dots = [
            Dot(row["value"], row["score"], row["score_low"], row["score_high"], row["games"])
            for row in beside.get(axis.name) or binned(search, axis)
        ]
        model = curves.get(axis.name)
        ends = _values_of(axis, [*[dot.value for dot in dots], *(model.values if model else [])])
        if not dots or not ends:
            continue
        scores += [end for dot in dots for end in (dot.low, dot.high)]
        if model is not None:
            scores += [float(model.low.min()), float(model.high.max())]
        shown.append((axis, dots, model, ends))
    charts = []
    for axis, dots, model, ends in shown:
        axes = Axes(ends, axis.log, scores, axis.choices)
        default = search.default_point.get(axis.name)
        known = default is not None and search.inside({axis.name: default})
        ticks = axis.choices or _ticks(axes.begin, axes.end, axis)
        charts.append(drawn(axis.name, axes, dots, model, default if known else None, ticks))
    return charts


def _values_of(axis: Axis, met: list[Any]) -> list[Any]:
    return list(axis.choices) if axis.kind == "choice" else met


def _ticks(begin: float, end: float, axis: Axis | None = None) -> list[float]:
    """Return a few round values for the labels of an axis: its own values if it has steps."""
    log = axis is not None and axis.log
    low, high = (math.exp(begin), math.exp(end)) if log else (begin, end)
    ticks = round_ticks(low, high, log)
    if axis is not None and axis.discrete:
        ticks = [float(axis.tidy(tick)) for tick in ticks]
    return list(dict.fromkeys(ticks))


def grid_charts(results: Results, stage: str) -> list[Chart]:
    """Return a chart of each parameter in which a stage's entrants differ: each entrant's score
    with its interval, where opponents differ in strength that expected against their average.
    Parameters that a stage is played within cannot be compared.
    """
    if not results.grid or not len(results.games):
        return []
    rows = standings_table(results, stage).to_dict("records")
    if results.adaptive(stage):
        rows = [row | expected(row) for row in rows]
    groups = [str(row["group"]) for row in rows]
    charts = []
    for name in results.grid:
        if not all(group.startswith(f"{name}=") for group in groups):
            chart = _grid_chart(name, [row for row in rows if row[name] is not None])
            charts += [chart] if chart else []
    return charts


def expected(row: Mapping[Any, Any]) -> dict[str, float]:
    """Return the score that a rating promises against the average of the field, with its interval."""
    low, high = row["elo_low"], row["elo_high"]
    low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
    middle = row["elo"]
    if middle is None:  # one end is without limit
        middle = low if math.isfinite(low) else high if math.isfinite(high) else 0.0
    score, begin, end = (1 / (1 + 10 ** (-elo / 400)) for elo in (middle, low, high))
    return {"score": score, "score_low": begin, "score_high": end}


def _grid_chart(name: str, rows: list[dict[Any, Any]]) -> Chart | None:
    values = list(dict.fromkeys(row[name] for row in rows))
    if len(values) < 2 or max(len(str(value)) for value in values) > LONGEST:
        return None  # nothing differs, or texts that are no values, such as commands
    dots = [
        Dot(
            row[name],
            row["score"],
            row["score_low"],
            row["score_high"],
            row["games"],
            row["engine"],
        )
        for row in rows
    ]
    choices = (
        [] if all(isinstance(value, int | float) for value in values) else list(map(str, values))
    )
    scores = [end for dot in dots for end in (dot.low, dot.high)]
    axes = Axes(values, False, scores, choices)
    ticks = choices or (
        sorted(values) if len(values) <= TICKS + 3 else _ticks(axes.begin, axes.end)
    )
    return drawn(name, axes, dots, None, None, ticks)
