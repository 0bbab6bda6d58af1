"""`joute show`: show the options or parameters of a THING: range, default, meaning and source."""

from __future__ import annotations

import click

from joute.commands._plugins import ListingCommand
from joute.commands._terminal import as_json, json_option


@click.command(cls=ListingCommand)
@click.argument("thing")
@json_option
def command(thing: str, machine: bool) -> None:
    """Show the options or parameters of a THING: range, default, meaning and source."""
    from joute.commands._describe import describe

    description = describe(thing)
    as_json(description.data) if machine else click.echo(description.text)
