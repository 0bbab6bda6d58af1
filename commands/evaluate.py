"""`joute evaluate`: print the static value of a POSITION for a player, or who won a finished game."""

from __future__ import annotations

from collections.abc import Sequence

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    NUMBERS,
    announce_compiling,
    as_json,
    game_of,
    json_option,
    with_position,
)


@click.command(cls=PlayingCommand, context_settings=NUMBERS)
@click.argument("game")
@click.argument("evaluation")
@with_position
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the evaluation; several times.",
)
@click.option(
    "--for",
    "player",
    type=click.IntRange(1),
    default=1,
    help="Player to evaluate for; 1 is the first.",
)
@json_option
def command(
    game: str,
    evaluation: str,
    position: str,
    parameters: Sequence[str],
    player: int,
    machine: bool,
) -> None:
    """Print the static value of a POSITION for a player, or who won a finished game."""
    from joute.commands._value import value_of
    from joute.engines.position import parse_position
    from joute.reports.reading.words import outcome

    announce_compiling()
    bound = game_of(game)
    state = parse_position(bound, position)
    value = value_of(state, evaluation, list(parameters), player)
    if state.over:  # searches score it otherwise: no value of the evaluation
        ended = {"value": None, "player": player, "over": True, "returns": state.returns()}
        as_json(ended) if machine else click.echo(f"the game is over: {outcome(state.returns())}")
    elif machine:
        as_json({"value": value, "player": player, "over": False})
    else:
        click.echo(f"{value:.12g}")
