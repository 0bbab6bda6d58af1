"""`greedy`: no tree: the action whose position a network likes best, or that its policy likes best.

Source: LittleGo, section 3.3, plays by the values of the positions that its moves lead to.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.random import next_word, stream
from joute.engines.nets import one_ply
from joute.engines.nets.net import Net, load_net
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.nets.one_ply import OnePly
from joute.engines.parameter import Parameter, Values
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Recipe, Search, Setup
from joute.engines.source_digest import source_digest


def warm(values: Values) -> bool:
    """Whether actions are drawn."""
    return float(values.get("temperature", 0.0)) > 0.0


class Greedy(Search):
    """One look of a network and no search: it needs no limit."""

    name = "greedy"
    summary = (
        "a network without search: the best position after a move, or the best move of its policy"
    )
    compiled = True
    guided = True
    lists = True
    parameters = (
        NETWORK,
        Parameter("by", "choice", "value", choices=("value", "policy"),
                  meaning="the value of the position after each action (one call for all), or the policy here",
                  source="LittleGo: value"),
        Parameter("temperature", "float", 0.0, 0.0, 10.0,
                  meaning="actions are drawn by exp(value / temperature), or by policy ** (1 / temperature); "
                  "0 is the best one"),
        Parameter("temperature_plies", "int", 30, 0, 10_000, active=warm,
                  meaning="plies of the game in which actions are drawn"),
    )  # fmt: skip

    def check_values(
        self,
        game: Game,
        values: Values,
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a network that does not fit, and values after moves that chance decides."""
        net = load_net(str(values["network"]), game)
        net.check_generator(game, generator)
        if game.chance and values["by"] == "value":
            raise Refused(f"greedy: chance follows the moves of {game.name}: take by = policy")

    def recipe(self, setup: Setup) -> Recipe:
        """Return the recipe of a player with its own network."""
        values, game = setup.values, setup.game
        net = load_net(str(values["network"]), game)
        return Recipe(
            GreedyPlayer,
            {
                "game": game,
                "rules": setup.generator.kernels(game, game.words, len(self.parameters)),
                "net": net,
                "view": net.view.kernels(game),
                "shape": net.shape,
                "by_value": values["by"] == "value",
                "temperature": float(values["temperature"]),
                "until": int(values.get("temperature_plies", 0)),
            },
        )

    def digest(self, setup: Setup) -> str:
        """Return the digest of this file, of the view's code and of the network's."""
        net = load_net(str(setup.values["network"]), setup.game)
        view: Any = net.view.kernels(setup.game)
        seen = f"{source_digest(one_ply)} {view.see.digest} {view.entry.digest}"
        own = hashlib.sha256(seen.encode()).hexdigest()
        return f"{super().digest(setup)} {own} {net.digest}"


class GreedyPlayer(Player):
    """OnePly once and plays."""

    def __init__(
        self, net: Net, by_value: bool, temperature: float, until: int, **looks: Any
    ) -> None:
        self._net, self._looks = net, OnePly(**looks)
        self._by_value, self._temperature, self._until = by_value, temperature, until
        self._S = stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Start the stream of random numbers."""
        self._S = stream(seed)

    def choose(self, position: Position) -> Move:
        """Return the best action, or one that is drawn."""
        codes, nodes = self._looks.codes(position), 1
        if self._by_value:
            after = self._looks.after(position, codes)
            liking, nodes = after.values, len(after.asked)
            if nodes:
                liking = after.told(self._net.run(after.planes)[1])
        else:
            policy = self._net.run(self._looks.planes(position))[0][0].astype(float)
            liking = policy[self._looks.entries(position, codes)]
        best = int(np.argmax(liking))
        if self._temperature > 0 and position.ply < self._until:
            shares = np.exp((liking - liking.max()) / self._temperature).cumsum()
            drawn = int(next_word(self._S)) / 2**64 * shares[-1]
            best = min(int(np.searchsorted(shares, drawn, "right")), len(codes) - 1)
        value = 0.5 + 0.5 * float(liking[best]) if self._by_value else None
        action = position.game.decode(position.W, position.at, codes[best])
        return Move(action, value, 1, nodes)
