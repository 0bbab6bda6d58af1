"""`joute watch`: show a RUN that is playing or done on a local page: answer, progress, games."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from joute.commands._plugins import ReadingCommand
from joute.commands._terminal import as_json, json_option, slow


@click.command(cls=ReadingCommand)
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port to listen on (default: a free one).",
)
@click.option("--open", "opened", is_flag=True, help="Open the page in a browser.")
@json_option
def command(folder: Path, port: int, opened: bool, machine: bool) -> None:
    """Show a RUN that is playing or done on a local page: answer, progress, standings, games.

    It never modifies the run, and only this machine can open the page. Ctrl-C ends the page, not the run.
    """
    from joute.reports.watch.watch import watch

    def say(url: str) -> None:
        reading.close()
        if machine:
            as_json({"url": url, "run": str(folder)})
        else:
            click.echo(f"{url} (Ctrl-C ends this page)")
        if opened:
            import webbrowser

            webbrowser.open(url)

    with ExitStack() as reading:
        reading.enter_context(slow(f"reading {folder}", 2.0))
        watch(folder, port, say)
