"""Referees for tests: `referee.py HOW SEED BOT BOT ...`; a bot's command prints its strength, a number.

The game: each bot's points are ten times its strength and a die, which the seed and the seat throw.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

MEGABYTE = b"x" * (1 << 20)


def dice(seed: int, bots: list[str]) -> list[int]:
    """Play the game; return the points."""
    rng = random.Random(seed)
    told = [subprocess.run(shlex.split(b), capture_output=True, check=True).stdout for b in bots]
    return [round(10 * float(strength)) + rng.randrange(6) for strength in told]


def say(**row: object) -> None:
    """Print a line of JSON."""
    print(json.dumps(row), flush=True)


def main(how: str, seed: int, bots: list[str]) -> None:
    """Referee a game in some way."""
    if how == "hangs":
        time.sleep(60)
    elif how == "dies":
        say(scores=dice(seed, bots))
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how == "exits":
        print("cannot find the map", file=sys.stderr)
        sys.exit(3)
    elif how == "nothing":
        print("the game is over")
    elif how == "twice":
        say(scores=[1, 2])
        say(scores=[2, 1])
    elif how == "nan":
        print('{"scores": [NaN, 1]}')
    elif how == "many":
        say(scores=[1, 2, 3])
    elif how == "words":
        say(scores=["1", True])
    elif how == "leaves":  # bots that hold its output open, one of them in a session of its own
        for session in (False, True):
            subprocess.Popen(["sleep", f"60{seed}"], start_new_session=session)
        say(scores=dice(seed, bots))
    elif how == "prints":
        while True:
            os.write(1, MEGABYTE)
    elif how == "writes":
        with open("big", "wb") as file:
            while True:
                file.write(MEGABYTE)
    elif how == "folder":  # no other game may be in its folder
        Path("turn").open("x").close()
        time.sleep(0.1)
        say(scores=dice(seed, bots), log=os.getcwd())
    elif how == "seed":
        say(scores=dice(seed + 1, bots), seed=seed + 1)
    elif how == "blames":
        say(ranks=[2, 1], failed=["timeout", None])
    elif how == "once":  # fails at its first game, wherever that is
        if not (mark := Path(__file__).resolve().with_name("mark")).exists():
            mark.touch()
            sys.exit(1)
        say(scores=dice(seed, bots))
    elif how == "path":  # the first of its bots is the path of its log
        Path(bots[0]).write_text(bots[0])
        say(scores=dice(seed, bots[1:]))
    elif how == "logs":
        say(scores=dice(seed, bots), log=f"seed {seed}\n{' '.join(bots)}\n" + "x" * 4000)
    else:
        say(scores=dice(seed, bots), seed=seed, log=f"seed {seed}: {' | '.join(bots)}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
