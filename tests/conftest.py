"""What every test stands on."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as cli.py does, before numpy is imported

from tests.support.durations import holds, listed
from tests.support.marks import dear
from tests.support.plugins import plugged
from tests.support.runs import TOYS

settings.register_profile("busy", deadline=None)  # a busy machine takes a second for anything
settings.load_profile("busy")
gc.set_threshold(50_000, 20, 20)  # compiling makes millions of objects, and most stay


@pytest.fixture(autouse=True, scope="module")
def own_plugins() -> Iterator[None]:
    """What a file's tests plug in is gone after them: other files know our members alone."""
    with plugged():
        yield


@pytest.fixture(scope="module")
def toys(own_plugins: None) -> Iterator[None]:
    """The toy games are at hand."""
    with plugged(TOYS):
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that were measured to be long. Put files with the most long tests first, so that
    no process waits for the others at the end.
    """
    too_long, too_dear = listed("slow"), listed("dear")
    for item in items:
        if holds(too_long, item.nodeid):
            item.add_marker(pytest.mark.slow)
        if holds(too_dear, item.nodeid) and item.get_closest_marker("slow"):
            item.add_marker(dear)
    long = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -long[item.path])
