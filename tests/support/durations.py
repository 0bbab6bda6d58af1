"""Which tests are long: `tests/slow.txt` and `tests/dear.txt`, measured, not chosen.

    JOUTE_LONG=1 .venv/bin/python -m pytest -n 2 -p tests.support.durations

runs all tests and adds to the lists: tests that took SLOW seconds and more are no part of `make test`,
slow ones of DEAR seconds and more wait for `make test-long`, but for the quickest case of each test of
several. By hand a test leaves the lists, and a file that compiles much enters them, as a path alone.
Measure with a cold cache (no `__pycache__`): most of the time goes into compiling.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Mapping
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1]
SLOW, DEAR = 0.7, 2.5  # seconds, on two busy cores
ALWAYS = (
    "tests/attack/test_attack.py::test_a_sabotaged_run_is_found[does not play to its end",
    "tests/attack/test_attack.py::test_nothing_is_found",
    "tests/frozen/test_frozen.py",
    "tests/harness/test_deaths.py",
    "tests/studies/test_refereed_runs.py::test_workers_and_kills_change_nothing",
    "tests/studies/test_run.py",
    "tests/studies/test_search_runs.py::test_the_number_of_workers_changes_no_byte[3-duels]",
    "tests/test_docs.py",
    "tests/test_rooms.py",
    "tests/test_wheel.py::test_the_wheel_holds_one_package_whole",
)
"""What every change must show, however long: the front page, what is frozen, the same games for any number
of workers, kills and resumes, the rooms, the package."""

_seconds: Counter[str] = Counter()
_slow: set[str] = set()


def listed(name: str) -> set[str]:
    """Return the ids of a list: "slow" or "dear"."""
    lines = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    return {line for line in lines if not line.startswith("#")}


def holds(names: set[str], nodeid: str) -> bool:
    """Whether a list names a test, or its whole file."""
    return nodeid in names or nodeid.partition("::")[0] in names


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test takes, with what it prepares."""
    _seconds[report.nodeid] += report.duration
    if "slow" in report.keywords:
        _slow.add(report.nodeid)


def pytest_sessionfinish() -> None:
    """Write the lists, once."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        write("slow", {name for name, s in _seconds.items() if s >= SLOW and name not in _slow})
        write("dear", dear_of(_seconds, _slow))


def dear_of(seconds: Mapping[str, float], slow: Container[str]) -> set[str]:
    """Return the tests that are to wait: one case of each test of several, the quickest, does not."""
    cases: dict[str, list[str]] = {}
    for name in sorted(seconds, key=lambda name: seconds[name]):
        cases.setdefault(name.partition("[")[0], []).append(name)
    dear = {name for name, s in seconds.items() if name in slow and s >= DEAR}
    kept = {names[0] for names in cases.values() if len(names) > 1}
    return {name for name in dear - kept if not name.startswith(ALWAYS)}


def write(name: str, more: set[str]) -> None:
    """Add tests to a list."""
    limit = {"slow": SLOW, "dear": DEAR}[name]
    head = f"# Tests of {limit:g} s and more. Written by tests/support/durations.py.\n"
    ids = sorted(listed(name) | more)
    (FOLDER / f"{name}.txt").write_text(head + "".join(f"{one}\n" for one in ids), "utf-8")
