"""Alpha-beta as chess programs know it: `_tabled.py` with quiescence at the leaves, and two ways to look less
deep where little is expected.

* **Quiescence** (`_quiet.py`): a leaf is worth what its forcing actions come to. With it alone the value
  is that of the tree of the given depth whose leaves are valued so; nothing else changes it.
* **Null move** (Beal 1989; Donninger 1993): where the evaluation is not below the window, the player passes
  and the other one is searched `null_move` plies less deep; if that is still not below, so is the node.
  Not after another pass, nor where the game's `skip` refuses.
* **Late-move reductions** (Romstad 2006): actions that are not forcing, after the first `late_moves` of a node,
  are searched a ply less deep first, and one of the usual depth only if they turn out better.

The last two change the value: they search another tree, which depends on the order of actions. With either
of them a table's entry serves shallower searches, too.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import EvaluationKernels
from joute.engines.game import GameKernels
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets
from joute.engines.record import WIN
from joute.engines.searches._children import children_kernels
from joute.engines.searches._frame import (
    AGE,
    ALPHA,
    BETA,
    CHOSEN,
    DONE,
    FLOATS,
    FLOOR,
    INTS,
    KEY,
    LEAST,
    MANY,
    NARROW,
    OWN,
    STEP,
    TRIED,
    VALUE,
)
from joute.engines.searches._order import by_history_kernel, to_front
from joute.engines.searches._quiet import quiet_kernel, quiet_room
from joute.engines.searches._root import asking, aspiring
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    FRAMES,
    NODES,
    ROOTS,
    RUNNING,
    STOP,
    begin_kernel,
)
from joute.engines.searches._table import (
    DECIDED,
    EXACT,
    HINT,
    LOWER,
    UPPER,
    pairs_of,
    table_kernels,
)
from joute.engines.searches._tabled import COUNTS, HISTORY, KILLERS, room_of

ONE = U(1)
# In A behind the history, per frame: the depth to be searched, how far the null move is, how many plies
# less deep the child now tried is searched, and from which child on none is forcing.
OWN_INTS = 4 * FRAMES
UNTRIED, TRYING, PASSED = 0, 1, 2  # of the null move


def selective_room(megabytes: int, slots: int) -> tuple[int, int, int]:
    """Return what A, I and F need beyond alphabeta's own."""
    actions, ints, floats = room_of(megabytes)
    more, values = quiet_room(slots)
    return actions + OWN_INTS + slots + more, ints, floats + values


def selective_template(
    game: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    sort: bool,
    at: Offsets,
    more: Offsets,
    asks: bool = False,
) -> tuple[Kernel, Kernel]:
    """Return `begin` and `search` as `alphabeta.template` does; W has `QUIET` frames more, and `more` says
    where the parameters of this file stand.
    """
    to_move, actions, forcing = game.to_move, game.actions, game.forcing
    init, update, value, key = evaluation.init, evaluation.update, evaluation.value, game.key
    words, many = U(stride), U(slots)
    table, ordering, killers, scouts = at.table, at.ordering, at.killers, at.pvs
    null_move, late_moves = more.null_move, more.late_moves
    steps = children_kernels(game, evaluation, stride, slots, sort, at)
    enter, end_value, expand = steps.enter, steps.end_value, steps.expand
    killer, history = U(FRAMES * slots), U(FRAMES * slots + KILLERS)
    depths = U(FRAMES * slots + KILLERS + 2 * COUNTS)
    nulls, lesser = depths + U(FRAMES), depths + U(2 * FRAMES)
    calm = depths + U(3 * FRAMES)
    scratch = depths + U(OWN_INTS)
    windows = U(3 * FRAMES + FRAMES * slots)
    quiet_ints, quiet_floats = scratch + many, windows + U(FRAMES) * FLOATS
    used, numbers = quiet_room(slots)
    quiet = quiet_kernel(game, evaluation, steps, stride, slots, quiet_ints, quiet_floats)
    memory = table_kernels(
        int(quiet_ints) + used, int(quiet_floats) + numbers, game.repeats is not None
    )
    find, hint, worth, store = memory.find, memory.hint, memory.worth, memory.store
    reached = memory.reached
    counts, whole = U(COUNTS - 1), ~U(0)
    aim, missed = asking(windows) if asks else aspiring(windows, at)
    first_begin = begin_kernel(game, evaluation, FRAMES * slots, KILLERS + 2 * COUNTS)
    passing, skip = game.skip is not None, game.skip if game.skip is not None else never_skip

    @kernel("u8(i8)")
    def counted(action):
        return U(action) & counts

    by_history = by_history_kernel(counted)

    @kernel("void(u8[::1], u8, i8[::1], i8[::1], f8[::1])", inline=False)
    def begin(W, root, A, I, P):
        first_begin(W, root, A, I, P)
        I[DONE] = 0
        I[AGE] += 1

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], u8, u8)")
    def opening(W, src, A, I, F, P, d, last):
        # Opens frame d: its children in the order in which they will be tried, forcing ones before
        # killers, those before what cut elsewhere. Returns the nodes spent.
        frame, here, base = OWN + d * INTS, windows + d * FLOATS, d * many
        F[here + VALUE], F[here + FLOOR] = -2 * WIN, F[here + ALPHA]
        n, spent, loud = I[ROOTS], np.int64(0), U(0)
        if d > U(0):
            n = actions(W, src, A, base)
        I[frame + TRIED], I[frame + MANY], I[frame + CHOSEN] = 0, n, 0
        A[calm + d] = n
        if sort:
            kept = expand(W, src, A, F, P, d, U(n))
            if kept < 0:
                F[here + VALUE] = WIN - np.float64(d + ONE)
                I[frame + CHOSEN], I[frame + MANY] = A[base], 0
                return -kept
            spent = n
        elif d > U(0):
            loud = U(abs(forcing(W, src, A, scratch)))
            A[calm + d] = np.int64(loud) + 1  # a quiet one may go before them, by the table
            if P[ordering] == np.float64(HISTORY):
                first = history + U(to_move(W, src)) * U(COUNTS)
                by_history(A, base + loud, U(n) - loud, first)
        k = np.int64(P[killers])
        while k > 0:
            k -= 1
            own = A[killer + U(2) * d + U(k)]
            if own > 0:
                to_front(A, base + loud, U(n) - loud, U(own - 1), whole)
        if P[table] > 0.0:
            entry = find(A, U(I[frame + KEY]), U(A[depths + d]), last)
            if entry >= 0:
                to_front(A, base, U(n), hint(A, U(entry)), HINT)
        if d == U(0) and I[DONE] > 0:
            to_front(A, base, U(n), U(I[BEST]), whole)
        return spent

    @kernel("void(i8[::1], i8[::1], u8, u8, i8, i8)")
    def cut(A, I, d, depth, mover, action):
        # An action was enough: no more children of frame d, and later it is tried early.
        frame = OWN + d * INTS
        I[frame + TRIED] = I[frame + MANY]
        A[history + U(mover) * U(COUNTS) + counted(action)] += np.int64(depth * depth)
        place = killer + U(2) * d
        if A[place] != action + 1:
            A[place + ONE] = A[place]
            A[place] = action + 1

    @kernel("Tuple((b1, f8))(u8, f8, f8)")
    def decided(d, alpha, beta):
        # As in `_tabled.py`: whether a quicker win leaves nothing to find here.
        lost, won = np.float64(d + U(2)) - WIN, WIN - np.float64(d + U(2))
        if alpha >= won:
            return True, won
        return lost >= beta, lost

    @kernel("b1(u8[::1], u8, u8, i8[::1], f8[::1], f8[::1], u8, u8)")
    def passes(W, src, dst, A, F, P, d, deep):
        # Whether the null move is tried in frame d; then its state is written.
        beta = F[windows + d * FLOATS + BETA]
        if (
            not passing
            or P[null_move] <= 0.0
            or d == U(0)
            or deep < U(2)
            or A[nulls + d] != UNTRIED
        ):
            return False
        if A[nulls + d - ONE] == TRYING or abs(beta) > DECIDED or value(W, src, P) < beta:
            return False
        if not skip(W, src, dst):
            return False
        init(W, dst, P)
        return True

    @kernel("f8(f8)")
    def step_of(v):
        # The least step from a value to another.
        return max(abs(v) * STEP, LEAST)

    @kernel("b1(i8[::1], i8, i8)")
    def listed(A, action, n):
        # Whether an action is among the n in the scratch.
        for i in range(n):  # noqa: SIM110
            if A[scratch + U(i)] == action:
                return True
        return False

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        stop, nodes, d = I[STOP], I[NODES], U(0)
        remembers, last, scout = P[table] > 0.0, pairs_of(P[table]) - ONE, P[scouts] > 0.0
        reduces = P[null_move] > 0.0 or P[late_moves] > 0.0
        # --- begin at the root with the window that is aimed at, or go on in the frame put away
        if I[RUNNING] == 0:
            I[RUNNING], I[OWN + MANY] = 1, -1
            A[depths], A[nulls] = depth, PASSED
            aim(I, F, P)
            if remembers:
                I[OWN + KEY] = np.int64(key(W, root))
        else:
            d = U(I[FRAME])
        while True:
            frame, here = OWN + d * INTS, windows + d * FLOATS
            below, there = frame + INTS, here + FLOATS
            src, deep = root + d * words, U(A[depths + d])
            dst = src + words
            after_pass = False
            v, action = 0.0, np.int64(0)
            if I[frame + MANY] < 0:
                # --- a node entered just now: what if the player passed?
                if passes(W, src, dst, A, F, P, d, deep):
                    nodes += 1
                    beta = F[here + BETA]
                    less = np.int64(deep) - 1 - np.int64(P[null_move])
                    A[nulls + d] = TRYING
                    if less <= 0:
                        v, spent = quiet(W, dst, A, F, P, d + ONE, -beta, step_of(beta) - beta)
                        v = -v
                        nodes += spent
                        after_pass = True
                    else:
                        F[there + ALPHA], F[there + BETA] = -beta, step_of(beta) - beta
                        I[below + MANY], A[depths + d + ONE], A[nulls + d + ONE] = -1, less, UNTRIED
                        if remembers:
                            I[below + KEY] = np.int64(key(W, dst))
                        d += ONE
                        continue
                else:
                    # --- list and order its moves
                    nodes += opening(W, src, A, I, F, P, d, last)
                    continue
            elif I[frame + TRIED] < I[frame + MANY]:
                # --- the next move, unless the nodes are spent
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    return 0
                action = A[d * many + U(I[frame + TRIED])]
                place = I[frame + TRIED]
                I[frame + TRIED] += 1
                if not sort:
                    nodes += 1
                code = enter(W, src, dst, action)
                action = max(action, ~action)
                alpha, beta = F[here + ALPHA], F[here + BETA]
                A[lesser + d], I[frame + NARROW] = 0, 0
                # --- its value is known here: the game's end, a leaf, a sure bound, or the table
                if code != 0:
                    v = end_value(code, to_move(W, src), d)
                elif deep == ONE:
                    update(W, src, dst, action, P)
                    v, spent = quiet(W, dst, A, F, P, d + ONE, -beta, -alpha)
                    v = -v
                    nodes += spent
                else:
                    known, v = decided(d, alpha, beta)
                    if remembers and not known:
                        name = key(W, dst)
                        I[below + KEY] = np.int64(name)
                        entry = find(A, name, deep - ONE, last)
                        if entry >= 0:
                            asked = deep - ONE
                            if reduces:  # what was searched deeper will do
                                asked = max(asked, reached(A, U(entry)))
                            known, v = worth(A, F, U(entry), asked, d + ONE, -beta, -alpha)
                            v = -v
                    # --- else go down: with an empty window behind the first move (PVS), late ones less
                    if not known:
                        update(W, src, dst, action, P)
                        top = alpha + step_of(alpha)
                        narrow = scout and place > 0 and top < beta
                        I[frame + NARROW] = np.int64(narrow)
                        F[there + ALPHA], F[there + BETA] = -beta, -alpha
                        if narrow:
                            F[there + ALPHA] = -top
                        late = P[late_moves] > 0.0 and deep > U(2) and scout and d > U(0)
                        if late and np.float64(place) >= P[late_moves]:
                            quiet_one = place >= A[calm + d]
                            if not quiet_one:
                                quiet_one = not listed(A, action, abs(forcing(W, src, A, scratch)))
                            if quiet_one and forcing(W, dst, A, scratch) >= 0:
                                A[lesser + d] = 1
                        I[below + MANY], A[nulls + d + ONE] = -1, UNTRIED
                        A[depths + d + ONE] = np.int64(deep - ONE) - A[lesser + d]
                        d += ONE
                        continue
            else:
                # --- all moves are done: note the value in the table; the root may need a wider window
                v, chosen = F[here + VALUE], I[frame + CHOSEN]
                if remembers:
                    bound = EXACT
                    if v >= F[here + BETA]:
                        bound = LOWER
                    elif v <= F[here + FLOOR]:
                        bound = UPPER
                    name = U(I[frame + KEY])
                    store(A, F, name, deep, last, U(I[AGE]), d, v, bound, chosen)
                if d == U(0):
                    if not missed(I, F):
                        break
                    to_front(A, U(0), U(I[frame + MANY]), U(chosen), whole)
                    continue
                d -= ONE
                below, there = frame, here
                frame, here = frame - INTS, here - FLOATS
                v, deep = -v, U(A[depths + d])
                if P[null_move] > 0.0 and A[nulls + d] == TRYING:
                    after_pass = True
                elif P[late_moves] > 0.0 and A[lesser + d] != 0 and v > F[here + ALPHA]:
                    # --- a move that was looked at less deep turned out better: look as deep as at others
                    A[lesser + d], A[depths + d + ONE] = 0, np.int64(deep - ONE)
                    F[there + ALPHA], F[there + BETA] = -F[here + BETA], -F[here + ALPHA]
                    if I[frame + NARROW] != 0:
                        F[there + ALPHA] = -(F[here + ALPHA] + step_of(F[here + ALPHA]))
                    I[below + MANY], A[nulls + d + ONE] = -1, UNTRIED
                    d += ONE
                    continue
                elif scout and I[frame + NARROW] != 0 and F[here + ALPHA] < v < F[here + BETA]:
                    # --- a scout that failed high is searched again with the whole window
                    I[frame + NARROW] = 0
                    F[there + ALPHA], F[there + BETA] = -F[here + BETA], -F[here + ALPHA]
                    I[below + MANY], A[nulls + d + ONE] = -1, UNTRIED
                    d += ONE
                    continue
                if not after_pass:
                    action = A[d * many + U(I[frame + TRIED] - 1)]
                    action = max(action, ~action)
            # --- the null move: it is enough, or the moves are tried
            if after_pass:
                A[nulls + d] = PASSED
                if v >= F[here + BETA]:
                    F[here + VALUE], F[here + FLOOR] = min(v, DECIDED), F[here + ALPHA]
                    I[frame + TRIED], I[frame + MANY], I[frame + CHOSEN] = 0, 0, 0
                continue
            # --- the value of a move, for the player to move here
            if v > F[here + VALUE]:
                F[here + VALUE], I[frame + CHOSEN] = v, action
                F[here + ALPHA] = max(F[here + ALPHA], v)
                if v >= F[here + BETA]:
                    cut(A, I, d, deep, to_move(W, root + d * words), action)
        F[0], I[BEST] = F[windows + VALUE], I[OWN + CHOSEN]
        I[NODES], I[DONE], I[RUNNING] = nodes, I[DONE] + 1, 0
        return 1

    return begin, search


@kernel("b1(u8[::1], u8, u8)")
def never_skip(W, src, dst):
    """Stand for `skip` where a game has none; nobody calls it."""
    return False
