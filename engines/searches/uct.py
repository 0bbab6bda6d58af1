"""`uct`: Monte Carlo tree search with UCB1 for any number of players, with or without chance.

One iteration: descend from the root by UCB1 to a node seen for the first time, value it by a random
playout or by an evaluation, and add the returns to every node of the path. A node is expanded at its
second visit, all its children at once, tried in canonical order. The value of a node is the mean
return of the player who moved into it. Decided nodes are marked and never searched again. In games
of chance the outcomes drawn after an action hang below the action's node, one node each.

Sources: Kocsis and Szepesvari (2006); Winands, Bjornsson and Saito (2008) for decided nodes.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from engines.evaluation import EvaluationKernels, expected_kernel, init_nothing, update_nothing
from engines.game import Game, GameKernels, rest_of
from engines.kernels.arithmetic import log_of
from engines.kernels.compile import Floats, Ints, Kernel, U, kernel
from engines.kernels.contract import Offsets, places
from engines.kernels.random import stream
from engines.parameter import Parameter, Values
from engines.player import Choice, Player
from engines.position import Position
from engines.search import Recipe, Search, Setup

ONE = U(1)
NODES, DEPTH = U(0), U(1)  # in I: nodes in use, deepest path of this move
SLICE_MS = 0.5  # wall-clock searches look at the clock about this often
SLOWEST, USUAL, FASTEST = 0.5, 20.0, 1e5  # iterations a millisecond: learnt between these ends
FOREVER = 1 << 62


def uses_evaluation(values: Values) -> bool:
    """Whether the engine has an evaluation at all."""
    return "evaluation" in values


def many_players(values: Values) -> bool:
    """Whether opponents have anything to choose but to oppose."""
    return int(values.get("players", 2)) > 2


def timed(values: Values) -> bool:
    """Whether a clock ends the search."""
    return values.get("limit") == "milliseconds"


class Uct(Search):
    """UCT with playouts or an evaluation at the leaf, sub-tree reuse and decided nodes."""

    name = "uct"
    summary = "Monte Carlo tree search with UCB1, playouts or an evaluation at the leaf"
    evaluation = "optional"
    limits = ("iterations", "milliseconds")
    compiled = True
    lists = True
    needs_limit = True
    parameters = (
        Parameter(
            "k",
            "float",
            1.0,
            0.0,
            10.0,
            meaning="exploration: an action's urgency is its mean return + k * "
            "sqrt(ln(parent's visits) / visits)",
            source="Kocsis and Szepesvari 2006: 1.41 for returns in [0, 1]; seed 002 drew 0 to 1",
        ),
        Parameter(
            "leaf",
            "choice",
            "evaluation",
            choices=("playout", "evaluation"),
            active=uses_evaluation,
            meaning="what values a new node: a random playout or the evaluation",
        ),
        Parameter(
            "reuse",
            "choice",
            "on",
            choices=("off", "on"),
            meaning="keep the part of the tree below the moves just played (in games that list "
            "their actions)",
        ),
        Parameter(
            "max_nodes",
            "int",
            1_000_000,
            1000,
            50_000_000,
            log=True,
            meaning="nodes kept; a full tree goes on without growing",
        ),
        Parameter(
            "opponents",
            "choice",
            "selfish",
            choices=("selfish", "paranoid"),
            active=many_players,
            meaning="what opponents look for in the tree: what is best for themselves, or what is "
            "worst for the player who searches",
            source="seed 002: paranoid",
        ),
        Parameter(
            "cleanup",
            "float",
            0.0,
            0.0,
            100.0,
            active=timed,
            meaning="milliseconds that a move ends earlier for every million nodes in the tree, for "
            "what follows the search",
            source="seed 002 stops earlier the larger its tree",
        ),
    )

    def template(self, setup: Setup) -> Kernel:
        """Return the kernel that runs iterations, for this engine's game and leaf."""
        used = setup.evaluation if setup.values.get("leaf") == "evaluation" else None
        paranoid = setup.values.get("opponents") == "paranoid"
        key = (setup.game.label, type(used), type(setup.generator), paranoid)
        if key not in _compiled:
            evaluation = used.kernels(setup.game, len(self.parameters)) if used else None
            stride = setup.game.words + (evaluation.words if evaluation else 0)
            own = len(setup.evaluation.parameters) if setup.evaluation else 0
            listed = setup.generator.kernels(setup.game, stride, len(self.parameters) + own)
            leaf = leaf_kernel(setup.game, listed, evaluation, used.scale if used else 1.0, stride)
            at = places(self.parameters)
            _compiled[key] = template(setup.game, listed, evaluation, leaf, stride, at, paranoid)
        return _compiled[key]

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player with a tree of its own."""
        own = scratch = 0
        if setup.evaluation is not None and setup.values.get("leaf") == "evaluation":
            kernels = setup.evaluation.kernels(setup.game, len(self.parameters))
            own, scratch = kernels.words, kernels.scratch
        return Recipe(
            UctPlayer,
            {
                "game": setup.game,
                "iterate": self.template(setup),
                "stride": setup.game.words + own,
                "scratch": scratch,
                "values": tuple(setup.vector.tolist()),
                "limit": setup.limit,
                # Codes of a generator belong to one position: then no tree is used again.
                "reuse": setup.values["reuse"] == "on" and setup.game.listed,
                "max_nodes": int(setup.values["max_nodes"]),
                "cleanup": float(setup.values.get("cleanup", 0.0)),
            },
        )

    def digest(self, setup: Setup) -> str:
        """Return the digest of the compiled search."""
        return str(self.template(setup).digest)  # type: ignore[attr-defined]


_compiled: dict[tuple[str, type[object], type[object], bool], Kernel] = {}


def leaf_kernel(
    game: Game, k: GameKernels, evaluation: EvaluationKernels | None, scale: float, stride: int
) -> Kernel:
    """Return `leaf(W, at, A, S, R, P)`: writes the returns expected at a state that is not over."""
    if evaluation is not None:
        returns_expected = expected_kernel(game, evaluation, scale)

        @kernel("void(u8[::1], u8, i8[::1], u8[::1], f8[::1], f8[::1])")
        def leaf(W, at, A, S, R, P):
            returns_expected(W, at, P, R, U(0))

        return leaf
    players, rest = game.players, rest_of(game.players)
    apply, status, returns, sample = k.apply, k.status, k.returns, k.sample
    chance, outcome = k.outcome is not None, k.outcome if k.outcome is not None else k.to_move
    step, lasting = U(stride), game.path_dependent

    @kernel("void(u8[::1], u8, i8[::1], u8[::1], f8[::1], f8[::1])")
    def playout(W, at, A, S, R, P):
        src, dst = at, at + step
        code = np.int64(0)
        while code == 0:
            action = sample(W, src, A, U(0), S)
            drawn = np.int64(0)
            if chance:
                drawn = outcome(W, src, action, S)
            apply(W, src, dst, action, drawn)
            code = status(W, dst)
            if lasting:
                src, dst = dst, dst + step
            else:
                src, dst = dst, src
        if code <= players:
            for p in range(players):
                R[U(p)] = rest
            R[U(code - 1)] = 1.0
        else:
            returns(W, src, R, U(0))

    return playout


def known_kernel(players: int, paranoid: bool) -> Kernel:
    """Return `worth(known, node, mover, me)`: what a decided node is worth to who moves into it.

    `me` is the player who searches; paranoid opponents want what it does not get.
    """
    n = U(players)

    @kernel("f8(f8[::1], u8, u8, u8)")
    def worth(known, node, mover, me):
        if paranoid and mover != me:
            return 1.0 - known[node * n + me]
        return known[node * n + mover]

    return worth


def select_kernel(players: int, paranoid: bool) -> Kernel:
    """Return `select(...)`: the child of highest urgency for the player to move."""
    worth = known_kernel(players, paranoid)

    @kernel("u8(u8, u8, u8, i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], f8)")
    def select(node, mover, me, first, children, visits, total, decided, known, explore):
        begin = U(first[node])
        spread = explore * math.sqrt(log_of(np.float64(max(visits[node], 1))))
        best, chosen = -1.0, begin
        for i in range(children[node]):
            c = begin + U(i)
            if decided[c]:
                urgency = worth(known, c, mover, me)
            elif visits[c] == 0:
                return c
            else:
                v = np.float64(visits[c])
                urgency = total[c] / v + spread / math.sqrt(v)
            if urgency > best:
                best, chosen = urgency, c
        return chosen

    return select


def decide_kernel(players: int, paranoid: bool) -> Kernel:
    """Return `decide(...)`: mark a node once its mover has a child decided at 1, or all are decided."""
    n, worth = U(players), known_kernel(players, paranoid)

    @kernel("b1(u8, u8, u8, i8[::1], i8[::1], i8[::1], f8[::1])")
    def decide(node, mover, me, first, children, decided, known):
        begin = U(first[node])
        best, chosen, all_decided = -1.0, begin, True
        for i in range(children[node]):
            c = begin + U(i)
            if not decided[c]:
                all_decided = False
            elif worth(known, c, mover, me) > best:
                best, chosen = worth(known, c, mover, me), c
        if not all_decided and best < 1.0:
            return False
        decided[node] = 1
        for p in range(players):
            known[node * n + U(p)] = known[chosen * n + U(p)]
        return True

    return decide


def outcome_kernel() -> Kernel:
    """Return `after(...)`: the node of an outcome below an action's node, new if it has none yet."""

    @kernel("i8(u8, i8, i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], i8)")
    def after(node, drawn, first, following, children, action, visits, total, decided, used):
        c = first[node]
        while c:
            if action[U(c)] == drawn:
                return c
            c = following[U(c)]
        if used >= len(first):
            return np.int64(-1)
        new = U(used)
        following[new], first[node] = first[node], used
        first[new], children[new], visits[new], decided[new] = 0, 0, 0, 0
        action[new], total[new] = drawn, 0.0
        return used

    return after


def template(
    game: Game,
    k: GameKernels,
    evaluation: EvaluationKernels | None,
    leaf: Kernel,
    stride: int,
    at_of: Offsets,
    paranoid: bool = False,
) -> Kernel:
    """Return `iterate(W, root, A, I, S, R, P, path, *tree, count) -> iterations done`.

    W holds the root state at `root` (in games that look back, the line of play lies below it); R
    takes the returns of one iteration, `path` the nodes of one descent and who moved into them. The
    tree is the arrays of `Tree`. Stops early once the root is decided.
    """
    apply, status, to_move, actions, returns = k.apply, k.status, k.to_move, k.actions, k.returns
    init = evaluation.init if evaluation is not None else init_nothing
    prepare = k.prepare if k.prepare is not None else init_nothing
    update = evaluation.update if evaluation is not None else update_nothing
    chance, outcome = k.outcome is not None, k.outcome if k.outcome is not None else k.to_move
    select, decide, after = (
        select_kernel(game.players, paranoid),
        decide_kernel(game.players, paranoid),
        outcome_kernel(),
    )
    players, step, n, k_at = game.players, U(stride), U(game.players), at_of.k
    rest = rest_of(players)

    @kernel(
        "i8(u8[::1], u8, i8[::1], i8[::1], u8[::1], f8[::1], f8[::1], i8[::1], i8[::1], i8[::1], "
        "i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], f8[::1], i8)",
        inline=False,
    )
    def iterate(
        W,
        root,
        A,
        I,
        S,
        R,
        P,
        path,
        first,
        following,
        children,
        action,
        visits,
        total,
        decided,
        known,
        count,
    ):
        room, used, deepest = len(first), I[NODES], U(I[DEPTH])
        prepare(W, root, P)
        init(W, root, P)
        me = U(to_move(W, root))
        done = np.int64(0)
        while done < count and decided[U(0)] == 0:
            node, at, depth = U(0), root, U(0)
            fresh = False
            while True:
                if decided[node]:
                    for p in range(players):
                        R[U(p)] = known[node * n + U(p)]
                    break
                if children[node] == 0:
                    m = actions(W, at, A, U(0))
                    if (visits[node] == 0 and node != U(0)) or used + m > room or m == 0:
                        leaf(W, at, A, S, R, P)
                        break
                    first[node], children[node] = used, m
                    for i in range(m):
                        c = U(used + i)
                        action[c] = A[U(i)]
                        first[c], children[c], visits[c], decided[c] = 0, 0, 0, 0
                        total[c] = 0.0
                    used += m
                mover = U(to_move(W, at))
                node = select(
                    node, mover, me, first, children, visits, total, decided, known, P[k_at]
                )
                depth += ONE
                path[U(2) * depth], path[U(2) * depth + ONE] = np.int64(node), np.int64(mover)
                if decided[node]:
                    continue
                played, drawn = action[node], np.int64(0)
                if chance:
                    drawn = outcome(W, at, played, S)
                apply(W, at, at + step, played, drawn)
                code = status(W, at + step)
                if code == 0:
                    update(W, at, at + step, played, P)
                at += step
                full = False
                if chance:
                    below = after(
                        node,
                        drawn,
                        first,
                        following,
                        children,
                        action,
                        visits,
                        total,
                        decided,
                        used,
                    )
                    if below == used:
                        used += 1
                    full = below < 0
                    if not full:
                        node = U(below)
                        depth += ONE
                        path[U(2) * depth] = below
                        path[U(2) * depth + ONE] = np.int64(mover)
                if code != 0:
                    if code <= players:
                        for p in range(players):
                            R[U(p)] = rest
                        R[U(code - 1)] = 1.0
                    else:
                        returns(W, at, R, U(0))
                    if not full:
                        decided[node], fresh = 1, True
                        for p in range(players):
                            known[node * n + U(p)] = R[U(p)]
                    break
                if full:
                    leaf(W, at, A, S, R, P)
                    break
            visits[U(0)] += 1
            for d in range(1, np.int64(depth) + 1):
                c = U(path[U(2 * d)])
                visits[c] += 1
                mover = U(path[U(2 * d + 1)])
                if paranoid and mover != me:
                    total[c] += 1.0 - R[me]
                else:
                    total[c] += R[mover]
            if fresh and not chance:
                up = depth
                while up > U(0):
                    mover = U(path[U(2) * up + ONE])
                    up -= ONE
                    node = U(path[U(2) * up])
                    if not decide(node, mover, me, first, children, decided, known):
                        break
            deepest = max(deepest, depth)
            done += 1
        I[NODES], I[DEPTH] = used, np.int64(deepest)
        return done

    return iterate


class Tree(NamedTuple):
    """The tree by node: its first child, next outcome, number of children, action (or outcome),
    visits, sum of the returns of the player who moved in, decided (0 or 1), known returns of all.
    """

    first: Ints
    following: Ints
    children: Ints
    action: Ints
    visits: Ints
    total: Floats
    decided: Ints
    known: Floats

    @classmethod
    def empty(cls, room: int, players: int) -> Tree:
        """Return a tree of just a root, with room for so many nodes."""
        first, following, children, action, visits, decided = (
            np.empty(room, np.int64) for _ in range(6)
        )
        total, known = np.empty(room), np.empty(room * players)
        tree = cls(first, following, children, action, visits, total, decided, known)
        tree.reset()
        return tree

    def reset(self) -> None:
        """Forget everything but a fresh root."""
        for array in (self.first, self.following, self.children, self.visits, self.decided):
            array[0] = 0
        self.total[0] = 0.0


TREE = "i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], f8[::1], i8[::1], f8[::1]"


@kernel(f"i8({TREE}, {TREE}, i8, i8[::1], b1, i8)", inline=False)
def copy_below(
    first,
    following,
    children,
    action,
    visits,
    total,
    decided,
    known,
    first2,
    following2,
    children2,
    action2,
    visits2,
    total2,
    decided2,
    known2,
    node,
    source,
    chance,
    players,
):
    """Copy the sub-tree of a node into the second tree, its root at 0; return the nodes copied.

    `source` is room for the old number of each new node. In games of chance every second level is
    linked by `following`; children (of actions) are a block.
    """
    source[U(0)], used, j = node, 1, 0
    following2[U(0)] = 0
    while j < used:
        old, new = U(source[U(j)]), U(j)
        children2[new], visits2[new], decided2[new] = children[old], visits[old], decided[old]
        action2[new], total2[new] = action[old], total[old]
        for p in range(players):
            known2[new * U(players) + U(p)] = known[old * U(players) + U(p)]
        first2[new] = 0
        if children[old] > 0:
            first2[new] = used
            for i in range(children[old]):
                source[U(used)] = first[old] + i
                following2[U(used)] = 0
                used += 1
        elif chance and first[old] > 0:
            first2[new] = used
            c = first[old]
            while c:
                source[U(used)] = c
                c = following[U(c)]
                following2[U(used)] = used + 1 if c else 0
                used += 1
        j += 1
    return used


class UctPlayer(Player):
    """Plays the most visited action; a decided win at once, a decided loss last."""

    def __init__(
        self,
        game: Game,
        iterate: Kernel,
        stride: int,
        values: tuple[float, ...],
        limit: tuple[str, float],
        reuse: bool,
        max_nodes: int,
        scratch: int = 0,
        cleanup: float = 0.0,
    ) -> None:
        self._game, self._iterate, self._stride = game, iterate, stride
        self._scratch, self._cleanup = scratch, cleanup / 1e6
        kind, amount = limit
        self._count = int(amount) if kind == "iterations" else FOREVER
        self._time_ms = amount if kind == "milliseconds" else math.inf
        self._reuse = reuse
        room = max_nodes
        if kind == "iterations" and not reuse:
            per_iteration = game.slots + (1 if game.chance else 0)
            room = min(room, self._count * per_iteration + 2 * game.slots)
        self._tree = Tree.empty(room, game.players)
        self._spare = Tree.empty(room, game.players) if reuse else None
        self._W = np.zeros(scratch + (2 * game.max_plies + 4) * stride, np.uint64)
        self._A = np.zeros(game.slots, np.int64)
        self._I = np.array([1, 0], np.int64)
        self._R = np.zeros(game.players)
        self._path = np.zeros(4 * game.max_plies + 8, np.int64)
        self._P = np.array(values, np.float64)
        self._S = stream(0)
        self._rate = 0.0  # iterations a millisecond, learnt as it plays
        self._seen: list[tuple[int, int]] | None = None
        self._start = ""  # the text of the position where what was seen began
        self._me = -1

    @property
    def tree(self) -> Tree:
        """The tree as the last move left it."""
        return self._tree

    def new_game(self, seed: int, seat: int) -> None:
        """Start a new tree and stream."""
        self._S = stream(seed)
        self._seen = None

    def choose(self, position: Position) -> Choice:
        """Search from the position under the engine's limit (and the guard's time)."""
        begun = time.perf_counter()
        self._follow(position)
        root = position.lay(self._W, self._stride, self._scratch)
        self._I[DEPTH] = 0
        before = int(self._tree.visits[0])
        time_ms = self._time_ms if self.guard_ms is None else min(self._time_ms, self.guard_ms)
        if time_ms == math.inf:
            self._run(root, self._count)
        else:
            self._run_for(root, begun, time_ms)
        self._seen = list(zip(position.moves, position.outcomes, strict=True))
        self._start = position.start
        child = self._best(position.to_move)
        value = self._value(child, position.to_move)
        done = int(self._tree.visits[0]) - before
        action = self._game.decode(position.W, position.at, int(self._tree.action[child]))
        return Choice(action, value, int(self._I[DEPTH]), done)

    def _run(self, root: int, count: int) -> int:
        return int(
            self._iterate(
                *(self._W, root, self._A, self._I, self._S, self._R, self._P, self._path),
                *self._tree,
                count,
            )
        )

    def _run_for(self, root: int, begun: float, time_ms: float) -> None:
        todo = self._count
        while todo > 0:
            clock = time.perf_counter()
            left = time_ms - (clock - begun) * 1e3 - self._cleanup * self._I[NODES]
            if left <= 0.05 and self._tree.children[0]:
                return
            rate = self._rate or (USUAL if self.guard_ms is None else SLOWEST)
            count = min(todo, max(1, int(min(left, SLICE_MS) * rate)))
            if self._run(root, count) < count:
                return
            todo -= count
            spent = max((time.perf_counter() - clock) * 1e3, 1e-3)
            self._rate = min(max(0.5 * (rate + count / spent), SLOWEST), FASTEST)

    def _follow(self, position: Position) -> None:
        # Keeps the part of the tree below the moves played since the last search.
        tree, played = self._tree, list(zip(position.moves, position.outcomes, strict=True))
        node = 0
        known = self._seen is not None and played[: len(self._seen)] == self._seen
        known = known and self._start == position.start
        known, self._me = known and self._me == position.to_move, position.to_move
        if known and self._reuse and self._spare is not None and self._seen is not None:
            for action, outcome in played[len(self._seen) :]:
                node = self._child(node, action, outcome)
                if node < 0:
                    break
            if node >= 0 and len(played) > len(self._seen):
                source = np.empty(int(self._I[NODES]), np.int64)
                chance, players = self._game.chance, self._game.players
                used = copy_below(*tree, *self._spare, node, source, chance, players)
                self._tree, self._spare = self._spare, tree
                self._I[NODES] = used
                return
            if node == 0 and len(played) == len(self._seen):
                return
        tree.reset()
        self._I[NODES] = 1

    def _child(self, node: int, action: int, outcome: int) -> int:
        tree = self._tree
        for c in range(int(tree.first[node]), int(tree.first[node] + tree.children[node])):
            if tree.action[c] == action:
                if not self._game.chance:
                    return c
                below = int(tree.first[c])
                while below and tree.action[below] != outcome:
                    below = int(tree.following[below])
                return below or -1
        return -1

    def _best(self, mover: int) -> int:
        tree, players = self._tree, self._game.players
        first = int(tree.first[0])

        def rank(c: int) -> tuple[float, int, float]:
            sure = 0.5
            if tree.decided[c]:
                sure = float(tree.known[c * players + mover])
                sure = sure if sure in (0.0, 1.0) else 0.5
            visits = int(tree.visits[c])
            return sure, visits, float(tree.total[c]) / visits if visits else 0.0

        return max(range(first, first + int(tree.children[0])), key=lambda c: (*rank(c), -c))

    def _value(self, child: int, mover: int) -> float | None:
        tree = self._tree
        if tree.decided[child]:
            return float(tree.known[child * self._game.players + mover])
        visits = int(tree.visits[child])
        return float(tree.total[child]) / visits if visits else None
