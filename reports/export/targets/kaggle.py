"""`kaggle`: one file for kaggle_environments; its last callable is `agent`.

A game names its environment (`Game.played_at`) and makes a position's text from the rows of a
board. Kaggle's own rules are here: its board, its observations, and the answers it expects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Value, text_of
from joute.engines.position import Position, parse_position
from joute.engines.registry import find, make, names
from joute.reports.export import bot_file
from joute.reports.export.bot import Bot
from joute.reports.export.bot_file import GUARD, Kind, recipe_of, write_player
from joute.reports.export.target import Order, Target, Written

MOVE_MS = 2000.0  # actTimeout
BOARDS: dict[str, Mapping[str, Value]] = {"connectx": {"columns": 7, "rows": 6}}  # by environment
IN_A_ROW = 4
USAGE = 'Use: submit the file to Kaggle, or hand its path to kaggle_environments: env.run([PATH, "negamax"]).'


class KaggleTarget(Target):
    """One file for kaggle_environments; its last callable is `agent`."""

    name = "kaggle"
    summary = "one file for Kaggle's ConnectX: standard library and numpy only, never late"
    ending = "_kaggle.py"
    plays = True
    fits = True
    use = 'submit {path}, or: env = kaggle_environments.make(...); env.run(["{path}", "negamax"])'

    def check(self, engine: Engine, language: str) -> None:
        """Raise Refused for a game that is not played there, or an engine without a player."""
        recipe_of(at_site(engine)[0], self.name)

    def write(self, order: Order) -> Written:
        """Return the file: the engine on Kaggle's board, whatever board it was tuned on."""
        engine, notes = at_site(order.engine)
        move_ms = order.move_ms or MOVE_MS
        kind = replace(kind_of(engine, move_ms), told=notes)
        return write_player(replace(order, engine=engine), kind, move_ms)

    def affordable(self, engine: Engine, say: Callable[[str], None]) -> Engine:
        """Return the engine with the largest budget, up to its own, for a move on Kaggle's board."""
        there, _ = at_site(engine)
        fitting = bot_file.affordable(there, kind_of(there, MOVE_MS), MOVE_MS, say)
        return fitting.on(engine.game)


def at_site(engine: Engine) -> tuple[Engine, tuple[str, ...]]:
    """Return the engine on Kaggle's board, and remarks on that.

    Raises Refused for a game that Kaggle does not have, or not with such options.
    """
    game = game_there(engine.game)
    if game.label == engine.game.label:
        return engine, ()
    try:
        moved = engine.on(game)
    except Refused as error:
        raise Refused(
            f"{engine.text}: cannot play on Kaggle's board, {game.label}: {error}"
        ) from None
    return moved, (
        f"Plays on Kaggle's board, {game.label}; the engine was made for {engine.game.label}, and "
        f"its strength on Kaggle's board was not measured.",
    )


def game_there(game: Game) -> Game:
    """Return a game with Kaggle's options; raise Refused if it is not played there."""
    board = BOARDS.get(game.played_at.get(KaggleTarget.name, ""))
    if board is None:
        able = [
            n for n in names("game") if find("game", n).played_at.get(KaggleTarget.name) in BOARDS
        ]
        raise Refused(
            f"game = {game.label}: Kaggle has no environment for it; --to {KaggleTarget.name} "
            f"writes "
            f"players of: {', '.join(able)}"
        )
    for option in game.options:
        value = game.values[option.name]
        if option.name not in board and value != option.default:
            raise Refused(
                f"game = {game.label}: Kaggle plays it with {option.name} = "
                f"{text_of(option.default)} only, not {text_of(value)}"
            )
    there: Game = make("game", game.name, options={**game.values, **board})
    return there


def kind_of(engine: Engine, move_ms: float) -> Kind:
    """Return what Kaggle adds to a player."""
    return Kind(
        KaggleTarget.name,
        lambda bot: tail(bot, move_ms * GUARD),
        USAGE,
        compiled=False,
        shown=lambda text: shown(engine, text),
    )


class Watcher:
    """Follows the games whose boards it is shown: a flat list from the top row, 0 is empty."""

    def __init__(self, bot: Bot, guard_ms: float) -> None:
        self.bot, self.guard_ms = bot, guard_ms
        self.position: Position | None = None
        self.board: list[int] = []
        self.start = ""

    def column(self, observation: Any, configuration: Any) -> int:
        """Return the column that the engine plays, from 0."""
        game = self.bot.game
        size = {"columns": game.values["columns"], "rows": game.values["rows"], "inarow": IN_A_ROW}
        for name, own in size.items():
            given = got(configuration, name, own)
            if given != own:
                raise ValueError(f"{name} = {given}, but this file plays with {own}")
        guard = min(self.guard_ms, got(configuration, "actTimeout", 1e9) * 1e3 * GUARD)
        board = [int(cell) for cell in got(observation, "board", [])]
        if len(board) != int(size["columns"]) * int(size["rows"]):
            raise ValueError(f"a board of {len(board)} cells")
        position = self.follow(board, int(size["columns"]))
        column = self.bot.answer(position, self.start, guard).action
        if board[column] != 0:
            raise ValueError(f"column {column} is full")
        return column

    def follow(self, board: list[int], columns: int) -> Position:
        """Return the position of a board, reached by the moves since the last one where it can be."""
        new = [i for i, cell in enumerate(board) if i >= len(self.board) or self.board[i] != cell]
        position = self.position
        if position is not None and all(self.board[i] == 0 for i in new):
            for _ in range(len(new)):
                mover = position.to_move + 1
                for i in new:
                    if board[i] == mover and position.is_legal(i % columns):
                        position.play(i % columns)
                        new.remove(i)
                        break
        if position is None or new:
            self.start = self.bot.game.text_of_rows(
                [board[i : i + columns] for i in range(0, len(board), columns)]
            )
            position = self.bot.read(self.start)
        self.position, self.board = position, board
        return position


def tail(bot: Bot, guard_ms: float) -> dict[str, Callable[..., Any]]:
    """Return what Kaggle calls."""
    watcher = Watcher(bot, guard_ms)

    def agent(observation: Any, configuration: Any = None) -> int:
        """Return the column to play, from 0; a legal one whatever happens."""
        try:
            with np.errstate(over="ignore"):
                return watcher.column(observation, configuration)
        except Exception as error:
            print(f"{error!r}: playing any legal move", file=sys.stderr)
        columns = got(configuration, "columns", watcher.bot.game.values["columns"])
        top = got(observation, "board", [])[:columns]
        return next((c for c, cell in enumerate(top) if cell == 0), 0)

    return {"agent": agent}


def got(thing: Any, name: str, default: Any) -> Any:
    """Return an entry of a mapping, or an attribute, as Kaggle's versions give the one or the other."""
    return thing.get(name, default) if hasattr(thing, "get") else getattr(thing, name, default)


def shown(engine: Engine, text: str) -> list[dict[str, Any]]:
    """Return Kaggle's observation and configuration for the position of `startpos moves ...`."""
    columns, rows = int(engine.game.values["columns"]), int(engine.game.values["rows"])
    moves = parse_position(engine.game, text).moves
    board = [0] * (columns * rows)
    for ply, column in enumerate(moves):
        cell = max(i for i in range(column, columns * rows, columns) if board[i] == 0)
        board[cell] = 1 + ply % 2
    observation = {"board": board, "mark": 1 + len(moves) % 2, "step": len(moves)}
    configuration = {"columns": columns, "rows": rows, "inarow": IN_A_ROW, "actTimeout": 2}
    return [observation, configuration]
