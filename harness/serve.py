"""A server by itself: clients that are not ours sit down and play each other; we are the referee."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.random import seed_of
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.protocol import GameServer, Protocol, Tell, protocol_over_tcp
from joute.engines.registry import make
from joute.harness.match import Failed, Rules, Tally, play_game, returns_of

WELCOME, FAREWELL = 5.0, 4.0  # seconds that the course's server waits before and after a game


@dataclass(frozen=True)
class Series:
    """How many games, from which seed, and whether there are pauses around them."""

    games: int = 1
    seed: int = 0
    pause: bool = False


def serve(
    label: str,
    protocol_name: str | None,
    host: str,
    port: int | None,
    turn_ms: float | None,
    clock_s: float | None,
    series: Series,
    tell: Tell,
) -> bool:
    """Serve a series of games of the same clients; return whether nobody lost one by a failure.

    `port` 0 is any free one; `clock_s` is a player's time for a whole game, where there are such
    clocks. Progress is reported line by line.
    """
    game = parse_game(label)
    protocol: Protocol | None = (
        make("protocol", protocol_name) if protocol_name else protocol_over_tcp(game)
    )
    if protocol is None:
        raise Refused(f"{game.label} has no protocol over TCP, so it cannot be served")
    protocol.check(game)
    time_ms = turn_ms or protocol.turn_ms
    table = protocol.table(game, host, protocol.port if port is None else port, time_ms, clock_s)
    try:
        tell(f"{game.label} at {table.address}, {table.time}")
        return all_played(game, table, series, tell)
    finally:
        table.close()


def all_played(game: Game, table: GameServer, series: Series, tell: Tell) -> bool:
    """Play the games of a series; return whether nobody lost one by a failure."""
    fair, players = True, list[Player]()
    for number in range(series.games):
        seed = seed_of(series.seed, number) if number else series.seed
        position = Position(game, game.start_text(seed))
        if not players:
            players = table.gather(position, tell)
        elif not table.complete():
            tell("a client has left, so the series ends")
            return False
        else:
            table.begin(position)
        if series.pause:
            time.sleep(WELCOME)
        failures = played(position, players, seed, table, tell)
        returns, termination = returns_of(position, failures)
        tell(result(returns, table.names(), position, failures))
        fair = fair and termination != "failure"
        if series.pause:
            time.sleep(FAREWELL)
        table.end(position, returns)
    return fair


def played(
    position: Position, players: Sequence[Player], seed: int, table: GameServer, tell: Tell
) -> list[Failed]:
    """Play one game and report every turn: ply, seat, action, state of the game, and time taken."""
    names = table.names()
    seat, begun = position.to_move, time.perf_counter()

    def watch(now: Position, choice: Move) -> None:
        nonlocal seat, begun
        ms = (time.perf_counter() - begun) * 1e3
        text = now.game.action_text(choice.action)
        tell(f"{now.ply:3}  {names[seat]}  {text}  {table.state(now)}  {ms:.1f} ms")
        seat, begun = now.to_move, time.perf_counter()

    tallies = [Tally() for _ in players]
    return play_game(
        position, players, lambda ply: seed_of(seed, ply), Rules(), tallies, watch=watch
    )


def result(
    returns: Sequence[float], names: Sequence[str], position: Position, failures: Sequence[Failed]
) -> str:
    """Return the winner and the reason."""
    best = max(returns)
    winners = [name for name, share in zip(names, returns, strict=True) if share == best]
    text = f"{winners[0]} wins" if len(winners) == 1 else "nobody wins"
    last = failures[-1] if failures else None
    if last is not None and not position.over and last.ply == position.ply:
        text += f": {names[last.seat]} has lost ({last.kind}: {last.text})"
    return f"{text}, after {position.ply} turns"
