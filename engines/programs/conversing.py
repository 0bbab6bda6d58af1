"""A player that is a program asked in a protocol of any number of lines both ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from joute.engines.errors import Refused, cut
from joute.engines.parameter import Value
from joute.engines.player import Move, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.process import Program, Trouble, shown
from joute.engines.programs.program_player import OutsidePlayer
from joute.engines.programs.session import Session
from joute.engines.protocol import DialogueSession, Lines
from joute.engines.record import SILENT, Claim

CLAIM_MS = 10_000.0  # most milliseconds for a claim of the result
HALT_MS = 500.0  # for a program to stop
SHOWN = 200  # characters shown of a reason

T = TypeVar("T")


class ConversingPlayer(OutsidePlayer):
    """Plays by talking with a program; `side` holds the dialogue."""

    def __init__(self, side: DialogueSession, values: Mapping[str, Value]) -> None:
        super().__init__(values)
        self.side, self._alive = side, values["keep"] == "alive"
        self._first_line = self._filled("first_line")
        self._session: Session | None = None
        self._known = False  # whether the program was greeted
        self._coming: tuple[int, int] | None = None  # seed and seat of a game not yet announced

    def new_game(self, seed: int, seat: int) -> None:
        """Start the program, unless it lives on from the last game."""
        if self._program is None or not self._alive:
            self._launch()
        self._coming = seed, seat

    def _own_of(self, words: list[str]) -> list[str]:
        return self.side.own_of(words)

    def _launch(self) -> Session:
        """Start the program, and a talk with it."""
        self._start()
        assert self._program is not None
        self._session, self._known = Session(self._program, self._may_say), False
        return self._session

    def _may_say(self, line: str) -> bool:
        """Whether the program may write a line between its turns; before it is greeted any."""
        return not self._known or self.side.may_say(line)

    def choose(self, position: Position) -> Move:
        """Ask, and take the answer within the time of the turn."""
        program, session = self._program, self._session
        if program is None or session is None:
            raise PlayerFailure("crash", f"{self._command}: is no longer running")
        time_ms = self._turn_ms if self._coming is None else self._first_ms
        self.side.clocks, self.used_ms = self.clocks, None
        if self._pauses:
            program.resume()
        try:
            if self._coming is not None or self.clocks is None:
                session.begin(time_ms)
                self._introduce(session)
            if self.clocks is not None:
                time_ms = max(0.0, self.clocks.left_ms[position.to_move]) + self.clocks.margin_ms
                session.begin(time_ms)
            choice = self.side.turn(session, position, time_ms)
            self.used_ms = session.answer_ms
        except Trouble as trouble:
            if trouble.kind == "timeout" and self.clocks is not None and self._halted(session):
                if self._pauses:
                    program.pause()
                raise self._failure(trouble, program) from None
            self._fail(trouble)
        except Refused as error:
            text = shown(session.last.encode())
            self._refuse(session.last, text, error)
        if self._pauses:
            program.pause()
        return choice

    def _halted(self, session: Session) -> bool:
        """Whether a program whose time is over has stopped, so that it need not be killed."""
        try:
            session.begin(HALT_MS)
            return self.side.halt(session)
        except (Trouble, Refused):
            return False

    def _introduce(self, session: Session) -> None:
        """Send the lines before a program's first turn, and those before each game's."""
        if not self._known:
            if self._first_line:
                session.send(self._first_line)
            self.side.greet(session)
            self._known = True
        if self._coming is not None:
            self.side.new_game(session, *self._coming)
            self._coming = None

    def _last_words(self, trouble: Trouble, program: Program | None) -> tuple[str, str]:
        """Return the end of its stderr; of one that died without any, of what it said."""
        source, tail = super()._last_words(trouble, program)
        if not tail and trouble.kind == "crash" and self._session is not None:
            return "its last lines:", self._session.last_words
        return source, tail

    def concede(self, position: Position) -> tuple[str, ...]:
        """Ask for concessions; a program that fails at it is ended."""
        return self._at_the_end(lambda session: self.side.concede(session, position)) or ()

    def claim(self, position: Position, conceded: Sequence[str] = ()) -> Claim | None:
        """Ask for the result; a program that fails at it is ended, without other consequences."""
        try:
            return self._at_the_end(lambda session: self.side.claim(session, position, conceded))
        except PlayerFailure as failure:
            return Claim(SILENT, failure.text)

    def _at_the_end(self, ask: Callable[[Session], T]) -> T | None:
        """Ask something of a game that has ended; None of a program that does not know of it."""
        program, session = self._program, self._session
        if program is None or session is None or not self._known or self._coming is not None:
            return None
        if self._pauses:
            program.resume()
        try:
            session.begin(min(self._turn_ms, CLAIM_MS))
            answer = ask(session)
        except (Trouble, Refused) as error:
            self._kill()
            raise PlayerFailure("crash", cut(" ".join(str(error).split()), SHOWN)) from None
        if self._pauses:
            program.pause()
        return answer

    def meet(self) -> None:
        """Start the program and shake hands; raises PlayerFailure."""
        session = self._launch()
        try:
            session.begin(self._first_ms)
            self._introduce(session)
        except Trouble as trouble:
            self._fail(trouble)
        except Refused as error:
            self._refuse(session.last, shown(session.last.encode()), error)

    def aside(self, ask: Callable[[Lines], T]) -> T:
        """Talk with the program outside of a game, within the time of a turn; if it must be
        started, within that of a first turn. Raises PlayerFailure, and what `ask` raises.
        """
        new = self._program is None or self._session is None
        session = self._launch() if new or self._session is None else self._session
        if self._pauses and self._program is not None:
            self._program.resume()
        try:
            session.begin(self._first_ms if new else self._turn_ms)
            if new and self._first_line:
                session.send(self._first_line)
            answer = ask(session)
        except Trouble as trouble:
            self._fail(trouble)
        if self._pauses and self._program is not None:
            self._program.pause()
        return answer

    def game_over(self, position: Position) -> None:
        """Announce the end to a program that lives on; kill any other."""
        if self._program is None or self._session is None or not self._alive:
            self._kill()
            return
        if self._coming is None:  # else it does not know of this game
            self._session.send(*self.side.over(position))
        if not self._session.sent:
            self._kill()  # it does not read

    def close(self) -> None:
        """Send the program away."""
        program, session = self._program, self._session
        if program is not None and session is not None and self._alive:
            session.send(*self.side.quit())
            self._see_off(program)
        self._kill()
