"""`joute play`: play one game and show it move by move (`human` is a player)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, as_json, json_option, tell

if TYPE_CHECKING:
    from joute.engines.player import Move


@click.command(cls=PlayingCommand)
@click.argument("specs", nargs=-1, required=True, metavar="SPEC SPEC [SPEC ...]")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--position", default="startpos", help="Start from this POSITION.")
@click.option("--quiet", is_flag=True, help="Print only the moves and the result.")
@json_option
def command(specs: Sequence[str], seed: int, position: str, quiet: bool, machine: bool) -> None:
    """Play one game and show it move by move (`human` is a player)."""
    from joute.engines.engine import parse_engine
    from joute.engines.engine_text import is_file, names_game
    from joute.engines.errors import Refused
    from joute.engines.kernels.random import seed_of
    from joute.engines.position import Position, parse_position
    from joute.engines.record import SILENT, conceded_by_all
    from joute.engines.search import value_text
    from joute.harness.match import Rules, Tally, claims_of, play_game, returns_of

    announce_compiling()
    named = [s for s in specs if is_file(s) or names_game(s)]
    if not named:
        raise Refused("at least one SPEC must name the game (game/search:...)")
    game = parse_engine(named[0]).game
    engines = [parse_engine(s, game) for s in specs]
    if len(engines) != game.players:
        raise Refused(f"{game.label} needs {game.players} players, not {len(engines)}")
    for engine in engines:
        if engine.game.label != game.label:
            raise Refused(f"{engine.text} plays another game than {game.label}")
    state = parse_position(game, position)
    players = [engine.player() for engine in engines]
    for seat, player in enumerate(players):
        player.new_game(seed_of(seed, seat), seat)
    moves: list[dict[str, Any]] = []

    def watch(now: Position, choice: Move) -> None:
        text = game.action_text(choice.action)
        value = None if choice.value is None else round(choice.value, 6)
        moves.append({"action": text, "value": value, "nodes": choice.nodes})
        if machine:
            return
        worth = "" if value is None else f"  value {value_text(value)}"
        work = f"  nodes {choice.nodes}" if choice.nodes else ""
        click.echo(f"{len(now.moves)}. {text}{worth}{work}")
        if not quiet:
            tell(now.draw() + "\n")

    if not (machine or quiet):
        tell(state.draw() + "\n")
    tallies = [Tally() for _ in players]
    failures = play_game(
        state, players, lambda ply: seed_of(seed, ply), Rules(), tallies, watch=watch
    )
    claims = claims_of(state, players, failures)
    conceded = conceded_by_all(claims)
    returns, termination = returns_of(state, failures, conceded)
    for player in players:
        player.close()
    if machine:
        claimed = [claim and claim._asdict() for claim in claims]
        data = {"moves": moves, "returns": returns, "termination": termination}
        as_json({**data, "claims": claimed} if any(claimed) else data)
    else:
        for failed in failures:
            click.echo(f"{engines[failed.seat].text}: {failed.kind} at ply {failed.ply}")
            click.echo(failed.text, err=True)
        if conceded:
            click.echo(f"removed as dead, as all players agreed: {' '.join(conceded)}")
        for engine, claim in zip(engines, claims, strict=True):
            if claim is not None and claim.verdict:
                ours = "" if claim.verdict == SILENT else f", counted {claim.ours}"
                click.echo(f"result by {engine.text}: {claim.said}{ours}")
        for engine, share in zip(engines, returns, strict=True):
            click.echo(f"{share:g}  {engine.text}")
    sys.exit(1 if failures else 0)
