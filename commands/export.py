"""`joute export`: export the winner of a RUN: as data, as constants, or as a file that plays."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from joute.commands._plugins import ReadingCommand, program
from joute.commands._terminal import announce_compiling, as_json, json_option, milliseconds, say

LONGEST = 300  # characters of an engine's text that are shown


class Targets(click.Option):
    """An option whose help lists export targets; they are looked up only when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its choices."""
        from joute.engines.registry import names

        self.help = f"Target: {', '.join(names('target'))}."
        return super().get_help_record(ctx)


@click.command(cls=ReadingCommand)
@click.argument("folder", metavar="[RUN]", required=False, type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, cls=Targets)
@click.option(
    "-o", "out", type=click.Path(path_type=Path), help="File (default: named after the study)."
)
@click.option("--engine", metavar="SPEC", help="Export this engine instead of a run's winner.")
@click.option(
    "--point",
    metavar="POINT",
    help="Export another engine than the winner: tuned-1, or of a search expected or trial-17.",
)
@click.option("--anyway", is_flag=True, help="Export the winner even if it is not confirmed.")
@click.option("--force", is_flag=True, help="Replace a file that exists already.")
@click.option(
    "--limit",
    is_flag=True,
    help="Lower the budget of an engine that is too slow for the time per move.",
)
@click.option(
    "--move-ms", type=milliseconds(), help="Time per move in milliseconds (kaggle: 2000)."
)
@click.option("--language", metavar="NAME", help="Language of the file (codingame: cpp, python).")
@click.option(
    "--evaluation", is_flag=True, help="Write only the engine's evaluation (cpp: a header)."
)
@json_option
def command(
    folder: Path | None,
    target: str,
    out: Path | None,
    engine: str | None,
    point: str | None,
    anyway: bool,
    force: bool,
    limit: bool,
    move_ms: float | None,
    language: str | None,
    evaluation: bool,
    machine: bool,
) -> None:
    """Export the winner of a RUN: as data, as constants, or as a file that plays."""
    from joute.engines.errors import cut
    from joute.progress_bar import shown
    from joute.reports.export.export import ExportRequest
    from joute.reports.export.export import export as write

    announce_compiling()
    request = ExportRequest(
        *(target, folder, engine, out, anyway, limit, move_ms, point, force),
        language=language or "",
        evaluation=evaluation,
    )
    with shown(sys.stderr.isatty(), passing=True) as progress:
        exported = write(request, say, progress)
    if machine:
        as_json({"path": str(exported.path), "bytes": exported.size, "engine": exported.engine})
        return
    click.echo(f"{exported.path}  {exported.size:,} bytes  {cut(exported.engine, LONGEST)}")
    click.echo(f"use: {exported.use.replace('joute ', f'{program()} ')}")
