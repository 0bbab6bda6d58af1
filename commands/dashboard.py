"""`joute dashboard`: open optuna-dashboard on the search of a tune RUN (needs optuna-dashboard)."""

from __future__ import annotations

from pathlib import Path

import click

from joute.commands._plugins import ReadingCommand
from joute.commands._terminal import say


@click.command(cls=ReadingCommand)
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
def command(folder: Path, host: str, port: int) -> None:
    """Open optuna-dashboard on the search of a tune RUN (needs optuna-dashboard)."""
    from joute.studies.search.dashboard import serve

    serve(folder, host, port, say)
