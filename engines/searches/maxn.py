"""`maxn`: every player picks what is best for itself, to a depth or by iterative deepening.

Values are expected returns, one per player, that sum to players / 2. A branch is left as soon as the
player to move has more than what the player before could give away (shallow pruning, which never
changes the result; Korf 1991). Works as alphabeta does: explicit stack, suspended after any number of
nodes. A node is one applied action; ties go to the action searched first.

Source: Luckhardt and Irani (1986).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engines.errors import Refused
from engines.evaluation import Evaluation, EvaluationKernels, expected_kernel
from engines.game import Game, GameKernels, rest_of
from engines.kernels import Floats, Ints, Kernel, U, Words, kernel
from engines.parameter import Parameter
from engines.search import Recipe, Search
from engines.searches.alphabeta import (
    BEST,
    FRAME,
    MAX_DEPTH,
    NODES,
    ONE,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    AlphaBetaPlayer,
    without_limit,
)

if TYPE_CHECKING:
    from engines.engine import Engine

LATER = 1e-6  # a return is moved so far towards 1/2 for every ply that it is away


class MaxN(Search):
    """Max^n for two and more players, without chance."""

    name = "maxn"
    summary = "every player takes what is best for itself, to a depth, for any number of players"
    evaluation = "always"
    limits = ("nodes", "milliseconds")
    lists = True
    work = "depth"
    parameters = (
        Parameter(
            "depth",
            "int",
            4,
            1,
            MAX_DEPTH,
            meaning="plies searched; under a limit, the depth at which deepening ends",
        ),
        Parameter(
            "deepening",
            "choice",
            "off",
            choices=("off", "on"),
            active=without_limit,
            meaning="search depth 1, 2, ... in turn, the best action of the last one first; always "
            "on under a limit",
        ),
    )

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games of chance."""
        super().check(game, evaluation)
        if game.chance:
            raise Refused(f"{self.name} is for games without chance; {game.name} has chance")

    def template(self, engine: Engine) -> tuple[Kernel, Kernel]:
        """Return the kernels that begin a search and carry it on."""
        assert engine.evaluation is not None
        key = (type(self), engine.game.label, type(engine.evaluation), type(engine.generator))
        if key not in _compiled:
            base = len(self.parameters)
            evaluation = engine.evaluation.compiled(engine.game, base)
            stride = engine.game.words + evaluation.words
            own = len(engine.evaluation.parameters)
            listed = engine.generator.kernels(engine.game, stride, base + own)
            expected = expected_kernel(engine.game, evaluation, engine.evaluation.scale)
            _compiled[key] = self.specialised(engine.game, listed, evaluation, expected, stride)
        return _compiled[key]

    def specialised(
        self,
        game: Game,
        k: GameKernels,
        evaluation: EvaluationKernels,
        expected: Kernel,
        stride: int,
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        begin, worth = begin_kernel(k, evaluation), worth_kernel(game, k, expected)
        return begin, search_kernel(game, k, evaluation, worth, stride)

    def recipe(self, engine: Engine) -> Recipe:
        """Return what makes a player with arrays of its own."""
        begin, search = self.template(engine)
        assert engine.evaluation is not None
        evaluation = engine.evaluation.compiled(engine.game, len(self.parameters))
        return AlphaBetaPlayer, {
            "game": engine.game,
            "begin": begin,
            "search": search,
            "stride": engine.game.words + evaluation.words,
            "scratch": evaluation.scratch,
            "values": tuple(engine.vector.tolist()),
            "depth": int(engine.values["depth"]),
            "limit": engine.limit,
            "deepening": engine.limit is not None or engine.values.get("deepening") == "on",
        }

    def digest(self, engine: Engine) -> str:
        """Return the digest of the compiled search."""
        begin, search = self.template(engine)
        return f"{begin.digest}{search.digest}"  # type: ignore[attr-defined]


_compiled: dict[tuple[object, ...], tuple[Kernel, Kernel]] = {}


def begin_kernel(k: GameKernels, evaluation: EvaluationKernels) -> Kernel:
    """Return `begin(W, root, A, I, P)`: fill the root's own words, list its actions."""
    init, actions = evaluation.init, k.actions

    @kernel("void(u8[::1], u8, i8[::1], i8[::1], f8[::1])", inline=False)
    def begin(W: Words, root: np.uint64, A: Ints, I: Ints, P: Floats) -> None:
        init(W, root, P)
        I[ROOTS] = actions(W, root, A, U(0))
        I[NODES] = 0
        I[RUNNING] = 0

    return begin


def worth_kernel(game: Game, k: GameKernels, expected: Kernel) -> Kernel:
    """Return `worth(W, at, code, d, F, to, P)`: the returns at a leaf d plies below the root."""
    players, rest, returns = game.players, rest_of(game.players), k.returns

    @kernel("void(u8[::1], u8, i8, i8, f8[::1], u8, f8[::1])")
    def worth(
        W: Words, at: np.uint64, code: np.int64, d: np.int64, F: Floats, to: np.uint64, P: Floats
    ) -> None:
        if code == 0:
            expected(W, at, P, F, to)
            return
        if code <= players:
            for p in range(players):
                F[to + U(p)] = rest
            F[to + U(code - 1)] = 1.0
        else:
            returns(W, at, F, to)
        for p in range(players):
            F[to + U(p)] += (0.5 - F[to + U(p)]) * LATER * np.float64(d)

    return worth


def search_kernel(
    game: Game, k: GameKernels, evaluation: EvaluationKernels, worth: Kernel, stride: int
) -> Kernel:
    """Return `search(W, root, A, I, F, P, depth) -> 1 when finished, 0 when I[NODES] reached I[STOP]`.

    The value of the player to move ends in F[0], the action in I[BEST]. Frame d of F holds the best
    returns found so far at that depth, one per player, and -1 before any is known.
    """
    apply, status, to_move, actions = k.apply, k.status, k.to_move, k.actions
    update = evaluation.update
    players, n, words, many = game.players, U(game.players), U(stride), U(game.slots)
    leaf, total = U((MAX_DEPTH + 1) * game.players), game.players / 2

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(
        W: Words, root: np.uint64, A: Ints, I: Ints, F: Floats, P: Floats, depth: np.int64
    ) -> np.int64:
        nodes, stop, deep = I[NODES], I[STOP], U(depth)
        d = U(0)
        if I[RUNNING] == 0:
            I[STACK], I[STACK + ONE] = 0, I[ROOTS]
            for p in range(players):
                F[U(p)] = -1.0
            I[RUNNING] = 1
        else:
            d = U(I[FRAME])
        while True:
            frame = STACK + d * U(2)
            src = root + d * words
            mover = U(to_move(W, src))
            found = leaf
            if I[frame] < I[frame + ONE]:
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    return 0  # type: ignore[return-value]
                action = A[d * many + U(I[frame])]
                I[frame] += 1
                nodes += 1
                apply(W, src, src + words, action, 0)
                code = status(W, src + words)
                if code == 0:
                    update(W, src, src + words, action, P)
                    if d + ONE < deep:
                        d += ONE
                        I[frame + U(2)] = 0
                        I[frame + U(3)] = actions(W, src + words, A, d * many)
                        for p in range(players):
                            F[d * n + U(p)] = -1.0
                        continue
                worth(W, src + words, code, np.int64(d + ONE), F, found, P)
            else:
                if d == U(0):
                    break
                found = d * n
                d -= ONE
                frame -= U(2)
                mover = U(to_move(W, root + d * words))
                action = A[d * many + U(I[frame] - 1)]
            if F[found + mover] > F[d * n + mover]:
                for p in range(players):
                    F[d * n + U(p)] = F[found + U(p)]
                if d == U(0):
                    I[BEST] = action
                else:
                    before = U(to_move(W, root + (d - ONE) * words))
                    known = F[(d - ONE) * n + before]
                    if before != mover and known >= 0.0 and F[d * n + mover] >= total - known:
                        I[frame] = I[frame + ONE]
        F[0] = F[U(to_move(W, root))]
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1  # type: ignore[return-value]

    return search
