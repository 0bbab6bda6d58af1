"""What a suite says of its engines: who passes most, beyond chance or not, on the terminal and as a page."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from shlex import split

import pytest

from joute.engines.engine import parse_game
from joute.reports.reading.card import CONFIRM, FAILED, TAKE, UNKNOWN
from joute.reports.suites.answer import card_of, mcnemar, ranked, sentences
from joute.studies.suites.answers import Column, SuiteAnswer
from joute.studies.suites.suite import Case, Suite
from tests.support.runs import here

GAME = parse_game("connect4[columns=5,rows=4]")
ENGINE = "connect4[columns=5,rows=4]/alphabeta:evaluation=static,depth="


def suite_of(cases: int) -> Suite:
    named = (Case(f"case {i}", "startpos", ("1",), (), "") for i in range(cases))
    return Suite("some", GAME, tuple(named))


def column(name: str, passes: list[bool], failure: str = "") -> Column:
    answers = (
        SuiteAnswer("1" if p else "2", p, ms=1.0, failure="" if p else failure) for p in passes
    )
    return Column(name, ENGINE + str(len(name)), tuple(answers))


@pytest.mark.parametrize("apart", [(0, 0), (1, 0), (3, 1), (2, 6), (8, 0), (5, 5)])
def test_chance_is_counted_over_all_ways_that_the_cases_may_fall(apart: tuple[int, int]) -> None:
    mine, theirs = apart
    one = column("a", [True] * 3 + [True] * mine + [False] * theirs)
    other = column("b", [True] * 3 + [False] * mine + [True] * theirs)
    ways = [sum(way) for way in product((0, 1), repeat=mine + theirs)]
    middle = (mine + theirs) / 2
    as_far = sum(abs(way - middle) >= abs(mine - middle) for way in ways) / len(ways)
    assert mcnemar(one, other) == pytest.approx(as_far)


def test_who_passes_fewer_by_more_than_chance() -> None:
    columns = [
        column("low", [False] * 10 + [True] * 10),
        column("best", [True] * 20),
        column("near", [True] * 19 + [False]),
    ]
    assert [(one.column.name, one.behind) for one in ranked(columns)] == [
        ("best", False), ("near", False), ("low", True),
    ]  # fmt: skip
    told = sentences(suite_of(20), columns)
    assert told[0].startswith("best passes most, 20 of 20 cases (84 % to 100 %).")
    assert "near cannot be told from it at 95 %" in told[0] and len(told) == 1
    card = card_of("some.toml", suite_of(20), columns)
    assert card.verdict == UNKNOWN and card.engine == "best"
    assert ("not settled", "near may pass as many") in card.facts
    assert split(card.command)[:2] == ["joute", "match"]
    sure = card_of("some.toml", suite_of(20), [columns[0], columns[1]])
    assert sure.verdict == CONFIRM and sure.title == "Confirm best, which leads"


def test_equals_alone_and_failed() -> None:
    same = [column("a", [True, False]), column("bb", [False, True])]
    told = sentences(suite_of(2), same)[0]
    assert told.startswith("a and bb pass most, each 1 of 2 cases")
    assert "They cannot be told apart at 95 %" in told
    none = [column(name, [False, False]) for name in ("a", "bb")]
    assert sentences(suite_of(2), none)[0].startswith("No engine passes any of 2 cases")
    assert card_of("s", suite_of(2), same).title == "Cannot tell"
    one = card_of("s", suite_of(2), same[:1])
    assert one.title == "a passes 1 of 2" and "bestmove" in one.next and "case 1" in one.next
    assert card_of("s", suite_of(2), [column("a", [True, True])]).verdict == TAKE
    assert (
        sentences(suite_of(2), [column("a", [False, False])])[1]
        == "It fails “case 0” and “case 1”."
    )
    broken = [column("a", [False, False], "crash: no such file")]
    assert card_of("s", suite_of(2), broken).verdict == FAILED
    assert sentences(suite_of(2), broken)[-1] == "2 answers never came: see the failures."


def test_a_page_and_its_refusals(tmp_path: Path) -> None:
    page = tmp_path / "suite.html"
    asked = [
        "suite",
        "connect4-tactics",
        "alphabeta:evaluation=static,depth=1",
        "uct:iterations=100",
    ]
    done = here(*asked, "--html", str(page))
    assert done.exit_code == 0 and "\nnext: joute match 'connect4" in done.stdout, done.stderr
    text = page.read_text()
    assert "18 cases" in text and "✗" in text and "McNemar" in text and "<pre>" in text
    told = json.loads(here(*asked, "--json").stdout)["answer"]
    assert told and told[0] in done.stdout and told[0].split(" (")[0] in text
    for place, why in (("page.txt", "ends in .html"), ("none/page.html", "none")):
        refused = here(*asked, "--html", str(tmp_path / place))
        assert refused.exit_code == 2 and why in refused.stderr
