"""`--cluster`, shared by the commands that play: workers elsewhere instead of processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from joute.harness.executor import Executor


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on a dask cluster: tcp://HOST:PORT, tls://HOST:PORT, local:WORKERS or a FILE.toml.",
)


def say(text: str) -> None:
    """Say something on stderr."""
    click.echo(f"joute: {text}", err=True)


@contextmanager
def clustered(
    text: str | None,
    say: Callable[[str], None],
    most: int | None = None,
    timed: bool = False,
    files: Sequence[str] = (),
) -> Iterator[Executor | None]:
    """Connect to the cluster that --cluster names, for the time of a run; None if it names none."""
    if text is None:
        yield None
        return
    from joute.engines.errors import Refused
    from joute.harness.cluster.address import parse_address

    address = parse_address(text)
    try:
        from joute.harness.cluster.connection import Connection
        from joute.harness.cluster.executor import Cluster
    except ImportError as error:
        raise Refused(
            f"--cluster needs dask ({error.name} is missing): pip install 'joute[distributed]'"
        ) from None
    cluster = Cluster(Connection(address), say, most, timed, files)
    try:
        yield cluster
    except BaseException:
        cluster.close(kill=True)
        raise
    cluster.close()
