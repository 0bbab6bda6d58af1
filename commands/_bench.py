"""How fast things are on this machine: searches, and the match loop around them."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

from tabulate import tabulate

from joute.engines.engine import parse_engine
from joute.engines.output import Output
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.harness.match import Rules, Tally, play_game

BOARD = "connect4[columns=12,rows=6]"
SEARCHES = {
    "alphabeta, static, depth 8": ("alphabeta:evaluation=static,depth=8", "nodes"),
    "alphabeta, static, depth 8, width 0.6": (
        "alphabeta:evaluation=static,depth=8,width=0.6",
        "nodes",
    ),
    "alphabeta, lines, depth 7": ("alphabeta:evaluation=lines,depth=7", "nodes"),
    "uct, playouts": ("uct:iterations=5000", "iterations"),
    "uct, lines": ("uct:evaluation=lines,iterations=5000", "iterations"),
}
REPEATS = 9


class Script(Player):
    """Plays a fixed line, at no cost: only the match loop is measured."""

    def __init__(self, moves: list[int]) -> None:
        self._choices = [Move(m) for m in moves]

    def choose(self, position: Position) -> Move:
        """Return the next move of the line."""
        return self._choices[len(position.moves)]


def loop_us_per_ply() -> float:
    """Return the microseconds that the match loop takes for a ply besides the players."""
    game = parse_engine(f"{BOARD}/random").game
    moves = [c for _ in range(3) for c in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)][:30]
    player, times = Script(moves), []
    for _ in range(200):
        position = Position(game)
        begun = time.perf_counter()
        play_game(position, [player, player], lambda ply: 0, Rules(), [Tally(), Tally()])
        times.append((time.perf_counter() - begun) / position.ply)
    return median(times) * 1e6


def bench(say: Callable[[str], None]) -> Output:
    """Measure each search from the start position, median of a few repeats, and the loop."""
    rows = []
    for name, (text, unit) in SEARCHES.items():
        engine = parse_engine(f"{BOARD}/{text}")
        player, rates = engine.player(), []
        for _ in range(REPEATS):
            player.new_game(1, 0)
            begun = time.perf_counter()
            choice = player.choose(Position(engine.game))
            rates.append(choice.nodes / (time.perf_counter() - begun))
        rows.append({"what": name, "per second": round(median(rates)), "unit": unit})
        say(f"{name}: {rows[-1]['per second']:,} {unit}/s")
    loop = round(loop_us_per_ply(), 2)
    data = {"speeds": rows, "match_loop_us_per_ply": loop}
    shown = [[r["what"], f"{r['per second']:,}", f"{r['unit']}/s"] for r in rows]
    shown.append(["match loop", f"{loop:.1f}", "microseconds per ply"])
    return Output(
        data, tabulate(shown, headers=["12 x 6 Connect 4", "speed", "unit"], disable_numparse=True)
    )
