"""A game and players of known strength, to compare a tuner's answer with the truth.

joute run examples/planted.toml

The game `duel` is one toss: each player names a strength, and chance decides by the logistic of the
difference, as log-odds. The search `planted` names the strength that its curve has at its x:

* `log`: Coulom's LOG (CLOP, 2011), best at x = -0.525, where it beats strength 0 in 61.9 %;
* `flat`: 0 everywhere: nothing matters.
"""

from __future__ import annotations

import math

import numpy as np

from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, Words
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import next_word
from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Search, Setup

SCALE = 1000  # strengths are named in thousandths, from -4 to 4
MOST = 4 * SCALE


class Duel(Game):
    """Two players name a strength each; then chance decides who wins."""

    name = "duel"
    summary = "one toss, decided by the strengths that the players name (an example)"
    chance = True
    state = State("named", "ply", "status")
    slots, max_plies = 2 * MOST + 1, 2

    def build(self, stride: int) -> list[Kernel]:
        """Return the rules."""
        named, ply, status = self.state.named, self.state.ply, self.state.status
        many = U(self.slots)

        @rule
        def nth(W, at, i):
            return np.int64(i)

        @rule
        def is_legal(W, at, action):
            return action >= 0 and U(action) < many

        @rule
        def outcome(W, at, action, S):
            # The winner, when the second player has named a strength; nothing before that.
            if W[at + ply] == U(0):
                return np.int64(0)
            gap = (np.float64(W[at + named]) - np.float64(action)) / SCALE
            drawn = np.float64(next_word(S) >> U(11)) / 9007199254740992.0
            return np.int64(1) if drawn < 1 / (1 + math.exp(-gap)) else np.int64(2)

        @rule
        def apply(W, src, dst, action, drawn):
            W[dst + named] = U(action) if W[src + ply] == U(0) else W[src + named]
            W[dst + status] = U(drawn)

        return [nth, is_legal, outcome, apply]

    def draw(self, W: Words, at: int) -> str:
        """Say what was named."""
        named = (int(W[at]) - MOST) / SCALE if int(W[at + 1]) else "nothing yet"
        return f"first player's strength: {named}"


def strength(curve: str, x: float) -> float:
    """Return the log-odds of beating strength 0."""
    if curve == "flat":
        return 0.0
    u = 2 * x + 1
    return 2 * math.log(2 * u + 2.1) - 2 * u - 1


class Planted(Search):
    """Names the strength that its curve has at its x."""

    name = "planted"
    summary = "names a known strength (an example: the truth that a tuner should find)"
    evaluation = "never"
    parameters = (
        Parameter("curve", "choice", "log", choices=("log", "flat"), meaning="strength over x"),
        Parameter("x", "float", 0.5, -1.0, 1.0, meaning="where on the curve the player is"),
    )

    def player(self, setup: Setup) -> Player:
        """Return a player that names one strength."""
        return PlantedPlayer(dict(setup.values))


class PlantedPlayer(Player):
    """Always names the same strength."""

    def __init__(self, values: dict[str, object]) -> None:
        found = strength(str(values["curve"]), float(str(values["x"])))
        self._action = round(SCALE * min(max(found, -4.0), 4.0)) + MOST

    def choose(self, position: Position) -> Move:
        """Name the strength."""
        return Move(self._action)
