"""Self-play: many games at once, leaves in batches; each searched position becomes a sample.

A game follows from its number and the network: batches have one size, padded with zeros, so that a
leaf's evaluation does not depend on the other leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from joute.engines.kernels.random import below, next_word, seed_of, stream
from joute.engines.nets.batches import Ask
from joute.engines.nets.numpy_reader import Singles
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.record import MAX_PLIES, NORMAL
from joute.harness.openings import random_plies
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.learning.planes import Planes
from joute.studies.learning.samples import Samples

TRIES = 64  # attempts at random plies that do not end the game


class Searching(Protocol):
    """A search that gets its evaluations from outside, like `puct`'s tree."""

    count: int

    def new_game(self, seed: int) -> None:
        """Forget the last game."""

    def begin(self, position: Position) -> None:
        """Search from a position."""

    def leaves(self) -> Singles:
        """Return the positions that wait for the network; None when the search is over."""

    def tell(self, policy: Singles, value: Singles) -> None:
        """Take the network's policies and values of the positions from `leaves`."""

    def choice(self, position: Position) -> Move:
        """Return the chosen action."""

    def policy(self) -> Singles:
        """Return the policy target of the root, by entry."""

    def value(self) -> float:
        """Return the value of the root for the side to move, in [0, 1]."""


class Selfplayed(NamedTuple):
    """A finished game: number, samples, returns by seat, termination, line as text, plies, random
    plies, positions that the network valued, and outcomes of chance by ply (empty in games without
    chance).
    """

    number: int
    samples: Samples
    returns: tuple[float, ...]
    termination: str
    line: str
    plies: int
    opened: int
    calls: int
    outcomes: tuple[int, ...] = ()


@dataclass
class PlayedMove:
    """A position of a game in progress: a sample without its value."""

    planes: Singles
    policy: Singles
    worth: float  # in [-1, 1]
    full: bool
    mover: int
    ply: int


class SelfPlayBoard:
    """A slot in which games are played one after the other, by one tree for both sides."""

    def __init__(
        self,
        tree: Searching,
        view_planes: Planes,
        plan: SelfPlayPlan,
        seed: int,
        numbers: deque[int],
    ) -> None:
        self._tree, self._view_planes, self._plan, self._seed = tree, view_planes, plan, seed
        self._numbers, self._count = numbers, tree.count
        self.finished: list[Selfplayed] = []
        self.waiting: Singles = np.zeros(0, np.float32)  # the first axis counts positions
        self._answers: list[tuple[Singles, Singles]] = []  # to a part of the tree's leaves
        self._next()

    def look(self) -> bool:
        """Play on until the network is needed for the positions `waiting`; return whether it is."""
        while self._position is not None:
            planes = self._tree.leaves()
            if len(planes):
                self._calls += len(planes)
                self.waiting = planes
                return True
            self._move(self._position)
        return False

    def answer(self, policy: Singles, value: Singles) -> bool:
        """Take answers to the first positions `waiting`; return whether none is left."""
        if self._answers or len(value) < len(self.waiting):
            self._answers.append((policy, value))
            self.waiting = self.waiting[len(value) :]
            if len(self.waiting):
                return False
            policy, value = (np.concatenate(parts) for parts in zip(*self._answers, strict=True))
            self._answers = []
        self._tree.tell(policy, value)
        return True

    def _next(self) -> None:
        self._position: Position | None = None
        if not self._numbers:
            return
        self._number = self._numbers.popleft()
        self._own = seed_of(self._seed, self._number)
        self._coins, self._moves, self._calls = (
            stream(seed_of(self._own, "full")),
            list[PlayedMove](),
            0,
        )
        self._position = self._opening()
        self._opened = self._position.ply
        self._tree.new_game(seed_of(self._own, "search"))
        self._begin(self._position)

    def _opening(self) -> Position:
        game, S = self._view_planes.game, stream(seed_of(self._own, "opening"))
        for _ in range(TRIES if self._plan.random_plies else 0):
            plies = int(below(S, np.uint64(self._plan.random_plies + 1)))
            position = random_plies(game, int(next_word(S)), plies)
            if position is not None:
                return position
        return Position(game, game.start_text(self._own))

    def _begin(self, position: Position) -> None:
        self._full = int(next_word(self._coins)) / 2**64 < self._plan.full_share
        self._tree.count = self._count if self._full else self._plan.cheap
        self._tree.begin(position)

    def _move(self, position: Position) -> None:
        tree, plan, mover, ply = self._tree, self._plan, position.to_move, position.ply
        targets = tree.policy(), 2 * tree.value() - 1
        self._moves.append(
            PlayedMove(self._view_planes.planes(position), *targets, self._full, mover, ply)
        )
        action = tree.choice(position).action
        position.play(action, position.draw_outcome(action, seed_of(self._own, "chance", ply)))
        if position.over or position.ply >= min(plan.most_plies, position.game.max_plies):
            self._finish(position)
            self._next()
        else:
            self._begin(position)

    def _finish(self, position: Position) -> None:
        returns = position.returns() if position.over else [0.5] * position.game.players
        moves, count, mix = self._moves, len(self._moves), self._plan.value_mix
        values = [(1 - mix) * (2 * returns[m.mover] - 1) + mix * m.worth for m in moves]
        samples = Samples(
            np.stack([move.planes for move in moves]),
            np.stack([move.policy for move in moves]),
            np.array(values, np.float32),
            np.array([move.full for move in moves], np.float32),
            np.full(count, self._number, np.int64),
            np.array([move.ply for move in moves], np.int64),
            np.full(count, position.ply, np.int64),
        )
        ended = NORMAL if position.over else MAX_PLIES
        self.finished.append(
            Selfplayed(
                *(self._number, samples, tuple(returns), ended, position.line()),
                *(position.ply, self._opened, self._calls),
                tuple(position.outcomes) if position.game.chance else (),
            )
        )


def play_games(
    numbers: Sequence[int],
    tree: Callable[[], Searching],
    ask: Ask,
    view_planes: Planes,
    plan: SelfPlayPlan,
    seed: int,
) -> list[Selfplayed]:
    """Play the games of these numbers, `plan.together` at once; return them in order. `ask` must answer
    each position the same in any company.

    As long as there is a full batch no other is asked: what is left over waits for the next round.
    """
    left = deque(numbers)
    boards = [
        SelfPlayBoard(tree(), view_planes, plan, seed, left)
        for _ in range(min(plan.together, len(numbers)))
    ]
    asked = [board for board in boards if board.look()]
    while asked:
        rows = np.concatenate([board.waiting for board in asked])
        count = len(rows) - len(rows) % plan.batch or len(rows)
        policy, value = ask(rows[:count])
        begin, waiting, told = 0, list[SelfPlayBoard](), list[SelfPlayBoard]()
        for board in asked:
            end = begin + len(board.waiting)
            done = begin < count and board.answer(policy[begin:end], value[begin:end])
            (told if done else waiting).append(board)
            begin = end
        asked = [*waiting, *(board for board in told if board.look())]
    return sorted(game for board in boards for game in board.finished)
