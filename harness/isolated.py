"""Plays one task alone in a fresh process, to learn whether its engines or the outside kill workers.

Run as `python -m harness.isolated`: the task comes pickled on stdin, the records go to stdout.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile

from engines.programs import pinning
from engines.record import GameRecord
from harness.inflight import Doing, read_slots
from harness.worker import Setting, Task, die_with_parent, ignore_interrupt, play_batch


def play_alone(setting: Setting, task: Task) -> tuple[list[GameRecord], int, Doing | None]:
    """Return the records, or none with the exit status and what the process was doing at its end."""
    with tempfile.TemporaryDirectory(prefix="joute-") as folder:
        alone = Setting(setting.game, setting.engines, setting.rules, folder, setting.plugins)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        ended = subprocess.run(
            [sys.executable, "-m", "harness.isolated"],
            input=pickle.dumps((alone, task)),
            stdout=subprocess.PIPE,
            env=environment,
            check=False,
        )
        if ended.returncode == 0 and ended.stdout:  # an engine may end the process with status 0
            return pickle.loads(ended.stdout), 0, None
        doing = read_slots(folder)
        return [], ended.returncode, doing[0] if doing else None


def main() -> None:
    """Play the task on stdin."""
    ignore_interrupt()
    die_with_parent()
    pinning.wanted = True
    setting, task = pickle.load(sys.stdin.buffer)
    out = os.dup(1)
    os.dup2(2, 1)  # whatever an engine prints goes to stderr
    records, _ = play_batch(setting, [task])
    with os.fdopen(out, "wb") as stdout:
        stdout.write(pickle.dumps(records))


if __name__ == "__main__":
    main()
