"""A bot as students of UTC's course IA02 write it: three functions, without Joute (docs/contests.md).

It plays Dodo by looking one move ahead: it wants few moves left for itself, and many for the opponent.

    joute match 'dodo/process:command="examples/ia02_greedy.py"' dodo/random --blocks 20
"""

STEPS = ((1, 0), (0, 1), (1, 1))


def moves_of(state, player):
    """Return the moves of a player: from which cell to which."""
    holds, sign = dict(state), 1 if player == 1 else -1
    targets = {cell: [(cell[0] + sign * x, cell[1] + sign * y) for x, y in STEPS] for cell in holds}
    return [(cell, to) for cell in holds if holds[cell] == player
            for to in targets[cell] if holds.get(to) == 0]  # fmt: skip


def after(state, move, player):
    """Return the state after a move."""
    start, end = move
    held = {start: 0, end: player}
    return [(cell, held.get(cell, holder)) for cell, holder in state]


def initialize(game, state, player, hex_size, total_time):
    """Return what is handed from move to move."""
    if game != "dodo":
        raise ValueError(f"this bot plays dodo, not {game}")
    return {"moves": 0}


def strategy(env, state, player, time_left):
    """Return the environment and a move."""

    def worth(move):
        then = after(state, move, player)
        return len(moves_of(then, player)) - 0.5 * len(moves_of(then, 3 - player))

    return {"moves": env["moves"] + 1}, min(moves_of(state, player), key=worth)


def final_result(state, score, player):
    """Hear who has won."""
    print(f"player {player} wins")
