"""Data that somebody else wrote: what is too deep, too long or no text is one line, not a traceback."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from joute.engines.data import DEEPEST, loose_json, parse_json, parse_toml
from joute.engines.engine import parse_game
from joute.engines.errors import LONGEST, JouteError, Refused, cut
from joute.engines.player import Move, Player, PlayerFailure, counted
from joute.engines.position import Position, parse_position
from joute.engines.protocols.json_lines import JsonSession
from joute.harness.match import Failed, Rules, Tally, turn
from tests.support.runs import here

NESTED = "[" * 1000 + "]" * 1000
TOMLS = {
    "deep": f"x = {NESTED}",
    "a little too deep": f"x = {'[' * DEEPEST}{']' * DEEPEST}",
    "deep by dots": f"{'.'.join('a' * (DEEPEST + 1))} = 1",
    "deep by dots in quotes": "[" + " . ".join(['"a"'] * (DEEPEST + 1)) + "]",
    "long": f"x = {'9' * 5000}",
    "long in base 16": f"x = 0x{'f' * 5000}",
    "more than 64 bits": f"x = {1 << 64}",
    "NUL": 'plugins = ["a\\u0000b.py"]',
    "NUL in files": 'files = ["\\u0000"]',
}


@pytest.mark.parametrize("text", TOMLS.values(), ids=TOMLS)
@pytest.mark.parametrize("command", [["run"], ["suite"], ["evaluate"]])
def test_a_file_of_somebody_else_is_refused_in_one_line(
    tmp_path: Path, text: str, command: list[str]
) -> None:
    path = tmp_path / "f.toml"
    path.write_text(text)
    words = ["bestmove", path, "startpos"] if command == ["evaluate"] else [*command, path]
    done = here(*words)
    assert done.exit_code == 2, done.output
    assert len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


def test_a_key_of_very_many_parts_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser would keep all its beginnings: of 100,000 parts, 12 GB."""
    monkeypatch.setattr("joute.engines.data.tomllib", None)
    with pytest.raises(ValueError, match=f"nested more than {DEEPEST} deep"):
        parse_toml(".".join(["a"] * 100_000) + " = 1")


def test_a_text_may_have_many_dots() -> None:
    for text in ("." * 1000, "0.5, " * 100, "See a.b.c. " * 100):
        assert parse_toml(f'x = "{text}"') == {"x": text}
    assert parse_toml("a.b.c = 1") == {"a": {"b": {"c": 1}}}


def test_json_is_bounded_too() -> None:
    for text in (NESTED, '{"a":' * 60 + "1" + "}" * 60, "9" * 5000, "1e999999999x", '"\\u0000"'):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            parse_json(text)
    with pytest.raises(ValueError, match="too deeply"):
        loose_json("[" * 100_000)
    assert parse_toml("x = [[1, {y = 2}]]") == {"x": [[1, {"y": 2}]]}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("ending", ["toml", "json"])
def test_a_pipe_is_no_engine(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"e.{ending}"
    os.mkfifo(path)
    for words in (["bestmove", path, "startpos"], ["run", path], ["suite", path, "random"]):
        done = here(*words)
        assert done.exit_code == 2 and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("counts", ["nan 1 1", "1 inf 1", "1e400 0 0", "1e308 1 1", "0.5 1 1"])
def test_counts_are_numbers(counts: str) -> None:
    done = here("elo", *counts.split())
    assert done.exit_code == 2
    assert done.stderr.endswith(
        " is no count: counts are whole numbers from 0 to 1000000000000000\n"
    )


PLUGINS = {
    "exit": "import sys; sys.exit(0)",
    "generator": "raise GeneratorExit",
    "deep": "x = " + "(" * 300 + ")" * 300,
    "raises": "raise ValueError('a\\nb')",
    "NUL": "x = 1\0",
}


@pytest.mark.parametrize("code", PLUGINS.values(), ids=PLUGINS)
def test_a_plugin_that_cannot_be_loaded_is_one_line(tmp_path: Path, code: str) -> None:
    path = tmp_path / "p.py"
    path.write_text(code)
    done = here("--plugin", path, "list")
    assert done.exit_code == 2 and done.stdout == ""
    assert done.stderr.startswith(f"joute: plugin {path} cannot be loaded: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_line_has_an_end() -> None:
    assert cut("x" * 10, 10) == "x" * 10
    short = cut("a" * 500 + "b" * 500, 100)
    assert (
        len(short) == 100 and short.startswith("aaa") and short.endswith("bbb") and " ... " in short
    )
    done = here("bestmove", "connect4/random", "startpos moves " + "x" * 100_000)
    assert done.exit_code == 2 and len(done.stderr) < LONGEST + 90


def test_what_is_no_text_is_refused() -> None:
    done = here("bestmove", "connect4/\udcff", "startpos")
    assert done.exit_code == 2 and "is not UTF-8 text" in done.stderr.splitlines()[-1]


def talk() -> tuple[JsonSession, Position]:
    game = parse_game("connect4")
    return JsonSession(game, {}), Position(game)


@pytest.mark.parametrize(
    "number", ["9223372036854775807", "-1", "1e400", "NaN", "9" * 4000, "[[]]"]
)
def test_what_a_bot_cannot_have_searched_is_dropped_with_a_note(
    number: str, capfd: pytest.CaptureFixture[str]
) -> None:
    judge, position = talk()
    for _ in range(2):
        choice = judge.choice(position, f'{{"action": "1", "nodes": {number}, "value": 0.5}}')
        assert choice == Move(0, 0.5)
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1 and said[0].startswith("joute: a bot says nodes = ")
    assert said[0].endswith(": not counted; allowed: a number from 0 to 1e+15")


@pytest.mark.parametrize(
    "answer", [NESTED * 100, '{"action": "' + "y" * 100_000 + '"}', "9" * 5000]
)
def test_a_bots_nonsense_is_told_shortly(answer: str) -> None:
    judge, position = talk()
    with pytest.raises(Refused) as refused:
        judge.choice(position, answer)
    assert len(refused.value.lines()[0]) <= LONGEST


class Says(Player):
    """Answers anything."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def choose(self, position: Position) -> Move:
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (None, "crash"),
        (3, "crash"),
        (Move("x"), "illegal"),  # type: ignore[arg-type]
        (Move(None), "illegal"),  # type: ignore[arg-type]
        (Move(float("nan")), "illegal"),  # type: ignore[arg-type]
        (Move(1 << 70), "illegal"),
        (Move(-(10**5000)), "illegal"),
    ],
)
def test_a_player_that_answers_nonsense_has_failed(answer: object, kind: str) -> None:
    found = turn(Position(parse_game("connect4")), 0, Says(answer), Rules(), Tally())
    assert isinstance(found, Failed) and found.kind == kind and len(found.text) < 200


def test_nodes_are_counted_as_far_as_they_can_be() -> None:
    tally = Tally()
    for nodes in (5, 1 << 63, -1, float("nan"), float("inf"), "7", None, 10**15):
        turn(Position(parse_game("connect4")), 0, Says(Move(0, nodes=nodes)), Rules(), tally)  # type: ignore[arg-type]
    assert sum(tally.nodes) == 5 + 10**15
    assert counted(10**15 + 1) == 0


def test_a_failure_is_text() -> None:
    assert PlayerFailure("crash", "\ud800x").text == "?x"
    assert str(JouteError("a" * 5000).lines()[0]).count("a") < LONGEST


@pytest.mark.parametrize("game", ["connect4", "tron", "vampires"])
@pytest.mark.parametrize(
    "text", ["9" * 5000, "²", "-" + "9" * 5000, "\udcff", "(9" + "9" * 5000 + ",1)>(1,1):1"]
)
def test_what_names_no_action_is_refused_in_one_short_line(game: str, text: str) -> None:
    bound = parse_game(game)
    with pytest.raises(Refused) as refused:
        bound.action_of(text)
    assert len(refused.value.lines()[0]) <= LONGEST and "\n" not in str(refused.value)
    with pytest.raises(Refused):
        parse_position(bound, f"startpos moves {text}")
    with pytest.raises(Refused):
        parse_position(bound, text)


@pytest.mark.parametrize(("parse", "library"), [(parse_toml, "tomllib"), (parse_json, "json")])
def test_no_collector_runs_while_a_parser_fills_the_stack(
    parse: Callable[[str], Any], library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its callbacks would fail there, and Python would say so on stderr."""
    seen: list[bool] = []

    def overflow(text: str) -> Any:
        seen.append(gc.isenabled())
        raise RecursionError

    monkeypatch.setattr(f"joute.engines.data.{library}.loads", overflow)
    with pytest.raises(ValueError, match="nested"):
        parse("1")
    assert seen == [False] and gc.isenabled()
