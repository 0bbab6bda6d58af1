"""Positions as a view encodes them: planes, and the policy entries of legal actions."""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.nets.numpy_reader import Singles
from joute.engines.nets.one_ply import After, OnePly
from joute.engines.parameter import Parameter
from joute.engines.position import Position
from joute.engines.registry import make
from joute.engines.view import View


class Planes:
    """A view applied to positions of one game, with the actions of its own generator."""

    def __init__(self, game: Game, view: View) -> None:
        self.game, self.view, self.shape = game, view, view.shape(game)
        generator: Generator = make("generator", view.generator)
        generator.check(game)
        self._P = np.array([usual(p) for p in generator.parameters], np.float64)
        self._rules = generator.kernels(game, game.words, 0)
        self._looks = OnePly(game, self._rules, view.kernels(game), self.shape)

    def planes(self, position: Position) -> Singles:
        """Return a position from the side to move, [planes, rows, columns]."""
        planes: Singles = self._looks.planes(position)[0]
        return planes

    def entries(self, position: Position) -> dict[int, int]:
        """Return the policy entry of each action that the view's generator gives here."""
        position = self._prepared(position)
        codes = self._looks.codes(position)
        actions = [self.game.decode(position.W, position.at, code) for code in codes]
        return dict(zip(actions, self._looks.entries(position, codes), strict=True))

    def after(self, position: Position) -> After:
        """Return the successors of all actions, without chance, in the order of `entries`."""
        position = self._prepared(position)
        return self._looks.after(position, self._looks.codes(position))

    def _prepared(self, position: Position) -> Position:
        # The same position, with what the generator notes of its parameters in the state.
        if self._rules.prepare is not None:
            position = position.copy()
            self._rules.prepare(position.W, position.at, self._P)
        return position


def usual(parameter: Parameter) -> float:
    """Return a parameter's default as kernels read it."""
    value = parameter.default
    return float(parameter.choices.index(str(value)) if parameter.choices else value)
