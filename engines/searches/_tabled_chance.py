"""`expectiminimax` with a transposition table, killers and history: the same value by fewer nodes.

* **Table**: what a node was worth decides any later node of the same key that is to be searched as deep
  (`_table.py`). By default the key is the whole state as the search has it: the position, and the words
  that the evaluation keeps of the path to it. Two paths meet only where these are equal, too: so the
  value is right for an evaluation that depends on the path (the graph-history interaction: Campbell
  1985). Two wrong ways are there to be measured. `position` ignores the path: a node gets the value of
  another path. `board`, what Langorou tried, ignores ply and depth, too: its table compared the depth of
  the iteration, which all nodes share.
* **Killers** (Akl and Newborn 1977) and **history** (Schaeffer 1989), as in `_tabled.py`: actions whose
  mean was enough for a cut are tried early, at the same ply and anywhere.

Values are kept as the root has them. A mean may be one of wins and other values, which no shift by
plies would make right for another root: so the root and the ply are in the key as well, and no value
is taken for a win that holds at other depths. An entry serves one depth of one move.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import GameKernels
from joute.engines.kernels.bits import mix
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.searches._chance import (
    ACTION,
    ALPHA,
    BETA,
    DRAWN,
    FLOATS,
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
from joute.engines.searches._chance import INTS as PLAIN
from joute.engines.searches._order import by_history_kernel, to_front
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    FRAMES,
    NODES,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    begin_kernel,
)
from joute.engines.searches._table import EXACT, LOWER, UPPER, pairs_of, table_kernels

# In I: searches begun, the root's key; then the frames, each with its position's key besides.
AGE, SEED, OWN = STACK, STACK + ONE, STACK + U(2)
KEY, INTS = PLAIN, PLAIN + ONE
# In A behind the remembered actions: two killers a frame, each plus 1; then the history of both players.
KILLERS, BITS = 2 * FRAMES, 14
COUNTS = 1 << BITS
BOARD = 2.0  # of the choices of `table_key`
SMALL = 2.0**-200  # a power of two: values are the same to the last bit when they come back
NO_ACTION = 0  # best actions are remembered beside the table, for they are longer than its hints


def room_of(megabytes: int, branches: int) -> tuple[int, int, int]:
    """Return what A, I and F need beyond two integers, three values and the actions a frame."""
    entries = 2 * int(pairs_of(float(megabytes))) if megabytes else 0
    return (
        FRAMES * branches + 2 * TABLE + KILLERS + 2 * COUNTS + entries,
        int(OWN - STACK) + FRAMES * int(INTS),
        FRAMES * (branches + int(FLOATS)) + entries,
    )


def tabled_chance_template(
    k: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    branches: int,
    at: Offsets,
    position: int,
) -> tuple[Kernel, Kernel]:
    """Return `begin` and `search` as `expectiminimax.template` does; `position` is how many words of a
    state are the game's own.
    """
    apply, status, to_move, actions = k.apply, k.status, k.to_move, k.actions
    assume = k.assume if k.assume is not None else apply
    outcomes, chance = k.outcomes if k.outcomes is not None else k.to_move, branches > 1
    update, value, board_key = evaluation.update, evaluation.value, k.key
    words, many, each, game_words = U(stride), U(slots), U(branches), U(position)
    drawn_at, best_at = U(FRAMES * slots), U(FRAMES * (slots + branches))
    window, ties, deepening = at.window, at.ties, at.deepening
    table, table_key, killers, history = at.table, at.table_key, at.killers, at.history
    weights, mask, shift = U(FRAMES) * FLOATS, U(TABLE - 1), U(64 - BITS)
    shared = chance_kernels(k, evaluation, stride, slots, branches)
    ended, name, remembered_to_front = shared.ended, shared.name, shared.to_front
    killer, counts = best_at + U(2 * TABLE), best_at + U(2 * TABLE + KILLERS)
    memory = table_kernels(int(counts) + 2 * COUNTS, int(weights) + FRAMES * branches)
    find, worth_of, store, whole = memory.find, memory.worth, memory.store, ~U(0)

    @kernel("u8(i8)")
    def counted(action):
        # The place of an action among the counts: of all its bits, for turns are long.
        return (U(action) * U(0x9E3779B97F4A7C15)) >> shift

    by_history = by_history_kernel(counted)

    @kernel("u8(u8[::1], u8, u8, u8)")
    def key_of(W, at, size, seed):
        key = seed
        for i in range(np.int64(size)):
            key = mix(key, W[at + U(i)])
        return key

    @kernel("void(u8[::1], u8, i8[::1], u8, u8, f8[::1])")
    def ordered(W, src, A, d, n, P):
        # The n actions of frame d in the order in which they will be tried.
        base = d * many
        if P[history] != 0.0:
            by_history(A, base, n, counts + U(to_move(W, src)) * U(COUNTS))
        k = np.int64(P[killers])
        while k > 0:
            k -= 1
            own = A[killer + U(2) * d + U(k)]
            if own > 0:
                to_front(A, base, n, U(own - 1), whole)
        if P[deepening] != 0.0:
            remembered_to_front(W, src, A, base, n)

    @kernel("void(i8[::1], u8, u8, i8, i8)")
    def note_cut(A, d, depth, mover, action):
        # An action of frame d was enough: later it is tried early.
        place = counts + U(mover) * U(COUNTS) + counted(action)
        A[place] += np.int64(depth * depth)
        place = killer + U(2) * d
        if A[place] != action + 1:
            A[place + ONE] = A[place]
            A[place] = action + 1

    @kernel("void(i8[::1], i8[::1], f8[::1], u8, u8, u8)")
    def keep(A, I, F, d, depth, last):
        # Notes in the table what frame d was worth.
        frame, here, bound = OWN + d * INTS, d * FLOATS, EXACT
        v = F[here + VALUE]
        if v >= F[here + BETA]:
            bound = LOWER
        elif v <= F[here + ALPHA]:
            bound = UPPER
        store(A, F, U(I[frame + KEY]), depth, last, U(I[AGE]), d, v * SMALL, bound, NO_ACTION)

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        nodes, stop, deep, d = I[NODES], I[STOP], U(depth), U(0)
        wide, last_tie, remember = P[window] == 0.0, P[ties] != 0.0, P[deepening] != 0.0
        tabled, last = P[table] > 0.0, pairs_of(P[table]) - ONE
        size, loose = game_words if P[table_key] != 0.0 else words, P[table_key] == BOARD
        # --- begin at the root, or go on in the frame that ran out of nodes
        if I[RUNNING] == 0:
            I[OWN + TRIED], I[OWN + MANY] = 0, I[ROOTS]
            I[OWN + DRAWN], I[OWN + OUTCOMES] = 0, 0
            F[VALUE], F[ALPHA], F[BETA] = -OPEN, -OPEN, OPEN
            I[RUNNING] = 1
            I[AGE] += 1
            I[SEED] = np.int64(name(W, root))
        else:
            d = U(I[FRAME])
        while True:
            frame, here = OWN + d * INTS, d * FLOATS
            src = root + d * words
            if I[frame + DRAWN] == I[frame + OUTCOMES]:  # the next action
                # --- all actions are done: the node's value goes up, weighted by the outcome it lies under
                if I[frame + TRIED] == I[frame + MANY]:
                    worth = F[here + VALUE]
                    if d > U(0) and I[frame + MANY] == 0:
                        worth = value(W, src, P)
                    elif tabled and d > U(0):
                        keep(A, I, F, d, U(0) if loose else deep - d, last)
                    if d == U(0):
                        break
                    d -= ONE
                    frame, here = OWN + d * INTS, d * FLOATS
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
                worth = np.float64(0.0)
                if code == 0 and d + ONE < deep:
                    # --- its window holds only where one outcome is all there is
                    low, high = -F[here + BETA], -max(F[here + ALPHA], F[here + VALUE])
                    if wide and I[frame + OUTCOMES] > 1:
                        low, high = -OPEN, OPEN
                    below, there, known = frame + INTS, here + FLOATS, False
                    if tabled:
                        key, left = U(0), deep - d - ONE
                        if loose:
                            key, left = mix(U(I[SEED]) + U(depth), board_key(W, dst)), U(0)
                        else:
                            key = key_of(W, dst, size, mix(U(I[SEED]), d + ONE))
                        I[below + KEY] = np.int64(key)
                        entry = find(A, key, left, last)
                        if entry >= 0:
                            known, worth = worth_of(
                                A, F, U(entry), left, d + ONE, low * SMALL, high * SMALL
                            )
                            worth /= SMALL
                    # --- go down a ply, unless the table knows enough
                    if not known:
                        d += ONE
                        n = actions(W, dst, A, d * many)
                        ordered(W, dst, A, d, U(n), P)
                        I[below + TRIED], I[below + MANY] = 0, n
                        I[below + DRAWN], I[below + OUTCOMES] = 0, 0
                        F[there + VALUE], F[there + ALPHA], F[there + BETA] = -OPEN, low, high
                        continue
                else:
                    worth = ended(W, dst, code, d + ONE, P) if code != 0 else value(W, dst, P)
                F[here + MEAN] -= F[weights + d * each + j] * worth
            if I[frame + DRAWN] < I[frame + OUTCOMES]:
                continue
            # --- all outcomes are done: the action is worth their mean
            mean, action = F[here + MEAN], I[frame + ACTION]
            if mean > F[here + VALUE] or (last_tie and mean == F[here + VALUE]):
                F[here + VALUE] = mean
                at_d = root + d * words
                if d == U(0):
                    I[BEST] = action
                elif remember:
                    key = name(W, at_d)
                    place = best_at + U(2) * (key & mask)
                    A[place], A[place + ONE] = np.int64(key), action
                if mean >= F[here + BETA]:
                    I[frame + TRIED] = I[frame + MANY]
                    note_cut(A, d, deep - d, to_move(W, at_d), action)
        F[U(0)] = F[VALUE]
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return begin_kernel(k, evaluation, int(best_at), 2 * TABLE + KILLERS + 2 * COUNTS), search
