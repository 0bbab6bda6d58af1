"""A tree whose leaves are valued from outside: by a network, for many games in one batch.

    trees = [engine.search.suspended(engine.setup) for each game]; tree.new_game(seed); tree.begin(position)
    while any(len(planes := tree.leaves()) for tree in trees):      # [leaves, planes, rows, columns]
        tree.tell(*net.run(planes))                                 # [leaves, policy], [leaves]
    moves = [tree.choice(position) for each game]

Told what its network says, it plays the moves of `puct`, whoever else is in the batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from joute.engines.game import Game
from joute.engines.kernels.compile import Floats, Ints, Kernel
from joute.engines.kernels.random import next_word, seed_of
from joute.engines.nets.numpy_reader import Singles
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.searches.mcts.grown import GrownTree
from joute.engines.searches.mcts.priors import ALWAYS
from joute.engines.searches.mcts.rounds import width_of
from joute.engines.searches.mcts.tree import DONE, PRIOR, WAITING
from joute.engines.view import Shape

UNASKED = 32  # descents in a row, two a leaf at least, before it is asked whether it is late


def never() -> bool:
    """A search without a clock is never late."""
    return False


@dataclass(frozen=True)
class Root:
    """What is special about the root.

    noise, alpha: its priors are (1 - noise) * prior + noise * a draw of Dirichlet(alpha)
    temperature, until: in the first so many plies an action is drawn by visits ** (1 / temperature)
    gumbel: sequential halving among `considered` actions, drawn with noise of that scale; none: by PUCT
    """

    noise: float = 0.0
    alpha: float = 1.0
    temperature: float = 0.0
    until: int = 0
    gumbel: float | None = None
    considered: int = 16
    visit_scale: float = 50.0
    value_scale: float = 1.0


class BatchedTree(GrownTree):
    """A tree that grows in rounds. `count` descents are made for each move; it may be set before
    `begin`. The first values the root, unless it is kept from the move before.
    """

    ARRAYS = ("W", "A", "I", "S", "R", "P", "path", "N", "F", "G", "V")
    """What it has besides its nodes."""

    def __init__(
        self,
        game: Game,
        make_round: Kernel,
        entries: Kernel,
        shape: Shape,
        maps: tuple[int, ...],
        shown: int,
        stride: int,
        values: tuple[float, ...],
        count: int,
        batch: int,
        root: Root,
        reuse: bool,
        max_nodes: int,
    ) -> None:
        plan = (game.slots + 2 + count) if root.gumbel is not None else 0
        super().__init__(
            *(game, make_round, stride, (*values, *[0.0] * plan), reuse, max_nodes, count),
            keeps=(PRIOR,),
            small=True,
        )
        self.count, self.batch, self.shown, self._special = count, batch, shown, root
        self._entries, self.shape, self._wanted = entries, shape, len(values)
        self.R = np.zeros(2 + 2 * game.slots)
        self.N: Ints = np.zeros(batch * width_of(game), np.int64)
        self.M: Ints = np.array(maps, np.int64)
        self.F: Singles = np.zeros((batch * shown + 1) * shape.numbers, np.float32)
        self.laid()
        self.G: Singles = np.zeros(batch * shown * shape.policy, np.float32)
        self.V: Singles = np.zeros(batch * shown, np.float32)
        self._arguments: tuple[Any, ...] = ()  # of `make_round` for this move, but for its last two
        self._unasked = max(UNASKED, 2 * batch)
        self.todo, self.prepared = 0, False
        self._noise = np.random.default_rng(0)  # of roots
        self._scores: Floats = np.zeros(0)

    def laid(self) -> None:
        """Take notice that its arrays are others."""
        shape = self.shape
        self._planes = self.F.reshape(-1, shape.planes, shape.rows, shape.columns)

    def new_game(self, seed: int) -> None:
        """Forget the last game; all chance in the coming one follows from the seed."""
        super().new_game(seed)
        self._noise = np.random.default_rng(seed_of(seed, "root"))

    def begin(self, position: Position) -> None:
        """Make a position the root, for `count` descents."""
        super().begin(position)
        self._arguments = (
            *(self.W, self.root, self.A, self.I, self.S, self.R, self.P, self.path),
            *self.tree,
            *(self.N, self.F, self.M, self.G, self.V),
        )
        self.todo, self.prepared = self.count, False
        if self._special.gumbel is not None:
            self.P[self._wanted] = ALWAYS

    def leaves(self, late: Callable[[], bool] = never) -> Singles:
        """Return what waits for the network, [leaves, planes, rows, columns]; none: the search is over.

        With `shown` images of each leaf they follow one another. It is a view of memory that the next
        round writes. While all descents end where the returns are known, `late` is asked now and then
        whether to stop.
        """
        if not self.prepared:
            self.prepare()
        while self.prepared:
            done = self._make_round(min(self.todo, self._unasked), self.batch)
            self.todo -= done
            if self.I[WAITING] or not done:
                break
            if late():
                self.stop()
        return self._planes[: int(self.I[WAITING]) * self.shown]

    def tell(self, policy: Singles, value: Singles) -> None:
        """Say what the network says of the leaves: logits [leaves, policy], values [leaves] for the side
        to move, in [-1, 1].
        """
        rows = int(self.I[WAITING]) * self.shown
        if policy.shape != (rows, self.shape.policy) or value.shape != (rows,):
            raise ValueError(f"{rows} leaves wait, told {policy.shape} and {value.shape}")
        self.G[: policy.size] = policy.ravel()
        self.V[:rows] = value

    def stop(self) -> None:
        """Make no more descents for this move; what waits may still be told."""
        self.todo = 0

    def choice(self, position: Position) -> Move:
        """Return the action and what it is worth; with a temperature it is drawn."""
        move = super().choice(position)
        special = self._special
        if special.temperature > 0.0 and position.ply < special.until:
            drawn = self._drawn()
            if drawn >= 0:
                action = self._game.decode(position.W, position.at, int(self.tree.action[drawn]))
                move = move._replace(action=action)
        return move

    def policy(self) -> Singles:
        """Return what the search makes of the root's policy, by entry: each action's share of visits
        (its prior where none was visited), or Gumbel's improved policy; all on the best action where
        the root is decided.
        """
        tree, policy = self.tree, np.zeros(self.shape.policy, np.float32)
        first, m = int(tree.first[0]), int(tree.children[0])
        entries = np.empty(m, np.int64)
        self._entries(self.W, self.root, tree.action[first : first + m], entries)
        if tree.decided[0]:
            policy[entries[self._best() - first]] = 1.0
            return policy
        if self._special.gumbel is None:
            visits = tree.visits[first : first + m]
            shares = visits.astype(float) if visits.any() else tree.prior[first : first + m]
        else:
            sigma, q = self._believed()
            shares = np.log(np.maximum(tree.prior[first : first + m], 1e-30)) + sigma * q
            shares = np.exp(shares - shares.max())
        policy[entries] = shares / max(shares.sum(), 1e-30)
        return policy

    def value(self) -> float:
        """Return the root's value for who moves there, in [0, 1]: its mean return, the network's included."""
        tree, mover = self.tree, self._mover
        if tree.decided[0]:
            return float(tree.known[mover])
        first, m = int(tree.first[0]), int(tree.children[0])
        below = slice(first, first + m)
        total = float(tree.known[mover]) + float(tree.total[below].sum())
        return total / (1 + int(tree.visits[below].sum()))

    def prepare(self) -> bool:
        """Make the root ready for its descents; return whether it is, or else waits for the network or has
        no actions.
        """
        if self.I[WAITING]:
            self._make_round(0, 1)
        if self.tree.children[0] or self.tree.decided[0]:
            self._prepare_root()
        else:
            self.todo -= self._make_round(1, 1)
        return self.prepared

    def _make_round(self, count: int, most: int) -> int:
        return int(self.iterate(*self._arguments, count, most))

    def _prepare_root(self) -> None:
        # Once the root's priors are known.
        self.prepared = True
        tree, special = self.tree, self._special
        below = slice(int(tree.first[0]), int(tree.first[0] + tree.children[0]))
        m = int(tree.children[0])
        if not m or tree.decided[0]:
            return
        if special.noise > 0.0:
            drawn = self._noise.dirichlet(np.full(m, special.alpha))
            tree.prior[below] = (1 - special.noise) * tree.prior[below] + special.noise * drawn
        if special.gumbel is not None:
            self._scores = np.log(np.maximum(tree.prior[below], 1e-30))
            if special.gumbel > 0.0:
                self._scores = self._scores + special.gumbel * self._noise.gumbel(size=m)
            scores, plan = self._wanted + 1, self._wanted + 1 + self._game.slots
            self.P[scores : scores + m] = self._scores
            visits = halving(min(special.considered, m), self.todo)
            self.P[plan : plan + len(visits)] = visits
            self.I[DONE] = 0

    def _believed(self) -> tuple[float, Floats]:
        # sigma, and the completed values of the root's children, as `gumbel_kernel` has them.
        tree, mover = self.tree, self._mover
        first, m = int(tree.first[0]), int(tree.children[0])
        below = slice(first, first + m)
        visits, prior = tree.visits[below], tree.prior[below]
        mean = tree.total[below] / np.maximum(visits, 1)
        seen, own = visits > 0, float(tree.known[mover])
        unknown = own
        if seen.any():
            n = float(visits.sum())
            mixed = float((prior * mean)[seen].sum() / prior[seen].sum())
            unknown = (own + n * mixed) / (1 + n)
        q = np.where(seen, mean, unknown)
        sure = tree.decided[below] > 0
        q[sure] = tree.known[2 * first + mover : 2 * (first + m) : 2][sure]
        sigma = (self._special.visit_scale + float(visits.max())) * self._special.value_scale
        return sigma, q

    def _best(self) -> int:
        best, tree = super()._best(), self.tree
        first, m = int(tree.first[0]), int(tree.children[0])
        visits = tree.visits[first : first + m]
        if not visits.any():
            return first + int(np.argmax(tree.prior[first : first + m]))
        if self._special.gumbel is None or tree.decided[best]:
            return best
        sigma, q = self._believed()
        urgency = np.where(visits == visits.max(), self._scores + sigma * q, -np.inf)
        return first + int(np.argmax(urgency))

    def _drawn(self) -> int:
        # A child, by visits ** (1 / temperature); -1 where none was visited.
        tree = self.tree
        first, m = int(tree.first[0]), int(tree.children[0])
        visits = tree.visits[first : first + m].tolist()
        most = max(visits)
        if not most:
            return -1
        shares = [(v / most) ** (1 / self._special.temperature) for v in visits]
        left = int(next_word(self.S)) / 2**64 * sum(shares)
        for i, share in enumerate(shares):
            left -= share
            if left < 0.0:
                return first + i
        return first + visits.index(most)


def halving(considered: int, count: int) -> list[int]:
    """Return, for each of `count` descents, how often the root's child that it takes was visited before:
    sequential halving, every phase with about as many descents.

    Source: Karnin, Koren and Somekh (2013); Danihelka et al. (2022).
    """
    if considered <= 1:
        return list(range(count))
    phases, left, visits = math.ceil(math.log2(considered)), considered, 0
    plan: list[int] = []
    while len(plan) < count:
        for _ in range(max(1, count // (phases * left))):
            plan += [visits] * left
            visits += 1
        left = max(2, left // 2)
    return plan[:count]
