"""Writes one file of C++ that plays as an engine: proves, measures and documents it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.reports.export.cpp.compiler import FLAGS, CompileError, compiler
from joute.reports.export.cpp.engine_file import engine_text, written
from joute.reports.export.cpp.fronts import asked_on_lines
from joute.reports.export.cpp.proof import (
    CALLS,
    SANITIZED,
    built,
    compare,
    compare_kernels,
    compare_transcripts,
    run,
)
from joute.reports.export.fit import cut_of, seconds, too_slow, work_of
from joute.reports.export.provenance import provenance_lines
from joute.reports.export.target import Order, Written
from joute.reports.export.transcripts import Transcript
from joute.reports.export.work import (
    TIME,
    Line,
    answers,
    counted,
    games,
    knob,
    reduced,
    smaller,
    with_short_ending,
    with_work,
)

CASES, CHECKED = 200, 30  # positions of the proof, and under the sanitizers
REDUCED = 2000  # nodes or iterations a move, on the average, in the positions of the proof
ENDING = 100  # the work of an ending there
MEASURED, MOST_TIMES = 6, 256  # games in which the time of a move is measured, and how often
SHARE = (
    0.5  # of a move's time: what an engine of fixed work may need here; other machines are slower
)
LEAST_MS = 200.0  # processor time from which on a rate is measured well enough
SITE_MS = 10.0  # of a move's time, left to whoever asks: with 5, some turns are late beside a load


@dataclass(frozen=True)
class Form:
    """What a target adds to a player: its name, the code behind the player for a time per move, how
    the file is used and compiled, and its largest size.

    `transcripts` are games of an engine read line by line, by the file's usual front.
    """

    name: str
    ending: Callable[[Engine, float | None], str]
    usage: Callable[[Engine], str]
    flags: tuple[str, ...] = FLAGS
    largest: int = 0
    transcripts: Callable[[Engine], list[Transcript]] | None = None


def guard_of(move_ms: float | None) -> float | None:
    """Return the time after which a search is cut off."""
    return None if move_ms is None else max(move_ms - SITE_MS, move_ms / 2)


@dataclass(frozen=True)
class CppTrial:
    """The file of an engine in one form, and what is measured and proved of it, each once."""

    engine: Engine
    form: Form
    move_ms: float | None
    say: Callable[[str], None] = field(default=lambda text: None)
    order: Order | None = None

    def text_for(self, engine: Engine, head: str = "", move_ms: float | None = None) -> str:
        """Return the file of an engine; without a time per move nothing cuts a search off."""
        ending = self.form.ending(engine, move_ms)
        return engine_text(engine, head or f"Plays {engine.text}", guard_of(move_ms), ending)

    def on_lines(self, engine: Engine) -> str:
        """Return the same player asked by json-lines, which tells values and nodes besides."""
        asked = asked_on_lines(engine, ("json-lines",))
        return engine_text(engine, f"Plays {engine.text}", None, asked)

    @property
    def timed(self) -> bool:
        """Whether the engine's limit is a time."""
        return knob(self.engine) == TIME

    @cached_property
    def lines(self) -> list[Line]:
        """The positions of the proof."""
        return games(self.engine, CASES, seed=2019)

    @cached_property
    def fixed(self) -> Engine:
        """The engine with counted work."""
        return counted(self.engine, REDUCED) if self.timed else self.engine

    @cached_property
    def small(self) -> Engine:
        """The engine with the work of the proof."""
        return with_short_ending(reduced(self.fixed, self.lines[:4], REDUCED), ENDING)

    @cached_property
    def rate(self) -> float:
        """Milliseconds of processor time a node (or iteration) of the file, compiled as the form says."""
        few, times = self.lines[:MEASURED], 1
        with built(self.on_lines(self.small), self.form.flags) as program:
            self.say(f"measuring the file ({work_of(self.small)}) ...")
            idle = run(program, self.small, []).ms
            ran = run(program, self.small, few)
            while ran.ms - idle < LEAST_MS and times < MOST_TIMES:
                times *= 4
                ran = run(program, self.small, few * times)
        nodes = sum(int(answer["nodes"]) for answer in ran.answers if "value" in answer)
        return max(ran.ms - idle, 1e-3) / max(1, nodes)

    def longest_ms(self, engine: Engine) -> float:
        """Return the expected time of an engine's longest move in some positions."""
        nodes = [move.nodes for move in answers(engine, self.lines[:MEASURED])]
        return max(nodes, default=0) * self.rate

    def proof(self) -> list[str]:
        """Prove that the file plays the engine's moves; return sentences on what was proved."""
        progress = self.order.progress if self.order is not None else None
        self.say(f"proving {CASES} positions in C++, {work_of(self.small)} ...")
        calls = compare_kernels(self.small, self.lines[: CALLS // 4])
        with built(self.on_lines(self.small)) as program:
            compare(program, self.small, self.lines, progress)
        few = with_short_ending(reduced(self.small, self.lines[:4], 200), ENDING)
        self.say(f"proving {CHECKED} positions under the sanitizers ...")
        with built(self.on_lines(few), SANITIZED) as program:
            compare(program, few, games(self.engine, CHECKED, seed=7), progress)
        lines = [
            f"Proved: compiled by {compiler().rpartition('/')[2]}, the file's actions, values, depths "
            f"and nodes are the engine's in {CASES} positions ({work_of(self.small)}), all arrays of "
            f"its kernels byte for byte after {calls} calls; the undefined-behaviour and address "
            f"sanitizers say nothing in {CHECKED} positions."
        ]
        return [*lines, *self.talked(few)]

    def talked(self, engine: Engine) -> list[str]:
        """Prove the answers in whole games, in the way that the file is asked by itself."""
        if self.form.transcripts is None:
            return []
        transcripts = self.form.transcripts(engine)
        self.say(f"proving {len(transcripts)} seats of whole games ...")
        with built(self.text_for(engine), self.form.flags) as program:
            compare_transcripts(program, engine, transcripts)
        count = sum(len(transcript.answers) for transcript in transcripts)
        return [f"So are its {count} answers in whole games read line by line ({work_of(engine)})."]

    def fits(self) -> list[str]:
        """Return how long a move takes; of an engine of fixed work."""
        if self.timed:
            guard = guard_of(self.move_ms)
            cut = "" if guard is None else f", cut off after {seconds(guard)}"
            return [f"A move takes the engine's time{cut}."]
        longest = self.longest_ms(self.engine)
        took = f"A move takes up to about {seconds(longest)} of a processor here"
        return [took + ("." if self.move_ms is None else f", of {seconds(self.move_ms)}.")]


def write_bot(order: Order, form: Form, move_ms: float | None) -> Written:
    """Return the file; raise Refused if the engine cannot be written, or does not fit."""
    written(order.engine)
    trial = CppTrial(order.engine, form, move_ms, order.say, order)
    check_size(trial.text_for(order.engine), form, order.engine)
    if not compiler():
        lines = [
            "Not proved: there is no g++ and no clang++ here. Nobody has compiled this file, nor "
            "measured how long a move takes."
        ]
    else:
        try:
            if move_ms is not None:
                trial = fitting(trial, order.limit)
            lines = [*cut_of(order.engine, trial.engine), *trial.proof(), *trial.fits()]
        except CompileError as error:
            raise Refused(
                f"{order.engine.text}: {compiler()} refuses the file: {error}; it must know C++17"
            ) from None
    for line in lines:
        order.say(line)
    usage = form.usage(trial.engine).split("\n")
    told = [*provenance_lines(order.provenance), "", *lines, "", *usage]
    text = trial.text_for(trial.engine, comment(trial.engine, told), move_ms)
    check_size(text, form, trial.engine)
    return Written(text, trial.engine)


def fitting(trial: CppTrial, limit: bool) -> CppTrial:
    """Return the trial if the engine fits a move; else, with `limit`, the largest that does."""
    assert trial.move_ms is not None
    most, engine = trial.move_ms * SHARE, trial.engine
    if trial.timed or trial.longest_ms(engine) <= most:
        return trial
    fit = None
    for amount in smaller(engine)[:-1]:
        one = with_work(engine, amount)
        if trial.longest_ms(one) > most:
            break
        fit = one
    if fit is None or not limit:
        why = f"a move takes about {seconds(trial.longest_ms(engine))} in C++"
        raise too_slow(engine, why, trial.move_ms, most, fit)
    return CppTrial(fit, trial.form, trial.move_ms, trial.say, trial.order)


def affordable(engine: Engine, form: Form, move_ms: float, say: Callable[[str], None]) -> Engine:
    """Return the engine, or the largest smaller one whose moves fit; raise Refused if none does."""
    written(engine)
    if not compiler():
        raise Refused(
            f"target {form.name}: what the file can afford is measured with g++ or clang++, and "
            "there is none here"
        )
    return fitting(CppTrial(engine, form, move_ms, say), True).engine


def check_size(text: str, form: Form, engine: Engine) -> None:
    """Raise Refused for a file that is too large, with what takes the room."""
    if form.largest and len(text) > form.largest:
        parts = [engine.search.name, *([engine.evaluation.name] if engine.evaluation else [])]
        parts += [engine.ending.name] if engine.ending else []
        raise Refused(
            f"{engine.text}: --to {form.name}: the file has {len(text):,} characters; at most "
            f"{form.largest:,} are allowed; it holds {', '.join(parts)}: leave out one"
        )


def comment(engine: Engine, lines: Sequence[str]) -> str:
    """Return the file's first comment, in which nothing but text can stand."""
    wrap = textwrap.TextWrapper(95, subsequent_indent="  ", break_long_words=False)
    wrap.break_on_hyphens = False
    told = [line.replace(engine.text, "(the same)") for line in lines]
    plain = [inert(part) for line in told for part in wrap.wrap(line) or [""]]
    return "\n".join([inert(f"Plays {engine.text}"), "", *plain])


def inert(line: str) -> str:
    """Return a line that no compiler reads on from: no backslash at its end, nothing unprintable."""
    plain = "".join(c if c.isprintable() else "?" for c in line)
    return plain.replace("\\", "/").replace("??/", "? ?/")
