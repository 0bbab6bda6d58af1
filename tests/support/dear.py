"""Which long tests are too dear for continuous integration: `tests/dear.txt`, measured, not chosen.

    JOUTE_LONG=1 .venv/bin/python -m pytest -n 2 -p tests.support.dear

runs all tests and writes the list anew: those that compile kernels for LIMIT seconds and more. They wait
for `make test-long`. Run it with a cold cache (no `__pycache__`).
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

LIST = Path(__file__).resolve().parents[1] / "dear.txt"
LIMIT = 6.0  # seconds, on two busy cores
COMPILING = ("tests/engines/", "tests/random_games/", "tests/reports/test_export")
HEAD = f"# Tests of {LIMIT:g} s and more: only `make test-long` runs them. Written by tests/support/dear.py.\n"

_seconds: Counter[str] = Counter()


def listed() -> set[str]:
    """Return the ids of the tests that are too dear."""
    return {line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test takes, with what it prepares."""
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    """Write the list, once."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        write(_seconds)


def write(seconds: dict[str, float]) -> None:
    """Write the list of the tests that take too long."""
    dear = [name for name, s in seconds.items() if s >= LIMIT and name.startswith(COMPILING)]
    LIST.write_text(HEAD + "".join(f"{name}\n" for name in sorted(dear)), "utf-8")
