"""The results of engines on a script: counts, unexpected answers, CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from joute.engines.script import (
    FAILED,
    KNOWN,
    UNEXPECTED,
    VERDICTS,
    Reply,
    Step,
    Wanted,
    verdict,
)
from joute.reports.reading.words import counted
from joute.results.quantity import milliseconds
from joute.results.tables import write_csv
from joute.studies.suites.scripts import Examined

MOST = 200
"""Answers told in a terminal, of all engines together; the CSV file has all."""


def pairs(steps: Sequence[Step], engine: Examined) -> Iterator[tuple[Step, Wanted, Reply]]:
    """Yield each test with its reply."""
    tests = [(step, step.wanted) for step in steps if step.wanted is not None]
    for (step, wanted), reply in zip(tests, engine.replies, strict=True):
        yield step, wanted, reply


def counts_of(steps: Sequence[Step], engine: Examined) -> dict[str, int]:
    """Count the tests by verdict, all verdicts included."""
    counts = Counter(verdict(wanted, reply) for _, wanted, reply in pairs(steps, engine))
    return {kind: counts[kind] for kind in VERDICTS}


def failures(examined: Sequence[Examined]) -> int:
    """Count the commands that engines failed to answer."""
    unanswered = sum(bool(reply.failure) for engine in examined for reply in engine.replies)
    return unanswered + sum(len(engine.errors) for engine in examined)


def text(name: str, steps: Sequence[Step], examined: Sequence[Examined]) -> str:
    """Return the tables for a terminal: counts, unexpected answers, commands that failed."""
    tests = sum(step.wanted is not None for step in steps)
    rows = [[engine.name, *counts_of(steps, engine).values(), _time(engine)] for engine in examined]
    lines = [f"{name}: {counted(tests, 'test')}", ""]
    lines.append(str(tabulate(rows, ["engine", *VERDICTS, "time a test"], disable_numparse=True)))
    lines += ["", *(f"{engine.name}: {engine.spec}" for engine in examined)]
    failing = [row for row in _rows(steps, examined) if row["verdict"] in (FAILED, UNEXPECTED)]
    if failing:
        many = len(examined) > 1
        heads = [*(["engine"] if many else []), "test", "command", "wanted", "got", "verdict"]
        table = [
            [*([row["engine"]] if many else []), row["test"], row["command"], row["wanted"],
             row["got"] or f"! {row['failure']}", row["verdict"]]
            for row in failing[:MOST]
        ]  # fmt: skip
        lines += ["", str(tabulate(table, heads, disable_numparse=True))]
        if len(failing) > MOST:
            lines.append(f"{len(failing) - MOST} more of {len(failing)}: --csv FILE writes all")
    for engine in examined:
        lines += [f"{engine.name} failed at {error}" for error in engine.errors]
    return "\n".join(lines)


def _time(engine: Examined) -> str:
    spent = [reply.ms for reply in engine.replies if not reply.failure]
    return milliseconds(sum(spent) / len(spent)) if spent else ""


def data(name: str, steps: Sequence[Step], examined: Sequence[Examined]) -> dict[str, Any]:
    """Return all results as JSON data."""
    engines = [
        {
            "name": engine.name,
            "spec": engine.spec,
            "tests": len(engine.replies),
            **{kind.replace(" ", "_"): count for kind, count in counts_of(steps, engine).items()},
            "failures": failures([engine]),
            "errors": list(engine.errors),
        }
        for engine in examined
    ]
    return {"suite": name, "engines": engines, "answers": list(_rows(steps, examined))}


def _rows(steps: Sequence[Step], examined: Sequence[Examined]) -> Iterator[dict[str, Any]]:
    for engine in examined:
        for step, wanted, reply in pairs(steps, engine):
            yield {
                "test": step.name,
                "line": step.line,
                "command": step.command,
                "wanted": wanted.pattern,
                "expected": "failure" if wanted.expected == KNOWN else wanted.expected,
                "engine": engine.name,
                "spec": engine.spec,
                "got": reply.got,
                "passed": reply.passes,
                "verdict": verdict(wanted, reply),
                "ms": round(reply.ms, 3),
                "failure": reply.failure,
            }


def write_answers(steps: Sequence[Step], examined: Sequence[Examined], path: Path) -> None:
    """Write one row for each engine and test as CSV."""
    rows = list(_rows(steps, examined))
    write_csv(
        pd.DataFrame({name: pd.Series([r[name] for r in rows], dtype=object) for name in rows[0]}),
        path,
    )
