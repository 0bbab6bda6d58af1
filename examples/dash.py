"""Dash: a game with a die, and the outcomes that searches average over (docs/your-game.md).

joute --plugin examples/dash.py check dash dash/expectiminimax:evaluation=lead,depth=3
"""

import numpy as np

from joute import Evaluation, Game, Parameter, Refused, State, U, below, rule

STEP, ROLL = 0, 1
TEXTS = ("step", "roll")


class Dash(Game):
    """Step three forward, or roll a die: as far as it shows, but a 1 throws back to the start."""

    name = "dash"
    summary = "step or roll; first at the goal wins"
    notation = "startpos, then moves: step or roll"
    options = (Parameter("goal", "int", 20, 4, 100, meaning="squares to run"),)
    chance = True
    slots, max_plies = 2, 400
    state = State(square=2, ply=1)

    def build(self, stride):
        square, ply = self.state.square, self.state.ply
        goal, last = U(self.values["goal"]), U(self.max_plies)

        @rule
        def nth(W, at, i):
            return np.int64(i)

        @rule
        def outcome(W, at, action, S):  # draws what follows an action
            return np.int64(below(S, U(6))) + 1 if action == ROLL else np.int64(3)

        @rule
        def outcomes(W, at, action, O, to, F, start):  # lists it, with probabilities
            if action == STEP:
                O[to], F[start] = 3, 1.0
                return np.int64(1)
            for k in range(6):
                O[to + U(k)], F[start + U(k)] = k + 1, 1.0 / 6.0
            return np.int64(6)

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst], W[dst + U(1)] = W[src], W[src + U(1)]
            mine = dst + square + (W[src + ply] & U(1))
            W[mine] = U(0) if action == ROLL and outcome == 1 else W[mine] + U(outcome)

        @rule
        def status(W, at):
            for player in range(2):
                if W[at + square + U(player)] >= goal:
                    return np.int64(player + 1)
            return np.int64(3 if W[at + ply] >= last else 0)

        return nth, outcome, outcomes, apply, status

    def action_text(self, action):
        return TEXTS[action]

    def parse_action(self, text):
        if text not in TEXTS:
            raise Refused(f"{text!r} is no move; allowed: {', '.join(TEXTS)}")
        return TEXTS.index(text)

    def draw(self, W, at):
        return f"X {int(W[at])}, O {int(W[at + 1])} of {self.values['goal']}"


class Lead(Evaluation):
    """How many squares the player to move is ahead."""

    name = "lead"
    summary = "squares ahead, for dash"
    games = ("dash",)

    def build(self, game, base):
        square, ply = game.state.square, game.state.ply

        @rule
        def value(W, at, P):
            lead = float(W[at + square]) - float(W[at + square + U(1)])
            return -lead if W[at + ply] & U(1) else lead

        return (value,)
