"""A game that a referee plays: the bots' command lines and a seed go in, a result comes out.

It stands beside the match loop, which asks players for their moves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial

from joute.engines import files
from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import JouteError
from joute.engines.record import FAILURE, NORMAL, GameRecord, SeatRecord
from joute.engines.referees.form import NoResult, Result
from joute.engines.referees.refereed_game import RefereedGame, Seated
from joute.harness.match import ranks_of
from joute.harness.schedule import Block

TRIES = 3  # of a game that had no result


class NoGame(JouteError):
    """A referee gave no result, again and again: the run cannot go on, and no bot is to blame."""


def seated(engines: Sequence[Engine]) -> list[Seated]:
    """Return the bots of a game by seat, each as what gives its command line."""
    return [
        partial(engine.search.command_line, engine.values, seat=seat)
        for seat, engine in enumerate(engines)
    ]


def play_refereed(
    game: RefereedGame, start: str, block: Block, seating: int, engines: Sequence[str]
) -> GameRecord:
    """Return the record of a game of a block; `engines`: their texts by seat, `start`: `seed N`.

    Raises NoGame where the referee gives no result three times.
    """
    bots = seated([parse_engine(text) for text in engines])
    for _ in range(TRIES):
        try:
            return refereed_record(game, start, block, seating, game.play_whole(start, bots))
        except NoResult as none:
            why = str(none)
    raise NoGame(f"the referee gave no result, {TRIES} times, of the game with {start}: {why}")


def refereed_record(
    game: RefereedGame, start: str, block: Block, seating: int, result: Result
) -> GameRecord:
    """Return the record of a result. Nothing is known of the line of play, so no two are alike."""
    name = block.game_id(seating)
    returns, margins = result.returns(), result.margins()
    ranks = ranks_of(returns)
    line = f"{game.label}|{start}|{name}"
    seats = tuple(
        SeatRecord(
            engine=engine,
            rank=ranks[seat],
            returns=returns[seat],
            failure=result.failure(seat),
            failure_text=f"the referee says: {result.failed[seat]}" if result.failed[seat] else "",
            margin=margins[seat],
        )
        for seat, engine in enumerate(block.seats(seating))
    )
    return GameRecord(
        id=name,
        stage=block.stage,
        round=block.round,
        order=block.order,
        block=block.id,
        seating=seating,
        group=block.group,
        opening=start,
        actions="",
        outcomes="",
        digest=hashlib.blake2b(line.encode(), digest_size=8).hexdigest(),
        termination=FAILURE if any(result.failed) else NORMAL,
        plies=0,
        seats=seats,
        host=files.host,
        log=result.log,
    )
