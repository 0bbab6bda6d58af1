"""A search that stops at every leaf and is told its value: leaves of many games in one batch.

    trees = [SuspendedTree(...) for each game]; tree.new_game(seed); tree.begin(position)
    while waiting := [t for t in trees if t.leaf() is not None]:
        batch = np.stack([t.leaf() for t in waiting])         # [games, stride]
        for tree, returns in zip(waiting, value(batch)):      # [games, players]
            tree.tell(returns)
    moves = [tree.choice(position) for each game]

Told what the search's own leaf would say, it plays the same moves and visits the same nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.game import Game
from engines.kernels.compile import Kernel, Words
from engines.position import Position
from engines.searches.mcts.grown import GrownTree
from engines.searches.mcts.tree import AT, DEPTH, WAITING


class SuspendedTree(GrownTree):
    """A tree whose `iterate` suspends. Between `leaf` and `tell` nothing of it moves."""

    def __init__(
        self,
        game: Game,
        iterate: Kernel,
        stride: int,
        values: tuple[float, ...],
        count: int,
        reuse: bool,
        max_nodes: int,
        scratch: int = 0,
        keeps: tuple[str, ...] = (),
    ) -> None:
        super().__init__(game, iterate, stride, values, reuse, max_nodes, count, scratch, keeps)
        self._players, self._count = game.players, count
        self._todo, self._told = 0, False

    def begin(self, position: Position) -> None:
        """Make a position the root, for `count` iterations."""
        super().begin(position)
        self._todo, self._told = self._count, True

    @property
    def at(self) -> int:
        """Where in W the leaf's state lies; in games that look back, what led to it lies below."""
        return int(self.I[AT])

    @property
    def node(self) -> int:
        """The leaf's node."""
        return int(self.path[2 * self.I[DEPTH]])

    def leaf(self) -> Words | None:
        """Return the state that waits for its returns, or None once the search is over.

        It is a view of W, [stride]: the game's words, then the evaluation's own, up to date. It is
        never over. Asked again before it is told, it is the same.
        """
        if self._told and self._todo > 0:
            self._told = False
            done = self.grow(self._todo)
            self._todo = self._todo - done if self.I[WAITING] else 0
        return self.W[self.at : self.at + self._stride] if self.I[WAITING] else None

    def tell(self, returns: Sequence[float], priors: Sequence[float] = ()) -> None:
        """Say what is expected at the leaf: one return for each player, by seat, each in [0, 1].

        A search with priors takes one for each action of the leaf, in canonical order.
        """
        if self._told or not self.I[WAITING]:
            raise ValueError("no leaf waits for its returns")
        if len(returns) != self._players or len(priors) > len(self.R) - self._players:
            raise ValueError(f"told {len(returns)} returns of {self._players} players")
        self.R[: self._players] = returns
        self.R[self._players : self._players + len(priors)] = priors
        self._told = True
