"""Counts of games or of pairs, as the calculators take them."""

from __future__ import annotations

from collections.abc import Sequence

import click

MOST = 10**15


def counts_of(wdl: Sequence[float], pairs: Sequence[int] | None) -> list[int]:
    """Return outcome counts worst to best from W D L, or from pairs."""
    from joute.engines.errors import Refused

    if bool(wdl) == (pairs is not None):
        raise Refused("give either W D L or --pairs n0 n1 n2 n3 n4")
    counts = list(pairs) if pairs is not None else list(wdl)[::-1]
    if pairs is None and len(counts) != 3:
        raise Refused(f"W D L are three counts, not {len(counts)}")
    if not all(0 <= n <= MOST and n == int(n) for n in counts):
        raise Refused(f"counts are whole numbers from 0 to {MOST}")
    return [int(n) for n in counts]


pairs_option = click.option(
    "--pairs", nargs=5, type=int, help="Pair counts, worst to best: LL LD WL+DD WD WW."
)
