"""A running referee: it plays one game, within a time and a number of bytes, and ends with all of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence

from joute.engines.programs.linux import limit_files
from joute.engines.programs.process import CHUNK, Program, Trouble, clock
from joute.engines.referees.game_folder import GameFolder

LOOK = 0.02  # seconds between two looks whether it has ended
WATCHED = 0.001  # seconds between two looks at one that is watched
MOST_OUTPUT = 8 << 20  # bytes that it may print
LARGEST_FILE = 256 << 20  # bytes of a file that it writes


class RefereeProcess(Program):
    """A referee that was started in the folder of its game, free to use all processors. Kill it at
    the end: that ends its bots, too, and removes the folder.
    """

    def __init__(self, words: Sequence[str], folder: GameFolder) -> None:
        try:
            super().__init__(words, {}, place=folder, pinned=False)
        except Trouble as trouble:
            raise Trouble(trouble.kind, f"{words[0]} {trouble}") from None
        limit_files(self.group, LARGEST_FILE)

    def output(self, greeting: str, seconds: float, look: Callable[[], None] | None = None) -> str:
        """Write the greeting and wait for the end; return what it has printed. `look` is called again and
        again. Raises Trouble where it does not end well, in time, with so many bytes.
        """
        pause = LOOK if look is None else WATCHED
        self.send(greeting.encode())
        self._pipes[0].close()
        limit, printed, speaks = clock() + seconds, b"", True
        while self._process.poll() is None:
            left = limit - clock()
            if left <= 0:
                raise Trouble("timeout", f"no end of the game in {seconds:g} s")
            if look is not None:
                look()
            if speaks:
                printed, speaks = self._heard(printed, min(left, pause))
            else:
                self._ended_within(min(left, pause))
        while speaks and (chunk := self._rest()):
            printed = self._grown(printed, chunk)
        self.hear()
        if self._process.returncode:
            raise Trouble("crash", self._how_it_ended() + self._why())
        return printed.decode(errors="replace")

    def _heard(self, printed: bytes, seconds: float) -> tuple[bytes, bool]:
        """Return what it has printed after so many seconds more, and whether it may print more."""
        try:
            chunk, _ = self.pump(b"", seconds)
        except Trouble:  # it closed its output
            self._poll.unregister(self._out)
            return printed, False
        return self._grown(printed, chunk), True

    def _grown(self, printed: bytes, chunk: bytes) -> bytes:
        if len(printed) + len(chunk) > MOST_OUTPUT:
            raise Trouble("illegal", f"printed more than {MOST_OUTPUT:,} bytes")
        return printed + chunk

    def _rest(self) -> bytes:
        """Return what is left in the pipe of a referee that has ended: its bots may hold that open."""
        try:
            return os.read(self._out, CHUNK)
        except BlockingIOError:
            return b""

    def _ended_within(self, seconds: float) -> None:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.hear()

    def _why(self) -> str:
        full = self._process.returncode == -signal.SIGXFSZ
        return f" (a file of more than {LARGEST_FILE >> 20} MB)" if full else ""
