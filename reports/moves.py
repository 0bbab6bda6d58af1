"""Engines on the same positions: how often each plays another move than the first, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.reports.asked_positions import Asked
from joute.reports.reading.words import counted
from joute.results.grouped import Ratio, Share, ratio_of, share_of
from joute.results.quantity import milliseconds, percent, percent_ends
from joute.results.tables import write_rows
from joute.studies.suites.answers import Column

BINS = 6
"""Parts of the game in which moves are compared."""


@dataclass(frozen=True)
class Part:
    """Some plies of the games, from `first` to `last`, and the share of other moves there."""

    first: int
    last: int
    share: Share


@dataclass(frozen=True)
class Difference:
    """An engine beside the first one, at the positions that both answered.

    `share`: of positions in which it plays another move; None if there is none. `nodes`, `time`:
    what it takes a move, as a multiple of the first one's; None if not known. `parts`: the share
    by ply, empty where plies are unknown. `failures`: positions that it or the first did not answer.
    """

    name: str
    spec: str
    share: Share | None
    nodes: Ratio | None
    time: Ratio | None
    parts: tuple[Part, ...]
    failures: int


def comparable(engines: Sequence[Engine]) -> None:
    """Raise Refused unless there are two engines or more, whose moves do not depend on the clock."""
    if len(engines) < 2:
        raise Refused(
            "one engine has nothing to be compared with; allowed: two different SPECs or more, "
            "or one with --grid"
        )
    for engine in engines:
        if engine.limit is not None and engine.limit[0] == "milliseconds":
            raise Refused(
                f"{engine.text}: its moves depend on the clock, so they are not the same twice; "
                "allowed: a limit of nodes or iterations, or a depth"
            )


def differences(asked: Asked, columns: Sequence[Column]) -> list[Difference]:
    """Compare every engine but the first with the first."""
    first, plies = columns[0], np.array([position.ply for position in asked.positions])
    names = sorted({position.block for position in asked.positions})
    number = {name: i for i, name in enumerate(names)}
    groups = np.array([number[position.block] for position in asked.positions])
    return [_difference(first, other, groups, plies) for other in columns[1:]]


def _difference(first: Column, other: Column, groups: np.ndarray, plies: np.ndarray) -> Difference:
    pairs = list(zip(first.answers, other.answers, strict=True))
    both = np.array([not (a.failure or b.failure) for a, b in pairs])
    differs = np.array([a.action != b.action for a, b in pairs])

    def sums(values: Sequence[float] | np.ndarray, where: np.ndarray) -> np.ndarray:
        found = np.bincount(groups[where], np.asarray(values, float)[where], groups.max() + 1)
        return found[np.bincount(groups[where], minlength=groups.max() + 1) > 0]

    def share(where: np.ndarray) -> Share:
        return share_of(sums(differs, where), sums(np.ones(len(pairs)), where))

    def ratio(name: str) -> Ratio | None:
        mine, theirs = ([getattr(answer, name) for answer in c.answers] for c in (other, first))
        return ratio_of(sums(mine, both), sums(theirs, both))

    if not both.any():
        return Difference(other.name, other.spec, None, None, None, (), len(pairs))
    parts = tuple(
        Part(begin, end, share(where))
        for begin, end in parts_of(plies)
        if (where := both & (plies >= begin) & (plies <= end)).any()
    )
    return Difference(
        other.name, other.spec, share(both), ratio("nodes"), ratio("ms"), parts,
        int((~both).sum()),
    )  # fmt: skip


def parts_of(plies: np.ndarray) -> list[tuple[int, int]]:
    """Return the first and last ply of parts that hold about as many positions each; none if all
    plies are the same.
    """
    if len(set(plies.tolist())) < 2:
        return []
    edges = sorted({int(v) for v in np.quantile(plies, np.linspace(0, 1, BINS + 1)[:-1])})
    return [(a, b - 1) for a, b in pairwise([*edges, int(plies.max()) + 1])]


def text(asked: Asked, columns: Sequence[Column], found: Sequence[Difference]) -> str:
    """Return the tables for a terminal."""
    blocks = len({position.block for position in asked.positions})
    head = f"{counted(len(asked.positions), 'position')} of {asked.source}, {asked.game.label}"
    head += f"; {counted(blocks, 'block')}" if blocks < len(asked.positions) else ""
    lines = [head, f"beside {columns[0].name} ({_pace(columns[0])}):", ""]
    rows = [
        [d.name, _share(d.share), _ratio(d.nodes), _ratio(d.time)] for d in found
    ]  # fmt: skip
    heads = ["engine", "plays another move", "nodes a move", "time a move"]
    lines.append(str(tabulate(rows, heads, disable_numparse=True)))
    if any(d.parts for d in found):
        lines += ["", _by_ply(found)]
    lines += ["", *(f"{column.name}: {column.spec}" for column in columns)]
    for d in found:
        if d.failures:
            lines.append(f"{d.name}: {counted(d.failures, 'position')} left out, without an answer")
    return "\n".join(lines)


def _by_ply(found: Sequence[Difference]) -> str:
    parts = sorted({(p.first, p.last) for d in found for p in d.parts})
    rows = []
    for first, last in parts:
        cells = []
        for d in found:
            share = next((p.share for p in d.parts if (p.first, p.last) == (first, last)), None)
            cells.append(_share(share))
        rows.append([f"{first}" if first == last else f"{first} to {last}", *cells])
    return str(tabulate(rows, ["plies", *(d.name for d in found)], disable_numparse=True))


def _pace(column: Column) -> str:
    answered = [answer for answer in column.answers if not answer.failure]
    if not answered:
        return "no answer"
    nodes = sum(answer.nodes for answer in answered) / len(answered)
    ms = sum(answer.ms for answer in answered) / len(answered)
    worked = f"{nodes:,.0f} nodes and " if nodes else ""
    return f"{worked}{milliseconds(ms)} a move"


def _share(share: Share | None) -> str:
    if share is None:
        return "-"
    return f"{percent(share.mean)} ({percent_ends(share.low, share.high)})"


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return "-"
    ends = "" if ratio.low is None else f" ({_times(ratio.low)} to {_times(ratio.high)})"
    return f"x {_times(ratio.value)}{ends}"


def _times(value: float | None) -> str:
    return f"{value:.3g}"


def rows_of(asked: Asked, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Yield a row for each engine and position."""
    for column in columns:
        for position, first, answer in zip(
            asked.positions, columns[0].answers, column.answers, strict=True
        ):
            both = not (first.failure or answer.failure)
            yield {
                "position": position.case.name,
                "text": position.case.position,
                "block": position.block,
                "ply": position.ply,
                "engine": column.name,
                "spec": column.spec,
                "action": answer.action,
                "other": answer.action != first.action if both else None,
                "value": answer.value,
                "depth": answer.depth,
                "nodes": answer.nodes,
                "ms": round(answer.ms, 3),
                "failure": answer.failure,
            }


def write_moves(asked: Asked, columns: Sequence[Column], path: Path) -> None:
    """Write one row for each engine and position as CSV."""
    write_rows(list(rows_of(asked, columns)), path)


def data(asked: Asked, columns: Sequence[Column], found: Sequence[Difference]) -> dict[str, Any]:
    """Return all results as JSON data."""

    def table(value: Share | Ratio | None) -> dict[str, Any] | None:
        return None if value is None else value._asdict()

    return {
        "source": asked.source,
        "game": asked.game.label,
        "positions": len(asked.positions),
        "first": {"name": columns[0].name, "spec": columns[0].spec},
        "engines": [
            {
                "name": d.name,
                "spec": d.spec,
                "other_moves": table(d.share),
                "nodes": table(d.nodes),
                "time": table(d.time),
                "by_ply": [
                    {"first": p.first, "last": p.last, **p.share._asdict()} for p in d.parts
                ],
                "failures": d.failures,
            }
            for d in found
        ],
    }
