"""An evaluation: a number for a position, and the contract of its kernels.

The value is a float64 for the side to move, zero-sum between two players. An evaluation may keep
`words` words of its own behind the game's in each state, to be cheap to update; what it keeps must
be exact (integers, fixed point), so that the order of play never changes a value. A search may take
the value of a position from a table, where it stands under the game's `key`: an evaluation that looks
at the line of play says `path_dependent`, one that knows left from right (where the key does not)
`symmetric = False`; `joute check` tries that.

| kernel | meaning |
|---|---|
| value(W, at, P) | the value for the side to move |
| values(W, at, P, R, to) | for more than two players: one number per player, the more the better |
| init(W, at, P) | compute the own words of the state at `at` from scratch |
| update(W, src, dst, action, P) | the same at dst, from those at src and the action just applied |
| expected(W, at, P, R, to) | optional: the expected return of each player, sum players / 2 |
| after(W, src, action, P) | optional: the value after the action, for the side to move then, without writing anything |
| final(W, at, P) | optional: the value of a finished game, for the side to move; own words are up to date |

P is the engine's parameter vector: `places(self.parameters, base).width` is where `width` stands. A
choice travels as its index. An evaluation may work in the first `scratch` words of W, which keep
nothing between calls: states lie behind them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from joute.engines.errors import Refused, building
from joute.engines.game import Game
from joute.engines.kernels.arithmetic import logistic
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, code_of, collect, rule
from joute.engines.parameter import Parameter, Value
from joute.engines.player import Player, PlayerFailure
from joute.engines.registry import Member, games_of, is_for


@dataclass(frozen=True)
class EvaluationKernels:
    """The compiled evaluation; see this module's table."""

    words: int
    value: Kernel
    init: Kernel
    update: Kernel
    after: Kernel | None = None
    values: Kernel | None = None
    expected: Kernel | None = None
    final: Kernel | None = None
    scratch: int = 0


class Evaluation(Member, ABC, kind="evaluation"):
    """A way to value positions of some games. `scale` turns a value into an expected return, where the
    evaluation gives none itself: 1 / (1 + exp(-value / scale)).
    """

    games: ClassVar[tuple[str, ...] | None]  # None: any that passes `check`
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    own: ClassVar[State] = State()  # its own words; see `state`
    scale: ClassVar[float] = 1.0
    path_dependent: ClassVar[bool] = False  # on the line of play: no value is taken from a table
    symmetric: ClassVar[bool] = True  # positions of one `key` have one value; else no table, either
    compiled: ClassVar[bool] = True  # has kernels; else see python_game.py
    guided: ClassVar[bool] = False  # asks a network, in Python, from its kernels

    def check(self, game: Game) -> None:
        """Raise Refused where it cannot value the positions of a game."""
        if self.games is not None and game.name not in self.games:
            fit = ", ".join(self.games)
            raise Refused(f"evaluation {self.name} is for {fit}, not for {game.name}")

    def bound(self, game: Game, values: Mapping[str, Value]) -> Evaluation:
        """Return the evaluation of an engine with these values: one that reads a file reads it here."""
        return self

    def numbers(self, game: Game) -> dict[str, float]:
        """Return the numbers in P for its parameters that are texts."""
        return {}

    def failure(self, game: Game) -> PlayerFailure | None:
        """Return why it could not value a position since this was asked before, if so: an error does
        not come out of a kernel.
        """
        return None

    def overseen(self, game: Game, player: Player) -> Player:
        """Return an engine's player such that it fails where this evaluation does."""
        return player

    def code(self, game: Game, base: int) -> str:
        """Return what tells its code from any other, for the parameters at P[base..]."""
        return code_of(self.kernels(game, base))

    @property
    def file_digest(self) -> str:
        """The digest of the files that it reads, if there are any."""
        return ""

    def state(self, game: Game) -> State:
        """Return its own words; `self.state(game).behind(game.words)` are their offsets. `own`, if their
        number does not depend on the game.
        """
        return self.own

    @abstractmethod
    def build(self, game: Game, base: int) -> Iterable[Kernel]:
        """Return the kernels of the contract for a game, the parameters at P[base..]."""

    def scratch(self, game: Game) -> int:
        """Return how many words of W it works in; they lie before the states."""
        return 0

    def kernels(self, game: Game, base: int) -> EvaluationKernels:
        """Return the kernels, built once a process."""
        key = (type(self), game.label, base)
        if key not in _compiled:
            with building(f"the kernels of the evaluation {self.name}"):
                kernels = collect("evaluation", self.build(game, base))
            if "value" not in kernels:
                raise TypeError(f"evaluation {self.name} must give the kernel value")
            own = self.state(game).size
            if own and not {"init", "update"} <= kernels.keys():
                raise TypeError(f"evaluation {self.name} has own words: give init and update")
            nothing = {"init": init_nothing, "update": update_nothing}
            _compiled[key] = EvaluationKernels(
                own, scratch=self.scratch(game), **{**nothing, **kernels}
            )
        return _compiled[key]


def expected_kernel(game: Game, evaluation: EvaluationKernels, scale: float) -> Kernel:
    """Return `expected(W, at, P, R, to)`, the evaluation's own or the logistic of value / scale.

    With more than two players i outlives j with the chance logistic((v_i - v_j) / scale), and a
    return is the mean of that over the others.
    """
    if evaluation.expected is not None:
        return evaluation.expected
    if game.players == 2:
        value, to_move = evaluation.value, game.kernels().to_move

        @rule
        def expected(W, at, P, R, to):
            mover = U(to_move(W, at))
            own = logistic(value(W, at, P) / scale)
            R[to + mover] = own
            R[to + U(1) - mover] = 1.0 - own

        return expected
    players, values = game.players, evaluation.values
    if values is None:
        raise Refused(f"{game.name} has {players} players, and the evaluation values one side only")

    @kernel("void(u8[::1], u8, f8[::1], f8[::1], u8)")
    def expected_of_many(W, at, P, R, to):
        values(W, at, P, R, to)
        a, b, c = R[to], R[to + U(1)], R[to + U(2)]
        d = R[to + U(3)] if players > 3 else 0.0
        for i in range(players):
            own = a if i == 0 else (b if i == 1 else (c if i == 2 else d))
            total = 0.0
            for j in range(players):
                if j != i:
                    other = a if j == 0 else (b if j == 1 else (c if j == 2 else d))
                    total += logistic((own - other) / scale)
            R[to + U(i)] = total / (players - 1)

    return expected_of_many


_compiled: dict[tuple[type[Evaluation], str, int], EvaluationKernels] = {}


@kernel("void(u8[::1], u8, f8[::1])")
def init_nothing(W, at, P):
    """Keep nothing: the `init` of an evaluation that is computed from scratch."""


@kernel("void(u8[::1], u8, u8, i8, f8[::1])")
def update_nothing(W, src, dst, action, P):
    """Keep nothing: the `update` of an evaluation that is computed from scratch."""


def evaluations_of(game: Game) -> list[str]:
    """Return the names of the evaluations that are for a game, in order."""
    if game.refereed:
        return []
    return [name for name, games in games_of("evaluation").items() if is_for(games, game.name)]
