"""`--cluster`, shared by the commands that play: workers elsewhere instead of processes of this machine."""

from __future__ import annotations

import click

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on a dask cluster: tcp://HOST:PORT, tls://HOST:PORT, local:WORKERS or a FILE.toml.",
)


def say(text: str) -> None:
    """Print a message on stderr."""
    click.echo(f"joute: {text}", err=True)
