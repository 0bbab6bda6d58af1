"""A tree and the arrays in which it grows: begun at a position, kept from move to move, asked for its best."""

from __future__ import annotations

from collections.abc import Sequence
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

    @property
    def value(self) -> float | None:
        """The decided or the mean return; None of an action that was never tried."""
        if self.decided is not None or not self.visits:
            return self.decided
        return self.total / self.visits

    @property
    def rank(self) -> tuple[float, int, float]:
        """What the best action has most of: a decided win, else no decided loss, then visits."""
        sure = self.decided if self.decided in (0.0, 1.0) else 0.5
        return sure, self.visits, self.total / self.visits if self.visits else 0.0

    def plus(self, other: Found) -> Found:
        """Return what both know together."""
        decided = other.decided if self.decided is None else self.decided
        return Found(decided, self.visits + other.visits, self.total + other.total)


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
        self.game, self.iterate, self._stride = game, iterate, stride
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
        return best_of([self], position)

    @property
    def done(self) -> int:
        """How many iterations this move took."""
        return int(self.tree.visits[0]) - self._visited

    def at_root(self) -> dict[int, Found]:
        """Return what is known of each action at the root, by its code."""
        tree, players, mover = self.tree, self.game.players, self._mover
        first = int(tree.first[0])
        end = first + int(tree.children[0])
        decided: dict[int, float] = {}
        for i in tree.decided[first:end].nonzero()[0].tolist():
            decided[i] = float(tree.known[(first + i) * players + mover])
        visits, totals = tree.visits[first:end].tolist(), tree.total[first:end].tolist()
        return {
            code: Found(decided.get(i), visits[i], totals[i])
            for i, code in enumerate(tree.action[first:end].tolist())
        }

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
                chance, players = self.game.chance, self.game.players
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
                if not self.game.chance:
                    return c
                below = int(tree.first[c])
                while below and tree.action[below] != outcome:
                    below = int(tree.following[below])
                return below or -1
        return -1


def best_of(trees: Sequence[GrownTree], position: Position) -> Move:
    """Return the best action at the root of trees of the same position, all that they know added."""
    found = trees[0].at_root()
    for tree in trees[1:]:
        for code, more in tree.at_root().items():
            found[code] = found[code].plus(more) if code in found else more
    code = max(found, key=lambda code: found[code].rank)
    deepest = max(int(tree.I[DEEPEST]) for tree in trees)
    action = trees[0].game.decode(position.W, position.at, code)
    return Move(action, found[code].value, deepest, sum(tree.done for tree in trees))
