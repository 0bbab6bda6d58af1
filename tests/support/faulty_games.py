"""A toy game with one fault at a time, for `joute check` to find: `faulty[fault=slots]`."""

from __future__ import annotations

import numpy as np

from joute import Evaluation, Game, Parameter, PythonGame, Refused, State, U, rule

FAULTS = ("none", "slots", "doubled", "endless", "words", "returns", "mixed", "parse", "forever")


class Faulty(Game):
    """Two players take 1 or 2 of five stones in turn; who takes the last one wins."""

    name = "faulty"
    summary = "takes stones, with one fault"
    options = (Parameter("fault", "choice", "none", choices=FAULTS),)
    slots, max_plies, opening_plies = 2, 9, 1
    state = State("stones", "ply")

    def build(self, stride):
        stones, ply, fault = self.state.stones, self.state.ply, self.values["fault"]
        one, beyond = U(1), U(1 << 20 if fault == "words" else 0)
        endless, doubled, loose = fault == "endless", fault == "doubled", fault == "returns"
        forever = fault == "forever"
        most = 4000 if fault == "slots" else 2

        @rule
        def start(W, at):
            W[at + stones], W[at + ply] = U(5), U(0)

        @rule
        def actions(W, at, A, to):
            n = to
            while endless and W[at + stones] > U(0):
                n = to
            for i in range(most):
                if most > 2 or U(i) < W[at + stones]:
                    A[n] = np.int64(0 if doubled else i)
                    n += one
            return np.int64(n - to)

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst + stones] = W[src + stones] - U(0 if forever else action + 1)
            W[dst + beyond + ply] = W[dst + ply]

        @rule
        def status(W, at):
            if W[at + stones] != U(0):
                return np.int64(0)
            return np.int64(U(2) - (W[at + ply] & one))

        @rule
        def returns(W, at, R, to):
            R[to], R[to + one] = 0.7, 0.0

        if fault == "mixed":

            @rule
            def nth(W, at, i):
                low = W[at]
                for _ in range(2):
                    low = low & (~low + 1)
                return np.int64(low)

            return start, nth, apply, status

        return (start, actions, apply, status, *((returns,) if loose else ()))

    def parse_action(self, text):
        if self.values["fault"] == "parse":
            return {"1": 0, "2": 1}[text]
        if text not in ("1", "2"):
            raise Refused(f"{text!r} is not 1 or 2")
        return int(text) - 1

    def draw(self, W, at):
        return "o" * int(W[at]) + f" ({int(W[at])})"


class Undrawn(Game):
    """Lacks draw."""

    name = "undrawn"
    slots, state = 2, State("status", "ply")

    def build(self, stride):
        return ()


class Crowd(PythonGame):
    """Too many players."""

    name = "crowd"
    players = 5

    def initial(self):
        return 0

    def legal_actions(self, state):
        return ["a", "b"]

    def apply(self, state, action, outcome=0):
        return state + 1

    def to_move(self, state):
        return state % 5

    def returns(self, state):
        return [0.5] * 5 if state > 9 else None

    def text(self, state):
        return str(state)


RETURNED = {  # by the method, what is no answer of it
    "returns": [2.0, -1.0],
    "legal_actions": [1, 2],
    "to_move": 2,
}


class Careless(PythonGame):
    """Two players take one of five stones each, and a method returns what it may not."""

    name = "careless"
    summary = "takes stones, and one method answers nonsense"
    opening_plies = 0
    options = (Parameter("method", "choice", "returns", choices=(*RETURNED, "nothing", "share")),)

    def answer(self, method, right):
        own = self.values["method"]
        if (own, method) == ("nothing", "legal_actions"):
            return []
        if (own, method) == ("share", "returns"):
            return [float("nan"), 0.0]
        return RETURNED[method] if own == method else right

    def initial(self):
        return 5

    def to_move(self, state):
        return self.answer("to_move", state % 2)

    def legal_actions(self, state):
        return self.answer("legal_actions", ["take"])

    def apply(self, state, action):
        return state - 1

    def returns(self, state):
        return None if state else self.answer("returns", [1.0, 0.0])

    def text(self, state):
        return str(state)


class Stones(Evaluation):
    """Reads far beyond the state."""

    name = "far"
    summary = "reads far beyond the state"
    games = ("faulty",)

    def build(self, game, base):
        beyond = U(1 << 24)

        @rule
        def value(W, at, P):
            return float(W[at + beyond])

        return (value,)


class Forgetful(Evaluation):
    """Keeps the first word of the state in a word of its own, and forgets to after some plies."""

    name = "forgetful"
    summary = "keeps a word that it does not always update"
    games = ("faulty",)
    own = State("copy")

    def build(self, game, base):
        copy = self.own.behind(game.words).copy

        @rule
        def value(W, at, P):
            return float(W[at + copy])

        @rule
        def init(W, at, P):
            W[at + copy] = W[at] + U(1)

        @rule
        def update(W, src, dst, action, P):
            W[dst + copy] = W[src + copy]

        return value, init, update
