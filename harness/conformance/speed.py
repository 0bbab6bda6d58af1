"""How fast a game is: random playouts on one core, without the checks of bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from joute.engines.engine import parse_game
from joute.engines.game import Game
from joute.engines.kernels.compile import Ints, Kernel, U, Words, kernel
from joute.engines.kernels.random import stream
from joute.engines.position import Position

SECONDS = 0.4
AT_ONCE = 8  # playouts from one start
PLIES = 256  # of a game with rules in Python, at a time


@dataclass(frozen=True)
class Speed:
    """A game's random playouts a second, and their length in plies by the mean."""

    game: str
    playouts: float
    plies: float

    @property
    def text(self) -> str:
        """The speed as a line."""
        shown = f"{self.playouts:,.0f}" if self.playouts >= 10 else f"{self.playouts:.2g}"
        return (
            f"{self.game}: {shown} random playouts per second of {self.plies:.0f} plies, on one "
            f"core"
        )


def speed_of(game: str, seconds: float = SECONDS) -> Speed:
    """Play random games of the game for so long."""
    bound = parse_game(game)
    chance = bound.rules.outcome
    whole = bound.compiled and (chance is None or hasattr(chance, "digest"))
    play = compiled(bound) if whole else lambda seed: in_python(bound, seed)
    play(0)  # compiles, which is not counted
    count, plies, begun = 0, 0, time.process_time()
    while (spent := time.process_time() - begun) < seconds or not count:
        games, length = play(count)
        count, plies = count + games, plies + length
    return Speed(game, count / max(spent, 1e-9), plies / count)


def compiled(game: Game) -> Callable[[int], tuple[int, int]]:
    """Return a function that plays a few games of compiled rules from a start of that number, and
    returns how many and all their plies.
    """
    playouts, A = playing(game), np.empty(game.slots, np.int64)
    states = game.max_plies + 2 if game.path_dependent else 3
    W = game.room(states * game.words)

    def play(seed: int) -> tuple[int, int]:
        begin = 0 if game.path_dependent else 2 * game.words
        position = Position(game, game.start_text(seed))
        W[begin : begin + game.words] = position.words()
        return AT_ONCE, int(playouts(W, begin, AT_ONCE, A, stream(seed)))

    return play


def playing(game: Game) -> Kernel:
    """Return `playouts(W, begin, count, A, S)`: play so many random games from the state at W[begin];
    return all their plies.
    """
    k, step, lasting = game.rules, U(game.words), game.path_dependent
    sample, apply, status = k.sample, k.apply, k.status
    if k.outcome is None:

        @kernel("i8(u8[::1], u8, i8, u8[::1])")
        def outcome(W: Words, at: np.uint64, action: np.int64, S: Words) -> np.int64:
            return np.int64(0)

    else:
        outcome = k.outcome

    @kernel("i8(u8[::1], u8, i8, i8[::1], u8[::1])", inline=False)
    def playouts(W: Words, begin: np.uint64, count: int, A: Ints, S: Words) -> np.int64:
        plies = np.int64(0)
        for _ in range(count):
            at = begin
            while status(W, at) == 0:
                to = at + step
                if not lasting and at != U(0):
                    to = U(0)
                action = sample(W, at, A, U(0), S)
                apply(W, at, to, action, outcome(W, at, action, S))
                at = to
                plies += 1
        return plies

    return playouts


def in_python(game: Game, seed: int) -> tuple[int, int]:
    """Play a random game to its end; return that it is one, and its plies."""
    position, S = Position(game, game.start_text(seed)), stream(seed)
    while not position.status:
        position.wander(S, PLIES)
    return 1, position.ply
