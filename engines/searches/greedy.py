"""`greedy`: no tree: the action whose position a network likes best, or that its policy likes best.

Source: LittleGo, section 3.3, plays by the values of the positions that its moves lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.errors import Refused
from engines.evaluation import Evaluation
from engines.game import Game, GameKernels
from engines.generator import Generator
from engines.kernels.compile import Floats, Words
from engines.kernels.random import next_word, stream
from engines.nets.net import Net, Singles, load_net
from engines.nets.parameter import NETWORK
from engines.parameter import Parameter, Values
from engines.player import Choice, Player
from engines.position import Position
from engines.search import Recipe, Search, Setup
from engines.view import Shape, ViewKernels


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
        """Return what makes a player with a network of its own."""
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
        """Return the digest of this file and of the network's."""
        net = load_net(str(setup.values["network"]), setup.game)
        return f"{super().digest(setup)} {net.digest}"


class Looks:
    """What a network says of a position without search; `rules` are the kernels of a generator."""

    def __init__(
        self, game: Game, rules: GameKernels, net: Net, view: ViewKernels, shape: Shape
    ) -> None:
        self.game, self.net, self._rules = game, net, rules
        self._view, self._shape = view, shape
        self._A = np.zeros(game.slots, np.int64)
        self._R = np.zeros(2)
        self._W: Words = np.zeros(2 * game.words, np.uint64)

    def actions(self, position: Position) -> list[int]:
        """Return the codes of the actions, in canonical order."""
        many = self._rules.actions(position.W, position.at, self._A, 0)
        found: list[int] = self._A[:many].tolist()
        return found

    def entries(self, position: Position, codes: Sequence[int]) -> list[int]:
        """Return the entries of the policy of these actions."""
        return [int(self._view.entry(position.W, position.at, code)) for code in codes]

    def logits(self, position: Position, codes: Sequence[int]) -> Floats:
        """Return the network's logit of each action."""
        planes = self._planes(1)
        self._view.see(position.W, position.at, planes[0].reshape(-1), 0)
        policy = self.net.run(planes)[0][0].astype(float)
        return policy[self.entries(position, codes)]

    def after(self, position: Position, codes: Sequence[int]) -> tuple[Floats, int]:
        """Return the value of the position after each action, -1 to 1 for who moves now; a finished
        one has its returns. Also how many the network was asked about.
        """
        game, mover = self.game, position.to_move
        values, planes = np.zeros(len(codes)), self._planes(len(codes))
        open_: list[tuple[int, bool]] = []
        W, at, step = position.W, position.at, game.words
        if game.path_dependent:
            W = np.concatenate([W[: at + step], np.zeros(step, np.uint64)])
            to = at + step
        else:
            W, to = self._W, step
            W[:step], at = position.W[position.at : position.at + step], 0
        for i, code in enumerate(codes):
            action = game.decode(position.W, position.at, code)
            self._rules.apply(W, at, to, action, 0)
            status = int(self._rules.status(W, to))
            if status:
                values[i] = 2 * self._returns(W, to, status, mover) - 1
            else:
                self._view.see(W, to, planes[len(open_)].reshape(-1), 0)
                open_.append((i, int(self._rules.to_move(W, to)) == mover))
        if open_:
            told = self.net.run(planes[: len(open_)])[1]
            for (i, same), value in zip(open_, told, strict=True):
                values[i] = float(value) if same else -float(value)
        return values, len(open_)

    def _returns(self, W: Words, at: int, status: int, mover: int) -> float:
        if status <= 2:
            return float(status == mover + 1)
        self._rules.returns(W, at, self._R, 0)
        return float(self._R[mover])

    def _planes(self, many: int) -> Singles:
        shape = self._shape
        return np.zeros((many, shape.planes, shape.rows, shape.columns), np.float32)


class GreedyPlayer(Player):
    """Looks once and plays."""

    def __init__(self, by_value: bool, temperature: float, until: int, **looks: Any) -> None:
        self._looks = Looks(**looks)
        self._by_value, self._temperature, self._until = by_value, temperature, until
        self._S = stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Start the stream of random numbers."""
        self._S = stream(seed)

    def choose(self, position: Position) -> Choice:
        """Return the best action, or one that is drawn."""
        codes = self._looks.actions(position)
        if self._by_value:
            liking, nodes = self._looks.after(position, codes)
        else:
            liking, nodes = self._looks.logits(position, codes), 1
        best = int(np.argmax(liking))
        if self._temperature > 0 and position.ply < self._until:
            shares = np.exp((liking - liking.max()) / self._temperature).cumsum()
            drawn = int(next_word(self._S)) / 2**64 * shares[-1]
            best = min(int(np.searchsorted(shares, drawn, "right")), len(codes) - 1)
        value = 0.5 + 0.5 * float(liking[best]) if self._by_value else None
        action = position.game.decode(position.W, position.at, codes[best])
        return Choice(action, value, 1, nodes)
