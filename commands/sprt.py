"""`joute sprt`: compute the exact GSPRT of ELO0 against ELO1 from counts of games or of pairs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from joute.commands._counts import pairs_option
from joute.commands._terminal import NUMBERS, as_json, json_option


@click.command(context_settings=NUMBERS)
@click.argument("elo0", type=float)
@click.argument("elo1", type=float)
@click.argument("wdl", nargs=-1, type=float, metavar="[W D L]")
@pairs_option
@click.option("--alpha", type=float, default=0.05, show_default=True)
@click.option("--beta", type=float, default=0.05, show_default=True)
@click.option(
    "--model", type=click.Choice(["logistic", "normalized"]), default="logistic", show_default=True
)
@json_option
def command(
    elo0: float,
    elo1: float,
    wdl: Sequence[float],
    pairs: Sequence[int] | None,
    alpha: float,
    beta: float,
    model: str,
    machine: bool,
) -> None:
    """Compute the exact GSPRT of ELO0 against ELO1 from counts of games or of pairs."""
    from joute.results.calculators import counts_of, sprt_report

    report = sprt_report(elo0, elo1, alpha, beta, model, counts_of(wdl, pairs))
    as_json(report.data) if machine else click.echo(report.text)
