"""Three toy games that prove the contract of kernels: three players, chance, a rule that looks back.

Each is what a newcomer would write: one class and its kernels. Loaded as a plugin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engines.evaluation import Evaluation, EvaluationKernels, init_nothing, update_nothing
from engines.game import Game, GameKernels
from engines.generator import Generator
from engines.kernels.compile import Floats, Ints, Kernel, U, Words, kernel
from engines.kernels.random import below
from engines.parameter import Parameter

ONE = U(1)


class Heap(Game):
    """Three players take 1 to 3 stones in turn; who takes the last one comes last.

    The other two are ranked by who moved more recently: the one just before the loser wins.
    """

    name = "heap"
    summary = "three players take stones; the last one loses"
    players = 3
    options = (Parameter("stones", "int", 12, 3, 60),)

    def setup(self) -> None:
        self.words, self.slots = 2, 3  # stones left, ply
        self.max_plies = int(self.values["stones"])

    def build(self, stride: int) -> dict[str, Kernel]:
        stones = U(int(self.values["stones"]))

        @kernel("void(u8[::1], u8)")
        def start(W: Words, at: np.uint64) -> None:
            W[at], W[at + ONE] = stones, U(0)

        @kernel("i8(u8[::1], u8, u8)")
        def nth(W: Words, at: np.uint64, i: np.uint64) -> np.int64:
            return np.int64(i) if i + ONE <= W[at] else np.int64(-1)

        @kernel("void(u8[::1], u8, u8, i8, i8)")
        def apply(
            W: Words, src: np.uint64, dst: np.uint64, action: np.int64, outcome: np.int64
        ) -> None:
            W[dst], W[dst + ONE] = W[src] - U(action + 1), W[src + ONE] + ONE

        @kernel("i8(u8[::1], u8)")
        def to_move(W: Words, at: np.uint64) -> np.int64:
            return np.int64(W[at + ONE] % U(3))

        @kernel("i8(u8[::1], u8)")
        def status(W: Words, at: np.uint64) -> np.int64:
            return np.int64(4) if W[at] == U(0) else np.int64(0)

        @kernel("void(u8[::1], u8, f8[::1], u8)")
        def returns(W: Words, at: np.uint64, R: Floats, to: np.uint64) -> None:
            mover = W[at + ONE] % U(3)  # would move next: the loser moved just before
            R[to + (mover + U(2)) % U(3)] = 0.0
            R[to + mover] = 0.5
            R[to + (mover + ONE) % U(3)] = 1.0

        @kernel("u8(u8[::1], u8)")
        def key(W: Words, at: np.uint64) -> np.uint64:
            return W[at] * U(1000) + W[at + ONE]

        return dict(
            start=start,
            nth=nth,
            apply=apply,
            to_move=to_move,
            status=status,
            returns=returns,
            key=key,
        )

    def draw(self, W: Words, at: int) -> str:
        return "o" * int(W[at]) + f" ({int(W[at])})"


class Race(Game):
    """Two players race to a goal: a steady step of 1 or 2, or a gamble for 5 or nothing."""

    name = "race"
    summary = "step safely or gamble; first at the goal wins"
    chance = True
    options = (Parameter("goal", "int", 10, 3, 100),)

    def setup(self) -> None:
        self.words, self.slots = 3, 2  # squares of both players, ply
        self.max_plies = 400

    def build(self, stride: int) -> dict[str, Kernel]:
        goal = U(int(self.values["goal"]))

        @kernel("void(u8[::1], u8)")
        def start(W: Words, at: np.uint64) -> None:
            for i in range(3):
                W[at + U(i)] = U(0)

        @kernel("i8(u8[::1], u8, i8[::1], u8)")
        def actions(W: Words, at: np.uint64, A: Ints, to: np.uint64) -> np.int64:
            A[to], A[to + ONE] = 0, 1
            return np.int64(2)

        @kernel("i8(u8[::1], u8, i8, u8[::1])")
        def outcome(W: Words, at: np.uint64, action: np.int64, S: Words) -> np.int64:
            if action == 0:
                return np.int64(below(S, U(2))) + 1
            return np.int64(below(S, U(2))) * 5

        @kernel("void(u8[::1], u8, u8, i8, i8)")
        def apply(
            W: Words, src: np.uint64, dst: np.uint64, action: np.int64, outcome: np.int64
        ) -> None:
            W[dst], W[dst + ONE], W[dst + U(2)] = W[src], W[src + ONE], W[src + U(2)] + ONE
            mover = W[src + U(2)] & ONE
            W[dst + mover] += U(outcome)

        @kernel("i8(u8[::1], u8)")
        def to_move(W: Words, at: np.uint64) -> np.int64:
            return np.int64(W[at + U(2)] & ONE)

        @kernel("i8(u8[::1], u8)")
        def status(W: Words, at: np.uint64) -> np.int64:
            if W[at] >= goal:
                return np.int64(1)
            if W[at + ONE] >= goal:
                return np.int64(2)
            return np.int64(3) if W[at + U(2)] >= U(400) else np.int64(0)

        @kernel("void(u8[::1], u8, f8[::1], u8)")
        def returns(W: Words, at: np.uint64, R: Floats, to: np.uint64) -> None:
            R[to], R[to + ONE] = 0.5, 0.5
            if W[at] >= goal:
                R[to], R[to + ONE] = 1.0, 0.0
            elif W[at + ONE] >= goal:
                R[to], R[to + ONE] = 0.0, 1.0

        @kernel("u8(u8[::1], u8)")
        def key(W: Words, at: np.uint64) -> np.uint64:
            return (W[at] * U(1000) + W[at + ONE]) * U(1000) + W[at + U(2)]

        return dict(
            start=start,
            actions=actions,
            outcome=outcome,
            apply=apply,
            to_move=to_move,
            status=status,
            returns=returns,
            key=key,
        )

    def draw(self, W: Words, at: int) -> str:
        return f"first {int(W[at])}, second {int(W[at + 1])} of {self.values['goal']}"


class Switches(Game):
    """Two players flip one of a row of switches; no pattern may come twice; who cannot move loses."""

    name = "switches"
    summary = "flip a switch to a pattern not seen before; who cannot has lost"
    path_dependent = True
    options = (Parameter("switches", "int", 3, 2, 6),)

    def setup(self) -> None:
        self.words, self.slots = 3, int(self.values["switches"])  # pattern, ply, status
        self.max_plies = 1 << self.slots

    def build(self, stride: int) -> dict[str, Kernel]:
        switches, step = self.slots, U(stride)

        @kernel("b1(u8[::1], u8, u8)")
        def seen(W: Words, at: np.uint64, pattern: np.uint64) -> bool:
            for back in range(np.int64(W[at + ONE]) + 1):
                if W[at - U(back) * step] == pattern:
                    return True
            return False

        @kernel("i8(u8[::1], u8, u8)")
        def nth(W: Words, at: np.uint64, i: np.uint64) -> np.int64:
            if seen(W, at, W[at] ^ (ONE << i)):
                return np.int64(-1)
            return np.int64(i)

        @kernel("void(u8[::1], u8)")
        def start(W: Words, at: np.uint64) -> None:
            for i in range(3):
                W[at + U(i)] = U(0)

        @kernel("void(u8[::1], u8, u8, i8, i8)")
        def apply(
            W: Words, src: np.uint64, dst: np.uint64, action: np.int64, outcome: np.int64
        ) -> None:
            W[dst], W[dst + ONE] = W[src] ^ (ONE << U(action)), W[src + ONE] + ONE
            stuck = True
            for i in range(switches):
                if nth(W, dst, U(i)) >= 0:
                    stuck = False
            W[dst + U(2)] = U(0)
            if stuck:
                W[dst + U(2)] = (W[src + ONE] & ONE) + ONE

        @kernel("i8(u8[::1], u8)")
        def to_move(W: Words, at: np.uint64) -> np.int64:
            return np.int64(W[at + ONE] & ONE)

        @kernel("i8(u8[::1], u8)")
        def status(W: Words, at: np.uint64) -> np.int64:
            return np.int64(W[at + U(2)])

        @kernel("void(u8[::1], u8, f8[::1], u8)")
        def returns(W: Words, at: np.uint64, R: Floats, to: np.uint64) -> None:
            R[to], R[to + ONE] = 0.0, 0.0
            R[to + W[at + U(2)] - ONE] = 1.0

        @kernel("u8(u8[::1], u8)")
        def key(W: Words, at: np.uint64) -> np.uint64:
            return W[at] * U(1000) + W[at + ONE]

        return dict(
            start=start,
            nth=nth,
            apply=apply,
            to_move=to_move,
            status=status,
            returns=returns,
            key=key,
        )

    def draw(self, W: Words, at: int) -> str:
        return f"{int(W[at]):0{self.slots}b} after {int(W[at + 1])}"


class First(Generator):
    """Considers the first action of the canonical order and no other."""

    name = "first"
    summary = "only the first legal action in canonical order"

    def kernels(self, game: Game, stride: int, base: int) -> GameKernels:
        rules = game.kernels(stride)
        actions = rules.actions

        @kernel("i8(u8[::1], u8, i8[::1], u8)")
        def first(W: Words, at: np.uint64, A: Ints, to: np.uint64) -> np.int64:
            return min(np.int64(1), actions(W, at, A, to))

        return replace(rules, nth=None, actions=first)


class Level(Evaluation):
    """Every position is worth the same: what is left is the search."""

    name = "level"
    summary = "0 for every position of a toy game"
    games = ("switches", "race", "heap")

    def kernels(self, game: Game, base: int) -> EvaluationKernels:
        @kernel("f8(u8[::1], u8, f8[::1])")
        def value(W: Words, at: np.uint64, P: Floats) -> np.float64:
            return np.float64(0.0)

        players = game.players

        @kernel("void(u8[::1], u8, f8[::1], f8[::1], u8)")
        def values(W: Words, at: np.uint64, P: Floats, R: Floats, to: np.uint64) -> None:
            for p in range(players):
                R[to + U(p)] = 0.0

        return EvaluationKernels(0, value, init_nothing, update_nothing, values=values)
