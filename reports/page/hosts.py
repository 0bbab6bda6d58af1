"""The hosts of a cluster on the page: games, speed, and whether the speeds matter."""

from __future__ import annotations

from collections.abc import Sequence

from joute.reports.page.html_table import Column
from joute.results.hosts import HostPace, speeds
from joute.results.quantity import milliseconds, percent

UNEQUAL = 0.9
"""Of the fastest host's speed: below that hosts are unequal."""


def host_columns(paces: Sequence[HostPace]) -> list[Column]:
    """Return the time per move by host and engine; empty for a run on one machine."""
    timed = [pace for pace in paces if pace.moves]
    return [
        Column("host", [pace.host for pace in timed], False),
        Column("engine", [pace.engine for pace in timed], False),
        Column("games", [f"{pace.games:,}" for pace in timed]),
        Column("mean time per move", [milliseconds(pace.ms / pace.moves) for pace in timed]),
        Column("nodes/ms", [f"{p.nodes / p.ms:,.1f}" if p.nodes and p.ms else "" for p in timed]),
    ]


def host_notes(paces: Sequence[HostPace], parted: int, timed: bool) -> list[str]:
    """Say whether the hosts were equally fast, and what follows if engines look at the clock
    (`timed`) and so many blocks were `parted` between hosts.
    """
    shares = speeds(paces)
    slow = {host: value for host, value in shares.items() if value < UNEQUAL}
    notes = []
    if slow:
        best = max(shares, key=lambda host: shares[host])
        listed = ", ".join(f"{host} has {percent(value)}" for host, value in sorted(slow.items()))
        notes.append(
            f"Hosts differ in speed: relative to {best}, {listed}."
            + (
                " Engines with a time limit were stronger on some hosts than on others, so scores "
                "are a mixture; both seats of a block were on one host, which keeps pairs fair."
                if timed
                else ""
            )
        )
    if timed and parted:
        notes.append(
            f"{parted} block{'s' if parted > 1 else ''} had games on several hosts (a host went "
            f"away, "
            "or the run was resumed elsewhere)."
        )
    return notes
