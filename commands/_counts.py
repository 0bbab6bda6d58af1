"""Counts of pairs, as the calculators take them."""

from __future__ import annotations

import click

pairs_option = click.option(
    "--pairs", nargs=5, type=int, help="Pair counts, worst to best: LL LD WL+DD WD WW."
)
