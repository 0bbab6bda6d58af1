"""The player of a Monte Carlo tree search: grows a tree as long as its limit and the guard allow."""

from __future__ import annotations

import math

from joute.engines.clock import FOREVER, Clock
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.searches.mcts.grown import GrownTree
from joute.engines.searches.mcts.tree import NODES, Tree

SLOWEST, USUAL, FASTEST = 0.5, 20.0, 1e5  # iterations a millisecond: learnt between these ends


class TreePlayer(Player):
    """Plays the most visited action; a decided win at once, a decided loss last.

    `cleanup` is how many milliseconds a move ends earlier for every million nodes in the tree; below
    the value `resign` it resigns.
    """

    def __init__(
        self,
        game: Game,
        iterate: Kernel,
        stride: int,
        values: tuple[float, ...],
        limit: tuple[str, float],
        reuse: bool,
        max_nodes: int,
        scratch: int = 0,
        keeps: tuple[str, ...] = (),
        cleanup: float = 0.0,
        resign: float = 0.0,
    ) -> None:
        kind, amount = limit
        self._count = int(amount) if kind == "iterations" else FOREVER
        self._time_ms = amount if kind == "milliseconds" else math.inf
        self._cleanup, self._resign = cleanup / 1e6, resign
        self.grown = GrownTree(
            game, iterate, stride, values, reuse, max_nodes, self._count, scratch, keeps
        )
        self._clock = Clock(SLOWEST, USUAL, FASTEST)

    @property
    def tree(self) -> Tree:
        """The tree as the last move left it."""
        return self.grown.tree

    def new_game(self, seed: int, seat: int) -> None:
        """Start a new tree and stream."""
        self.grown.new_game(seed)

    def choose(self, position: Position) -> Move:
        """Search from the position under the engine's limit (and the guard's time)."""
        self.begin(position)
        self.search()
        return self.answer(self.grown.choice(position))

    def begin(self, position: Position) -> None:
        """Begin a move: its time runs from now on."""
        self._clock.begin(self.guard_ms)
        self.grown.begin(position)

    def search(self) -> None:
        """Grow the tree as long as the limit and the guard allow."""
        time_ms = self._time_ms if self.guard_ms is None else min(self._time_ms, self.guard_ms)
        if time_ms == math.inf:
            self.grown.grow(self._count)
        else:
            self._grow_for(time_ms)

    def answer(self, choice: Move) -> Move:
        """Return a choice, given up if its value is too low."""
        if choice.value is not None and choice.value < self._resign:
            return choice._replace(resigns=True)
        return choice

    def stop(self) -> None:
        """End the search."""
        self._clock.stop()

    def _grow_for(self, time_ms: float) -> None:
        todo, control, clock = self._count, self.grown.I, self._clock
        while todo > 0:
            count = clock.slice(time_ms - self._cleanup * control[NODES])
            if not count and self.tree.children[0]:
                return
            count = min(todo, max(1, count))  # the root has actions at least
            if self.grown.grow(count) < count:
                return
            todo -= count
            clock.learn(count, clock.spent())
