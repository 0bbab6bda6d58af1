"""Outlives the process that starts programs, and kills them when it dies.

A script; its arguments are the common prefixes of the programs' marks and limits (see orphans.py).
The lines `+GROUP` and `-GROUP` on stdin list the live process groups; the end of stdin means that
their writer has died. Imports nothing of ours.
"""

import contextlib
import os
import signal
import sys
import time

PATIENCE = 5.0  # seconds


def main(token: bytes, family: int) -> None:
    """Follow the lines, then kill the rest: the groups, and all processes that carry a mark."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    limit = time.monotonic() + PATIENCE
    while groups and time.monotonic() < limit and (left := marked(token, family)):
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def marked(token: bytes, family: int) -> list[int]:
    """Return the processes that carry a mark."""
    pids = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            with contextlib.suppress(OSError):
                if limit(name) >> 20 == family or token in content(name, "environ"):
                    pids.append(int(name))
    return pids


def limit(process: str) -> int:
    """Return the limit of realtime of a process, 0 if it has none."""
    for line in content(process, "limits").splitlines():
        if line.startswith(b"Max realtime timeout"):
            soft = line.split()[3]
            return int(soft) if soft.isdigit() else 0
    return 0


def content(process: str, name: str) -> bytes:
    """Return the content of a file about a process in /proc."""
    with open(f"/proc/{process}/{name}", "rb") as file:
        return file.read()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    main(sys.argv[1].encode(), int(sys.argv[2]))
