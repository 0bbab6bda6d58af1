"""Errors and interrupts of a benchmark as lines, like those of the command `joute`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from joute.engines.errors import JouteError


@contextmanager
def told(name: str) -> Iterator[None]:
    """Turn errors that a user meets into lines on stderr and an exit code."""
    try:
        yield
    except JouteError as error:
        lines, code = error.lines(), error.exit_code
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        lines, code = [f"{where}{error.strerror or error}"], 1
    except KeyboardInterrupt:
        lines, code = ["stopped: the same command goes on"], 130
    else:
        return
    for line in lines:
        print(f"benchmarks.{name}: {line}", file=sys.stderr)
    sys.exit(code)
