"""Python's garbage collector, kept away from where many objects are made and none is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


@contextmanager
def uncollected() -> Iterator[None]:
    """Let the garbage be: looking for some among many new objects takes as long as to make them."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@cache
def settle() -> None:
    """Take all that there is now out of the collector's sight, once: what was imported and compiled
    stays anyway, and a look through it takes a tenth of a second, of a run and of every worker.
    """
    gc.freeze()
