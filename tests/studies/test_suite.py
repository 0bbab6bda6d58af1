"""Suites: what a file must say, what engines make of it, and that what ships is right."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.position import Position, parse_position
from joute.engines.record import WIN
from joute.studies.file.validation import StudyRefused
from joute.studies.ready_made import SUITES, ready_made
from joute.studies.suites.answers import ask, axis_of, engines_of, short_names
from joute.studies.suites.suite import Suite, load_suite
from tests.engines.slow_tron import longest_walk, slow_of
from tests.studies.slow_paranoid import ensured
from tests.support.plugins import plugged
from tests.support.runs import BAD, here

GOOD = """
game = "connect4[columns=5,rows=4]"
[[case]]
name = "row"
position = "startpos moves 1 1 2 2 3 3"
best = ["4"]
remark = "four in a row"
[[case]]
name = "not there"
position = "startpos moves 1 1 2 2"
avoid = ["5"]
"""
PERFECT = "connect4[columns=5,rows=4]/alphabeta:evaluation=static,depth=4"


def written(folder: Path, text: str) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


def test_a_good_file(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    assert [case.name for case in suite.cases] == ["row", "not there"]
    row, other = suite.cases
    assert row.passes("4") and not row.passes("3") and row.wanted == "4"
    assert other.passes("4") and not other.passes("5") and other.wanted == "not 5"


def test_every_fault_is_told_at_once_with_the_nearest_name(tmp_path: Path) -> None:
    text = """
game = "connect4[columns=5,rows=4]"
[[case]]
name = "row"
position = "startpos moves 1 1 9"
best = ["4"]
[[case]]
name = "row"
position = "startpos"
best = ["6"]
[[case]]
name = "both"
position = "startpos"
best = ["1"]
avoid = ["2"]
[[case]]
name = "none"
position = "startpos"
[[case]]
name = "over"
position = "startpos moves 1 1 2 2 3 3 4"
best = ["1"]
[[case]]
name = "all"
position = "startpos"
avoid = ["1", "2", "3", "4", "5"]
"""
    with pytest.raises(StudyRefused) as refused:
        load_suite(written(tmp_path, text))
    path = f"{tmp_path / 's.toml'}: "
    assert [fault.removeprefix(path) for fault in refused.value.errors] == [
        "case.0.position: move 3 of the position: '9' is not a column; allowed: 1 to 5",
        'case.1.name: "row" is the name of case.0',
        "case.1.best.0: '6' is not a column; allowed: 1 to 5",
        "case.2.best: cannot be combined with avoid; allowed: either best or avoid, a list of actions, "
        "at least one",
        "case.3.best: is missing; allowed: either best or avoid, a list of actions, at least one",
        "case.4.position: the game is over there, so there is no move to find",
        "case.5.avoid: leaves no legal action that passes",
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (GOOD.replace("remark", "remrak"), "case.0.remrak: unknown key; did you mean 'remark'?"),
        (GOOD.replace("connect4[", "conect4["), "game: unknown game 'conect4'; did you mean"),
        ('game = "connect4"\n', "case: is missing; allowed: a list of tables, [[case]]"),
        (GOOD.replace('["4"]', "[]"), "case.0.best: [] is not a list of actions, at least one"),
        ("game = connect4", "is not TOML"),
    ],
)
def test_faults(tmp_path: Path, text: str, line: str) -> None:
    done = here("suite", written(tmp_path, text), PERFECT)
    assert (done.exit_code, done.stdout) == (2, "")
    assert line in done.stderr
    assert all(one.startswith("joute: ") for one in done.stderr.splitlines())


def test_refusals(tmp_path: Path) -> None:
    good = written(tmp_path, GOOD)
    for words, said in (
        (["connect4-tactic", PERFECT], "did you mean 'connect4-tactics'?"),
        ([good], "no engine is given"),
        ([good, "connect4/random"], "plays another game than connect4[columns=5,rows=4]"),
        ([good, PERFECT, "--grid", "depth"], "is not of the form name=value,value,..."),
        ([good, PERFECT, "--grid", "deepth=2"], "unknown parameter 'deepth'; did you mean 'depth'"),
        ([good, PERFECT, "--grid", "depth=1", "--grid", "depth=2"], "names a parameter twice"),
        ([good, PERFECT, "--best", "4"], "--best and --remark need --from-game"),
    ):
        done = here("suite", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        [line] = [one for one in done.stderr.splitlines() if "compiling" not in one]
        assert said in line


@pytest.mark.slow
def test_the_table_json_and_csv_say_the_same(tmp_path: Path) -> None:
    good = written(tmp_path, GOOD)
    words = ["suite", good, PERFECT, "random", "--csv", tmp_path / "t.csv"]
    done = here(*words)
    assert done.exit_code == 0, done.stderr
    assert "alphabeta" in done.stdout and "✓ 4" in done.stdout and "2 of 2" in done.stdout
    told = json.loads(here(*words, "--json").stdout)
    assert told["engines"][0]["passed"] == 2
    with (tmp_path / "t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["passed"] for row in rows] == [
        "yes" if answer["passed"] else "no" for answer in told["answers"]
    ]
    assert rows[0]["action"] == "4" and rows[0]["best"] == "4" and rows[0]["avoid"] == ""


def test_a_grid_is_crossed_and_wide_tables_turn(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    engines = engines_of(suite.game, ["uct:iterations=10"], ["k=0.1,1", "iterations=10,20"])
    assert list(engines) == [
        "k=0.1,iterations=10", "k=0.1,iterations=20", "k=1,iterations=10", "k=1,iterations=20",
    ]  # fmt: skip
    turned = engines_of(suite.game, ["uct:iterations=10"], ["iterations=10,20", "k=0.1,1"])
    assert list(turned) == [
        "iterations=10,k=0.1", "iterations=10,k=1", "iterations=20,k=0.1", "iterations=20,k=1",
    ]  # fmt: skip
    assert axis_of("k = 1, 2") == ("k", ["1", "2"])
    done = here("suite", tmp_path / "s.toml", "random", "--grid", "x=1")
    assert done.exit_code == 2
    ks = ",".join(str(n / 10) for n in range(1, 11))
    done = here("suite", tmp_path / "s.toml", "uct:iterations=300", "--grid", f"k={ks}")
    assert done.exit_code == 0 and "1. row (4)" in done.stdout and "k=0.7" in done.stdout


def test_a_grid_may_say_what_a_spec_must(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    asked = engines_of(suite.game, ["uct"], ["iterations=10,20"])
    assert list(asked) == ["iterations=10", "iterations=20"]
    assert [engine.limit for engine in asked.values()] == [("iterations", 10), ("iterations", 20)]
    with pytest.raises(Refused, match="uct needs a limit: iterations or milliseconds"):
        engines_of(suite.game, ["uct"], ["k=1,2"])
    with pytest.raises(Refused, match="the search is 'uct' already"):
        engines_of(suite.game, ["uct:search=random"], ["iterations=10"])


def test_names_are_short() -> None:
    game = parse_game("connect4")
    one = parse_engine("alphabeta:evaluation=lines,depth=2", game)
    two = parse_engine("alphabeta:evaluation=lines,depth=3", game)
    uct = parse_engine("uct:iterations=10", game)
    assert short_names([one]) == ["alphabeta"]
    assert short_names([one, two]) == ["depth=2", "depth=3"]
    assert short_names([one, two, uct]) == ["alphabeta:depth=2", "alphabeta:depth=3", "uct"]


def test_who_fails_to_answer_is_told_and_the_exit_code_says_so(tmp_path: Path) -> None:
    good = written(tmp_path, f"plugins = [{str(BAD)!r}]\n{GOOD}")
    done = here("suite", good, "bad:how=raise", "bad:how=illegal")
    assert done.exit_code == 1
    assert "! crash" in done.stdout and "ZeroDivisionError" in done.stdout
    assert "! illegal" in done.stdout
    assert "how=raise failed at row, not there: crash: ZeroDivisionError" in done.stdout


@pytest.mark.slow
def test_several_processes_answer_the_same(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    engines = engines_of(suite.game, ["uct:iterations=400", "random"], [])
    alone = ask(suite, engines, 3, 1)
    both = ask(suite, engines, 3, 2)
    assert [[(a.action, a.nodes) for a in c.answers] for c in alone] == [
        [(a.action, a.nodes) for a in c.answers] for c in both
    ]


@pytest.mark.slow
def test_an_engine_that_dies_ends_its_own_answers_only(tmp_path: Path) -> None:
    suite = load_suite(written(tmp_path, GOOD))
    with plugged(BAD):
        columns = ask(suite, engines_of(suite.game, ["bad:how=segfault", "random"], []), 3, 2)
    dead, alive = columns
    assert all(a.failure.startswith("crash: died by SIG") for a in dead.answers)
    assert all(not a.failure and a.action for a in alive.answers)


def test_cases_come_from_stored_games(tmp_path: Path) -> None:
    run, file = tmp_path / "run", tmp_path / "mine.toml"
    small = "connect4[columns=4,rows=4]"
    here("match", f"{small}/random", "uct:iterations=5", "--blocks", 1, "--out", run, "-j", 1)
    with (run / "games.csv").open(newline="") as rows:
        game = next(csv.DictReader(rows))
    told = json.loads(here("replay", run, game["id"], "--json").stdout)
    played = told["steps"][2]["action"]
    done = here("suite", "--from-game", run, game["id"][:12], 2, "--remark", "why", file)
    assert done.exit_code == 0, done.stderr
    first = file.read_text()
    done = here("suite", "--from-game", run, game["id"], 1, "--best", "1", "--best", "2", file)
    assert done.exit_code == 0, done.stderr
    assert file.read_text().startswith(first.rstrip())
    one, two = load_suite(file).cases
    assert one.avoid == (played,) and one.remark == "why" and two.best == ("1", "2")
    assert one.position == f"{game['opening']} {told['steps'][1]['action']}"
    assert two.position == game["opening"]
    for words, said in (
        ([game["id"], 2, file], "has a case"),
        ([game["id"], 99, file], "allowed: 1 to"),
        ([game["id"], "x", file], "'x' is no move number"),
        ([game["id"], 3, "--best", "9", file], "'9' is not a column; allowed: 1 to 4"),
    ):
        done = here("suite", "--from-game", run, *words)
        assert (done.exit_code, done.stdout) == (2, "") and said in done.stderr


def test_the_list_names_them() -> None:
    listed = json.loads(here("list", "--json").stdout)["suite"]
    assert (
        list(listed)
        == ready_made(SUITES)
        == [
            "connect4-tactics",
            "langorou-positions",
            "tron-doors",
            "tron-situations",
        ]
    )
    assert all(listed.values())


@pytest.mark.parametrize("name", ["connect4-tactics"])
def test_deep_search_agrees_with_the_tactics(name: str) -> None:
    suite = load_suite(name)
    player = parse_engine("alphabeta:evaluation=static,depth=8", suite.game).player()

    def verdict(position: Position, action: int) -> str:
        """Whether a move wins, loses, or neither, within the depth of the search after it."""
        after = position.copy()
        after.play(action)
        if after.over:
            return "wins" if after.status in (1, 2) else "neither"
        player.new_game(0, after.to_move)
        value = player.choose(after).value
        assert value is not None
        return "loses" if value > WIN / 2 else "wins" if value < -WIN / 2 else "neither"

    for case in suite.cases:
        position = parse_position(suite.game, case.position)
        said: dict[bool, set[str]] = {True: set(), False: set()}
        for action in position.legal_actions():
            passes = case.passes(suite.game.action_text(action))
            said[passes].add(verdict(position, action))
        wins = said[True] == {"wins"} and "wins" not in said[False]
        holds = "loses" not in said[True] and said[False] == {"loses"}
        assert wins or holds, case.name


def test_an_engine_solves_the_tactics() -> None:
    done = here("suite", "connect4-tactics", "connect4/alphabeta:evaluation=lines,depth=8")
    assert done.exit_code == 0 and "18 of 18" in done.stdout


def test_exhaustive_search_agrees_with_the_situations() -> None:
    suite: Suite = load_suite("tron-situations")
    for case in suite.cases:
        found = ensured(parse_position(suite.game, case.position))
        passing = [value for action, value in found.items() if case.passes(action)]
        failing = [value for action, value in found.items() if not case.passes(action)]
        assert passing and failing and min(passing) > max(failing), case.name


def test_the_right_door_wins_and_the_other_one_loses() -> None:
    suite = load_suite("tron-doors")
    assert len(suite.cases) == 40
    for case in suite.cases:
        start = slow_of(parse_position(suite.game, case.position))
        other = start.copy()
        other.mover = 1
        for action in start.actions():
            after = start.copy()
            after.play(action)
            after.mover = 0
            wins = 1 + longest_walk(after) > longest_walk(other)  # A moves first
            assert wins == case.passes(suite.game.action_text(action)), case.name


def test_langorous_own_positions_at_the_depths_the_facts_give() -> None:
    suite = load_suite("langorou-positions")
    search = "expectiminimax:evaluation=langorou,"
    passed = {depth: set(passing(suite, search + f"depth={depth}")) for depth in (1, 2, 3, 4, 5, 8)}
    always = {"1.1", "2", "4", "4.1", "5", "6"}
    assert all(found >= always for found in passed.values())
    assert all("1" not in passed[depth] for depth in (1, 2, 3, 4, 5))
    assert {"1", "1.1.1"} <= passed[8]


def passing(suite: Suite, spec: str) -> list[str]:
    """Return the names of the cases that an engine passes."""
    player = parse_engine(spec, suite.game).player()
    found = []
    for case in suite.cases:
        position = parse_position(suite.game, case.position)
        played = suite.game.action_text(player.choose(position).action)
        if played in case.best:
            found.append(case.name)
    return found
