"""Two searches (scan or tune studies) side by side: trials, expected-best points, parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reports.page.html_table import Column
from reports.page.search import SURE, Search
from reports.page.search_answer import point_text, range_text
from reports.page.words import counted, listed, percent
from results.frames import Results
from studies.tuner.ask_tell import COMPLETE, Point


@dataclass(frozen=True)
class Found:
    """What one search says: its trials, and the point that the model of all its trials expects most
    of, with its expected score in [0, 1] against the run's own opponents and the 95 % interval.
    """

    kind: str
    trials: int
    finished: int
    blocks: int
    pool: list[str]
    p_value: float
    best: Point
    score: float
    low: float
    high: float
    ranges: dict[str, str]
    defaults: Point


def found(results: Results) -> Found | None:
    """Return what the search of a run says; None if there is none, or no trial."""
    if results.search is None or not results.trials:
        return None
    one = Search.of(results)
    score, low, high = one.expected(one.best)
    return Found(
        kind=one.kind,
        trials=len(one.trials),
        finished=sum(trial.state == COMPLETE for trial in one.trials),
        blocks=sum(len(trial.values) for trial in one.trials),
        pool=one.pool,
        p_value=one.p_value,
        best=one.best,
        score=score,
        low=low,
        high=high,
        ranges={axis.name: range_text(one, axis.name) for axis in one.axes},
        defaults=one.default_point,
    )


def verdict(a: Found, b: Found) -> str:
    """Say whether the two searches agree on where the best point lies."""
    flat = [name for name, one in (("A", a), ("B", b)) if one.p_value >= SURE]
    if flat:
        return (
            f"In {listed(flat)} no effect of the searched parameters is shown: where the best lies "
            "there is a guess, and the searches cannot disagree."
        )
    both = [name for name in a.ranges if name in b.ranges]
    if not both:
        return "The two searches have no parameter in common."
    apart = [name for name in both if disjoint(a.ranges, b.ranges, name)]
    if apart:
        return f"The searches disagree: the 95 % ranges of the best {listed(apart)} do not overlap."
    return f"The searches do not disagree: the 95 % ranges of the best {listed(both)} overlap."


def lines(a: Found, b: Found, same_pool: bool) -> list[str]:
    """Say what each of the two searches found."""
    comparable = "" if same_pool else ", but against other opponents: the two do not compare"
    return [
        f"Trials: {_trials(a)} in A, {_trials(b)} in B. Expected best: {point_text(a.best)} in A, "
        f"{point_text(b.best)} in B; expected score there {_expected(a)} in A, {_expected(b)} in "
        f"B{comparable}."
    ]


def _trials(one: Found) -> str:
    given_up = one.trials - one.finished
    more = f", {given_up} of them given up early" if given_up else ""
    return f"{counted(one.trials, 'trial')} ({counted(one.blocks, 'block')}{more})"


def _expected(one: Found) -> str:
    return f"{percent(one.score)} ({percent(one.low)} to {percent(one.high)})"


def disjoint(a: dict[str, str], b: dict[str, str], name: str) -> bool:
    """Whether two ranges, as the report writes them, have no value in common."""
    one, other = a[name], b[name]
    if "does not matter" in (one, other):
        return False
    try:
        (low, high), (low_b, high_b) = (
            [float(end) for end in (text.split(" to ") * 2)[:2]] for text in (one, other)
        )
    except ValueError:
        return not set(one.split(" or ")) & set(other.split(" or "))
    return low > high_b or low_b > high


def columns(a: Found, b: Found) -> list[Column]:
    """Return the table of the parameters of both searches."""
    names = list(dict.fromkeys([*a.ranges, *b.ranges]))
    return [
        Column("parameter", names, False),
        *(
            Column(f"{title} in {run}", [_cell(one, name, title) for name in names], False)
            for title in ("best expected", "best may lie (95 %)")
            for run, one in (("A", a), ("B", b))
        ),
    ]


def _cell(one: Found, name: str, title: str) -> str:
    if name not in one.ranges:
        return "not searched"
    if title != "best expected":
        return one.ranges[name]
    point = {key: value for key, value in one.best.items() if key == name}
    return point_text(point).partition(" = ")[2] or "not in use"


def data(one: Found | None) -> dict[str, Any] | None:
    """Return a search as plain data for machines."""
    if one is None:
        return None
    return {
        "trials": one.trials,
        "finished": one.finished,
        "blocks": one.blocks,
        "p_value": one.p_value,
        "best": dict(one.best),
        "expected": [one.score, one.low, one.high],
        "ranges": one.ranges,
    }
