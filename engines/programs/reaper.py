"""Outlives the process that starts programs, and kills their process groups when it dies.

Run as a script of its own: the lines `+GROUP` and `-GROUP` on stdin say which groups live; the end
of stdin is the death of the process that wrote them, however it came. Imports nothing of ours.
"""

import contextlib
import os
import signal
import sys


def main() -> None:
    """Follow the lines, then kill what is left."""
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
