"""`joute bot`: play as the engine SPEC for another program's referee, on stdin and stdout or at a server."""

from __future__ import annotations

from collections.abc import Sequence

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, milliseconds, say


@click.command(cls=PlayingCommand)
@click.argument("spec")
@click.argument("where", nargs=-1, metavar="[HOST PORT | URL]")
@click.option(
    "--protocol", required=True, help="Protocol of the referee: codingame, json-lines, ia02, ..."
)
@click.option(
    "--name", default="joute", show_default=True, help="Name to register with at a server."
)
@click.option("--turn-ms", type=milliseconds(), help="Time per turn that the referee allows.")
@click.option(
    "--margin-ms",
    type=milliseconds(),
    help="How long before the end of a turn the search stops at the latest.",
)
def command(
    spec: str,
    where: Sequence[str],
    protocol: str,
    name: str,
    turn_ms: float | None,
    margin_ms: float | None,
) -> None:
    """Play as the engine SPEC for another program's referee, on stdin and stdout or at a server."""
    from joute.commands._bot import be_bot, join

    announce_compiling()
    if where:
        join(spec, protocol, where, name, turn_ms, margin_ms, say)
    else:
        be_bot(spec, protocol, turn_ms, margin_ms)
