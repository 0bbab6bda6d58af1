"""Tries a network of somebody else in a process of its own: opening it and its first answer may take
any time and memory. What has passed is remembered.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from signal import Signals

from joute.engines.errors import Refused
from joute.engines.kept_lines import keep, kept
from joute.engines.nets.model_file import outside_text, weight_outside
from joute.engines.nets.session import check_session, library, session_of
from joute.engines.programs.linux import die_with_parent
from joute.engines.programs.python_children import last_lines, python_command

VERSION = 1  # of the trial: what an older one let pass is tried again
CPU_SECONDS = 20
WALL_SECONDS = 120.0
MEMORY = 4 << 30  # bytes of addresses, and 8 for each byte of the file
FITS = "fits"
LIST = "tried_networks.txt"


def try_out(
    content: bytes, digest: str, file: Path, asked: Sequence[int], policy: int, seen: str
) -> None:
    """Raise Refused for a network that does not fit, or whose opening or first answer takes too long
    or too much memory. Once a file and shape.
    """
    key = _key(digest, asked, policy)
    if key in kept(LIST):
        return
    what = json.dumps([str(file), list(asked), policy, seen])
    try:
        done = subprocess.run(
            python_command("joute.engines.nets.trial", what),
            input=content,
            capture_output=True,
            timeout=WALL_SECONDS,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"network {file}: no first answer within {WALL_SECONDS:g} s") from None
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode == -getattr(Signals, "SIGXCPU", 0):
        raise Refused(f"network {file}: no first answer within {CPU_SECONDS} s of CPU time")
    if done.returncode or not said:
        how = (
            last_lines(done.stderr.decode(errors="replace"), 1) or f"exit status {done.returncode}"
        )
        raise Refused(f"network {file} cannot be tried: {how}")
    if said != FITS:
        raise Refused(said)
    keep(LIST, key)


def trust(digest: str, asked: Sequence[int], policy: int) -> None:
    """Remember a network of our own making as one that has passed."""
    if (key := _key(digest, asked, policy)) not in kept(LIST):
        keep(LIST, key)


def _key(digest: str, asked: Sequence[int], policy: int) -> str:
    return " ".join(map(str, (digest, *asked, policy, VERSION, library().__version__)))


def main() -> None:
    """Try the network that comes through stdin, within limits, and say what came of it."""
    die_with_parent()
    file, asked, policy, seen = json.loads(sys.argv[1])
    content = sys.stdin.buffer.read()
    _limit(len(content))
    print(_verdict(lambda: _tried(content, Path(file), asked, policy, seen)))


def _tried(content: bytes, file: Path, asked: Sequence[int], policy: int, seen: str) -> None:
    if (weight := weight_outside(content)) is not None:
        raise Refused(outside_text(file, weight))
    check_session(session_of(content, file), asked, policy, f"network {file}", seen)


def _verdict(trial: Callable[[], None]) -> str:
    try:
        trial()
    except Refused as error:
        return " ".join(str(error).split())
    return FITS


def _limit(size: int) -> None:
    """Limit this process's CPU time and memory, where the system can."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for which, most in (
            (resource.RLIMIT_CPU, CPU_SECONDS),
            (resource.RLIMIT_AS, MEMORY + 8 * size),
        ):
            hard = resource.getrlimit(which)[1]
            if hard == resource.RLIM_INFINITY or hard > most:
                resource.setrlimit(which, (most, hard))


if __name__ == "__main__":
    main()
