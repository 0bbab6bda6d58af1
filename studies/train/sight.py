"""Positions as a view shows them: planes of one position, and the entries of its legal actions."""

from __future__ import annotations

import numpy as np

from engines.game import Game
from engines.generator import Generator
from engines.parameter import Parameter
from engines.position import Position
from engines.registry import make
from engines.view import View
from studies.train.samples import Singles


class Sight:
    """A view at work on positions of one game."""

    def __init__(self, game: Game, view: View) -> None:
        self.game, self.view, self.shape = game, view, view.shape(game)
        self._view = view.kernels(game)
        generator: Generator = make("generator", view.generator)
        generator.check(game)
        self._P = np.array([usual(p) for p in generator.parameters], np.float64)
        self._rules = generator.kernels(game, game.words, 0)
        self._A = np.empty(game.slots, np.int64)
        self._F = np.empty(self.shape.numbers, np.float32)

    def planes(self, position: Position) -> Singles:
        """Return a position as the side to move sees it, [planes, rows, columns]."""
        self._view.see(position.W, position.at, self._F, 0)
        shape = self.shape
        return self._F.reshape(shape.planes, shape.rows, shape.columns).copy()

    def entries(self, position: Position) -> dict[int, int]:
        """Return the entry of the policy for each action that the view's generator gives here."""
        W, at, game = position.W.copy(), position.at, self.game
        if self._rules.prepare is not None:
            self._rules.prepare(W, at, self._P)
        count = int(self._rules.actions(W, at, self._A, 0))
        codes = self._A[:count].tolist()
        return {game.decode(W, at, c): int(self._view.entry(W, at, c)) for c in codes}


def usual(parameter: Parameter) -> float:
    """Return a parameter's default as kernels read it."""
    value = parameter.default
    return float(parameter.choices.index(str(value)) if parameter.choices else value)
