"""What the searches of two runs (scan or tune studies) found, as values."""

from __future__ import annotations

from typing import Any, NamedTuple

from joute.reports.reading.search import Range, Search
from joute.reports.reading.search_answer import range_text
from joute.results.frames import Results
from joute.results.quantity import SHARE, Quantity
from joute.studies.search.trial import COMPLETE


class Trials(NamedTuple):
    """The number of trials of a search, of those given up early, and of all blocks."""

    number: int
    given_up: int
    blocks: int


def search_of(run: Results) -> Search | None:
    """Return the search of a run; None if it has none, or no trial."""
    return Search.of(run) if run.search is not None and run.trials else None


def trials_of(search: Search) -> Trials:
    """Count the trials of a search."""
    given_up = sum(trial.state != COMPLETE for trial in search.trials)
    return Trials(len(search.trials), given_up, sum(len(trial.values) for trial in search.trials))


def expected(search: Search) -> Quantity:
    """Return the score that a search expects of its best point against its opponents."""
    return Quantity("expected score (95 %)", SHARE, *search.expected(search.best))


def pool_of(search: Search) -> set[str]:
    """Return the canonical texts of the opponents of a search."""
    engines = search.results.engines
    specs = dict(zip(engines["name"], engines["spec"], strict=True))
    return {specs.get(name, name) for name in search.pool}


def in_both(a: Search, b: Search) -> list[str]:
    """Return the parameters that both searches have."""
    names = {axis.name for axis in b.axes}
    return [axis.name for axis in a.axes if axis.name in names]


def disjoint(a: Range | None, b: Range | None) -> bool:
    """Whether two ranges of best values do not overlap; None is a parameter without effect."""
    if a is None or b is None:
        return False
    if isinstance(a, tuple) and isinstance(b, tuple):
        return float(a[0]) > float(b[1]) or float(b[0]) > float(a[1])
    return not {*map(str, a)} & {*map(str, b)}


def data_of(search: Search) -> dict[str, Any]:
    """Return a search as JSON data."""
    trials, score = trials_of(search), expected(search)
    return {
        "trials": trials.number,
        "finished": trials.number - trials.given_up,
        "blocks": trials.blocks,
        "p_value": search.p_value,
        "best": dict(search.best),
        "expected": [score.value, score.low, score.high],
        "ranges": {axis.name: range_text(search, axis.name) for axis in search.axes},
    }
