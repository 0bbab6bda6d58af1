"""`joute perft`: count the action sequences of exactly DEPTH plies."""

from __future__ import annotations

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    announce_compiling,
    as_json,
    game_of,
    json_option,
    with_position,
)


@click.command(cls=PlayingCommand)
@click.argument("game")
@click.argument("depth", type=click.IntRange(0))
@with_position
@click.option("--without", metavar="ACTION", help="Leave this action out everywhere.")
@click.option(
    "--divide", is_flag=True, help="Print the count below each first action, then the total."
)
@click.option(
    "--table", is_flag=True, help="Print each depth up to DEPTH, with sequences per second."
)
@json_option
def command(
    game: str,
    depth: int,
    position: str,
    without: str | None,
    divide: bool,
    table: bool,
    machine: bool,
) -> None:
    """Count the action sequences of exactly DEPTH plies, from a POSITION (default: startpos)."""
    from joute.commands._perft import by_depth, divided
    from joute.commands._perft import perft as count
    from joute.engines.errors import Refused
    from joute.engines.position import parse_position

    announce_compiling()
    bound = game_of(game)
    left_out = None if without is None else bound.action_of(without)
    start = parse_position(bound, position)
    if divide and table:
        raise Refused("--divide and --table exclude each other")
    if divide or table:
        shown = divided(start, depth, left_out) if divide else by_depth(start, depth, left_out)
        as_json(shown.data) if machine else click.echo(shown.text)
        return
    leaves = count(start, depth, left_out)
    as_json({"game": bound.label, "depth": depth, "count": leaves}) if machine else click.echo(
        leaves
    )
