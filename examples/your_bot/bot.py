"""A bot for Connect 4 that gets its three parameters by words, variables, a file, a first line or
json-lines.

It drops where that continues its own lines (`line`), stops the opponent's (`block`), and is near the
middle (`middle`). Your bot needs only one of these ways.
"""

import json
import os
import random
import sys

parameters = {"line": 1.0, "block": 1.0, "middle": 1.0}
announced = {name: {"default": value, "low": 0, "high": 4} for name, value in parameters.items()}

flags = ["--file", *(f"--{name}" for name in parameters)]
for i in range(1, len(sys.argv), 2):
    if sys.argv[i] not in flags or i + 1 == len(sys.argv):
        print(f"{sys.argv[i]}: allowed are {', '.join(flags)}, each with a value", file=sys.stderr)
        sys.exit(2)

path = "params.json"
if sys.argv[1:2] == ["--file"]:  # a file, by its path: --file {file}
    path = sys.argv[2]
if os.path.exists(path):  # a file, by its name
    with open(path) as file:
        parameters |= json.load(file)
for name in parameters:
    if name.upper() in os.environ:  # variables: MIDDLE={middle}
        parameters[name] = float(os.environ[name.upper()])
    if f"--{name}" in sys.argv:  # words: --middle {middle}
        parameters[name] = float(sys.argv[sys.argv.index(f"--{name}") + 1])


def board_of(text):
    """Return the rows of a position, top first: X, O, or a dot."""
    return ["".join("." * int(c) if c.isdigit() else c for c in row) for row in text.split("/")]


def worth(board, column, mine):
    """Return what a stone in a column is worth."""
    row = max(r for r in range(len(board)) if board[r][column] == ".")
    value = parameters["middle"] * -abs(column - len(board[0]) // 2)
    for dr, dc in ((0, 1), (0, -1), (1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        for stone, weight in (("XO"[mine], "line"), ("OX"[mine], "block")):
            length, r, c = 0, row + dr, column + dc
            while 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == stone:
                length, r, c = length + 1, r + dr, c + dc
            value += parameters[weight] * length * length
    return value


for line in sys.stdin:
    if not line.startswith("{"):  # a first line: middle {middle} line {line}
        words = line.split()
        parameters |= zip(words[::2], map(float, words[1::2]), strict=True)
        continue
    message = json.loads(line)
    if message["type"] == "new":
        mine = message["player"]
        random.seed(message["seed"])
        parameters |= message["parameters"]  # json-lines tells them
    elif message["type"] == "turn":
        board = board_of(message["position"].split()[0])
        value = {a: worth(board, int(a) - 1, mine) for a in message["actions"]}
        best = max(value, key=lambda action: (value[action], random.random()))
        print(json.dumps({"action": best, "parameters": announced}), flush=True)
    elif message["type"] == "quit":
        break
