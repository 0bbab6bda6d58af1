"""Games and speed of each host of a cluster; empty for a run of one machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from joute.results.moves import unpacked
from joute.results.store import Store

HOME = "(at home)"
LEAST = 30
"""Moves of an engine on a host, below which its speed there is not known."""


class HostPace(NamedTuple):
    """An engine on a host: games, moves with the milliseconds that they took, and nodes."""

    host: str
    engine: str
    games: int
    moves: int
    ms: float
    nodes: int


def by_host(folder: Path) -> tuple[list[HostPace], int]:
    """Return how every engine did on every host, by host and engine, and how many blocks have games of
    several hosts; nothing if all was played at home. The run was read, and checked, before.
    """
    with Store.again(folder) as store:
        if not store.rows("SELECT 1 FROM hosts LIMIT 1"):
            return [], 0
        names = dict(store.rows("SELECT id, name FROM engines"))
        totals: dict[tuple[str, str], list[float]] = {}
        query = (
            "SELECT IFNULL(host, ?), engine, nodes, ms FROM seats "
            "LEFT JOIN hosts ON hosts.game = seats.game"
        )
        for host, engine, nodes, ms in store.rows(query, HOME):
            times = unpacked(ms)
            sums = totals.setdefault((host, names.get(engine, engine)), [0, 0, 0.0, 0])
            for i, value in enumerate((1, len(times), float(times.sum(dtype=float)), nodes)):
                sums[i] += value
        [(parted,)] = store.rows(
            "SELECT COUNT(*) FROM (SELECT block FROM games LEFT JOIN hosts ON game = number "
            "GROUP BY block HAVING COUNT(DISTINCT IFNULL(host, '')) > 1)"
        )
    paces = [
        HostPace(host, engine, int(games), int(moves), ms, int(nodes))
        for (host, engine), (games, moves, ms, nodes) in sorted(totals.items())
    ]
    return paces, int(parted)


def speeds(paces: Sequence[HostPace]) -> dict[str, float]:
    """Return the relative speed of each host, 1 for the fastest: the median over engines of nodes
    per millisecond, or of moves, for engines that report no nodes.
    """
    rates: dict[str, dict[str, float]] = {}
    for pace in paces:
        if pace.moves >= LEAST and pace.ms > 0:
            work = pace.nodes or pace.moves
            rates.setdefault(pace.engine, {})[pace.host] = work / pace.ms
    hosts = sorted({pace.host for pace in paces})
    relative = {host: _beside(host, rates) for host in hosts}
    known = {host: value for host, value in relative.items() if value is not None}
    best = max(known.values(), default=1.0)
    return {host: value / best for host, value in known.items()}


def _beside(host: str, rates: Mapping[str, Mapping[str, float]]) -> float | None:
    """Return how fast a host is beside the middle of all, over engines that played on several."""
    shares = [of[host] / median(of.values()) for of in rates.values() if host in of and len(of) > 1]
    return median(shares) if shares else None
