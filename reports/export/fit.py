"""Tries a playing file: are its moves the engine's, and how long do they take without numba?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.parameter import text_of
from joute.reports.export.portable import has_network
from joute.reports.export.proof import Proved, prove, prove_transcripts, shown_to
from joute.reports.export.transcripts import Transcript
from joute.reports.export.work import (
    TIME,
    Line,
    answers,
    counted,
    games,
    knob,
    reduced,
    with_short_ending,
    work,
)
from joute.studies.play.progress import Progress

CASES, FULL_CASES, SHOWN_CASES = 200, 5, 24
TALKED, ENDING = 16, 100  # the same, in whole games, and the work of an ending
REDUCED = 300  # nodes or iterations a move, on the average, in most positions of the proof
FIRST = 10  # the same, to see what a node costs
PROOF_MS = 120_000.0  # what these positions may take without numba; then there is less work in each
PATIENCE_MS = 30_000.0  # if the full budget would take longer without numba, it is proved with it


@dataclass(frozen=True)
class FitTrial:
    """The code of a file for an engine, and its measurements, each made once.

    `compiled`: the file uses numba if installed. `shown` turns a position's text into the arguments
    of the file's `agent`, if it has one; `transcripts` are an engine's games for its `talk`.
    `progress` is told each position.
    """

    engine: Engine
    text: str
    compiled: bool
    shown: Callable[[str], Any] | None
    say: Callable[[str], None]
    transcripts: Callable[[Engine], list[Transcript]] | None = None
    progress: Progress = field(default_factory=Progress)

    @property
    def timed(self) -> bool:
        """Whether the engine's limit is a time."""
        return knob(self.engine) == TIME

    @cached_property
    def lines(self) -> list[Line]:
        """The positions for the reduced budget, by games."""
        return games(self.engine, CASES, seed=2019)

    @cached_property
    def reduced(self) -> Engine:
        """The engine with the budget for most positions of the proof."""
        engine = counted(self.engine, 1_000_000) if self.timed else self.engine
        proved = self._prove(reduced(engine, self.lines[:4], FIRST), self.lines[:2])
        rough = sum(proved.ms) / max(1, sum(proved.nodes))
        return reduced(engine, self.lines[:4], min(REDUCED, PROOF_MS / (CASES * rough + 1e-9)))

    @cached_property
    def ms_a_node(self) -> float:
        """Milliseconds a node (or iteration) without numba, measured at the reduced budget."""
        self.say(f"measuring the file without numba ({work_of(self.reduced)}) ...")
        proved = self._prove(self.reduced, self.lines[:6])
        return sum(proved.ms) / max(1, sum(proved.nodes))

    @cached_property
    def counted(self) -> Engine:
        """The engine with counted work: a time limit becomes about the work that it allows."""
        if not self.timed:
            return self.engine
        assert self.engine.limit is not None
        return counted(self.engine, max(1, int(self.engine.limit[1] / self.ms_a_node)))

    def expected_ms(self, engine: Engine) -> float:
        """Return the time without numba of an engine's longest move in some positions."""
        if knob(engine) == TIME:
            assert engine.limit is not None
            return engine.limit[1]
        return max(work(engine, self.lines[:6]), default=0) * self.ms_a_node

    @cached_property
    def expected(self) -> float:
        """The same of this engine at its full budget."""
        return self.expected_ms(self.engine)

    @cached_property
    def slow(self) -> bool:
        """Whether proving the full budget without numba takes too long."""
        return self.expected * FULL_CASES > PATIENCE_MS

    @cached_property
    def full(self) -> Proved:
        """The file's moves at the full budget."""
        lines = [line for n in range(FULL_CASES) for line in games(self.engine, 1, seed=n)]
        self.say(f"proving {FULL_CASES} positions, {work_of(self.counted)}, {self.way} numba ...")
        return self._prove(self.counted, lines, compiled=self.slow)

    def _prove(self, engine: Engine, lines: list[Line], **how: Any) -> Proved:
        """Prove the file's moves for an engine, and show how far that is."""
        return prove(self.text, self.engine, engine, lines, progress=self.progress, **how)

    @property
    def way(self) -> str:
        """How the full budget is proved: with or without numba."""
        return "with" if self.slow else "without"

    def longest_ms(self, enough: float = float("inf")) -> float:
        """Return the longest time of a move without numba: expected, then measured if that is below
        `enough` and within patience.
        """
        if self.expected > enough or self.slow or self.timed:
            return self.expected
        return max([self.expected, *self.full.ms])

    def proof(self) -> str:
        """Prove that the file plays the engine's moves; return a sentence on what was proved."""
        full, ways = self.full, "without numba"
        self.say(f"proving {CASES} positions, {work_of(self.reduced)} ...")
        self._prove(self.reduced, self.lines)
        if self.compiled:
            self._prove(self.reduced, self.lines, compiled=True)
            ways = "with numba and without"
        if self.shown is not None:
            few = games(self.engine, SHOWN_CASES, seed=7)
            shown = {case: self.shown(case) for line in few for case in line}
            self._prove(self.reduced, few, shown=shown)
            ways += f"; its agent's actions in {SHOWN_CASES} more"
        if self.timed:
            ways += "; by counted work, because a time limit cannot be proved"
        return (
            f"Proved: the file's actions, values and nodes are the engine's in {CASES} positions "
            f"({work_of(self.reduced)}; {ways}), and in {full.asked} at the full budget "
            f"({work_of(self.counted)}; {self.way} numba).{self.talked()}{self.by_library()}"
        )

    def by_library(self) -> str:
        """Say how often the file of an engine with a network plays alike on numpy and onnxruntime."""
        if not has_network(self.engine):
            return ""
        asked = [text for line in self.lines for text in line]
        pairs = zip(
            answers(self.reduced, self.lines),
            answers(self.reduced, self.lines, by_library=True),
            strict=True,
        )
        told = shown_to(self.progress, pairs, "onnxruntime", len(asked))
        alike = sum(one.action == other.action for one, other in told)
        return (
            f" Its network runs on numpy, or on onnxruntime where that is installed, which rounds "
            f"differently: the action was the same in {alike} of {len(asked)} positions."
        )

    def talked(self) -> str:
        """Prove that the file answers whole games as the engine does; return that in words, or ""."""
        if self.transcripts is None:
            return ""
        small = with_short_ending(reduced(self.reduced, self.lines[:4], TALKED), ENDING)
        transcripts = self.transcripts(small)
        self.say(f"proving {len(transcripts)} seats of whole games, {work_of(small)} ...")
        prove_transcripts(self.text, self.engine, small, transcripts, self.progress)
        answers = sum(len(transcript.answers) for transcript in transcripts)
        return f" So are its {answers} answers in whole games read line by line ({work_of(small)})."


def work_of(engine: Engine) -> str:
    """Return an engine's work a move as text: `depth = 3`."""
    name = knob(engine)
    return f"{name} = {text_of(engine.settings[name])}" if name else "its only budget"


def cut_of(own: Engine, written: Engine) -> list[str]:
    """Say what was cut down; nothing if nothing was."""
    if own.text == written.text:
        return []
    more = text_of(own.settings[knob(own)])
    return [
        f"Reduced to fit the time per move: {work_of(written)}, not {more}. This weaker engine is "
        f"not the one that was measured."
    ]


def too_slow(engine: Engine, why: str, move_ms: float, most: float, fit: Engine | None) -> Refused:
    """Return the refusal of an engine whose moves may take `most` of `move_ms` milliseconds and take longer;
    `fit` is the largest smaller one that is quick enough.
    """
    name = knob(engine)
    slow = (
        f"{engine.text}: {why}; of the {seconds(move_ms)} for a move it may use {seconds(most)}, because "
        f"other machines are slower"
    )
    if fit is None:
        return Refused(f"{slow}; no smaller {name} fits" if name else slow)
    return Refused(
        f"{slow}; the largest {name} that fits is {text_of(fit.settings[name])}: --limit writes that "
        f"weaker engine"
    )


def seconds(ms: float) -> str:
    """Return a time as text."""
    return f"{ms:.2g} ms" if ms < 10 else f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
