"""`random`: any legal action, uniformly."""

from __future__ import annotations

from joute.engines.kernels.random import stream
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Recipe, Search, Setup


class Random(Search):
    """The weakest opponent that plays by the rules, and the yardstick of every other."""

    name = "random"
    summary = "any legal action, uniformly"

    def recipe(self, setup: Setup) -> Recipe:
        """Return the recipe of a player with its own stream of random numbers."""
        return Recipe(RandomPlayer, {})


class RandomPlayer(Player):
    """Draws its actions from the stream that its game's seed starts."""

    def __init__(self) -> None:
        self.S = stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Start the stream."""
        self.S = stream(seed)

    def choose(self, position: Position) -> Move:
        """Draw a legal action."""
        return Move(position.sample_action(self.S))
