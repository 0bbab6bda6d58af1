"""Hexapawn in plain Python: a whole game with an evaluation, without kernels (docs/your-game.md).

joute --plugin examples/hexapawn.py match hexapawn/plain-uct:iterations=200 random --blocks 10
"""

from joute import Parameter, PythonEvaluation, PythonGame


class Hexapawn(PythonGame):
    """Pawns of chess: reach the other side, or leave the other without a move."""

    name = "hexapawn"
    summary = "pawns only, in plain Python (an example)"
    options = (Parameter("columns", "int", 3, 3, 8, meaning="pawns of each side"),)

    def initial(self):
        n = int(self.values["columns"])
        return ("x" * n + "." * n + "o" * n, 0)  # the cells row by row, and who is to move

    def to_move(self, state):
        return state[1]

    def legal_actions(self, state):
        board, mover = state
        n, step = len(board) // 3, (1, -1)[mover]
        moves = []
        for cell, pawn in enumerate(board):
            y, x = cell // n + step, cell % n
            if pawn == "xo"[mover] and 0 <= y < 3:
                ahead = [(y, x, ".")] + [(y, x + d, "ox"[mover]) for d in (-1, 1) if 0 <= x + d < n]
                moves += [
                    f"{cell}-{r * n + c}" for r, c, wanted in ahead if board[r * n + c] == wanted
                ]
        return moves

    def apply(self, state, action):
        board, mover = list(state[0]), state[1]
        cell, to = map(int, action.split("-"))
        board[cell], board[to] = ".", "xo"[mover]
        return ("".join(board), 1 - mover)

    def returns(self, state):
        board, n = state[0], len(state[0]) // 3
        if "x" in board[-n:] or "o" in board[:n] or not self.legal_actions(state):
            return [1.0, 0.0] if state[1] == 1 else [0.0, 1.0]  # who moved last has won
        return None

    def text(self, state):
        n = len(state[0]) // 3
        return "\n".join(" ".join(state[0][i : i + n]) for i in range(0, 3 * n, n))


class Pawns(PythonEvaluation):
    """Pawns, and `ahead` for each row that they have advanced."""

    name = "pawns"
    summary = "pawns and their advance, for hexapawn"
    games = ("hexapawn",)
    parameters = (Parameter("ahead", "float", 0.5, 0.0, 5.0, meaning="worth of a row forward"),)

    def worth(self, game, state, player, values):
        board, n = state[0], len(state[0]) // 3
        rows = [
            (c // n, 2 - c // n)[player] for c, pawn in enumerate(board) if pawn == "xo"[player]
        ]
        return len(rows) + values["ahead"] * sum(rows)
