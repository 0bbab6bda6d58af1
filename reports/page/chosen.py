"""Selects the games to show in a report, if a run has more than a page can hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

import numpy as np

from joute.engines.record import NORMAL
from joute.results.frames import Ints, Results

MOST = 2000
FAILED, FIRST, SHORT = "failure", "first of its pairing", "short win"
DRAW, LONG = "draw", "long"
RULE = (
    "games with a failure, the first of each pairing, draws and then the longest, and the shortest "
    "wins, in turn"
)


def chosen(results: Results, most: int = MOST) -> list[tuple[int, str]]:
    """Return the rows of games to show, the most interesting first, each with a reason: all of them
    if there are at most `most`, else by `RULE`.
    """
    won = _won(results)
    lists = [
        [(row, FAILED) for row in _failed(results)],
        [(row, FIRST) for row in _first(results)],
        [(row, LONG if won[row] else DRAW) for row in _long(results)],
        [(row, SHORT) for row in _short(results)],
    ]
    why_of_row: dict[int, str] = {}
    for row, why in _in_turn(lists):
        why_of_row.setdefault(row, why)
        if len(why_of_row) >= most:
            break
    return list(why_of_row.items())


def _in_turn(lists: Sequence[Sequence[tuple[int, str]]]) -> Iterator[tuple[int, str]]:
    return (row for row in chain.from_iterable(zip_longest(*lists)) if row is not None)


def _failed(results: Results) -> list[int]:
    seats = results.seats
    return [*dict.fromkeys(seats["game"].to_numpy()[(seats["failure"] != "").to_numpy()].tolist())]


def _first(results: Results) -> list[int]:
    """Return the first game of each table of each stage."""
    if not len(results.games):
        return []
    engines = results.seats["engine"].cat.codes.to_numpy(np.int64).reshape(-1, results.players)
    stage = results.games["stage"].cat.codes.to_numpy(np.int64)
    tables = np.column_stack([stage, np.sort(engines, axis=1)])
    return sorted(np.unique(tables, axis=0, return_index=True)[1].tolist())


def _long(results: Results) -> list[int]:
    """Return games without a single winner, the longest first, then the others likewise."""
    plies = results.games["plies"].to_numpy()
    rows: list[int] = np.lexsort([-plies, _won(results)]).tolist()
    return rows


def _short(results: Results) -> list[int]:
    """Return the games won by the rules, the shortest first."""
    plies = results.games["plies"].to_numpy()
    normal = (results.games["termination"] == NORMAL).to_numpy()
    rows: Ints = np.flatnonzero(_won(results) & normal)
    ordered: list[int] = rows[np.argsort(plies[rows], kind="stable")].tolist()
    return ordered


def _won(results: Results) -> Ints:
    """Return for each game whether one player was first alone."""
    ranks = results.seats["rank"].to_numpy(float).reshape(-1, results.players)
    best: Ints = (ranks == 1).any(axis=1) if len(ranks) else np.zeros(0, bool)
    return best
