"""`network`: the value that a network gives, for searches that take evaluations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel, U, Words
from joute.engines.kernels.contract import places, rule
from joute.engines.nets.call import Called, ask
from joute.engines.nets.net import Net, load_net
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.parameter import Value
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.view import needed_views


class Network(Evaluation):
    """The network's value for the side to move, -1 a loss, 1 a win; its policy is `puct`'s affair.

    Two positions of one key may differ in it: no network is exactly symmetric.
    """

    name = "network"
    summary = "the value of a network in a file (ONNX), -1 to 1"
    games = None
    guided = True
    parameters = (NETWORK,)
    symmetric = False

    def check(self, game: Game) -> None:
        """Refuse games that no network can see."""
        needed_views(game)

    def bound(self, game: Game, values: Mapping[str, Value]) -> Evaluation:
        """Return this evaluation with its network; raise Refused where that does not fit."""
        self.net = load_net(str(values[NETWORK.name]), game)
        return self

    def numbers(self, game: Game) -> dict[str, float]:
        """Return the address at which the network is asked."""
        return {NETWORK.name: called(game, self.net).address}

    def failure(self, game: Game) -> PlayerFailure | None:
        """Return how the network has failed."""
        return called(game, self.net).failure()

    def overseen(self, game: Game, player: Player) -> Player:
        """Return a player that fails with the network."""
        return Overseen(player, game, self)

    @property
    def file_digest(self) -> str:
        """The digest of the network's file."""
        return self.net.digest

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        address, to_move = places(self.parameters, base).network, game.kernels().to_move

        @rule
        def value(W, at, P):
            return ask(P[address], W, np.int64(at))

        @rule
        def expected(W, at, P, R, to):
            mover = U(to_move(W, at))
            own = 0.5 + 0.5 * max(-1.0, min(1.0, value(W, at, P)))
            R[to + mover] = own
            R[to + U(1) - mover] = 1.0 - own

        return [value, expected]


class Overseen(Player):
    """A player that fails where its evaluation has failed during its search."""

    def __init__(self, player: Player, game: Game, evaluation: Evaluation) -> None:
        self._player, self._game, self._evaluation = player, game, evaluation

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game."""
        self._player.new_game(seed, seat)

    def choose(self, position: Position) -> Move:
        """Return the player's move; raise PlayerFailure if a value that it is made of could not be given."""
        self._evaluation.failure(self._game)  # of somebody else
        self._player.guard_ms = self.guard_ms
        move = self._player.choose(position)
        if failure := self._evaluation.failure(self._game):
            raise failure
        return move

    def close(self) -> None:
        """Close the player."""
        self._player.close()


def valuing(game: Game, net: Net) -> Callable[[Words, int], float]:
    """Return a function that gives the network's value of the state at W[at]."""
    shape, see = net.shape, net.view.kernels(game).see
    planes = np.zeros((1, shape.planes, shape.rows, shape.columns), np.float32)
    flat, run = planes.reshape(-1), net.run

    def value(W: Any, at: int) -> float:
        see(W, at, flat, 0)
        return float(run(planes)[1][0])

    return value


@cache
def called(game: Game, net: Net) -> Called:
    """Return the callback of kernels for a network, one a process."""
    return Called(valuing(game, net))
