"""Lines both ways with a running program, as many as its protocol likes.

Where every question has one line of an answer, `Program.ask` is the faster way.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from joute.engines.programs.process import LONGEST, Program, Trouble, away, shown, so_far

MOST = 1 << 24  # bytes of a turn, at most
LAST_WORDS = 5  # lines

clock = time.perf_counter


def never(line: str) -> bool:
    """Return False: a program may write no line out of turn."""
    return False


class Session:
    """A conversation with a program, in turns with a time limit.

    `may_say`: which lines the program may write between its turns; they are dropped.
    """

    def __init__(self, program: Program, may_say: Callable[[str], bool] = never) -> None:
        self._program, self._may_say = program, may_say
        self._left = b""  # that the program has not taken yet
        self._heard = b""  # its output after the last end of a line
        self._lines: deque[str] = deque()  # its lines not yet received
        self._early = False  # whether it began the line before its turn
        self._begun, self._seconds, self._bytes = clock(), 0.0, 0
        self._seen = self._begun  # when we were last here
        self.last = ""  # of the lines received the last that was not empty
        self._said: deque[str] = deque(maxlen=LAST_WORDS)  # its last lines, received or not
        self._asked = self._came = self._begun  # our last byte, the program's last ones

    def begin(self, time_ms: float) -> None:
        """Begin a turn with a limit of so many milliseconds for all its answers.

        Raises Trouble when the program has written a line unasked.
        """
        self._begun = self._seen = clock()
        self._seconds = time_ms / 1e3
        self._program.begin_turn(self._begun, self._seconds)
        if not (self._left or self._heard or self._lines or self._program.stirs()):
            self._early, self._bytes = False, 0
            return
        self._pump(0.0)
        for line in self._lines:
            self._drop(line)
        self._lines.clear()
        self._early, self._bytes = bool(self._heard), len(self._heard)
        self._seen = clock()

    def send(self, *lines: str) -> None:
        """Send lines, given without their ends. A full pipe's rest is sent in `receive`."""
        self._left += "".join(f"{line}\n" for line in lines).encode()
        self._left = self._program.send(self._left)
        self._asked = clock()

    @property
    def answer_ms(self) -> float:
        """The milliseconds from our last byte to the bytes that ended the last answer."""
        return max(0.0, self._came - self._asked) * 1e3

    @property
    def sent(self) -> bool:
        """Whether the program has taken all that was sent."""
        return not self._left

    def receive(
        self, until: Callable[[str], bool] | int = 1, time_ms: float | None = None
    ) -> list[str]:
        """Return the next lines, up to the first at which `until` holds, or so many.

        They have no end and no blanks before it. The time is what is left of the turn, and with
        `time_ms` not more than that. Raises Trouble if they do not come.
        """
        self._begun += away(clock() - self._seen)
        begun, seconds, lines = self._begun, self._seconds, list[str]()
        if time_ms is not None and time_ms / 1e3 < begun + seconds - clock():
            begun, seconds = clock(), time_ms / 1e3
        owed = 0.0  # seconds that it waited for a processor, and gets to answer after all
        while True:
            self._seen = now = clock()
            if now - begun > seconds + owed:
                owed = self._program.owed(seconds)
            late = now - begun > seconds + owed
            while self._lines and not late:
                lines.append(self._lines.popleft())
                self.last = lines[-1] or self.last
                if len(lines) == until if isinstance(until, int) else until(lines[-1]):
                    if owed:
                        raise self._program.starved(seconds, now - begun)
                    return lines
            if late:
                came = so_far("\n".join([*self._lines, ""]).encode() or self._heard)
                raise self._program.silence(seconds, came or after(lines))
            wanted = seconds + owed - (now - begun)
            self._pump(wanted)
            lost = away(clock() - now - wanted)
            begun, self._begun = begun + lost, self._begun + lost

    def _pump(self, seconds: float) -> None:
        """Work the pipes until an event, at most some seconds, and split the output into lines."""
        waiting = bool(self._left)
        came, self._left = self._program.pump(self._left, seconds)
        if waiting:
            self._asked = clock()
        if not came:
            return
        self._came = clock()
        self._bytes += len(came)
        *whole, self._heard = (self._heard + came).split(b"\n")
        for line in whole:
            text = decoded(line)
            self._said.append(text)
            if self._early:
                self._drop(text)
                self._early = False
            else:
                self._lines.append(text)
        if len(self._heard) > LONGEST:
            raise Trouble("illegal", f"wrote {len(self._heard)} bytes without the end of a line")
        if self._bytes > MOST:
            raise Trouble("illegal", f"wrote {self._bytes} bytes without an answer")

    @property
    def last_words(self) -> str:
        """The last lines that the program wrote, those not asked for, too."""
        return "\n".join(filter(None, self._said))

    def _drop(self, line: str) -> None:
        if not self._may_say(line):
            raise Trouble("illegal", f"wrote {shown(line.encode())} unasked (a second line?)")


def decoded(line: bytes) -> str:
    """Return the text of a line; raise Trouble if it is none."""
    try:
        return line.decode().rstrip()
    except UnicodeDecodeError:
        raise Trouble("illegal", f"wrote {shown(line)}, which is not UTF-8") from None


def after(lines: list[str]) -> str:
    """Return a note on the lines received of an answer that did not end."""
    return f", the last of {len(lines)} lines is {shown(lines[-1].encode())}" if lines else ""
