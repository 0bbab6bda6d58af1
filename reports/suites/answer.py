"""What a suite says of its engines: who passes most, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from shlex import quote

from joute.engines.registry import plugin_files
from joute.reports.compare.difference import holm
from joute.reports.plugins import option
from joute.reports.reading.card import CONFIRM, FAILED, TAKE, UNKNOWN, Card
from joute.reports.reading.words import counted, listed
from joute.reports.suites.table import failures, mean_ms, passed
from joute.results.quantity import milliseconds, percent_ends
from joute.results.statistics import wilson
from joute.studies.suites.answers import Column
from joute.studies.suites.suite import Suite

BLOCKS = 100  # openings of the match that the card names
NAMED = 5  # cases, and engines, that are named
BY_CHANCE = 0.05  # a difference counts if chance gives as much in fewer than this share of suites


@dataclass(frozen=True)
class SuiteRank:
    """An engine beside the one that passes most: `p` by McNemar's exact test on the cases that only one
    of them passes, corrected by Holm for the engines compared; None for the first itself.
    """

    column: Column
    passed: int
    p: float | None

    @property
    def behind(self) -> bool:
        """Whether it passes fewer cases than the first, by more than chance."""
        return self.p is not None and self.p < BY_CHANCE


def ranked(columns: Sequence[Column]) -> list[SuiteRank]:
    """Return the engines, the one that passes most first; of equals the one named first."""
    order = sorted(columns, key=passed, reverse=True)
    chances = holm([mcnemar(order[0], column) for column in order[1:]])
    return [
        SuiteRank(column, passed(column), p)
        for column, p in zip(order, [None, *chances], strict=True)
    ]


def mcnemar(one: Column, other: Column) -> float:
    """Return how likely a difference as large is by chance: cases that only one engine passes fall to
    either side with 1/2 (McNemar 1947, the exact form, two-sided).
    """
    sides = [(a.passed, b.passed) for a, b in zip(one.answers, other.answers, strict=True)]
    fewer, apart = sorted([sides.count((True, False)), sides.count((False, True))])
    number = fewer + apart
    tail = sum(comb(number, k) for k in range(fewer + 1)) / (1 << number)
    return min(1.0, 2 * tail)


def sentences(suite: Suite, columns: Sequence[Column]) -> list[str]:
    """Return the answer: who passes how many, who cannot be told from the first, what nobody passes."""
    ranks, cases = ranked(columns), len(suite.cases)
    first = ranks[0]
    ends = percent_ends(*wilson(first.passed, cases), 0)
    share = f"{first.passed} of {counted(cases, 'case')} ({ends})"
    lines = [f"{first.column.name} passes {share}."]
    if ranks[1:]:
        most = [one.column.name for one in ranks if one.passed == first.passed]
        others = ranks[len(most) :]
        equal = [one.column.name for one in others if not one.behind]
        several = len(most) > 1
        lines = [f"{_some(most)} {'pass most, each' if several else 'passes most,'} {share}."]
        if not first.passed:
            lines = [f"No engine passes any of {counted(cases, 'case')} ({ends})."]
        it = "them" if several else "it"
        if not others:
            lines[0] += f" They cannot be told apart {_at(ranks)}."
        elif not equal:
            lines[0] += f" Each other engine passes fewer, by more than chance {_at(ranks)}."
        elif len(equal) == len(others):
            lines[0] += f" No other engine can be told from {it} {_at(ranks)}."
        else:
            lines[0] += f" {_some(equal)} cannot be told from {it} {_at(ranks)}."
    lost = [
        case.name
        for i, case in enumerate(suite.cases)
        if not any(column.answers[i].passed for column in columns)
    ]
    if lost:
        who = "No engine passes" if ranks[1:] else "It fails"
        lines.append(f"{who} {_some([f'“{name}”' for name in lost])}.")
    if (failed := failures(columns)) > 0:
        lines.append(f"{counted(failed, 'answer')} never came: see the failures.")
    return lines


def card_of(file: str, suite: Suite, columns: Sequence[Column]) -> Card:
    """Return the card: the first engine, what that rests on, and the match that says whether it is stronger."""
    ranks, cases = ranked(columns), len(suite.cases)
    first, joute = ranks[0], " ".join(["joute", *map(option, plugin_files())])
    spec = quote(first.column.spec)
    if failures([first.column]) > cases / 2:
        reason = next(a.failure for a in first.column.answers if a.failure)
        check = ("", f"{joute} check {spec}")
        return Card(FAILED, first.column.name, [("why", reason)], "", check, lead="Mend it, then")
    facts = [
        ("passes", f"{first.passed} of {cases} ({percent_ends(*wilson(first.passed, cases), 0)})"),
        ("time a move", f"mean {milliseconds(mean_ms(first.column))}"),
    ]
    another = (
        "To try another setting beside it",
        f"{joute} suite {quote(file)} {spec} SPEC",
    )
    if not ranks[1:]:
        wrong = [case for case, a in zip(suite.cases, first.column.answers, strict=True) if not a.passed]  # fmt: skip
        name, title = first.column.name, f"{first.column.name} passes {first.passed} of {cases}"
        if not wrong:
            return Card(TAKE, name, facts, "", another, headline=title)
        look = f"{joute} bestmove {spec} --position {quote(wrong[0].position)}"
        seen = (f"What it sees in “{wrong[0].name}”", look)
        return Card(UNKNOWN, name, facts, "", seen, lead="Look at what it fails.", headline=title)
    equal = [one.column.name for one in ranks[1:] if not one.behind]
    if equal:
        facts.append(("not settled", f"{_some(equal)} may pass as many"))
    facts.append(("beware", "cases that are passed are not strength: a match measures that"))
    second = quote(ranks[1].column.spec)
    match = f"{joute} match {spec} {second} --blocks {BLOCKS}"
    command = match if suite.game.players == 2 else ""
    name = "" if ranks[1].passed == first.passed else first.column.name
    return Card(UNKNOWN if equal else CONFIRM, name, facts, command, another)


def _at(ranks: Sequence[SuiteRank]) -> str:
    compared = len(ranks) - 1
    holms = f", with Holm's correction for {compared} comparisons" if compared > 1 else ""
    return f"at 95 % (McNemar's exact test{holms})"


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return listed(names if more <= 0 else [*names[:NAMED], f"{more} more"])
