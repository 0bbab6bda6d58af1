"""The cost of asking an outside program over the bare pipe: `choose` against os.write and os.read.

Both sides talk to the same C program, on the processor that they share with it; a second twin waits
until a deadline (one poll more), as every referee must. Run as `python -m benchmarks.pipes`.
"""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.ratios import HERE, compare
from joute.engines.engine import parse_engine
from joute.engines.position import Position
from joute.engines.programs import pinning

TURNS, TARGET = 2000, 0.70
GAME = "tron[width=30,height=20]"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        bot = Path(folder) / "echo_bot"
        subprocess.run(["cc", "-O2", "-o", str(bot), str(HERE / "echo_bot.c")], check=True)
        pinning.wanted = True
        engine = parse_engine(f'{GAME}/process:command="{bot}"')
        player, position = engine.player(), Position(engine.game)
        player.new_game(0, 0)  # pins this process; programs started from here on inherit it
        bare = subprocess.Popen([bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert bare.stdin is not None and bare.stdout is not None
        to, back = bare.stdin.fileno(), bare.stdout.fileno()
        turn = b"2 0\n7 10 7 10\n22 9 22 9\n"

        def ours() -> None:
            for _ in range(TURNS):
                player.choose(position)

        def theirs() -> None:
            for _ in range(TURNS):
                os.write(to, turn)
                os.read(back, 65536)

        poll = select.poll()
        poll.register(back, select.POLLIN)

        def patient() -> None:
            for _ in range(TURNS):
                os.write(to, turn)
                if poll.poll(100):
                    os.read(back, 65536)

        ratio = compare(theirs, ours, clock=time.perf_counter)
        timed = compare(patient, ours, clock=time.perf_counter)
        player.close()
        bare.stdin.close()
        bare.wait()
    each = [seconds / TURNS * 1e6 for seconds in (ratio.theirs, ratio.ours)]
    print(f"choose {each[0]:.1f} us a turn, the bare pipe {each[1]:.1f} us; speed {ratio}")
    print(f"the bare pipe with a deadline {timed.ours / TURNS * 1e6:.1f} us; speed {timed}")
    print(f"target: at least {TARGET:.2f} of the bare pipe")


if __name__ == "__main__":
    main()
