"""A referee in a few lines: it plays one game between your own bots, or engines of Joute.

python referee.py connect4 "python3 bot.py" "joute bot connect4/uct:iterations=500 --protocol json-lines"

If your referee has a clock, start such an engine with `--turn-ms` and, to be safe, `--margin-ms`.
"""

import json
import shlex
import subprocess
import sys

from joute.engines.engine import parse_game
from joute.engines.position import Position

game = parse_game(sys.argv[1])
bots = [
    subprocess.Popen(shlex.split(c), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for c in sys.argv[2:]
]


def tell(bot: subprocess.Popen, **message: object) -> None:
    """Send a message."""
    print(json.dumps(message), file=bot.stdin, flush=True)


for seat, bot in enumerate(bots):
    tell(bot, type="new", game=game.label, players=len(bots), player=seat, seed=7, parameters={})
position, text = Position(game), game.action_text
while not position.over:
    bot = bots[position.to_move]
    actions = [text(action) for action in position.legal_actions()]
    tell(bot, type="turn", position=position.line(), actions=actions, time_ms=1000)
    position.play(game.parse_action(json.loads(bot.stdout.readline())["action"]))
for bot in bots:
    tell(bot, type="over", returns=position.returns())
    tell(bot, type="quit")
    bot.wait()
print(position.draw(), position.line(), position.returns(), sep="\n")
