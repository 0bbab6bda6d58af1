"""Plugins for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from joute.engines import registry


@contextmanager
def plugged(*files: Path) -> Iterator[None]:
    """Have these plugins loaded, and no other afterwards that was not before."""
    before = list(registry._plugins)
    try:
        for file in files:
            registry.load_plugin(file)
        yield
    finally:
        registry._plugins[:] = before
