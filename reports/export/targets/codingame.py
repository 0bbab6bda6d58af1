"""`codingame`: one file for codingame.com that reads the game's lines and answers them.

A game's `Dialogue` says how it is played there, as it does for outside bots. The site's own rules
are here: its times, and the largest size of a file.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.position import Position
from joute.engines.protocol import Dialogue, Read, dialogue_of, dialogues_of
from joute.engines.protocols.codingame import CodinGame
from joute.engines.registry import find, names
from joute.reports.export.bot import Bot
from joute.reports.export.bot_file import GUARD, Kind, recipe_of, write_player
from joute.reports.export.cpp.bot_file import Form, affordable, guard_of, write_bot
from joute.reports.export.cpp.engine_file import written
from joute.reports.export.cpp.fronts import asked_by_codingame
from joute.reports.export.target import Order, Target, Written
from joute.reports.export.transcripts import Transcript, transcripts_of

MOVE_MS = CodinGame.turn_ms
FIRST_SHARE = 0.5  # of the first turn's time: some of it goes by before the file runs
LARGEST = 100_000  # characters, the site's limit
CPP_FIRST_SHARE = 0.8
SITE_FLAGS = ("-std=gnu++17", "-Werror=return-type", "-g", "-pthread")  # as the site compiles
CPP_USAGE = (
    "Use: paste the file into the site's editor (C++). It reads stdin and answers on stdout. It is "
    "optimised without the site's help, by its first lines."
)
USAGE = (
    "Use: paste the file into the site's editor (Python 3). It reads stdin and answers on stdout."
)
ENDING_CODE = '\n\nif __name__ == "__main__":\n    main()\n'


class CodinGameTarget(Target):
    """One file for codingame.com that reads the game's lines and answers them."""

    name = "codingame"
    summary = (
        "one file for CodinGame's Tron, in C++ or Python: under 100,000 characters, never late"
    )
    ending = "_codingame.cpp"
    plays = True
    fits = True
    use = "paste {path} into CodinGame's editor"
    languages = ("cpp", "python")

    def suffix(self, language: str) -> str:
        """Return the suffix of the language."""
        return "_codingame.py" if language == "python" else self.ending

    def write(self, order: Order) -> Written:
        """Return the file."""
        engine = order.engine
        self.check(engine, order.language)
        move_ms = order.move_ms or MOVE_MS
        if order.language == "python":
            file = write_player(order, kind_of(engine, move_ms), move_ms)
            return file._replace(use="choose Python 3 there")
        return write_bot(order, form_of(engine), move_ms)._replace(use="choose C++ there")

    def check(self, engine: Engine, language: str) -> None:
        """Raise Refused for a game that is not played there, or an engine without a player in a language."""
        if self.name not in dialogues_of(engine.game):
            able = [n for n in names("game") if self.name in dialogues_of(find("game", n))]
            raise Refused(
                f"game = {engine.game.label}: has no CodinGame protocol; --to {self.name} writes "
                f"players of: {', '.join(able)}"
            )
        if language == "python":
            recipe_of(engine, self.name)
        else:
            written(engine)

    def affordable(self, engine: Engine, say: Callable[[str], None]) -> Engine:
        """Return the engine with the largest budget, up to its own, that fits a move in C++."""
        self.check(engine, self.languages[0])
        return affordable(engine, form_of(engine), MOVE_MS, say)


def form_of(engine: Engine) -> Form:
    """Return what the site adds to a player in C++."""
    dialogue = dialogue_of(engine.game, CodinGame.name)

    def ending(engine: Engine, move_ms: float | None) -> str:
        first = None if move_ms is None else max(CodinGame.first_ms * CPP_FIRST_SHARE, move_ms)
        return asked_by_codingame(dialogue, first, guard_of(move_ms))

    return Form(
        CodinGame.name,
        ending,
        lambda engine: CPP_USAGE,
        SITE_FLAGS,
        LARGEST,
        lambda engine: conversations(engine, dialogue),
    )


def kind_of(engine: Engine, move_ms: float) -> Kind:
    """Return what CodinGame adds to a player."""
    dialogue = dialogue_of(engine.game, CodinGame.name)
    first_ms = max(CodinGame.first_ms * FIRST_SHARE, move_ms * GUARD)
    return Kind(
        CodinGame.name,
        lambda bot: tail(bot, dialogue, move_ms * GUARD, first_ms),
        USAGE,
        ENDING_CODE,
        compiled=False,
        largest=LARGEST,
        transcripts=lambda engine: conversations(engine, dialogue),
    )


def conversations(engine: Engine, dialogue: type[Dialogue]) -> list[Transcript]:
    """Return whole games, with the lines that the file reads and its answers."""
    return transcripts_of(engine, dialogue)


class Seat:
    """One game at the site: every turn is answered, by any legal action if all else fails.

    `guards_ms` are the times after which the first turn and the others are answered with what there
    is; without, nothing is cut short. What a turn took beyond its guard (a search looks at the clock
    now and then) is taken off the next ones, the first one having time to spare.
    """

    def __init__(self, bot: Bot, dialogue: Dialogue, guards_ms: tuple[float, float] | None) -> None:
        self.bot, self.dialogue, self.guards_ms = bot, dialogue, guards_ms
        self.turns, self.late_ms = 0, 0.0
        dialogue.fixed = True  # type: ignore[attr-defined]  # the file is for one number of players

    def turn(self, read: Read) -> str:
        """Return the answer to the turn that begins with the next line; EOFError if there is none."""
        waiting, begun = [read()], time.perf_counter()
        position: Position | None = None
        self.turns += 1
        try:
            position = self.dialogue.read(lambda: waiting.pop() if waiting else read())
            guard = None
            if self.guards_ms is not None:
                own = self.guards_ms[0] if self.turns == 1 else self.guards_ms[1]
                guard = own - min(self.late_ms, own / 2) - passed_ms(begun)
            with np.errstate(over="ignore"):
                choice = self.bot.answer(position, position.start, guard)
            if guard is not None:
                late = passed_ms(begun) - own + min(self.late_ms, own / 2)
                self.late_ms = max(0.9 * self.late_ms, late)
            return self.dialogue.answer(choice.action)
        except EOFError:
            raise
        except Exception as error:
            print(f"{error!r}: playing any legal move", file=sys.stderr)
        try:
            return self.dialogue.answer(position.legal_actions()[0])  # type: ignore[union-attr]
        except Exception:
            return self.bot.game.action_text(0)


def passed_ms(begun: float) -> float:
    """Return the milliseconds since a moment of `perf_counter`."""
    return (time.perf_counter() - begun) * 1e3


def tail(
    bot: Bot, dialogue: type[Dialogue], guard_ms: float, first_ms: float
) -> dict[str, Callable[..., Any]]:
    """Return what the site runs."""

    def talk(lines: Iterable[str], guarded: bool = True) -> Iterator[str]:
        """Yield the answers to the lines of one game."""
        every = iter(lines)
        bot.start = ""  # a new game

        def read() -> str:
            line = next(every, "")
            if not line:
                raise EOFError
            return line

        seat = Seat(bot, dialogue(bot.game), (first_ms, guard_ms) if guarded else None)
        while True:
            try:
                answer = seat.turn(read)
            except EOFError:
                return
            yield answer

    def main() -> None:
        """Play one game."""
        bot.ready()
        for answer in talk(sys.stdin):
            print(answer, flush=True)

    return {"talk": talk, "main": main}
