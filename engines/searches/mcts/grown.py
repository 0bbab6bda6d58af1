"""A tree and the arrays in which it grows: begun at a position, kept from move to move, asked for its best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.random import stream
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.searches.mcts.rave import room_for_rave
from joute.engines.searches.mcts.tree import (
    CONTROL,
    DEEPEST,
    DONE,
    NODES,
    PRIOR,
    RAVE,
    WAITING,
    Tree,
    copy_below,
)


class Found(NamedTuple):
    """What is known of an action at the root, for the player who moves: its decided return if there is
    one, its visits, and the sum of their returns.
    """

    decided: float | None
    visits: int
    total: float


class GrownTree:
    """What a seat knows, over as many games as it plays. `most` is how many iterations a move takes at
    most, as far as that is known: then less memory may do.
    """

    def __init__(
        self,
        game: Game,
        iterate: Kernel,
        stride: int,
        values: tuple[float, ...],
        reuse: bool,
        max_nodes: int,
        most: float,
        scratch: int = 0,
        keeps: tuple[str, ...] = (),
        small: bool = False,
    ) -> None:
        self._game, self.iterate, self._stride = game, iterate, stride
        self._scratch, self._reuse = scratch, reuse
        room = max_nodes
        if not reuse:
            per_iteration = game.slots + (1 if game.chance else 0)
            room = int(min(room, most * per_iteration + 2 * game.slots))
        self.tree = Tree.empty(room, game.players, keeps, small)
        self.spare = Tree.empty(room, game.players, keeps, small) if reuse else None
        self.W = np.zeros(scratch + (2 * game.max_plies + 4) * stride, np.uint64)
        self.I = np.array([1] + [0] * (CONTROL - 1), np.int64)
        self.R = np.zeros(game.players + (game.slots if PRIOR in keeps else 0))
        self.path = np.zeros(4 * game.max_plies + 8, np.int64)
        self.A = np.zeros(game.slots + (room_for_rave(game) if RAVE in keeps else 0), np.int64)
        self.P = np.array(values, np.float64)
        self.S = stream(0)
        self.root = self._visited = 0
        self._seen: list[tuple[int, int]] | None = None
        self._start = ""  # the text of the position where what was seen began
        self._mover = -1

    def new_game(self, seed: int) -> None:
        """Forget the last game; all chance in the coming one follows from the seed."""
        self.S[:] = stream(seed)
        self._seen = None

    def begin(self, position: Position) -> None:
        """Make a position the root, with what is known of it from the moves before."""
        self._follow(position)
        self.root = position.lay(self.W, self._stride, self._scratch)
        self.I[DEEPEST] = self.I[WAITING] = self.I[DONE] = 0
        self._visited = int(self.tree.visits[0])
        self._seen = list(zip(position.moves, position.outcomes, strict=True))
        self._start = position.start

    def grow(self, count: int) -> int:
        """Do so many iterations, fewer if the root is decided; return how many."""
        return int(
            self.iterate(
                *(self.W, self.root, self.A, self.I, self.S, self.R, self.P, self.path),
                *self.tree,
                count,
            )
        )

    def choice(self, position: Position) -> Move:
        """Return the most visited action at the root; a decided win at once, a decided loss last."""
        child = self._best()
        action = self._game.decode(position.W, position.at, int(self.tree.action[child]))
        return Move(action, self._value(child), int(self.I[DEEPEST]), self.done)

    @property
    def done(self) -> int:
        """How many iterations this move took."""
        return int(self.tree.visits[0]) - self._visited

    def at_root(self) -> dict[int, Found]:
        """Return what is known of each action at the root, by its code."""
        tree, first = self.tree, int(self.tree.first[0])
        found = {}
        for child in range(first, first + int(tree.children[0])):
            decided = self._value(child) if tree.decided[child] else None
            counts = int(tree.visits[child]), float(tree.total[child])
            found[int(tree.action[child])] = Found(decided, *counts)
        return found

    def _follow(self, position: Position) -> None:
        # Keeps the part of the tree below the moves played since the last search.
        tree, played = self.tree, list(zip(position.moves, position.outcomes, strict=True))
        node = 0
        known = self._seen is not None and played[: len(self._seen)] == self._seen
        known = known and self._start == position.start
        known, self._mover = known and self._mover == position.to_move, position.to_move
        if known and self._reuse and self.spare is not None and self._seen is not None:
            for action, outcome in played[len(self._seen) :]:
                node = self._child(node, action, outcome)
                if node < 0:
                    break
            if node >= 0 and len(played) > len(self._seen):
                source = np.empty(int(self.I[NODES]), np.int64)
                chance, players = self._game.chance, self._game.players
                used = copy_below(*tree, *self.spare, node, source, chance, players)
                self.tree, self.spare = self.spare, tree
                self.I[NODES] = used
                return
            if node == 0 and len(played) == len(self._seen):
                return
        tree.reset()
        self.I[NODES] = 1

    def _child(self, node: int, action: int, outcome: int) -> int:
        tree = self.tree
        for c in range(int(tree.first[node]), int(tree.first[node] + tree.children[node])):
            if tree.action[c] == action:
                if not self._game.chance:
                    return c
                below = int(tree.first[c])
                while below and tree.action[below] != outcome:
                    below = int(tree.following[below])
                return below or -1
        return -1

    def _best(self) -> int:
        tree, players, mover = self.tree, self._game.players, self._mover
        first = int(tree.first[0])
        end = first + int(tree.children[0])
        visits, totals = tree.visits[first:end].tolist(), tree.total[first:end].tolist()
        sure = [0.5] * len(visits)
        for i, decided in enumerate(tree.decided[first:end].tolist()):
            if not decided:
                continue
            known = float(tree.known[(first + i) * players + mover])
            sure[i] = known if known in (0.0, 1.0) else 0.5

        def rank(i: int) -> tuple[float, int, float]:
            return sure[i], visits[i], totals[i] / visits[i] if visits[i] else 0.0

        return first + max(range(len(visits)), key=rank)

    def _value(self, child: int) -> float | None:
        tree = self.tree
        if tree.decided[child]:
            return float(tree.known[child * self._game.players + self._mover])
        visits = int(tree.visits[child])
        return float(tree.total[child]) / visits if visits else None
