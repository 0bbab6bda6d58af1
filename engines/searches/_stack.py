"""Searches whose tree lies on an explicit stack in flat arrays: what they share, and their player.

Frame d of W is the state d plies below the root, I holds control words and where each frame stands,
A the actions of each frame, F its values. So a search can stop after any number of nodes and go on
later: that is how wall-clock limits work without a clock in the kernel. A fixed depth may be
reached by deepening; a limit always is.

Two kernels make such a search: begin(W, root, A, I, P) lists the root's actions, and
search(W, root, A, I, F, P, depth) returns 1 when it has finished (value in F[0], action in I[BEST])
or 0 when I[NODES] has reached I[STOP]: call it again to go on.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from joute.engines.clock import FOREVER, Clock
from joute.engines.evaluation import EvaluationKernels, init_nothing
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.line_of_play import in_tree
from joute.engines.parameter import Parameter, Values
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.record import WIN
from joute.engines.search import BY_LINE, Recipe, Search, Setup

MAX_DEPTH = 60
FRAMES = MAX_DEPTH + 2
# Control words in I, then per frame: children tried, children to try.
STOP, NODES, BEST, FRAME, RUNNING, ROOTS, STACK = (U(k) for k in range(7))
SLOWEST, USUAL, FASTEST = 0.5, 2000.0, 1e6  # nodes a millisecond: learnt between these ends
MOMENT_MS = 5.0  # to find a move once a search of a fixed depth was stopped
FULL_SHARE = 0.7  # of the guard's time: then a fixed depth is given up for a smaller one


def without_limit(values: Values) -> bool:
    """Whether the engine has no limit, so that it chooses how to reach its depth."""
    return "limit" not in values


def depth_parameter(usual: int, source: str = "") -> Parameter:
    """Return the parameter `depth`."""
    return Parameter(
        "depth",
        "int",
        usual,
        1,
        MAX_DEPTH,
        meaning="plies searched; under a limit, the depth at which deepening ends",
        source=source,
        under_limit=MAX_DEPTH,
    )


def deepening_parameter(usual: str = "off", more: str = "") -> Parameter:
    """Return the parameter `deepening`."""
    return Parameter(
        "deepening",
        "choice",
        usual,
        choices=("off", "on"),
        active=without_limit,
        meaning=f"search depth 1, 2, ... in turn, the best action of the last one first{more}; always "
        "on under a limit",
    )


class StackSearch(Search):
    """A search made of such kernels, with the parameters `depth` and `deepening`."""

    evaluation = "always"
    limits = ("nodes", "milliseconds")
    compiled = True
    lists = True
    work = "depth"
    tells = "evaluation"

    @abstractmethod
    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build `begin` and `search` for states `stride` words apart."""

    def variant(self, setup: Setup) -> object:
        """Return what the kernels depend on besides game, evaluation and generator."""
        return None

    def room(self, setup: Setup) -> tuple[int, int, int]:
        """Return what A, I and F need beyond two integers, three values and the actions a frame."""
        return 0, 0, 0

    def template(self, setup: Setup) -> tuple[Kernel, Kernel]:
        """Return the kernels for an engine, built once a process."""
        assert setup.evaluation is not None
        game, kind, base = setup.game, type(setup.evaluation), self.base
        length = len(setup.vector)
        key = (type(self), game.label, kind, type(setup.generator), self.variant(setup), length)
        if key not in _compiled:
            evaluation = setup.evaluation.kernels(game, base)
            stride = game.words + evaluation.words
            rules = setup.generator.kernels(game, stride, base + len(kind.parameters))
            if game.repeats:
                rules = in_tree(rules, game.players, game.name)
            _compiled[key] = self.specialised(setup, rules, evaluation, stride)
        return _compiled[key]

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player with a stack of its own."""
        begin, search = self.template(setup)
        assert setup.evaluation is not None
        evaluation = setup.evaluation.kernels(setup.game, self.base)
        return Recipe(
            StackPlayer,
            {
                "game": setup.game,
                "begin": begin,
                "search": search,
                "stride": setup.game.words + evaluation.words,
                "scratch": evaluation.scratch,
                "values": tuple(setup.vector.tolist()),
                "depth": int(setup.values["depth"]),
                "limit": setup.limit,
                "deepening": setup.limit is not None or setup.values.get("deepening") == "on",
                "room": self.room(setup),
            },
        )

    def digest(self, setup: Setup) -> str:
        """Return the digest of the compiled search."""
        begin, search = self.template(setup)
        return f"{begin.digest}{search.digest}"  # type: ignore[attr-defined]


def begin_kernel(
    rules: GameKernels, evaluation: EvaluationKernels, first: int = 0, many: int = 0
) -> Kernel:
    """Return `begin(W, root, A, I, P)`: what generator and evaluation keep in the root's state, its
    actions, and `many` zeros from A[first] on.
    """
    init, actions = evaluation.init, rules.actions
    prepare = rules.prepare if rules.prepare is not None else init_nothing

    @kernel("void(u8[::1], u8, i8[::1], i8[::1], f8[::1])", inline=False)
    def begin(W, root, A, I, P):
        prepare(W, root, P)
        init(W, root, P)
        for i in range(many):
            A[U(first) + U(i)] = 0
        I[ROOTS] = actions(W, root, A, U(0))
        I[NODES] = 0
        I[RUNNING] = 0

    return begin


_compiled: dict[tuple[object, ...], tuple[Kernel, Kernel]] = {}


class StackPlayer(Player):
    """Plays the best action of the last finished depth.

    `values` is the engine's parameter vector, `limit` its kind and amount, `room` what A, I and F
    need beyond alphabeta's own, `deeper` how many states W needs. A fixed depth that the
    guard's time does not suffice for is given up, and what remains is spent on depth 1, 2, ...
    """

    def __init__(
        self,
        game: Game,
        begin: Kernel,
        search: Kernel,
        stride: int,
        values: tuple[float, ...],
        depth: int,
        limit: tuple[str, float] | None,
        deepening: bool,
        scratch: int = 0,
        room: tuple[int, int, int] = (0, 0, 0),
        deeper: int = 0,
    ) -> None:
        self._game = game
        self._begin, self._search, self._stride = begin, search, stride
        frames, slots = FRAMES, game.slots
        below = game.max_plies if game.path_dependent else 0
        below = below if game.look_back is None else min(below, game.look_back)
        self._W = np.zeros(scratch + (frames + deeper + below) * stride, np.uint64)
        self._scratch = scratch
        self._root = 0
        self._A = np.zeros(frames * slots + room[0], np.int64)
        self._I = np.zeros(int(STACK) + 2 * frames + room[1], np.int64)
        self._F = np.zeros(3 * frames + frames * slots + room[2], np.float64)
        self._P = np.array(values, np.float64)
        self._depth, self._deepening = depth, deepening
        kind, amount = limit or ("nodes", FOREVER)
        self._nodes = amount if kind == "nodes" else FOREVER
        self._time_ms = amount if kind == "milliseconds" else math.inf
        self._clock = Clock(SLOWEST, USUAL, FASTEST)

    def choose(self, position: Position) -> Move:
        """Search the position under the engine's depth and limit."""
        move = self._searched(position)
        return move._replace(action=self._game.decode(position.W, position.at, move.action))

    def _searched(self, position: Position) -> Move:
        self._clock.begin(self.guard_ms)
        self._root = position.lay(self._W, self._stride, self._scratch)
        self._begin_at_root()
        if self._I[ROOTS] == 0:
            raise PlayerFailure("illegal", "there is no legal action")
        if self._deepening:
            return self._by_deepening()
        guard = math.inf if self.guard_ms is None else self.guard_ms
        if self._finish(self._depth, guard * FULL_SHARE):
            return self._found(self._depth)
        self._begin_at_root()
        if not self._clock.stopped:
            return self._by_deepening()
        self._clock.begin(self.guard_ms)
        return self._by_deepening(MOMENT_MS)

    def _begin_at_root(self) -> None:
        # Lists the root's actions, or those among them that may be chosen.
        self._begin(self._W, self._root, self._A, self._I, self._P)
        if self.only is not None:
            allowed = [int(a) for a in self._A[: self._I[ROOTS]] if int(a) in self.only]
            self._A[: len(allowed)] = allowed
            self._I[ROOTS] = len(allowed)

    def stop(self) -> None:
        """End the search."""
        self._clock.stop()

    def _found(self, depth: int) -> Move:
        control, value = self._I, float(self._F[0])
        value = 0.0 if abs(value) == BY_LINE else value + 0.0
        return Move(int(control[BEST]), value, depth, int(control[NODES]))

    def _by_deepening(self, most_ms: float = math.inf) -> Move:
        control = self._I
        self._roots = [int(a) for a in self._A[: control[ROOTS]]]
        time_ms = min(self._time_ms, math.inf if self.guard_ms is None else self.guard_ms, most_ms)
        best = Move(self._roots[0])
        for depth in range(1, self._depth + 1):
            if not self._finish(depth, time_ms):
                break
            best = self._found(depth)
            if self.report is not None:
                self.report(best)
            self._to_front(best.action)
            if abs(self._F[0]) > WIN - MAX_DEPTH - 1 or control[ROOTS] == 1:
                break  # decided, or nothing to decide
        return best._replace(nodes=int(control[NODES]))

    def _finish(self, depth: int, time_ms: float) -> bool:
        # Runs one depth to its end; False when the limit or the time came first.
        control, clock = self._I, self._clock
        control[RUNNING] = 0
        while control[NODES] < self._nodes:
            before, count = int(control[NODES]), clock.slice(time_ms)
            if not count:
                return False
            control[STOP] = min(before + count, self._nodes)
            if self._search(self._W, self._root, self._A, control, self._F, self._P, depth):
                return True
            clock.learn(int(control[NODES]) - before, clock.spent())
        return False

    def _to_front(self, action: int) -> None:
        # The root's actions in canonical order but for the best one, which goes first.
        order = [action] + [a for a in self._roots if a != action]
        self._A[: len(order)] = order
