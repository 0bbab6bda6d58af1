"""A suite's results as one self-contained page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from joute.engines.colours import html
from joute.engines.position import parse_position
from joute.reports.html import page as html_page
from joute.reports.page.html_table import Bar
from joute.reports.page.html_table import Column as Shown
from joute.reports.suites.answer import card_of, ranked, sentences
from joute.reports.suites.table import cell_of, failed_cases, mean_ms, mean_nodes
from joute.results.quantity import milliseconds, percent_ends
from joute.results.statistics import wilson
from joute.results.tables import write_atomically
from joute.studies.suites.answers import Column
from joute.studies.suites.suite import Suite

TEMPLATE = "suite.html.jinja"
MOST = 100  # cases that are drawn


def write_page(file: str, suite: Suite, columns: Sequence[Column], seed: int, path: Path) -> None:
    """Write the page; `file` is how the suite was named."""
    values: dict[str, Any] = {
        "suite": suite,
        "seed": seed,
        "cases": len(suite.cases),
        "engines": len(columns),
        "columns": columns,
        "card": card_of(file, suite, columns),
        "answer": sentences(suite, columns),
        "failed": failed_cases(suite, columns),
        "summary": summary(suite, columns),
        "answers": answers(suite, columns),
        "missed": [*missed(suite, columns)][:MOST],
    }
    write_atomically(path, html_page(TEMPLATE, **values))


def summary(suite: Suite, columns: Sequence[Column]) -> list[Shown]:
    """Return the table of engines, the one that passes most first."""
    ranks, cases = ranked(columns), len(suite.cases)
    ends = [wilson(one.passed, cases) for one in ranks]
    bars = [
        Bar(round(100 * low, 1), round(100 * one.passed / cases, 1), round(100 * high, 1))
        for one, (low, high) in zip(ranks, ends, strict=True)
    ]
    nodes = [f"{mean_nodes(one.column):,.0f}" for one in ranks]
    return [
        Shown("engine", [one.column.name for one in ranks], numeric=False, wraps=True),
        Shown("passes", [f"{one.passed} of {cases}" for one in ranks]),
        Shown("95 % interval", [percent_ends(low, high, 0) for low, high in ends]),
        Shown("", [""] * len(ranks), bars=tuple(bars)),
        *(
            [Shown("p", ["" if one.p is None else f"{one.p:.2g}" for one in ranks])]
            if ranks[1:]
            else []
        ),
        Shown("time a move", [milliseconds(mean_ms(one.column)) for one in ranks]),
        Shown("nodes a move", nodes),
    ]


def answers(suite: Suite, columns: Sequence[Column]) -> list[Shown]:
    """Return the table of cases with a column for each engine."""
    return [
        Shown("case", [case.name for case in suite.cases], numeric=False),
        Shown("passes", [case.wanted for case in suite.cases], numeric=False),
        *(
            Shown(column.name, [cell_of(answer) for answer in column.answers], numeric=False)
            for column in columns
        ),
    ]


def missed(suite: Suite, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Yield the cases that not every engine passes, each with its board and what was answered."""
    for i, case in enumerate(suite.cases):
        if not all(column.answers[i].passed for column in columns):
            yield {
                "case": case,
                "drawing": html(parse_position(suite.game, case.position).draw()),
                "cells": [(column.name, cell_of(column.answers[i])) for column in columns],
            }
