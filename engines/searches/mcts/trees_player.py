"""The player of several trees of one position: each grows in a thread of its own, their roots decide.

Root parallelization: the trees share nothing while they grow, so the same seeds and iterations give the
same moves, however the threads are scheduled. Source: Chaslot, Winands and van den Herik (2008).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joute.engines.kernels.random import seed_of
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.programs import pinning
from joute.engines.searches.mcts.grown import Found
from joute.engines.searches.mcts.tree import DEEPEST
from joute.engines.searches.mcts.tree_player import TreePlayer


class TreesPlayer(Player):
    """Plays the action that all trees together visited most. `each`: what a `TreePlayer` is made with."""

    def __init__(self, threads: int, each: dict[str, Any]) -> None:
        self.players = [TreePlayer(**each) for _ in range(threads)]
        self._threads: ThreadPoolExecutor | None = None

    def new_game(self, seed: int, seat: int) -> None:
        """Start new trees, each with a stream of its own."""
        for number, player in enumerate(self.players):
            player.new_game(seed_of(seed, "tree", number) if number else seed, seat)

    def choose(self, position: Position) -> Move:
        """Search in all threads under the engine's limit (and the guard's time)."""
        first, *others = self.players
        if self._threads is None:
            self._threads = ThreadPoolExecutor(len(others), initializer=pinning.let_go)
            first.grown.grow(0)  # loads the kernel, which one thread alone may do
        for player in self.players:
            player.guard_ms = self.guard_ms
            player.begin(position)
        searches = [self._threads.submit(player.search) for player in others]
        first.search()
        for search in searches:
            search.result()
        return first.answer(self._best(position))

    def stop(self) -> None:
        """End the search in all threads."""
        for player in self.players:
            player.stop()

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown()

    def _best(self, position: Position) -> Move:
        # The most visited action; a decided win at once, a decided loss last.
        trees = [player.grown for player in self.players]
        found = trees[0].at_root()
        for tree in trees[1:]:
            for code, more in tree.at_root().items():
                found[code] = together(found[code], more) if code in found else more
        code = max(found, key=lambda code: rank(found[code]))
        action = position.game.decode(position.W, position.at, code)
        deepest = max(int(tree.I[DEEPEST]) for tree in trees)
        return Move(action, value(found[code]), deepest, sum(tree.done for tree in trees))


def together(one: Found, two: Found) -> Found:
    """Return what two trees know of an action."""
    decided = two.decided if one.decided is None else one.decided
    return Found(decided, one.visits + two.visits, one.total + two.total)


def value(found: Found) -> float | None:
    """Return the decided or the mean return; None of an action that was never tried."""
    if found.decided is not None or not found.visits:
        return found.decided
    return found.total / found.visits


def rank(found: Found) -> tuple[float, int, float]:
    """Return what the best action has most of: a decided win, else no decided loss, then visits."""
    sure = found.decided if found.decided in (0.0, 1.0) else 0.5
    return sure, found.visits, found.total / max(found.visits, 1)
