"""`expectiminimax`: alpha-beta for two players in a game of chance, by iterative deepening.

Below every action come the outcomes that the generator assumes; the action is worth their mean.
What window an outcome is searched with is a parameter. `full` gives each one of several an open
window, so that the value is exact. `shared` hands them the window of the action, as Langorou
did: cuts then bias the mean (a bound is averaged as if it were a value), and far more is cut.

With deepening, the best action last found in a position, kept in a table, is tried first. The tree
lies on an explicit stack. A node is one assumed outcome applied.

With a transposition table, killers or history the search is that of `_tabled_chance.py`: the same value
by fewer nodes, where windows are full and the table's key is the path. The action is the same, too, where
the first of equals is kept. Without any of them the search is the one of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation, EvaluationKernels
from joute.engines.game import Game, GameKernels
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.search import Recipe, Setup
from joute.engines.searches._chance import (
    ACTION,
    ALPHA,
    BETA,
    DRAWN,
    FLOATS,
    INTS,
    MANY,
    MEAN,
    ONE,
    OPEN,
    OUTCOMES,
    TABLE,
    TRIED,
    VALUE,
    chance_kernels,
)
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
from joute.engines.searches._tabled import TabledPlayer
from joute.engines.searches._tabled_chance import room_of, tabled_chance_template


def with_table(values: Values) -> bool:
    """Whether there is a table."""
    return bool(values.get("table"))


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
        Parameter(
            "table",
            "int",
            0,
            0,
            4096,
            later=True,
            meaning="megabytes of each player's transposition table, 16 bytes per position, "
            "rounded down to a power of two; an entry serves the move that made it; 0: none",
            source="Greenblatt, Eastlake and Crocker 1967; Langorou: tried, then disabled",
        ),
        Parameter(
            "table_key",
            "choice",
            "path",
            choices=("path", "position", "board"),
            active=with_table,
            later=True,
            meaning="what an entry stands for: a position with what the evaluation keeps of the "
            "path to it. To measure what goes wrong without: the position alone, or the board "
            "whatever the ply and the depth left",
            source="graph-history interaction: Campbell 1985; Langorou: board",
        ),
        Parameter(
            "killers",
            "int",
            0,
            0,
            2,
            later=True,
            meaning="number of actions that last caused cuts at the same ply and are tried early",
            source="Akl and Newborn 1977",
        ),
        Parameter(
            "history",
            "choice",
            "off",
            choices=("off", "on"),
            later=True,
            meaning="try those actions first that caused most cuts elsewhere in this search",
            source="Schaeffer 1989",
        ),
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

    def check_values(
        self,
        game: Game,
        values: Mapping[str, Value],
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a table where its key cannot hold all that a value depends on."""
        if not values.get("table"):
            return
        why = ""
        if game.path_dependent:
            why = f"what is legal in {game.name} depends on the line of play"
        elif (
            evaluation is not None and evaluation.path_dependent and not evaluation.state(game).size
        ):
            why = f"{evaluation.name} depends on the line of play, of which it keeps no words"
        if why:
            raise Refused(f"table: no value can be taken from a table, for {why}; allowed: 0")

    def variant(self, setup: Setup) -> bool:
        """Whether the search is the tabled one."""
        values = setup.values
        return bool(values["table"] or values["killers"]) or values["history"] == "on"

    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        make = template
        if self.variant(setup):
            make = partial(tabled_chance_template, position=setup.game.words)
        at = places(self.parameters)
        return make(rules, evaluation, stride, setup.game.slots, branches_of(setup), at)

    def room(self, setup: Setup) -> tuple[int, int, int]:
        """Return what outcomes, their probabilities and the tables need."""
        branches = branches_of(setup)
        if self.variant(setup):
            return room_of(int(setup.values["table"]), branches)
        return (
            FRAMES * branches + 2 * TABLE,
            FRAMES * int(INTS),
            FRAMES * (branches + int(FLOATS)),
        )

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player, one that forgets between games where there is a table."""
        plain = super().recipe(setup)
        return replace(plain, player=TabledPlayer) if setup.values["table"] else plain


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
    apply, status, actions = k.apply, k.status, k.actions
    assume = k.assume if k.assume is not None else apply
    outcomes, chance = k.outcomes if k.outcomes is not None else k.to_move, branches > 1
    update, value = evaluation.update, evaluation.value
    words, many, each = U(stride), U(slots), U(branches)
    drawn_at, table = U(FRAMES * slots), U(FRAMES * (slots + branches))
    window, ties, deepening = at.window, at.ties, at.deepening
    weights, mask = U(FRAMES) * FLOATS, U(TABLE - 1)
    shared = chance_kernels(k, evaluation, stride, slots, branches)
    ended, name, to_front = shared.ended, shared.name, shared.to_front

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
