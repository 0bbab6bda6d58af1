"""`joute perft`: number of action sequences of exactly DEPTH plies."""

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
@click.option("--without", metavar="ACTION", help="Leave an action out everywhere.")
@click.option("--divide", is_flag=True, help="The number below each first action, then all.")
@click.option("--table", is_flag=True, help="Each depth up to DEPTH, with sequences a second.")
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
    """Number of action sequences of exactly DEPTH plies, from a POSITION (default: startpos)."""
    from joute.commands._perft import by_depth, divided
    from joute.commands._perft import perft as count
    from joute.engines.errors import Refused
    from joute.engines.position import parse_position

    announce_compiling()
    bound = game_of(game)
    left_out = None if without is None else bound.action_of(without)
    start = parse_position(bound, position)
    if divide and table:
        raise Refused("--divide does not go with --table")
    if divide or table:
        shown = divided(start, depth, left_out) if divide else by_depth(start, depth, left_out)
        as_json(shown.data) if machine else click.echo(shown.text)
        return
    leaves = count(start, depth, left_out)
    as_json({"game": bound.label, "depth": depth, "count": leaves}) if machine else click.echo(
        leaves
    )
