"""What the tests of engines share."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

from tests.support.processes import nobody_left
from tests.support.tcp import MARK, sockets


@pytest.fixture
def nothing_hangs_or_stays() -> Iterator[None]:
    """End a test that hangs; no socket and no program may be left after any."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError("the test hangs")

    before, handler = sockets(), signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
    assert sockets() <= before
    assert nobody_left(MARK)
