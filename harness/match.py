"""The match loop: one game from an opening to its end, for players of every kind."""

from __future__ import annotations

import hashlib
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.game import Game
from engines.position import Position
from engines.record import FAILURE, MAX_PLIES, NORMAL, GameRecord, SeatRecord
from engines.search import Choice, Player, PlayerFailure
from harness.openings import Opening
from harness.schedule import Block
from harness.slot import Slot

CHAR_LIMIT = 2000  # kept of what a failing player says


@dataclass(frozen=True)
class Rules:
    """What the referee enforces besides the game's own rules."""

    move_time_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """A seat's failure: at which ply, of which kind, and its text."""

    seat: int
    ply: int
    kind: str
    text: str


class Tally:
    """What one seat did in one game."""

    __slots__ = ("move_ms", "nodes")

    def __init__(self) -> None:
        self.nodes = 0
        self.move_ms: list[float] = []


def set_up(game: Game, opening: Opening) -> Position:
    """Return the position after an opening."""
    position = Position(game)
    for action, outcome in zip(opening.actions, opening.outcomes, strict=True):
        position.play(action, outcome)
    return position


def play_game(
    position: Position,
    players: Sequence[Player],
    chance_seed: Callable[[int], int],
    rules: Rules,
    tallies: Sequence[Tally],
    slot: Slot | None = None,
    watch: Callable[[Position, Choice], None] | None = None,
) -> Failed | None:
    """Play `position` to its end, in place; return the failure that ended it, if one did.

    `players` by seat. `tallies` take nodes and wall times; `slot` is told what goes on; `watch` is
    called after every move.
    """
    game = position.game
    chance, most = game.chance, game.max_plies
    limit = rules.move_time_ms
    clock = time.perf_counter
    while not position.status and len(position.moves) < most:
        seat, ply = position.to_move, len(position.moves)
        if slot is not None:
            slot.turn(ply, seat)
        begun = clock()
        try:
            choice = players[seat].choose(position)
        except PlayerFailure as failure:
            return Failed(seat, ply, failure.kind, failure.text[:CHAR_LIMIT])
        except (Exception, SystemExit):
            return Failed(seat, ply, "crash", traceback.format_exc()[-CHAR_LIMIT:])
        spent = (clock() - begun) * 1e3
        tally = tallies[seat]
        tally.nodes += choice.nodes
        tally.move_ms.append(spent)
        action = choice.action
        if not position.is_legal(action):
            text = f"played {game.action_text(action)!r}, which is not legal"
            return Failed(seat, ply, "illegal", text)
        if limit is not None and spent > limit:
            return Failed(seat, ply, "timeout", f"took {spent:.1f} ms of {limit:g} ms")
        outcome = position.draw_outcome(action, chance_seed(ply)) if chance else 0
        position.play(action, outcome)
        if slot is not None:
            slot.moved(action, outcome)
        if watch is not None:
            watch(position, choice)
    return None


def returns_of(position: Position, failed: Failed | None) -> tuple[list[float], str]:
    """Return one return per seat and the termination of a game that has stopped."""
    players = position.game.players
    if failed is not None:
        rest = 0.5 * players / (players - 1)
        return [0.0 if seat == failed.seat else rest for seat in range(players)], FAILURE
    if position.over:
        return position.returns(), NORMAL
    return [0.5] * players, MAX_PLIES


def ranks_of(returns: Sequence[float]) -> list[float]:
    """Return the rank of each seat from 1, ties averaged."""
    return [
        1.0 + sum(o > r for o in returns) + 0.5 * (sum(o == r for o in returns) - 1)
        for r in returns
    ]


def record(
    position: Position,
    opening: Opening,
    block: Block,
    seating: int,
    tallies: Sequence[Tally],
    failed: Failed | None,
) -> GameRecord:
    """Return the record of a game that has stopped."""
    game = position.game
    returns, termination = returns_of(position, failed)
    start = len(opening.actions)
    text = [game.action_text(a) for a in position.moves]
    outcomes = " ".join(map(str, position.outcomes)) if game.chance else ""
    line = f"{game.label}|{' '.join(text)}|{outcomes}"
    seats = []
    for seat, engine in enumerate(block.seats(seating)):
        mine = failed if failed is not None and failed.seat == seat else None
        seats.append(
            SeatRecord(
                engine=engine,
                rank=ranks_of(returns)[seat],
                returns=returns[seat],
                failure=mine.kind if mine else "",
                failure_ply=mine.ply if mine else -1,
                failure_text=mine.text if mine else "",
                nodes=tallies[seat].nodes,
                plies=len(tallies[seat].move_ms),
                move_ms=tuple(tallies[seat].move_ms),
            )
        )
    return GameRecord(
        id=block.game_id(seating),
        stage=block.stage,
        round=block.round,
        order=block.order,
        block=block.id,
        seating=seating,
        group=block.group,
        opening=" ".join(text[:start]),
        actions=" ".join(text[start:]),
        outcomes=outcomes,
        digest=hashlib.blake2b(line.encode(), digest_size=8).hexdigest(),
        termination=termination,
        plies=len(position.moves) - start,
        seats=tuple(seats),
    )
