"""Which long tests are too dear for continuous integration: `tests/dear.txt`, measured, not chosen.

    JOUTE_LONG=1 .venv/bin/python -m pytest -n 2 -p tests.support.dear

runs all tests and writes the list anew: those of LIMIT seconds and more, but for ALWAYS. They wait for
`make test-long`. Run it with a cold cache (no `__pycache__`).
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

LIST = Path(__file__).resolve().parents[1] / "dear.txt"
LIMIT = 5.0  # seconds, on two busy cores
ALWAYS = (
    "tests/attack/test_attack.py::test_nothing_is_found",
    "tests/frozen/test_frozen.py::test_nothing_has_changed[tables]",
    "tests/harness/test_deaths.py",
    "tests/studies/test_run.py",
    "tests/test_docs.py",
    "tests/test_wheel.py::test_the_wheel_holds_one_package_whole",
)
"""What every change must show: the front page, tables, kills and resumes, the package."""
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
    dear = [name for name, s in seconds.items() if s >= LIMIT and not name.startswith(ALWAYS)]
    LIST.write_text(HEAD + "".join(f"{name}\n" for name in sorted(dear)), "utf-8")
