"""Runs an engine of ours as a bot, on stdin and stdout or at a server."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.player import Player
from joute.engines.protocol import Playing, Protocol, Tell
from joute.engines.registry import make


class Guarded:
    """An engine whose players answer within about `guard_ms`, whatever their limit."""

    def __init__(self, engine: Playing, guard_ms: float) -> None:
        self._engine, self._guard_ms = engine, guard_ms

    @property
    def game(self) -> Game:
        """Its game."""
        return self._engine.game

    @property
    def text(self) -> str:
        """Its canonical text."""
        return self._engine.text

    @property
    def by_clock(self) -> bool:
        """Whether only a clock limits its moves; the guard does."""
        return False

    def player(self, clocks: bool = False) -> Player:
        """Return a new player."""
        player = self._engine.player(clocks=True)
        player.guard_ms = self._guard_ms
        return player

    def on(self, game: Game) -> Guarded:
        """Return the same engine on another game."""
        return Guarded(self._engine.on(game), self._guard_ms)

    def ready(self) -> None:
        """Load all that a first move needs."""
        self._engine.ready()


def playing(spec: str, talk: Protocol, turn_ms: float | None, margin_ms: float | None) -> Playing:
    """Return an engine that keeps to the time of a turn, where a margin is asked for."""
    engine = parse_engine(spec)
    talk.check(engine.game)
    if margin_ms is None:
        return engine
    time_ms = turn_ms or talk.turn_ms
    if margin_ms >= time_ms:
        raise Refused(f"--margin-ms {margin_ms:g} leaves no time in a turn of {time_ms:g} ms")
    return Guarded(engine, time_ms - margin_ms)


def be_bot(
    spec: str, protocol: str, turn_ms: float | None = None, margin_ms: float | None = None
) -> None:
    """Answer on stdout, which carries the protocol alone; prints of engines go to stderr."""
    talk: Protocol = make("protocol", protocol)
    engine = playing(spec, talk, turn_ms, margin_ms)
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    with out:
        talk.serve(engine, lambda: line_of(sys.stdin), lambda line: send(line, out))


def join(
    spec: str,
    protocol: str,
    where: Sequence[str],
    name: str,
    turn_ms: float | None,
    margin_ms: float | None,
    tell: Tell,
) -> None:
    """Play at a server; `where` names it: HOST and PORT, or as the protocol wants it."""
    talk: Protocol = make("protocol", protocol)
    engine = playing(spec, talk, turn_ms, margin_ms)
    talk.join(engine, where, name, turn_ms or talk.turn_ms, tell)


def line_of(source: TextIO) -> str:
    """Return the next line without its end; raise EOFError where there is none."""
    line = source.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def send(line: str, out: TextIO) -> None:
    """Write a line at once; a referee that is gone is the end of its lines."""
    try:
        out.write(line + "\n")
        out.flush()
    except BrokenPipeError:
        raise EOFError from None
