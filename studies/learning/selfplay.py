"""Self-play: many games at once, leaves in batches; each searched position becomes a sample.

A game follows from its number and the network: batches have one size, padded with zeros, so that a
leaf's evaluation does not depend on the other leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from joute.engines.kernels.random import below, next_word, seed_of, stream
from joute.engines.nets.batches import Ask
from joute.engines.nets.numpy_reader import Singles
from joute.engines.position import Position
from joute.engines.record import MAX_PLIES, NORMAL
from joute.harness.openings import random_plies
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.learning.planes import Planes
from joute.studies.learning.samples import Samples
from joute.studies.learning.searching import Searching, side_by_side

TRIES = 64  # attempts at random plies that do not end the game


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
        self._next()

    @property
    def playing(self) -> bool:
        """Whether there is a position to search."""
        return self._position is not None

    def move(self, calls: int) -> None:
        """Play what the search has chosen, for which the network valued so many positions."""
        assert self._position is not None
        self._calls += calls
        self._move(self._position)

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
        chance = position.game.chance
        outcome = position.draw_outcome(action, seed_of(self._own, "chance", ply)) if chance else 0
        position.play(action, outcome)
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
    trees = [tree() for _ in range(min(plan.together, len(numbers)))]
    searches = side_by_side(trees)
    boards = [SelfPlayBoard(tree, view_planes, plan, seed, left) for tree in trees]
    ready = np.array([i for i, board in enumerate(boards) if board.playing], np.int64)
    asked = np.zeros(0, np.int64)  # rows, first come first served
    while True:
        while len(ready):  # until each of them waits for the network
            rows, over, calls = searches.grow(ready)
            asked = np.concatenate([asked, rows])
            for i, valued in zip(over.tolist(), calls.tolist(), strict=True):
                boards[i].move(valued)
            ready = np.array([i for i in over.tolist() if boards[i].playing], np.int64)
        if not len(asked):
            return sorted(game for board in boards for game in board.finished)
        count = len(asked) - len(asked) % plan.batch or len(asked)
        rows, asked = asked[:count], asked[count:]
        ready = searches.tell(rows, *ask(searches.planes(rows)))
