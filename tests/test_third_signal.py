"""The third signal ends the program, also where Python hears none; the first two are Python's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.runs import ROOT

DEAF = """
import hashlib, signal
from joute.third_signal import last_resort
for number in (signal.SIGINT, signal.SIGTERM):  # who starts it may have it ignore them
    signal.signal(number, signal.default_int_handler)
with last_resort():
    print("begun", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"a", b"b", 10**9)  # lets threads run, and hears no signal
"""
ALIVE = """
import signal, time
from joute.third_signal import last_resort
heard = []
signal.signal(signal.SIGINT, lambda *_: heard.append(1))
with last_resort():
    print("begun", flush=True)
    while len(heard) < 2:
        time.sleep(0.01)
print("in order")
"""


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[str]]:
    """Start Python, wait until it has begun, and leave nothing behind."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    started = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes)  # type: ignore[call-overload]
    assert started.stdout is not None and started.stdout.readline() == "begun\n"
    time.sleep(0.5)  # it does what comes next
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_third_signal_ends_a_deaf_program(number: int, code: int) -> None:
    with running(DEAF) as deaf:
        for _ in range(2):
            deaf.send_signal(number)
            time.sleep(0.2)
        assert deaf.poll() is None
        deaf.send_signal(number)
        assert deaf.wait(20) == code
        assert deaf.stderr is not None and "joute: stopped at once\n" in deaf.stderr.read()


def test_after_the_second_it_is_told_how() -> None:
    with running(DEAF) as deaf:
        for _ in range(2):
            deaf.send_signal(signal.SIGINT)
            time.sleep(0.2)
        assert deaf.stderr is not None
        assert "once more ends it at once" in deaf.stderr.readline()


def test_two_signals_are_the_programs_own() -> None:
    with running(ALIVE) as alive:
        for _ in range(2):
            os.kill(alive.pid, signal.SIGINT)
            time.sleep(0.2)
        assert alive.wait(20) == 0
        assert alive.stdout is not None and alive.stderr is not None
        assert (alive.stdout.read(), alive.stderr.read()) == ("in order\n", "")
