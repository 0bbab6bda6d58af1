"""Careful: an engine in plain Python with three parameters, for Connect 4 (docs/python.md)."""

import random

from joute import GamePosition, Move, Parameter, Player, Search


class Careful(Search):
    """Takes a win, avoids a loss, and likes the middle."""

    name = "careful"
    summary = "looks one move ahead (an example of an engine in Python)"
    evaluation = "never"
    parameters = (
        Parameter("middle", "float", 0.0, -1, 1, meaning="worth of a column nearer the middle"),
        Parameter("fear", "float", 0.0, 0, 1, meaning="how much a win of the other one counts"),
        Parameter("noise", "float", 1.0, 0, 2, meaning="worth of chance"),
    )

    def player(self, setup):
        return CarefulPlayer(setup.values)


class CarefulPlayer(Player):
    """Plays in one seat, one game after the other."""

    def __init__(self, knobs):
        self.knobs = dict(knobs)

    def new_game(self, seed, seat):
        self.dice = random.Random(seed)  # all chance of a game follows from its seed

    def choose(self, position):
        now = GamePosition(position)
        best = max(now.legal_actions(), key=lambda action: self.worth(now, action))
        return Move(position.game.action_of(best))

    def worth(self, now, action):
        then = now.play(action)
        if then.over:
            return 100 * then.returns()[now.to_move]
        answers = (then.play(answer) for answer in then.legal_actions())
        loses = any(last.over and last.returns()[now.to_move] == 0 for last in answers)
        middle = -abs(int(action) - 4)
        knobs = self.knobs
        return (
            knobs["middle"] * middle
            - 50 * knobs["fear"] * loses
            + knobs["noise"] * self.dice.random()
        )
