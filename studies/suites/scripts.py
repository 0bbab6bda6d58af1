"""Engines' answers to a script, a file of commands in the language of a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import ANYTHING
from joute.engines.registry import make
from joute.engines.script import Replies, Reply, Step
from joute.harness.executor import Executor
from joute.harness.inflight import Doing, InFlight
from joute.harness.runner import Runner
from joute.harness.worker import Setting
from joute.studies.suites.answers import setting_of

LONG = 200


@dataclass(frozen=True)
class Examined:
    """An engine (short name, canonical text), its replies to a script, and its errors."""

    name: str
    spec: str
    replies: tuple[Reply, ...]
    errors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Examination:
    """A script put to an engine, as work for the runner."""

    number: int
    engine: str
    script: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"the script for {self.engine}"

    def pieces(self) -> list[Examination]:
        """Return itself: a script is one conversation."""
        return [self]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return the text of the engine."""
        return {"": self.engine}

    def play(self, setting: Setting, inflight: InFlight) -> list[tuple[int, Replies]]:
        """Ask."""
        inflight.game(self.number, 0)
        inflight.turn(0, 0)
        try:
            replies = make("script", self.script).run(self.steps, parse_engine(self.engine))
        except ANYTHING as error:
            replies = self._failed(f"crash: {error!r}")
        return [(self.number, replies)]

    def crashed(self, setting: Setting, doing: Doing, text: str) -> tuple[int, Replies]:
        """Return the replies of an engine that crashed its process: none."""
        return self.number, self._failed(f"crash: {text}")

    def _failed(self, why: str) -> Replies:
        asked = sum(step.wanted is not None for step in self.steps)
        return Replies((Reply("", failure=" ".join(why.split())[:LONG]),) * asked)


def examine(
    script: str,
    steps: Sequence[Step],
    engines: dict[str, Engine],
    workers: int,
    executor: Executor | None = None,
) -> list[Examined]:
    """Put a script, by the name of its format, to every engine, on an executor (default: processes
    of this machine).
    """
    todo = [
        Examination(i, engine.text, script, tuple(steps))
        for i, engine in enumerate(engines.values())
    ]
    setting = setting_of(next(iter(engines.values())).game, engines)
    if executor is not None:
        executor.admit(setting)
    replies_by_number: dict[int, Replies] = {}
    with Runner(setting, min(workers, len(todo)), executor) as runner:
        for replies in runner.play(todo):
            replies_by_number.update(replies)
    return [
        Examined(name, engine.text, *replies_by_number[number])
        for number, (name, engine) in enumerate(engines.items())
    ]
