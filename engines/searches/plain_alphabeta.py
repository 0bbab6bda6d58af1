"""`plain-alphabeta`: alpha-beta in plain Python, for games whose rules are plain Python; slow."""

from __future__ import annotations

import math
import time

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.record import WIN
from joute.engines.search import Search, Setup
from joute.engines.searches._plain import Worth, check_plain, worth_of

GUARD = 0.9  # share of the guard's time that is used


class PlainAlphaBeta(Search):
    """Negamax with alpha-beta to a depth, or deepening under a limit."""

    name = "plain-alphabeta"
    summary = "alpha-beta to a depth in plain Python, for games in plain Python (slow)"
    evaluation = "optional"
    limits = ("nodes", "milliseconds")
    plain = True
    work = "depth"
    parameters = (Parameter("depth", "int", 3, 1, 64, meaning="plies searched", under_limit=64),)

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games not for two players in turn, and those with chance."""
        super().check(game, evaluation)
        check_plain(self.name, game, evaluation)
        if game.players != 2 or game.chance or not game.alternating:
            raise Refused(f"{self.name} is for two players in turn, without chance")

    def player(self, setup: Setup) -> Player:
        """Return a player."""
        return PlainAlphaBetaPlayer(worth_of(setup), int(setup.values["depth"]), setup.limit)


class OutOfWork(Exception):
    """The limit was reached within an iteration."""


class PlainAlphaBetaPlayer(Player):
    """Searches anew for every move; the first of equal actions is played."""

    def __init__(self, worth: Worth | None, depth: int, limit: tuple[str, float] | None) -> None:
        self._worth, self._depth, self._limit = worth, depth, limit
        self._nodes, self._most, self._ends = 0, 0, math.inf

    def choose(self, position: Position) -> Move:
        """Return the best action of the last finished depth."""
        kind, amount = self._limit or ("", 0.0)
        self._nodes, self._most = 0, int(amount) if kind == "nodes" else 1 << 60
        ms = amount if kind == "milliseconds" else math.inf
        if self.guard_ms is not None:
            ms = min(ms, GUARD * self.guard_ms)
        self._ends = time.perf_counter() + ms / 1e3
        order = position.legal_actions()
        best = Move(order[0])
        first = self._depth if ms == math.inf and not kind else 1
        for depth in range(first, self._depth + 1):
            try:
                best = self._root(position, order, depth)
            except OutOfWork:
                break
            order.remove(best.action)
            order.insert(0, best.action)
        return best._replace(nodes=self._nodes)

    def _root(self, position: Position, order: list[int], depth: int) -> Move:
        best, action = -math.inf, order[0]
        for one in order:
            value = -self._below(position, one, depth, -math.inf, -best, 1)
            if value > best:
                best, action = value, one
        return Move(action, best, depth)

    def _below(
        self, position: Position, action: int, depth: int, alpha: float, beta: float, ply: int
    ) -> float:
        if self._nodes >= self._most or (self._nodes and time.perf_counter() > self._ends):
            raise OutOfWork
        self._nodes += 1
        mover, child = position.to_move, position.copy()
        child.play(action)
        if child.over:
            won = child.returns()[1 - mover] - 0.5
            return 0.0 if won == 0 else math.copysign(WIN - ply, won)
        if depth == 1:
            return 0.0 if self._worth is None else self._lead(child)
        for one in child.legal_actions():
            alpha = max(alpha, -self._below(child, one, depth - 1, -beta, -alpha, ply + 1))
            if alpha >= beta:
                break
        return alpha

    def _lead(self, position: Position) -> float:
        assert self._worth is not None
        mover = position.to_move
        return self._worth.value(position, mover) - self._worth.value(position, 1 - mover)
