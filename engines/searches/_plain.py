"""Shared parts of searches in plain Python: the games they take, and their value of a position."""

from __future__ import annotations

from collections.abc import Mapping

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.kernels.arithmetic import logistic
from joute.engines.parameter import Value
from joute.engines.position import Position
from joute.engines.python_game import PythonEvaluation, PythonGame
from joute.engines.search import Setup


class Worth:
    """An evaluation in plain Python with its parameter values."""

    def __init__(self, evaluation: PythonEvaluation, values: Mapping[str, Value]) -> None:
        self._evaluation, self._values = evaluation, dict(values)

    def value(self, position: Position, player: int) -> float:
        """Return the value of a position for a player, in the evaluation's units."""
        state = position.W[position.at]
        return self._evaluation.worth(position.game, state, player, self._values)

    def expected(self, position: Position) -> list[float]:
        """Return each player's expected return: its chance to outdo each other one, averaged."""
        players = range(position.game.players)
        worth, scale = [self.value(position, p) for p in players], self._evaluation.scale
        return [
            sum(float(logistic((worth[p] - worth[q]) / scale)) for q in players if q != p)
            / (len(players) - 1)
            for p in players
        ]


def check_plain(search: str, game: Game, evaluation: Evaluation | None) -> None:
    """Raise Refused for games that cannot list actions, and for evaluations that are kernels."""
    if not game.listed:
        raise Refused(f"{search} needs a list of actions; {game.name} has none")
    if evaluation is not None and not (
        isinstance(evaluation, PythonEvaluation) and isinstance(game, PythonGame)
    ):
        raise Refused(f"{search} takes evaluations in plain Python; {evaluation.name} is compiled")


def worth_of(setup: Setup) -> Worth | None:
    """Return how an engine values positions; None without an evaluation."""
    if setup.evaluation is None:
        return None
    assert isinstance(setup.evaluation, PythonEvaluation)
    return Worth(setup.evaluation, setup.values)
