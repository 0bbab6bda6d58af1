"""Protocols of any number of lines both ways: whole games, and programs that misbehave in them."""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from joute.engines.engine import Engine, parse_game
from joute.engines.player import PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.process import Program, Trouble
from joute.engines.programs.session import Session
from tests.support.plugins import plugged
from tests.support.processes import left_behind, nobody_left
from tests.support.runs import ROOT, here

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
BOT = ROOT / "tests" / "support" / "talking_bot.py"
PROTOCOLS = ("toy-gtp", "toy-uci")


@pytest.fixture(autouse=True, scope="module")
def conversations(own_plugins: None) -> Iterator[None]:
    with plugged(ROOT / "tests" / "support" / "conversations.py"):
        yield


@pytest.fixture
def mark() -> Iterator[str]:
    """A word for command lines; whatever carries it must be gone afterwards."""
    word = uuid.uuid4().hex
    yield word
    assert nobody_left(word)


def command(mode: str, protocol: str, mark: str) -> str:
    return f"{sys.executable} -S {BOT} {mode} {protocol} {mark}"


def engine(mode: str, protocol: str, mark: str, **more: object) -> Engine:
    settings = {"command": command(mode, protocol, mark), "protocol": protocol, **more}
    return Engine(parse_game("connect4"), {"search": "process", **settings})


def match(mode: str, protocol: str, mark: str, tmp_path: Path) -> tuple[int, int]:
    """Play three pairs of games against `random`; return the exit code and the failures."""
    spec = (
        f'connect4/process:command="{command(mode, protocol, mark)}",protocol={protocol},keep=game'
    )
    more = ("--blocks", "3", "-j", "1", "--json", "--out", tmp_path / "match")
    done = here("match", spec, "random", *more)
    return done.exit_code, json.loads(done.stdout)["failures"]


@pytest.mark.parametrize(
    ("mode", "protocol"),
    [("good", "toy-gtp"), ("long", "toy-gtp"), ("good", "toy-uci"), ("flood", "toy-uci")],
)
def test_whole_games_are_played(mode: str, protocol: str, mark: str, tmp_path: Path) -> None:
    assert match(mode, protocol, mark, tmp_path) == (0, 0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_one_process_plays_one_game_after_the_other(protocol: str, mark: str) -> None:
    player = engine("good", protocol, mark).player()
    for seat in (0, 1, 0):
        player.new_game(1, seat)
        position = Position(parse_game("connect4"))
        if seat:
            position.play(0)
        for column in (1, 1, 1):
            assert player.choose(position).action == 0
            position.play(0)
            position.play(column)
        player.game_over(position)
    assert len(left_behind(mark)) == 1
    player.close()


def test_the_programs_own_parameters_reach_it(mark: str) -> None:
    text = command("good", "toy-uci", mark) + " {depth}"
    game = parse_game("connect4")
    player = Engine(
        game, {"search": "process", "command": text, "protocol": "toy-uci", "depth": 8}
    ).player()
    player.new_game(1, 0)
    position = Position(game)
    for nodes in (0, 1, 2):  # as the bot's info lines count them
        assert player.choose(position).nodes == nodes
    player.close()


@pytest.mark.parametrize(
    ("mode", "protocol", "turns", "kind", "text"),
    [
        ("late", "toy-gtp", 0, "timeout", "no answer in 300 ms"),
        ("late", "toy-uci", 0, "timeout", "no answer in 300 ms"),
        (
            "crash",
            "toy-gtp",
            2,
            "crash",
            "ended with exit status 1; its stderr ends:\nout of ideas",
        ),
        (
            "crash",
            "toy-uci",
            2,
            "crash",
            "ended with exit status 1; its stderr ends:\nout of ideas",
        ),
        ("not_legal", "toy-gtp", 0, "illegal", "answered '= 9': "),
        ("not_legal", "toy-uci", 0, "illegal", "answered 'bestmove 9': "),
        ("refuses", "toy-gtp", 1, "illegal", "'? no such move': 'play 2' failed"),
        ("twice", "toy-gtp", 1, "illegal", "wrote '= 1' unasked (a second line?)"),
    ],
)
def test_a_program_that_fails_says_why(
    mode: str, protocol: str, turns: int, kind: str, text: str, mark: str
) -> None:
    limit = 300 if mode == "late" else 5000
    player = engine(mode, protocol, mark, first_ms=limit, turn_ms=limit).player()
    player.new_game(1, 0)
    position = Position(parse_game("connect4"))
    for _ in range(turns):
        position.play(player.choose(position).action)
        position.play(1)
    time.sleep(0.1 if mode == "twice" else 0.0)
    with pytest.raises(PlayerFailure) as failure:
        player.choose(position)
    assert failure.value.kind == kind and text in failure.value.text
    assert failure.value.text.startswith(command(mode, protocol, mark))
    with pytest.raises(PlayerFailure, match="is no longer running"):
        player.choose(position)
    player.game_over(position)
    player.close()


def test_an_endless_flood_is_no_answer(mark: str) -> None:
    player = engine("endless", "toy-uci", mark, first_ms=20_000).player()
    player.new_game(1, 0)
    with pytest.raises(PlayerFailure, match="bytes without an answer") as failure:
        player.choose(Position(parse_game("connect4")))
    assert failure.value.kind == "illegal"
    player.close()


def test_a_failure_loses_its_game_and_the_next_one_begins_anew(mark: str, tmp_path: Path) -> None:
    spec = f'connect4/process:command="{command("crash", "toy-uci", mark)}",protocol=toy-uci'
    done = here("play", spec, "random", "--json", "--quiet")
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and found["returns"] == [0.0, 1.0] and len(found["moves"]) == 4
    code, failures = match("crash", "toy-uci", mark, tmp_path)
    assert code == 1 and failures > 1  # some games end before it crashes


def test_a_waiting_program_can_be_stopped(mark: str) -> None:
    player = engine("good", "toy-uci", mark, pause_waiting="on").player()
    for _ in range(2):
        player.new_game(1, 0)
        position = Position(parse_game("connect4"))
        for _ in range(2):
            position.play(player.choose(position).action)
            position.play(1)
        player.game_over(position)
    player.close()


def session(code: str, mark: str, may_say: str = "") -> tuple[Session, Program]:
    words = [sys.executable, "-S", "-u", "-c", f"import os, sys, time\n{code}", mark]
    program = Program(words, {})
    return Session(program, lambda line: bool(may_say) and line.startswith(may_say)), program


def test_lines_come_as_many_as_are_wanted(mark: str) -> None:
    code = "for line in sys.stdin: print('  a \\n', line, sep='', end='b\\r\\n')"
    talk, program = session(code, mark)
    talk.begin(5000)
    talk.send("one", "two")
    assert talk.receive() == ["  a"]
    assert talk.receive(3) == ["one", "b", "  a"]
    assert talk.receive(lambda line: line == "b") == ["two", "b"] and talk.last == "b"
    program.kill()


def test_what_is_larger_than_a_pipe_goes_out_while_answers_come(mark: str) -> None:
    talk, program = session("for line in sys.stdin: print(line[:-1] * 2)", mark)
    talk.begin(10_000)
    lines = [f"{i} " + "y" * 1000 for i in range(2000)]
    talk.send(*lines)
    assert not talk.sent
    assert talk.receive(2000) == [line * 2 for line in lines] and talk.sent
    program.kill()


def test_a_turn_has_one_time_for_all_that_is_received(mark: str) -> None:
    talk, program = session(
        "for line in sys.stdin:\n    time.sleep(0.15)\n    print(line, end='')", mark
    )
    talk.begin(5000)
    talk.send("warm")
    talk.receive()
    talk.begin(400)
    talk.send("a", "b", "c", "d")
    with pytest.raises(Trouble, match="no answer in 400 ms, the last of 2 lines is 'b'") as trouble:
        talk.receive(4)
    assert trouble.value.kind == "timeout"
    talk.begin(5000)
    with pytest.raises(
        Trouble, match=r"no answer in 20 ms \(a program must flush its output after every line\)$"
    ):
        talk.receive(2, time_ms=20)
    program.kill()


def test_chatter_does_not_win_time(mark: str) -> None:
    code = "print('ready')\ninput()\nwhile True:\n    print('info')\n    time.sleep(0.001)"
    talk, program = session(code, mark)
    talk.begin(5000)
    assert talk.receive() == ["ready"]
    talk.begin(60)
    talk.send("go")
    begun = time.perf_counter()
    with pytest.raises(Trouble, match="no answer in 60 ms") as trouble:
        talk.receive(lambda line: line.startswith("bestmove"))
    assert trouble.value.kind == "timeout" and time.perf_counter() - begun < 1.0
    program.kill()


def test_between_turns_only_what_may_be_said_is_said(mark: str) -> None:
    code = (
        "for line in sys.stdin:\n    print('ok')\n    time.sleep(0.05)\n    print('info x')\n"
        "    print('inf', end='')\n    time.sleep(0.3)\n    print('o y' if 'a' in line else 'luenza')"
    )
    talk, program = session(code, mark, may_say="info")
    talk.begin(5000)
    talk.send("a")
    assert talk.receive() == ["ok"]
    time.sleep(0.2)
    talk.begin(5000)  # within the second `info`, whose other half comes later
    talk.send("b")
    assert talk.receive() == ["ok"]
    time.sleep(0.2)
    talk.begin(5000)
    with pytest.raises(Trouble, match="wrote 'influenza' unasked"):
        talk.receive()
    program.kill()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("sys.stdout.buffer.write(b'\\xff\\n')", "which is not UTF-8"),
        ("print('x' * 3_000_000, end='')\ntime.sleep(9)", "bytes without the end of a line"),
        ("print('x', end='')\nsys.stdout.flush()\nos.close(1)\ntime.sleep(9)", "closed its output"),
        ("sys.exit(3)", "ended with exit status 3"),
    ],
)
def test_what_is_no_line_is_told_as_ever(code: str, text: str, mark: str) -> None:
    talk, program = session(f"input()\n{code}", mark)
    talk.begin(8000)
    talk.send("x")
    with pytest.raises(Trouble, match=text):
        talk.receive()
    program.kill()
