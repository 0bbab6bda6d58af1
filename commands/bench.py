"""`joute bench`: measure how fast engines play on this machine."""

from __future__ import annotations

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, as_json, json_option, say


@click.command(cls=PlayingCommand)
@json_option
def command(machine: bool) -> None:
    """Measure how fast engines play on this machine."""
    from joute.commands._bench import bench as measure

    announce_compiling()
    speeds = measure(say)
    as_json(speeds.data) if machine else click.echo(speeds.text)
