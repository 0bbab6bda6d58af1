"""Engines' results on a suite: the table of cases and engines, and cases from stored games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tabulate import tabulate

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.reports.reading.words import counted
from joute.reports.replay import Replay, line_of, named, replay
from joute.results.quantity import milliseconds, percent_ends
from joute.results.statistics import wilson
from joute.results.tables import write_rows
from joute.studies.file.validation import places
from joute.studies.suites.answers import Column, SuiteAnswer
from joute.studies.suites.suite import Case, Suite, append_case

WIDE = 8
"""Engines up to which each has a column; more have a row each."""
PASSED, FAILED, SILENT = "✓", "✗", "!"


def passed(column: Column) -> int:
    """Count the cases that an engine passes."""
    return sum(answer.passed for answer in column.answers)


def mean_ms(column: Column) -> float:
    """Return the mean time of an answer, in milliseconds."""
    return sum(answer.ms for answer in column.answers) / len(column.answers)


def mean_nodes(column: Column) -> float:
    """Return the mean number of nodes of an answer."""
    return sum(answer.nodes for answer in column.answers) / len(column.answers)


def failures(columns: Sequence[Column]) -> int:
    """Count the cases that engines failed to answer."""
    return sum(bool(answer.failure) for column in columns for answer in column.answers)


def text(suite: Suite, columns: Sequence[Column]) -> str:
    """Return the table for a terminal, with the engines' full texts and their failures below."""
    lines = [f"{suite.name}: {counted(len(suite.cases), 'case')} of {suite.game.label}", ""]
    lines.append(_across(suite, columns) if len(columns) <= WIDE else _down(suite, columns))
    lines += ["", *(f"{column.name}: {column.spec}" for column in columns)]
    lines += failed_cases(suite, columns)
    return "\n".join(lines)


def failed_cases(suite: Suite, columns: Sequence[Column]) -> list[str]:
    """Tell of each engine that failed to answer where and why, equal reasons together."""
    lines = []
    for column in columns:
        alike: dict[str, list[str]] = {}
        for case, answer in zip(suite.cases, column.answers, strict=True):
            if answer.failure:
                alike.setdefault(answer.failure, []).append(case.name)
        lines += [f"{column.name} failed at {places(at)}: {why}" for why, at in alike.items()]
    return lines


def _across(suite: Suite, columns: Sequence[Column]) -> str:
    rows = [
        [case.name, case.wanted, *(cell_of(column.answers[i]) for column in columns)]
        for i, case in enumerate(suite.cases)
    ]
    rows.append([""] * (len(columns) + 2))
    for name, cells in _totals(suite, columns).items():
        rows.append([name, "", *cells])
    heads = ["case", "passes", *(column.name for column in columns)]
    return str(tabulate(rows, heads, disable_numparse=True))


def _down(suite: Suite, columns: Sequence[Column]) -> str:
    """One row an engine, its cases as a row of marks."""
    totals = _totals(suite, columns)
    marks = ["".join(_mark(answer) for answer in column.answers) for column in columns]
    rows = [
        [column.name, marks[i], *(cells[i] for cells in totals.values())]
        for i, column in enumerate(columns)
    ]
    table = tabulate(rows, ["engine", "cases", *totals], disable_numparse=True)
    numbered = [f"{i}. {case.name} ({case.wanted})" for i, case in enumerate(suite.cases, 1)]
    return "\n".join([str(table), "", *numbered])


def _totals(suite: Suite, columns: Sequence[Column]) -> dict[str, list[str]]:
    cases = len(suite.cases)
    ends = [wilson(passed(column), cases) for column in columns]
    return {
        "passed": [f"{passed(column)} of {cases}" for column in columns],
        "95 % (Wilson)": [percent_ends(low, high, 0) for low, high in ends],
        "time a move": [milliseconds(mean_ms(column)) for column in columns],
        "nodes a move": [f"{mean_nodes(column):,.0f}" for column in columns],
    }


def _mark(answer: SuiteAnswer) -> str:
    return SILENT if answer.failure else PASSED if answer.passed else FAILED


def cell_of(answer: SuiteAnswer) -> str:
    """Return a mark and the action, or how the engine failed to give one."""
    answered = answer.failure.partition(":")[0] if answer.failure else answer.action
    return f"{_mark(answer)} {answered}"


def data(suite: Suite, columns: Sequence[Column]) -> dict[str, Any]:
    """Return all results as JSON data."""
    engines = []
    for column in columns:
        low, high = wilson(passed(column), len(suite.cases))
        engines.append(
            {
                "name": column.name,
                "spec": column.spec,
                "passed": passed(column),
                "cases": len(suite.cases),
                "share_low": low,
                "share_high": high,
                "ms": mean_ms(column),
                "nodes": mean_nodes(column),
                "failures": failures([column]),
            }
        )
    answers = list(_rows(suite, columns))
    return {"suite": suite.name, "game": suite.game.label, "engines": engines, "answers": answers}


def _rows(suite: Suite, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    for column in columns:
        for case, answer in zip(suite.cases, column.answers, strict=True):
            yield {
                "case": case.name,
                "position": case.position,
                "best": " ".join(case.best),
                "avoid": " ".join(case.avoid),
                "engine": column.name,
                "spec": column.spec,
                "action": answer.action,
                "passed": answer.passed,
                "value": answer.value,
                "depth": answer.depth,
                "nodes": answer.nodes,
                "ms": round(answer.ms, 3),
                "failure": answer.failure,
            }


def write_answers(suite: Suite, columns: Sequence[Column], path: Path) -> None:
    """Write one row for each engine and case as CSV."""
    write_rows(list(_rows(suite, columns)), path)


def case_of_game(stored: Replay, ply: int, best: Sequence[str], remark: str) -> Case:
    """Return the position before a move of a stored game (numbered from 1, as in `joute replay`) as
    a case: the action played there is to be avoided unless the `best` ones are given.
    """
    moves = stored.record.actions.split()
    if not 1 <= ply <= len(moves):
        raise Refused(f"move {ply} of game {stored.record.id}: allowed: 1 to {len(moves)}")
    game, played = parse_game(stored.game), moves[ply - 1]
    before, _ = next(islice(line_of(game, stored.record), ply - 1, None))
    position = named(before)
    if not best and played in {game.action_text(action) for action in game.on_failure.values()}:
        raise Refused(f"move {ply} is a failed turn, not an action to avoid; give --best ACTION")
    avoid = () if best else (played,)
    return Case(f"{stored.record.id}-{ply}", position, tuple(best), avoid, remark)


def add_from_game(
    folder: Path, name: str, ply: int, best: Sequence[str], remark: str, path: Path
) -> Case:
    """Append the position before a move of a stored game to a suite's file; return the case."""
    game = replay(folder, name)
    case = case_of_game(game, ply, best, remark)
    append_case(path, parse_game(game.game), case, game.plugins)
    return case
