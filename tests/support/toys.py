"""Three toy games that prove the contract of kernels: three players, chance, a rule that looks back.

Each is what a newcomer would write: one class and its kernels. Loaded as a plugin.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import U, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter

ONE = U(1)


class Heap(Game):
    """Three players take 1 to 3 stones in turn; who takes the last one comes last.

    The other two are ranked by who moved more recently: the one just before the loser wins.
    """

    name = "heap"
    summary = "three players take stones; the last one loses"
    players = 3
    options = (Parameter("stones", "int", 12, 3, 60),)
    slots, state = 3, State("stones", "ply")

    def build(self, stride):
        stones, ply, full = self.state.stones, self.state.ply, U(self.values["stones"])

        @rule
        def start(W, at):
            W[at + stones], W[at + ply] = full, U(0)

        @rule
        def nth(W, at, i):
            return np.int64(i) if i + ONE <= W[at + stones] else np.int64(-1)

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst + stones] = W[src + stones] - U(action + 1)

        @rule
        def status(W, at):
            return np.int64(4) if W[at + stones] == U(0) else np.int64(0)

        @rule
        def returns(W, at, R, to):
            mover = W[at + ply] % U(3)  # would move next: the loser moved just before
            R[to + (mover + U(2)) % U(3)] = 0.0
            R[to + mover] = 0.5
            R[to + (mover + ONE) % U(3)] = 1.0

        return start, nth, apply, status, returns

    def draw(self, W, at):
        return "o" * int(W[at]) + f" ({int(W[at])})"


class Race(Game):
    """Two players race to a goal: a steady step of 1 or 2, or a gamble for 5 or nothing."""

    name = "race"
    summary = "step safely or gamble; first at the goal wins"
    chance = True
    options = (Parameter("goal", "int", 10, 3, 100),)
    slots, max_plies, state = 2, 400, State(squares=2, ply=1)

    def build(self, stride):
        ply, goal, last = self.state.ply, U(self.values["goal"]), U(self.max_plies)

        @rule
        def nth(W, at, i):
            return np.int64(i)

        @rule
        def outcome(W, at, action, S):
            return np.int64(below(S, U(2))) * 5 if action else np.int64(below(S, U(2))) + 1

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst], W[dst + ONE] = W[src], W[src + ONE]
            W[dst + (W[src + ply] & ONE)] += U(outcome)

        @rule
        def status(W, at):
            if W[at] >= goal or W[at + ONE] >= goal:
                return np.int64(1) if W[at] >= goal else np.int64(2)
            return np.int64(3) if W[at + ply] >= last else np.int64(0)

        return nth, outcome, apply, status

    def draw(self, W, at):
        return f"first {int(W[at])}, second {int(W[at + 1])} of {self.values['goal']}"


class Switches(Game):
    """Two players flip one of a row of switches; no pattern may come twice; who cannot move loses."""

    name = "switches"
    summary = "flip a switch to a pattern not seen before; who cannot has lost"
    path_dependent = True
    options = (Parameter("switches", "int", 3, 2, 6),)
    state = State("pattern", "ply", "status")

    def setup(self):
        self.slots = int(self.values["switches"])
        self.max_plies = 1 << self.slots

    def build(self, stride):
        ply, status, switches, step = self.state.ply, self.state.status, self.slots, U(stride)

        @kernel("b1(u8[::1], u8, u8)")
        def seen(W, at, pattern):
            for back in range(np.int64(W[at + ply]) + 1):
                if W[at - U(back) * step] == pattern:
                    return True
            return False

        @rule
        def nth(W, at, i):
            return np.int64(-1) if seen(W, at, W[at] ^ (ONE << i)) else np.int64(i)

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst], W[dst + status] = W[src] ^ (ONE << U(action)), (W[src + ply] & ONE) + ONE
            for i in range(switches):
                if nth(W, dst, U(i)) >= 0:
                    W[dst + status] = U(0)

        return nth, apply

    def draw(self, W, at):
        return f"{int(W[at]):0{self.slots}b} after {int(W[at + 1])}"


class First(Generator):
    """Considers the first action of the canonical order and no other."""

    name = "first"
    summary = "only the first legal action in canonical order"

    def build(self, game, stride, base):
        listed = game.kernels(stride).actions

        @rule
        def actions(W, at, A, to):
            return min(np.int64(1), listed(W, at, A, to))

        return (actions,)


class Level(Evaluation):
    """Every position is worth the same: what is left is the search."""

    name = "level"
    summary = "0 for every position of a toy game"
    games = ("switches", "race", "heap")

    def build(self, game, base):
        players = game.players

        @rule
        def value(W, at, P):
            return 0.0

        @rule
        def values(W, at, P, R, to):
            for p in range(players):
                R[to + U(p)] = 0.0

        return value, values
