"""What the tests of the course's protocol share."""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import suppress
from pathlib import Path

from tests.support.runs import ROOT

FIELD = "vampires[map=testmap]"
TRAP = "vampires[map=thetrap]"
FIXED = f"{TRAP}/expectiminimax:evaluation=langorou,depth=2"
BOT = ROOT / "tests" / "support" / "bad_client.py"
MARK = uuid.uuid4().hex
FIRST = b"MOV\x01\x05\x04\x03\x05\x03"  # the vampires of testmap go up


def sockets() -> set[str]:
    """Return the sockets that this process holds."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            target = os.readlink(entry)
            if target.startswith("socket:"):
                found.add(target)
    return found


def exactly(other: socket.socket, size: int) -> bytes:
    """Read so many bytes."""
    data = b""
    while len(data) < size:
        data += other.recv(size - len(data))
    return data
