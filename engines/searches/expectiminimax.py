"""`expectiminimax`: alpha-beta for two players in a game of chance, by iterative deepening.

Below every action come the outcomes that the generator assumes; the action is worth their mean.
What window an outcome is searched with is a parameter. `full` gives each one of several an open
window, so that the value is exact. `shared` hands them the window of the action, as Langorou
did: cuts then bias the mean (a bound is averaged as if it were a value), and far more is cut.

With deepening, the best action last found in a position, kept in a table, is tried first. The tree
lies on an explicit stack. A node is one assumed outcome applied.
"""

from __future__ import annotations

import numpy as np

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation, EvaluationKernels
from joute.engines.game import Game, GameKernels
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.parameter import Parameter
from joute.engines.search import WIN, Setup
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    FRAMES,
    NODES,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    StackSearch,
    begin_kernel,
    deepening_parameter,
    depth_parameter,
)

ONE = U(1)
OPEN = 1e300  # beyond any value
TABLE = 1 << 14  # positions whose best action is remembered
# Of a frame in I: actions tried, actions, outcomes tried, outcomes, the action now tried.
TRIED, MANY, DRAWN, OUTCOMES, ACTION, INTS = (U(k) for k in range(6))
# Of a frame in F: best value, window, mean so far.
VALUE, ALPHA, BETA, MEAN, FLOATS = (U(k) for k in range(5))


class Expectiminimax(StackSearch):
    """Alpha-beta over actions and chance, for two players who alternate."""

    name = "expectiminimax"
    summary = "alpha-beta with chance: the mean over assumed outcomes, deepening, a move table"
    parameters = (
        depth_parameter(3),
        Parameter(
            "window",
            "choice",
            "full",
            choices=("full", "shared"),
            meaning="the window for several outcomes of an action: open, so that their mean is "
            "exact, or the action's own, which cuts more and biases the mean",
            source="Langorou: shared",
        ),
        Parameter(
            "ties",
            "choice",
            "first",
            choices=("first", "last"),
            meaning="which of equal actions is kept; an action cut at the best value looks equal "
            "to it, so last may keep a worse one",
            source="Langorou: last",
        ),
        deepening_parameter("on"),
    )

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games that are not two-player and alternating."""
        super().check(game, evaluation)
        if game.players != 2 or not game.alternating:
            why = "does not alternate" if game.players == 2 else f"has {game.players} players"
            raise Refused(f"{self.name} is for two players in turn; {game.name} {why}")

    def check_generator(self, game: Game, generator: Generator) -> None:
        """Refuse generators that do not tell what chance may do."""
        super().check_generator(game, generator)
        if not generator.assumes(game):
            raise Refused(f"generator {generator.name} has no outcomes for {game.name}")

    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        return template(
            rules,
            evaluation,
            stride,
            setup.game.slots,
            branches_of(setup),
            places(self.parameters),
        )

    def room(self, setup: Setup) -> tuple[int, int, int]:
        """Return what outcomes, their probabilities and the table need."""
        branches = branches_of(setup)
        return (
            FRAMES * branches + 2 * TABLE,
            FRAMES * int(INTS),
            FRAMES * (branches + int(FLOATS)),
        )


def branches_of(setup: Setup) -> int:
    """Return how many outcomes an action has at most; 1 without chance."""
    return setup.generator.branches if setup.game.chance else 1


def template(
    k: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    branches: int,
    at: Offsets,
) -> tuple[Kernel, Kernel]:
    """Return `begin(W, root, A, I, P)` and `search(W, root, A, I, F, P, depth)`, as in alphabeta.

    A holds the actions of each frame, then the outcomes of each, then the table: keys and actions.
    """
    apply, status, to_move, actions = k.apply, k.status, k.to_move, k.actions
    assume = k.assume if k.assume is not None else apply
    outcomes, chance = k.outcomes if k.outcomes is not None else k.to_move, branches > 1
    update, value = evaluation.update, evaluation.value
    words, many, each = U(stride), U(slots), U(branches)
    drawn_at, table = U(FRAMES * slots), U(FRAMES * (slots + branches))
    window, ties, deepening = at.window, at.ties, at.deepening
    weights, mask = U(FRAMES) * FLOATS, U(TABLE - 1)
    final, own = (
        evaluation.final if evaluation.final is not None else value,
        evaluation.final is not None,
    )

    @kernel("f8(u8[::1], u8, i8, u8, f8[::1])")
    def ended(W, at, code, d, P):
        # The value of a finished state d plies below the root, for the player to move there.
        if own:
            return final(W, at, P)
        if code == 3:
            return np.float64(0.0)
        sign = 1.0 if code == to_move(W, at) + 1 else -1.0
        return sign * (WIN - np.float64(d))

    @kernel("u8(u8[::1], u8)")
    def name(W, at):
        # A key of the state as it stands; never 0.
        key = U(0)
        for i in range(words):
            key = (key ^ W[at + U(i)]) * U(0x9E3779B97F4A7C15)
            key ^= key >> U(29)
        return key | U(1) << U(63)

    @kernel("void(u8[::1], u8, i8[::1], u8, u8)")
    def to_front(W, at, A, first, n):
        # The remembered action first, the others as they were.
        key = name(W, at)
        place = table + U(2) * (key & mask)
        if U(A[place]) == key:
            best, i = A[place + ONE], U(0)
            while i < n and A[first + i] != best:
                i += ONE
            if i < n:
                while i > U(0):
                    A[first + i] = A[first + i - ONE]
                    i -= ONE
                A[first] = best

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        nodes, stop, deep, d = I[NODES], I[STOP], U(depth), U(0)
        wide, last, remember = P[window] == 0.0, P[ties] != 0.0, P[deepening] != 0.0
        # --- begin at the root, or go on in the frame that ran out of nodes
        if I[RUNNING] == 0:
            I[STACK + TRIED], I[STACK + MANY] = 0, I[ROOTS]
            I[STACK + DRAWN], I[STACK + OUTCOMES] = 0, 0
            F[VALUE], F[ALPHA], F[BETA] = -OPEN, -OPEN, OPEN
            I[RUNNING] = 1
        else:
            d = U(I[FRAME])
        while True:
            frame, here = STACK + d * INTS, d * FLOATS
            src = root + d * words
            if I[frame + DRAWN] == I[frame + OUTCOMES]:  # the next action
                # --- all actions are done: the node's value goes up, weighted by the outcome it lies under
                if I[frame + TRIED] == I[frame + MANY]:
                    worth = F[here + VALUE]
                    if d > U(0) and I[frame + MANY] == 0:
                        worth = value(W, src, P)
                    if d == U(0):
                        break
                    d -= ONE
                    frame, here = STACK + d * INTS, d * FLOATS
                    F[here + MEAN] -= F[weights + d * each + U(I[frame + DRAWN] - 1)] * worth
                else:
                    # --- the next action: list the outcomes that it may have, with their weights
                    action = A[d * many + U(I[frame + TRIED])]
                    I[frame + ACTION] = action
                    I[frame + TRIED] += 1
                    I[frame + DRAWN], I[frame + OUTCOMES] = 0, 1
                    F[here + MEAN] = 0.0
                    if chance:
                        I[frame + OUTCOMES] = outcomes(
                            W, src, action, A, drawn_at + d * each, F, weights + d * each
                        )
                    else:
                        A[drawn_at + d], F[weights + d] = 0, 1.0
                    continue
            else:
                # --- the next outcome of the action, unless the nodes are spent
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    return 0
                nodes += 1
                j, dst, action = U(I[frame + DRAWN]), src + words, I[frame + ACTION]
                I[frame + DRAWN] += 1
                assume(W, src, dst, action, A[drawn_at + d * each + j])
                update(W, src, dst, action, P)
                code = status(W, dst)
                # --- go down a ply; a window holds only where one outcome is all there is
                if code == 0 and d + ONE < deep:
                    d += ONE
                    below, there = frame + INTS, here + FLOATS
                    n = actions(W, dst, A, d * many)
                    if remember:
                        to_front(W, dst, A, d * many, U(n))
                    I[below + TRIED], I[below + MANY] = 0, n
                    I[below + DRAWN], I[below + OUTCOMES] = 0, 0
                    alpha = max(F[here + ALPHA], F[here + VALUE])
                    F[there + VALUE] = -OPEN
                    F[there + ALPHA], F[there + BETA] = -F[here + BETA], -alpha
                    if wide and I[frame + OUTCOMES] > 1:
                        F[there + ALPHA], F[there + BETA] = -OPEN, OPEN
                    continue
                worth = ended(W, dst, code, d + ONE, P) if code != 0 else value(W, dst, P)
                F[here + MEAN] -= F[weights + d * each + j] * worth
            if I[frame + DRAWN] < I[frame + OUTCOMES]:
                continue
            # --- all outcomes are done: the action is worth their mean
            mean = F[here + MEAN]
            if mean > F[here + VALUE] or (last and mean == F[here + VALUE]):
                F[here + VALUE] = mean
                if d == U(0):
                    I[BEST] = I[frame + ACTION]
                elif remember:
                    key = name(W, root + d * words)
                    place = table + U(2) * (key & mask)
                    A[place], A[place + ONE] = np.int64(key), I[frame + ACTION]
                if mean >= F[here + BETA]:
                    I[frame + TRIED] = I[frame + MANY]
        F[U(0)] = F[VALUE]
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return begin_kernel(k, evaluation, FRAMES * (slots + branches), 2 * TABLE), search
