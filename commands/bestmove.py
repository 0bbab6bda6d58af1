"""`joute bestmove`: what an engine plays in a POSITION: move, value, depth, nodes, time_ms."""

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
    """What an engine plays in a POSITION: move, value, depth, nodes, time_ms."""
    import time

    from joute.engines.engine import parse_engine
    from joute.engines.errors import Refused
    from joute.engines.position import parse_position

    announce_compiling()
    engine = parse_engine(spec)
    state = parse_position(engine.game, position)
    if state.over:
        raise Refused("the game is over in this position: there is no move")
    player = engine.player()
    player.new_game(seed, state.to_move)
    begun = time.perf_counter()
    choice = player.choose(state)
    found = {
        "move": engine.game.action_text(choice.action),
        "value": choice.value,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "time_ms": round((time.perf_counter() - begun) * 1e3, 3),
    }
    player.close()
    if machine:
        as_json(found)
    else:
        click.echo("  ".join(f"{k} {v}" for k, v in found.items() if v is not None))
