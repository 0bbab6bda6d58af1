"""`joute bot`: be the engine SPEC under somebody's referee, on stdin and stdout or at a server."""

from __future__ import annotations

from collections.abc import Sequence

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, milliseconds


@click.command(cls=PlayingCommand)
@click.argument("spec")
@click.argument("where", nargs=-1, metavar="[HOST PORT | URL]")
@click.option(
    "--protocol", required=True, help="How the referee talks: codingame, json-lines, ia02, ..."
)
@click.option("--name", default="joute", show_default=True, help="Our name at a server.")
@click.option("--turn-ms", type=milliseconds(), help="The referee's time of a turn.")
@click.option(
    "--margin-ms",
    type=milliseconds(),
    help="How much earlier a search is called off, at the latest.",
)
def command(
    spec: str,
    where: Sequence[str],
    protocol: str,
    name: str,
    turn_ms: float | None,
    margin_ms: float | None,
) -> None:
    """Be the engine SPEC under somebody's referee, on stdin and stdout or at a server."""
    from joute.commands._bot import be_bot, join

    def say(text: str) -> None:
        click.echo(f"joute: {text}", err=True)

    announce_compiling()
    if where:
        join(spec, protocol, where, name, turn_ms, margin_ms, say)
    else:
        be_bot(spec, protocol, turn_ms, margin_ms)
