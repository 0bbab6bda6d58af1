"""`joute merge`: merge RUNs of one study, played on different machines, into one run folder."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from joute.commands._plugins import ReadingCommand, program
from joute.commands._terminal import as_json, json_option


@click.command(cls=ReadingCommand)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the new run."
)
@json_option
def command(runs: tuple[Path, ...], out: Path, machine: bool) -> None:
    """Merge RUNs of one study, played on different machines, into one run folder."""
    from joute.studies.play.merge import merge

    union = merge(runs, out)
    if machine:
        data = {"folder": str(out), "games": union.games, "twice": union.twice, "runs": len(runs)}
        as_json(data)
        return
    click.echo(f"{out}: {union.games} games of {len(runs)} runs, {union.twice} of them in several.")
    click.echo(f"for the answer: {program()} report {quote(str(out))}")
