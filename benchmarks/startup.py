"""From the start of a process to its first move: cold kernel cache against warm, from Python and by `joute bestmove`,
which compiles with two processes.

Python's own bytecode is on, as it is by default, and warm in both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

SPEC = "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=4,width=0.5"
SCRIPT = f"""
import time
from joute.engines.engine import parse_engine
from joute.engines.position import Position
begun = time.perf_counter()
engine = parse_engine({SPEC!r})
engine.player().choose(Position(engine.game))
print(time.perf_counter() - begun)
"""
REPEATS = 5
SPECS = (
    "connect4/alphabeta:evaluation=lines,depth=4", "connect4/uct:iterations=10", "go/uct:iterations=10",
    "tron/uct:evaluation=zones,iterations=10", "chess/alphabeta:evaluation=tapered,depth=1",
)  # fmt: skip
BOT = ("bot", "tron/uct:evaluation=zones,milliseconds=20,ending=fill", "--protocol", "codingame")


def usual() -> dict[str, str]:
    """Return the environment, with Python's own bytecode on."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def start(folder: str) -> tuple[float, float]:
    """Return seconds of the whole process, and of the engine alone (without imports)."""
    begun = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**usual(), "NUMBA_CACHE_DIR": folder, "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - begun, float(ran.stdout)


def main() -> None:
    cold, warm = [], []
    with tempfile.TemporaryDirectory() as folder:
        start(folder)  # leaves the bytecode
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(start(folder))
            warm.append(start(folder))
    for name, i in (("whole process", 0), ("engine alone, after the imports", 1)):
        a, b = median(c[i] for c in cold), median(w[i] for w in warm)
        print(f"{name}: cold {a:.2f} s, warm {b:.3f} s: 1/{a / b:.1f} (target: at most 1/8)")
    for spec in SPECS:
        seconds = [best_move(spec) for _ in range(3)]
        print(f"joute bestmove {spec}, cold: {median(seconds):.2f} s (target for Connect 4: 2)")
    pass_ = [cpu([sys.executable, "-c", "pass"]) for _ in range(9)]
    help_ = [cpu([sys.executable, "-m", "joute", "--help"]) for _ in range(9)]
    ratio = median(help_) / median(pass_)
    print(f"joute --help: {ratio:.1f} x the CPU of python -c pass (target: about 3)")
    numba_, bot_ = [], []
    for _ in range(9):
        numba_.append(cpu([sys.executable, "-c", "import numba"]))
        bot_.append(cpu([sys.executable, "-m", "joute", *BOT], "2 0\n7 10 7 10\n22 9 22 9\n"))
    ratio = median(bot_) / median(numba_)
    print(f"joute bot to its first answer: {ratio:.2f} x the CPU of import numba (target: 1.5)")


def best_move(spec: str) -> float:
    """Return the seconds of a first move from the command line without a stored kernel."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        command = [sys.executable, "-m", "joute", "bestmove", spec]
        env = {**usual(), "NUMBA_CACHE_DIR": folder}
        subprocess.run(command, env=env, capture_output=True, check=True)
        return time.perf_counter() - begun


def cpu(command: list[str], text: str = "") -> float:
    """Return the CPU seconds of a command."""
    before = os.times()
    subprocess.run(command, input=text.encode(), capture_output=True, check=True, env=usual())
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


if __name__ == "__main__":
    main()
