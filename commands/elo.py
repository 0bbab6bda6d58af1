"""`joute elo`: compute score, Elo, normalised Elo and LOS from counts of games or of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from joute.commands._counts import pairs_option
from joute.commands._terminal import NUMBERS, as_json, json_option


@click.command(context_settings=NUMBERS)
@click.argument("wdl", nargs=-1, type=float, metavar="[W D L]")
@pairs_option
@json_option
def command(wdl: Sequence[float], pairs: Sequence[int] | None, machine: bool) -> None:
    """Compute score, Elo, normalised Elo and LOS from counts of games or of pairs."""
    from joute.results.calculators import counts_of, elo_report

    report = elo_report(counts_of(wdl, pairs))
    as_json(report.data) if machine else click.echo(report.text)
