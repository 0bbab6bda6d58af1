"""`plain-uct`: UCT in plain Python, for games whose rules are plain Python; slow, and easy to read.

Open loop: a node is a sequence of actions, and chance is drawn anew on every descent.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.kernels.compile import Words
from joute.engines.kernels.random import next_word, stream
from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Search, Setup
from joute.engines.searches._plain import Worth, check_plain, worth_of

GUARD = 0.9  # share of the guard's time that is used


class PlainUct(Search):
    """UCB1 over returns, for any number of players, each for itself."""

    name = "plain-uct"
    summary = "Monte Carlo tree search in plain Python, for games in plain Python (slow)"
    evaluation = "optional"
    limits = ("iterations", "milliseconds")
    needs_limit = True
    plain = True
    parameters = (
        Parameter(
            "k",
            "float",
            1.0,
            0.0,
            10.0,
            meaning="exploration: an action's urgency is its mean return + k * "
            "sqrt(ln(parent's visits) / visits)",
            source="Kocsis and Szepesvari 2006",
        ),
    )

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games that cannot list actions, and evaluations that need compiled states."""
        super().check(game, evaluation)
        check_plain(self.name, game, evaluation)

    def player(self, setup: Setup) -> Player:
        """Return a player with its own tree."""
        assert setup.limit is not None
        return PlainUctPlayer(worth_of(setup), float(setup.values["k"]), setup.limit)


@dataclass(slots=True)
class Node:
    """A sequence of actions: its visits, and the sum of its returns for the player who chose it."""

    visits: int = 0
    total: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)


class PlainUctPlayer(Player):
    """Builds a tree anew for every move."""

    def __init__(self, worth: Worth | None, k: float, limit: tuple[str, float]) -> None:
        self._worth, self._k, self._limit = worth, k, limit
        self._S: Words = stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Start the stream of random numbers."""
        self._S = stream(seed)

    def choose(self, position: Position) -> Move:
        """Return the action that was tried most."""
        kind, amount = self._limit
        most = int(amount) if kind == "iterations" else 1 << 60
        ms = amount if kind == "milliseconds" else math.inf
        if self.guard_ms is not None:
            ms = min(ms, GUARD * self.guard_ms)
        ends, root, done = time.perf_counter() + ms / 1e3, Node(), 0
        while done < most and (done == 0 or time.perf_counter() < ends):
            self._descend(root, position.copy())
            done += 1
        action, best = max(root.children.items(), key=lambda pair: pair[1].visits)
        return Move(action, best.total / max(best.visits, 1), 0, done)

    def _descend(self, node: Node, position: Position) -> None:
        path: list[tuple[Node, int]] = []
        node.visits += 1
        while not position.over:
            legal, mover = position.legal_actions(), position.to_move
            new = [action for action in legal if action not in node.children]
            if new:
                action = new[0]
                node.children[action] = Node()
            else:
                action = self._select(node, legal)
            node = node.children[action]
            path.append((node, mover))
            node.visits += 1
            self._play(position, action)
            if new:
                break
        for (tried, mover), returns in zip(path, [self._leaf(position)] * len(path), strict=True):
            tried.total += returns[mover]

    def _select(self, node: Node, legal: list[int]) -> int:
        spread = self._k**2 * math.log(max(node.visits, 1))

        def urgency(action: int) -> float:
            child = node.children[action]
            return child.total / child.visits + math.sqrt(spread / child.visits)

        return max(legal, key=urgency)

    def _play(self, position: Position, action: int) -> None:
        seed = int(next_word(self._S)) if position.game.chance else 0
        position.play(action, position.draw_outcome(action, seed))

    def _leaf(self, position: Position) -> list[float]:
        if self._worth is not None and not position.over:
            return self._worth.expected(position)
        while not position.over:
            self._play(position, position.sample_action(self._S))
        return position.returns()
