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
    """Move all present objects out of the collector's sight, once: imported and compiled code stays
    anyway, and each look through it takes a tenth of a second, in a run and in every worker.
    """
    gc.freeze()
