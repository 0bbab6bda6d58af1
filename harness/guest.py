"""Being a bot: an engine of ours on stdin and stdout, under somebody else's referee."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from engines.engine import parse_engine
from engines.protocol import Protocol
from engines.registry import find


def be_bot(spec: str, protocol: str) -> None:
    """Answer on stdout, which carries the protocol alone; what engines print goes to stderr."""
    talk: Protocol = find("protocol", protocol)()
    engine = parse_engine(spec)
    talk.check(engine.game)
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    with out:
        talk.serve(engine, lambda: line_of(sys.stdin), lambda line: send(line, out))


def line_of(source: TextIO) -> str:
    """Return the next line without its end; raise EOFError where there is none."""
    line = source.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def send(line: str, out: TextIO) -> None:
    """Write a line at once; a referee that is gone is the end of its lines."""
    try:
        out.write(line + "\n")
        out.flush()
    except BrokenPipeError:
        raise EOFError from None
