"""`joute bestmove`: print what an engine plays in a POSITION: move, value, depth, nodes, time_ms."""

from __future__ import annotations

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    announce_compiling,
    as_json,
    json_option,
    with_position,
)


@click.command(cls=PlayingCommand)
@click.argument("spec")
@with_position
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def command(spec: str, position: str, seed: int, machine: bool) -> None:
    """Print what an engine plays in a POSITION: move, value, depth, nodes, time_ms."""
    from dataclasses import asdict

    from joute.bots import engine

    announce_compiling()
    with engine(spec) as bot:
        move = bot.choose(position, seed)
    as_json(asdict(move)) if machine else click.echo(move)
