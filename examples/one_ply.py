"""One-ply: a compiled search, for every game of two players in turn (docs/your-search.md).

joute --plugin examples/one_ply.py match connect4/one-ply:evaluation=lines connect4/random
"""

import numpy as np

from joute import (
    WIN,
    Move,
    Parameter,
    Player,
    Recipe,
    Refused,
    Search,
    U,
    kernel,
    next_word,
    stream,
)

GOES_ON, DRAW = 0, 3  # what `status` says; 1 and 2: that player has won


class OnePly(Search):
    """Looks at the position after each action, and takes the best for the one who moved."""

    name = "one-ply"
    summary = "one ply: the action after which the evaluation is best"
    compiled, lists = True, True  # it uses the game's kernels, and needs a list of actions
    evaluation, tells = "always", "evaluation"  # its values are those of its evaluation
    parameters = (
        Parameter("noise", "float", 0.0, 0.0, 10.0, meaning="width of the noise on each value"),
    )

    def check(self, game, evaluation):
        super().check(game, evaluation)
        if game.players != 2 or game.chance or not game.alternating:
            raise Refused(f"{self.name} is for two players in turn without chance, not {game.name}")

    def recipe(self, setup):
        evaluation, look, stride = self.compiled_for(setup)
        return Recipe(
            OnePlyPlayer,
            {
                "game": setup.game,
                "look": look,
                "stride": stride,  # words from one state to the next
                "scratch": evaluation.scratch,  # words before them, in which the evaluation works
                "values": tuple(setup.vector.tolist()),
            },
        )

    def digest(self, setup):
        return super().digest(setup) + self.compiled_for(setup)[1].digest

    def compiled_for(self, setup):
        evaluation = setup.evaluation.kernels(setup.game, self.base)
        stride = setup.game.words + evaluation.words
        behind = self.base + len(setup.evaluation.parameters)
        rules = setup.generator.kernels(setup.game, stride, behind)
        return evaluation, look_kernel(rules, evaluation, stride), stride


def look_kernel(rules, evaluation, stride):
    """Return `look`, which lists the actions at A and the value of each, for the one to move, at F."""
    actions, apply, status, to_move = rules.actions, rules.apply, rules.status, rules.to_move
    init, update, value, behind = evaluation.init, evaluation.update, evaluation.value, U(stride)

    @kernel("i8(u8[::1], u8, i8[::1], f8[::1], f8[::1])", inline=False)
    def look(W, root, A, F, P):
        count, after = actions(W, root, A, U(0)), root + behind
        init(W, root, P)
        for i in range(count):
            apply(W, root, after, A[U(i)], np.int64(0))
            end = status(W, after)
            if end == GOES_ON:
                update(W, root, after, A[U(i)], P)
                F[U(i)] = -value(W, after, P)  # it is the other one's turn there
            elif end == DRAW:
                F[U(i)] = 0.0
            else:
                F[U(i)] = WIN - 1.0 if end == to_move(W, root) + 1 else 1.0 - WIN
        return count

    return look


class OnePlyPlayer(Player):
    """Plays in one seat, one game after the other."""

    def __init__(self, game, look, stride, scratch, values):
        line = (
            game.max_plies if game.path_dependent else 0
        )  # rules that look back need the whole line
        self.game, self.look, self.stride, self.scratch = game, look, stride, scratch
        self.W = np.zeros(scratch + (line + 2) * stride, np.uint64)
        self.A, self.F = np.zeros(game.slots, np.int64), np.zeros(game.slots, np.float64)
        self.P = np.array(values, np.float64)
        self.dice = stream(0)

    def new_game(self, seed, seat):
        self.dice = stream(seed)  # all chance of a game follows from its seed

    def choose(self, position):
        root = position.lay(self.W, self.stride, self.scratch)
        count = self.look(self.W, root, self.A, self.F, self.P)
        noise = [int(next_word(self.dice)) / 2.0**64 - 0.5 for _ in range(count)]
        values = self.F[:count] + self.P[0] * np.array(noise)
        best = int(np.argmax(values))
        action = self.game.decode(position.W, position.at, int(self.A[best]))
        return Move(action, float(self.F[best]), depth=1, nodes=int(count))
