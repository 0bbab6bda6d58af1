"""Engines that misbehave, each in one way, and one that is merely slow: for tests."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.search import Search

if TYPE_CHECKING:
    from joute.engines.engine import Engine


def raise_error() -> None:
    raise ZeroDivisionError("the engine is wrong")


def fail_by_time() -> None:
    raise PlayerFailure("timeout", "the engine gives up")


def dream() -> None:
    time.sleep(0.05)


def segfault() -> None:
    ctypes.string_at(0)


def leave_by(status: int) -> Callable[[], None]:
    return lambda: os._exit(status)


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def stop_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def spin() -> None:
    while True:
        pass


def chatter() -> None:
    print("SPAM to stdout", flush=True)
    os.write(1, b"SPAM to descriptor 1\n")


HABITS: dict[str, Callable[[], object]] = {
    "good": lambda: None,
    "raise": raise_error,
    "giveup": fail_by_time,
    "dream": dream,
    "segfault": segfault,
    "exit3": leave_by(3),
    "exit0": leave_by(0),
    "sysexit": sys.exit,
    "kill": kill_itself,
    "kill_its_parent": kill_its_parent,
    "stop": stop_itself,
    "spin": spin,
    "print": chatter,
}
CHOICES = ("illegal", "nonsense", "constructor", "newgame", *HABITS)


class Bad(Search):
    """Plays the first legal action, and misbehaves from its own move number `after` on."""

    name = "bad"
    summary = "misbehaves (a plugin of the tests)"
    parameters = (
        Parameter("how", "choice", "illegal", choices=CHOICES, meaning="what it does"),
        Parameter("after", "int", 0, 0, 100, meaning="own moves before that"),
    )

    def player(self, engine: Engine) -> Player:
        return BadPlayer(str(engine.values["how"]), int(engine.values["after"]))


class BadPlayer(Player):
    def __init__(self, how: str, after: int) -> None:
        if how == "constructor":
            raise OSError("its weights are missing")
        self.how, self.after, self.moves = how, after, 0

    def new_game(self, seed: int, seat: int) -> None:
        if self.how == "newgame":
            raise ValueError("no new game")
        self.moves = 0

    def choose(self, position: Position) -> Move:
        misbehaves, self.moves = self.moves >= self.after, self.moves + 1
        if misbehaves and self.how == "illegal":
            return Move(99)
        if misbehaves and self.how == "nonsense":
            return Move(-1 << 62)
        if misbehaves and self.how in HABITS:
            HABITS[self.how]()
        return Move(position.legal_actions()[0], nodes=1)


class Sleepy(Search):
    """Draws its moves from the position and takes its time."""

    name = "sleepy"
    summary = "takes a few milliseconds a move (a plugin of the tests)"
    parameters = (
        Parameter("ms", "float", 3.0, 0.0, 1000.0, meaning="milliseconds a move"),
        Parameter("salt", "int", 0, 0, 100, meaning="which of many such engines"),
    )

    def player(self, engine: Engine) -> Player:
        return SleepyPlayer(float(engine.values["ms"]) / 1e3, int(engine.values["salt"]))


class SleepyPlayer(Player):
    def __init__(self, seconds: float, salt: int) -> None:
        self.seconds, self.salt = seconds, salt

    def choose(self, position: Position) -> Move:
        time.sleep(self.seconds)
        legal = position.legal_actions()
        return Move(legal[(position.key() + 7 * self.salt) % len(legal)], nodes=1)
