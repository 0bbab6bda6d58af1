"""Plays one task alone in a fresh process, to learn whether its engines or the outside kill workers.

Run as `python -m harness.isolated`: the task comes pickled on stdin, the results go to stdout.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from typing import Any

from harness.inflight import Doing, new_folder, read_files
from harness.worker import Setting, Work, play_batch, start_worker


def play_alone(setting: Setting, task: Work) -> tuple[list[Any], int, Doing | None]:
    """Return the results, or none with the exit status and what the process was doing at its end."""
    folder = new_folder()
    try:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        ended = subprocess.run(
            [sys.executable, "-m", "harness.isolated"],
            input=pickle.dumps((folder, os.getpid(), setting, task)),
            stdout=subprocess.PIPE,
            env=environment,
            check=False,
        )
        if ended.returncode == 0 and ended.stdout:  # an engine may end the process with status 0
            return pickle.loads(ended.stdout), 0, None
        doing = read_files(folder)
        return [], ended.returncode, doing[0] if doing else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Play the task on stdin."""
    folder, parent, setting, task = pickle.load(sys.stdin.buffer)
    out = os.dup(1)
    start_worker(folder, parent)
    results, _ = play_batch(setting, [task])
    with os.fdopen(out, "wb") as stdout:
        stdout.write(pickle.dumps(results))


if __name__ == "__main__":
    main()
