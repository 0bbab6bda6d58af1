"""Games in plain Python: twins of toys that have kernels, one of them with chance; and a broken one."""

from __future__ import annotations

from joute import Parameter, PythonGame


class PlainHeap(PythonGame):
    """`heap` of toys.py once more."""

    name = "plain-heap"
    summary = "three players take stones, in plain Python"
    players = 3
    options = (Parameter("stones", "int", 12, 3, 60),)

    def initial(self):
        return (int(self.values["stones"]), 0)

    def legal_actions(self, state):
        return [str(n) for n in (1, 2, 3) if n <= state[0]]

    def apply(self, state, action):
        return (state[0] - int(action), state[1] + 1)

    def to_move(self, state):
        return state[1] % 3

    def returns(self, state):
        if state[0]:
            return None
        found = [0.0] * 3
        found[state[1] % 3], found[(state[1] + 1) % 3] = 0.5, 1.0
        return found

    def text(self, state):
        return "o" * state[0] + f" ({state[0]}) after {state[1]}"

    def line(self, state):
        return f"{state[0]} {state[1]}"

    def parse(self, text):
        stones, ply = map(int, text.split())
        return (stones, ply)


class PlainRace(PythonGame):
    """`race` of toys.py once more: a steady step of 1 or 2, or a gamble for 5 or nothing."""

    name = "plain-race"
    summary = "step safely or gamble, in plain Python"
    chance = True
    max_plies = 400
    options = (Parameter("goal", "int", 10, 3, 100),)

    def initial(self):
        return (0, 0, 0)

    def legal_actions(self, state):
        return ["step", "gamble"]

    def outcomes(self, state, action):
        return [(1, 1.0), (2, 1.0)] if action == "step" else [(0, 1.0), (5, 1.0)]

    def apply(self, state, action, outcome):
        first, second, ply = state
        if ply % 2:
            return (first, second + outcome, ply + 1)
        return (first + outcome, second, ply + 1)

    def to_move(self, state):
        return state[2] % 2

    def returns(self, state):
        if max(state[:2]) >= self.values["goal"]:
            return [1.0, 0.0] if state[0] > state[1] else [0.0, 1.0]
        return [0.5, 0.5] if state[2] >= 400 else None

    def text(self, state):
        return f"first {state[0]}, second {state[1]} of {self.values['goal']}, ply {state[2]}"


class Broken(PlainHeap):
    """Its rules fail in the middle of a game."""

    name = "broken-heap"
    summary = "a game whose rules raise"

    def legal_actions(self, state):
        return super().legal_actions(state) if state[1] < 4 else state[5]
