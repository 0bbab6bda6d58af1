"""What a network is asked of a position without search: what it sees here and behind every action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Floats, Words
from joute.engines.nets.numpy_reader import Singles
from joute.engines.position import Position
from joute.engines.view import Shape, ViewKernels


class After(NamedTuple):
    """The positions behind some actions.

    values: of each action, -1 to 1 for who moves now: its returns where the game is over, else 0
    planes: what is seen of the others, [those, planes, rows, columns]
    asked: which actions they belong to
    signs: of each of them 1.0 where the same player moves again, else -1.0
    """

    values: Floats
    planes: Singles
    asked: list[int]
    signs: list[float]

    def told(self, value: Singles) -> Floats:
        """Return the value of each action, those that were asked about as the network says, [asked]."""
        for i, sign, one in zip(self.asked, self.signs, value, strict=True):
            self.values[i] = sign * float(one)
        return self.values


class OnePly:
    """A view at work on positions; `rules` are the kernels of a generator."""

    def __init__(self, game: Game, rules: GameKernels, view: ViewKernels, shape: Shape) -> None:
        self.game, self.shape, self._rules, self._view = game, shape, rules, view
        self._A = np.zeros(game.slots, np.int64)
        self._R = np.zeros(2)
        self._W: Words = np.zeros(2 * game.words, np.uint64)

    def codes(self, position: Position) -> list[int]:
        """Return the codes of the actions, in canonical order."""
        many = self._rules.actions(position.W, position.at, self._A, 0)
        actions: list[int] = self._A[:many].tolist()
        return actions

    def entries(self, position: Position, codes: Sequence[int]) -> list[int]:
        """Return the entries of the policy of these actions."""
        return [int(self._view.entry(position.W, position.at, code)) for code in codes]

    def planes(self, position: Position) -> Singles:
        """Return a position as the side to move sees it, [1, planes, rows, columns]."""
        planes = self._planes(1)
        self._view.see(position.W, position.at, planes[0].reshape(-1), 0)
        return planes

    def after(self, position: Position, codes: Sequence[int]) -> After:
        """Return the positions behind these actions, in a game without chance."""
        game, mover = self.game, position.to_move
        values, planes = np.zeros(len(codes)), self._planes(len(codes))
        asked: list[int] = []
        signs: list[float] = []
        W, at, step = position.W, position.at, game.words
        if game.path_dependent:
            W = np.concatenate([W[: at + step], np.zeros(step, np.uint64)])
            to = at + step
        else:
            W, to = self._W, step
            W[:step], at = position.W[position.at : position.at + step], 0
        for i, code in enumerate(codes):
            self._rules.apply(W, at, to, code, 0)
            status = int(self._rules.status(W, to))
            if status:
                values[i] = 2 * self._returns(W, to, status, mover) - 1
            else:
                self._view.see(W, to, planes[len(asked)].reshape(-1), 0)
                asked.append(i)
                signs.append(1.0 if int(self._rules.to_move(W, to)) == mover else -1.0)
        return After(values, planes[: len(asked)], asked, signs)

    def _returns(self, W: Words, at: int, status: int, mover: int) -> float:
        if status <= 2:
            return float(status == mover + 1)
        self._rules.returns(W, at, self._R, 0)
        return float(self._R[mover])

    def _planes(self, many: int) -> Singles:
        shape = self.shape
        return np.zeros((many, shape.planes, shape.rows, shape.columns), np.float32)
