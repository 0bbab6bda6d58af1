"""Alpha-beta as engine people know it: transposition table, principal variations, killers, history.

All of it changes in which order children are searched and with which window, and so how many nodes
it takes; none of it changes the value of the tree (`engines/searches/alphabeta.py` says which that is).

* **Table**: what a finished node was worth is remembered under the key of its position, and decides
  any later node of that position that is to be searched as deep (`_table.py`). No other depth will do:
  the value would be that of another tree. Its best action is tried first at any depth.
* **Principal variation search** (Marsland and Campbell 1982; Reinefeld 1989): every child but the first
  is searched with a window that only tells whether it is better; if so, once more with an open one.
* **Killers** (Akl and Newborn 1977): actions that cut at the same distance from the root, tried early.
* **History** (Schaeffer 1989): how often an action cut anywhere in this search, weighted by the square
  of the depth searched below it; children are sorted by it.
* **Distance to the win**: a child that cannot change anything, for a quicker win is known, is left out.
* **Draws by the line of play** (`engines/line_of_play.py`) are not stored, nor what comes from one; other
  values are, though another line to the same position might be drawn sooner below it: with a table
  they may differ from the tree's where lines cross (Campbell 1985, "The graph-history interaction").
* **Probing**: before any child is searched, all are looked up in the table (`_probing.py`).
* **The root's window** is that of aspiration or of MTD(f) (`_root.py`).

The last ply knows none of it: its children are leaves, which are cheaper to value than to sort.
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
from joute.engines.searches._probing import probing_kernel
from joute.engines.searches._root import asking, aspiring
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    FRAMES,
    NODES,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    StackPlayer,
    begin_kernel,
)
from joute.engines.searches._table import EXACT, HINT, LOWER, UPPER, pairs_of, table_kernels

ONE = U(1)
# In A behind the actions: two killers a frame, each plus 1; then the history of both players.
KILLERS, COUNTS = 2 * FRAMES, 1 << 12
HISTORY = 2  # of the choices of `ordering`


def room_of(megabytes: int) -> tuple[int, int, int]:
    """Return what A, I and F need beyond alphabeta's own."""
    entries = 2 * int(pairs_of(float(megabytes))) if megabytes else 0
    ints = int(OWN - STACK) + FRAMES * (int(INTS) - 2)
    return KILLERS + 2 * COUNTS + entries, ints, FRAMES * int(FLOATS) + entries


class TabledPlayer(StackPlayer):
    """A player that remembers positions through a game, and none of the last game's."""

    def new_game(self, seed: int, seat: int) -> None:
        """Forget every position: games must not depend on those played before."""
        self._A[:] = np.zeros(len(self._A), np.int64)


def tabled_template(
    game: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    sort: bool,
    at: Offsets,
    asks: bool = False,
    probes: bool = False,
) -> tuple[Kernel, Kernel]:
    """Return `begin` and `search` as `alphabeta.template` does."""
    to_move, actions, listed = game.to_move, game.actions, game.nth is None
    update, words, many, key = evaluation.update, U(stride), U(slots), game.key
    table, ordering, killers, scouts = at.table, at.ordering, at.killers, at.pvs
    steps = children_kernels(game, evaluation, stride, slots, sort, at)
    enter, end_value, last_ply, expand = steps.enter, steps.end_value, steps.last_ply, steps.expand
    killer, history = U(FRAMES * slots), U(FRAMES * slots + KILLERS)
    windows = U(3 * FRAMES + FRAMES * slots)
    memory = table_kernels(
        FRAMES * slots + KILLERS + 2 * COUNTS,
        int(windows) + FRAMES * int(FLOATS),
        game.repeats is not None,
    )
    find, hint, worth, store = memory.find, memory.hint, memory.worth, memory.store
    counts, whole = U(COUNTS - 1), ~U(0)
    aim, missed = asking(windows) if asks else aspiring(windows, at)
    first_begin = begin_kernel(game, evaluation, FRAMES * slots, KILLERS + 2 * COUNTS)

    @kernel("void(u8[::1], u8, i8[::1], i8[::1], f8[::1])", inline=False)
    def begin(W, root, A, I, P):
        first_begin(W, root, A, I, P)
        I[DONE] = 0
        I[AGE] += 1

    @kernel("void(i8[::1], u8, u8, u8, u8)")
    def to_front(A, base, n, wanted, bits):
        # The first child whose action has the wanted bits goes before all others.
        i = U(0)
        while i < n and U(max(A[base + i], ~A[base + i])) & bits != wanted:
            i += ONE
        if i < n:
            action = A[base + i]
            while i > U(0):
                A[base + i] = A[base + i - ONE]
                i -= ONE
            A[base] = action

    @kernel("void(i8[::1], u8, u8, u8)")
    def by_history(A, base, n, first):
        # Those that cut most go first, equals as they were.
        i = ONE
        while i < n:
            action, j = A[base + i], i
            own = A[first + (U(action) & counts)]
            while j > U(0) and A[first + (U(A[base + j - ONE]) & counts)] < own:
                A[base + j] = A[base + j - ONE]
                j -= ONE
            A[base + j] = action
            i += ONE

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], u8, u8, u8)")
    def listing(W, src, A, I, F, P, d, depth, last):
        # Opens frame d, to be searched to that depth: its children in the order in which they will
        # be tried. Returns the nodes spent; a frame of which a child wins is finished.
        frame, here, base = OWN + d * INTS, windows + d * FLOATS, d * many
        F[here + VALUE], F[here + FLOOR] = -2 * WIN, F[here + ALPHA]
        n, spent = I[ROOTS], np.int64(0)
        if d > U(0):
            n = actions(W, src, A, base)
        I[frame + TRIED], I[frame + MANY], I[frame + CHOSEN] = 0, n, 0
        if sort:
            kept = expand(W, src, A, F, P, d, U(n))
            if kept < 0:
                F[here + VALUE] = WIN - np.float64(d + ONE)
                I[frame + CHOSEN], I[frame + MANY] = A[base], 0
                return -kept
            spent = n
        elif P[ordering] == np.float64(HISTORY):
            by_history(A, base, U(n), history + U(to_move(W, src)) * U(COUNTS))
        k = np.int64(P[killers])
        while k > 0:
            k -= 1
            own = A[killer + U(2) * d + U(k)]
            if own > 0:
                to_front(A, base, U(n), U(own - 1), whole)
        if P[table] > 0.0:
            entry = find(A, U(I[frame + KEY]), depth, last)
            if entry >= 0:
                to_front(A, base, U(n), hint(A, U(entry)), HINT)
        if d == U(0) and I[DONE] > 0:
            to_front(A, base, U(n), U(I[BEST]), whole)
        return spent

    opening = listing
    if probes:
        opening = probing_kernel(game, memory, listing, enter, stride, slots, windows, table)

    @kernel("void(i8[::1], i8[::1], u8, u8, i8, i8)")
    def cut(A, I, d, depth, mover, action):
        # An action was enough: no more children of frame d, and later it is tried early.
        frame = OWN + d * INTS
        I[frame + TRIED] = I[frame + MANY]
        place = history + U(mover) * U(COUNTS) + (U(action) & counts)
        A[place] += np.int64(depth * depth)
        place = killer + U(2) * d
        if A[place] != action + 1:
            A[place + ONE] = A[place]
            A[place] = action + 1

    @kernel("Tuple((b1, f8))(u8, f8, f8)")
    def decided(d, alpha, beta):
        # Whether no child of frame d can be good or bad enough to matter, for a quicker win is known,
        # and the best or worst that it can be: either side may win two plies on, by its own action
        # or by the other's.
        lost, won = np.float64(d + U(2)) - WIN, WIN - np.float64(d + U(2))
        if alpha >= won:
            return True, won
        return lost >= beta, lost

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        leaves, stop, nodes, d = U(depth - 1), I[STOP], I[NODES], U(0)
        # --- depth 1: the root's moves are leaves, one pass values them
        if leaves == U(0):
            F[0], I[BEST], spent = last_ply(W, root, A, U(0), U(I[ROOTS]), 2 * WIN, P)
            I[NODES], I[DONE] = nodes + spent, 1
            return 1
        remembers, last, scout = P[table] > 0.0, pairs_of(P[table]) - ONE, P[scouts] > 0.0
        # --- begin at the root with the window that is aimed at, or go on in the frame put away
        if I[RUNNING] == 0:
            I[RUNNING], I[OWN + MANY] = 1, -1
            aim(I, F, P)
            if remembers:
                I[OWN + KEY] = np.int64(key(W, root))
        else:
            d = U(I[FRAME])
        while True:
            frame, here = OWN + d * INTS, windows + d * FLOATS
            below, there = frame + INTS, here + FLOATS
            src, deep = root + d * words, U(depth) - d
            dst = src + words
            # --- a node entered just now: list and order its moves
            if I[frame + MANY] < 0:
                nodes += opening(W, src, A, I, F, P, d, deep, last)
            if I[frame + TRIED] < I[frame + MANY]:
                # --- the next move, unless the nodes are spent
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    return 0
                action = A[d * many + U(I[frame + TRIED])]
                first = I[frame + TRIED] == 0
                I[frame + TRIED] += 1
                if not sort:
                    nodes += 1
                code = enter(W, src, dst, action)
                action = max(action, ~action)
                alpha, beta = F[here + ALPHA], F[here + BETA]
                # --- its value is known here: the game's end, leaves below, a sure bound, or the table
                if code != 0:
                    v = end_value(code, to_move(W, src), d)
                elif d + ONE == leaves:
                    update(W, src, dst, action, P)
                    n = many
                    if listed:
                        n = U(actions(W, dst, A, leaves * many))
                    v, _, spent = last_ply(W, dst, A, leaves, n, -alpha, P)
                    v = -v
                    nodes += spent
                else:
                    known, v = decided(d, alpha, beta)
                    if remembers and not known:
                        name = key(W, dst)
                        I[below + KEY] = np.int64(name)
                        entry = find(A, name, deep - ONE, last)
                        if entry >= 0:
                            known, v = worth(A, F, U(entry), deep - ONE, d + ONE, -beta, -alpha)
                            v = -v
                    # --- else go down: with an empty window behind the first move (PVS)
                    if not known:
                        update(W, src, dst, action, P)
                        top = alpha + max(abs(alpha) * STEP, LEAST)
                        narrow = scout and not first and top < beta
                        I[frame + NARROW] = np.int64(narrow)
                        F[there + ALPHA], F[there + BETA] = -beta, -alpha
                        if narrow:
                            F[there + ALPHA] = -top
                        I[below + MANY] = -1
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
                v, deep = -v, deep + ONE
                # --- a scout that failed high is searched again with the whole window
                if I[frame + NARROW] != 0 and v > F[here + ALPHA] and v < F[here + BETA]:
                    I[frame + NARROW] = 0
                    F[there + ALPHA], F[there + BETA] = -F[here + BETA], -F[here + ALPHA]
                    I[below + MANY] = -1
                    d += ONE
                    continue
                action = A[d * many + U(I[frame + TRIED] - 1)]
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
