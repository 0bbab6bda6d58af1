"""`cpp`: one file of C++17 that plays, without dependencies."""

from __future__ import annotations

from collections.abc import Callable

from joute.engines.engine import Engine
from joute.engines.position import example_of
from joute.reports.export.cpp.bot_file import Form, affordable, write_bot
from joute.reports.export.cpp.engine_file import written
from joute.reports.export.cpp.evaluation_file import write_evaluation
from joute.reports.export.cpp.fronts import asked_on_lines, protocols_of
from joute.reports.export.target import Order, Target, Written

MOVE_MS = 100.0  # of a move, where a study is tuned for such a file
HEADER_USE = '#include "{path}" in your engine'
USAGE = """\
Compile: g++ -std=gnu++17 -O2 -o player FILE (add -DPORTABLE where the processor has no BMI2).
Use: ./player "{position}" prints the action; without arguments it answers
positions line by line. ./player --protocol NAME plays under a referee: {protocols}. Positions that go on
with the last one's moves belong to the same game."""


class CppTarget(Target):
    """One file of C++17 that plays, without dependencies."""

    name = "cpp"
    summary = "one file of C++17 that plays, with no dependency, as fast as here"
    ending = "_bot.cpp"
    plays = True
    fits = True
    evaluations = True
    use = 'g++ -std=gnu++17 -O2 -o player {path}, then ./player "{position}" prints the action'

    def check(self, engine: Engine, language: str) -> None:
        """Raise Refused for an engine of which C++ has no player."""
        written(engine)

    def write(self, order: Order) -> Written:
        """Return the file, or the evaluation alone as a header."""
        if order.evaluation:
            return write_evaluation(order)._replace(use=HEADER_USE)
        return write_bot(order, form(), order.move_ms)

    def affordable(self, engine: Engine, say: Callable[[str], None]) -> Engine:
        """Return the engine with the largest budget, up to its own, that fits MOVE_MS."""
        return affordable(engine, form(), MOVE_MS, say)


def form() -> Form:
    """Return what this target adds to a player."""
    return Form(CppTarget.name, lambda engine, move_ms: asked_on_lines(engine), usage)


def usage(engine: Engine) -> str:
    """Return how the file is used."""
    return USAGE.format(position=example_of(engine.game), protocols=", ".join(protocols_of(engine)))
