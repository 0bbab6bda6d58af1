"""`joute report`: rebuild the tables, plots and report of a RUN, or compare two RUNs, the older first."""

from __future__ import annotations

from pathlib import Path

import click

from joute.commands._plugins import ReadingCommand
from joute.commands._terminal import as_json, json_option, slow


def tell_comparison(one: Path, two: Path, out: Path | None, machine: bool) -> None:
    """Compare two runs: write the page and its numbers, print the answer."""
    from joute.reports.compare.answer import answer
    from joute.reports.compare.comparison_page import data, page_path, write_comparison
    from joute.reports.compare.run_pair import compare

    with slow("reading both runs and writing the report"):
        comparison = compare(one, two)
        page = page_path(comparison, out)
        numbers = write_comparison(comparison, page)
    if machine:
        as_json(data(comparison, page, numbers))
        return
    for line in answer(comparison):
        click.echo(line)
    click.echo(f"report: {page}")


@click.command(cls=ReadingCommand)
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("other", metavar="[RUN]", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Page of the comparison (default: in RUN)."
)
@json_option
def command(folder: Path, other: Path | None, out: Path | None, machine: bool) -> None:
    """Rebuild the tables, plots and report of a RUN, or compare two RUNs, the older first."""
    from joute.engines.errors import Refused

    if other is not None:
        tell_comparison(folder, other, out, machine)
        return
    if out is not None:
        raise Refused("--out needs two runs to compare")
    from joute.reports.card import next_step
    from joute.reports.page.page import report

    with slow("reading the games, drawing the plots and writing the report"):
        reported = report(folder)
    answer, page = reported.answer, reported.page
    step = next_step(reported.results, answer)
    if machine:
        as_json(
            {
                "report": str(page),
                "answer": list(answer.lines),
                "winner": answer.winner,
                "next": step,
            }
        )
        return
    for line in answer.lines:
        click.echo(line)
    if step:
        click.echo(f"next: {step}")
    click.echo(f"report: {page}")
