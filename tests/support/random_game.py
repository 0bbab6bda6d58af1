"""A run that holds one game of random moves, of any game."""

from __future__ import annotations

from pathlib import Path

from joute.engines.game import Game
from joute.engines.kernels.random import stream
from joute.engines.position import Position
from joute.engines.record import EngineRecord, GameRecord, SeatRecord
from joute.results.store import Store


def store_random_game(folder: Path, game: Game, name: str = "0a1b2c3d4e5f6071") -> Position:
    """Store one game of random moves, the first two of them its opening; return its end."""
    S = stream(7)
    position = Position(game, game.start_text(3))
    turns = [0] * game.players
    opening = position.start
    while not position.over and position.ply < game.max_plies:
        if position.ply == 2:
            opening = position.line()
            turns = [0] * game.players
        turns[position.to_move] += 1
        action = position.sample_action(S)
        position.play(action, position.draw_outcome(action, position.ply))
    texts = [game.action_text(action) for action in position.moves]
    seats = tuple(
        SeatRecord(f"id{i}", 1.0, 0.5, nodes=7 * n, plies=n, move_ms=(1.5,) * n)
        for i, n in enumerate(turns)
    )
    record = GameRecord(
        name, "main", 0, 0, "b", 0, "", opening, " ".join(texts[2:]),
        " ".join(map(str, position.outcomes)) if game.chance else "", "d", "normal",
        position.ply - 2, seats,
    )  # fmt: skip
    with Store.create(folder) as store:
        store.add_engines(
            EngineRecord(f"id{i}", f"<e{i}>", "", {}, "") for i in range(game.players)
        )
        store.add_games([record])
        store.set_meta({"game": game.label})
    return position
