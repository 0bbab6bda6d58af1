"""Engines that are late: what the conformance suite says of them, and who loses by it at the board."""

from __future__ import annotations

import os
import signal
import time
from itertools import count

import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.search import Search
from joute.harness.conformance.check import check_engine
from joute.harness.conformance.findings import Checked
from joute.harness.match import MARGIN_MS, Failed, Rules, Tally, play_game, turn
from joute.harness.suspension import notice_suspensions
from joute.studies.suites import answers
from joute.studies.suites.suite import Case


class Hiccup(Search):
    """Plays the first action; the turns of these numbers, counted over all games, come late."""

    name = "hiccup"
    summary = "is late"
    late: frozenset[int] = frozenset()
    turns = count()

    def player(self, engine: Engine) -> Player:
        return HiccupPlayer(self)


class HiccupPlayer(Player):
    def __init__(self, search: Hiccup) -> None:
        self.search = search

    def choose(self, position: Position) -> Move:
        if next(self.search.turns) in self.search.late:
            raise PlayerFailure("timeout", "took 120 ms of 100 ms")
        return Move(position.legal_actions()[0])


def checked(*late: int, reproducible: bool = True) -> dict[str, Checked]:
    """Return the findings of an engine that is late in these turns, by rule."""
    engine = Engine(parse_game("connect4[columns=4,rows=4]"), {"search": "random"})
    engine.search = Hiccup()
    engine.search.late, engine.search.turns = frozenset(late), count()
    engine.search.reproducible = reproducible
    return {one.rule: one for one in check_engine(engine)}


def test_a_single_late_turn_is_a_note() -> None:
    found = checked(1)["plays whole games legally"]
    assert found.fault == ""
    assert found.note.startswith("one turn was late, because of this machine or the engine")
    assert "timeout: took 120 ms of 100 ms" in found.note


def test_late_turns_are_a_fault() -> None:
    found = checked(1, 3)["plays whole games legally"]
    assert found.note == ""
    assert found.fault.startswith("2 turns of 4 games were late, the first: seat 0, ply ")


@pytest.mark.parametrize("reproducible", [True, False])
def test_who_is_late_is_not_called_irreproducible(reproducible: bool) -> None:
    rule = "fixed work is reproducible" + ("" if reproducible else ": not seen")
    whole = next(n for n in range(4, 100) if not checked(n)["plays whole games legally"].note)
    found = checked(whole, reproducible=reproducible)[rule]
    assert found.fault == "" and "timeout" in found.note


# --- at the board: a limit of time is a limit for engines of ours too


class Pausing(Player):
    """Plays the first action, after so many milliseconds; `limit_ms` is its engine's limit."""

    def __init__(self, ms: float, limit_ms: float | None, stops: bool = False) -> None:
        self.ms, self.limit_ms, self.stops = ms, limit_ms, stops

    def choose(self, position: Position) -> Move:
        time.sleep(self.ms / 1e3)
        if self.stops:
            os.kill(os.getpid(), signal.SIGCONT)  # what a stopped process gets when it goes on
        return Move(position.legal_actions()[0])


@pytest.mark.parametrize(
    ("player", "rules", "text"),
    [
        (Pausing(30, 10), Rules(margin_ms=5), " ms of 10 ms and a margin of 5 ms"),
        (Pausing(30, 10), Rules(margin_ms=500), ""),
        (Pausing(70, 10), Rules(), f" ms of 10 ms and a margin of {MARGIN_MS:g} ms"),
        (Pausing(30, None), Rules(margin_ms=0), ""),
        (Pausing(30, 10), Rules(15, 500), "of 15 ms"),
        (Pausing(30, 10, stops=True), Rules(margin_ms=5), ""),
        (Pausing(30, None, stops=True), Rules(15), ""),
    ],
)
def test_an_engine_is_held_to_its_limit(player: Pausing, rules: Rules, text: str) -> None:
    position = Position(parse_game("connect4[columns=4,rows=4]"))
    tallies = [Tally(), Tally()]
    players = [player, Pausing(0, None)]
    if not text:  # one turn is enough
        notice_suspensions()
        assert isinstance(turn(position, 0, player, rules, tallies[0]), Move)
        return
    (failed,) = play_game(position, players, lambda ply: 0, rules, tallies)
    assert (failed.seat, failed.ply, failed.kind) == (0, 0, "timeout")
    assert failed.text.startswith("took ") and failed.text.endswith(text)


def test_a_stop_forgives_its_own_turn_alone() -> None:
    position, tally = Position(parse_game("connect4[columns=4,rows=4]")), Tally()
    notice_suspensions()
    for player, late in [(Pausing(30, 10, stops=True), False), (Pausing(30, 10), True)]:
        answer = turn(position, 0, player, Rules(margin_ms=5), tally)
        assert isinstance(answer, Failed) == late


class Telling(Player):
    """Says through a pipe that it thinks, then takes its time."""

    limit_ms = 10.0

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def choose(self, position: Position) -> Move:
        os.write(self.pipe, b".")
        time.sleep(0.3)
        return Move(0)


@pytest.mark.parametrize("stopped", [True, False])
def test_a_process_that_is_stopped_in_its_turn_is_not_late(stopped: bool) -> None:
    ours, theirs = os.pipe()
    if not (child := os.fork()):
        try:
            notice_suspensions()
            position = Position(parse_game("connect4[columns=4,rows=4]"))
            answer = turn(position, 0, Telling(theirs), Rules(), Tally())
            os._exit(isinstance(answer, Failed))
        finally:
            os._exit(9)
    os.read(ours, 1)
    if stopped:
        os.kill(child, signal.SIGSTOP)
        os.waitpid(child, os.WUNTRACED)
        os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, 0)
    os.close(ours)
    os.close(theirs)
    assert os.waitstatus_to_exitcode(status) == (0 if stopped else 1)


@pytest.mark.parametrize(
    ("text", "limit_ms"),
    [
        ("connect4[columns=4,rows=4]/uct:milliseconds=2", 2.0),
        ("connect4[columns=4,rows=4]/uct:iterations=2", None),
        ("connect4[columns=4,rows=4]/random", None),
    ],
)
def test_a_player_knows_its_engines_limit(text: str, limit_ms: float | None) -> None:
    assert parse_engine(text).player().limit_ms == limit_ms


@pytest.mark.parametrize(
    "text",
    [
        "connect4[columns=4,rows=4]/uct:milliseconds=50",
        "connect4[columns=4,rows=4]/alphabeta:evaluation=static,depth=9",
    ],
)
def test_who_is_ready_has_moved_with_the_least_work(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, made = parse_engine(text), list[str]()
    whole = Engine._unready_player
    monkeypatch.setattr(
        Engine, "_unready_player", lambda self: made.append(self.text) or whole(self)
    )
    engine.ready()
    (least,) = made
    assert "milliseconds=1" in least or "depth=1," in least


def test_a_late_answer_to_a_case_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("one", "startpos", ("1",), ())
    monkeypatch.setattr(answers, "player_of", lambda text, seat: Pausing(70, 10))
    game = "connect4[columns=4,rows=4]"
    found = answers.answer(f"{game}/random", game, case, 1)
    assert not found.passed and found.failure.startswith("timeout: took ")
