"""A complete bot for any game in Python: it plays a random legal action, or the first one.

Its one parameter: --first 0.3 plays the first action of the list in three of ten turns.
"""

import json
import random
import sys

words = sys.argv[1:]
if words and (len(words) != 2 or words[0] != "--first"):
    print(f"{words[0]}: allowed is --first NUMBER", file=sys.stderr)
    sys.exit(2)
first = float(words[1]) if words else 0.0

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "new":  # game, players, player (our seat), seed, parameters
        random.seed(message["seed"])
    elif message["type"] == "turn":  # moves since our last turn, actions, time_ms
        actions = message["actions"]
        action = actions[0] if random.random() < first else random.choice(actions)
        print(json.dumps({"action": action}), flush=True)
    elif message["type"] == "quit":
        break
