"""A running program that is not ours: started, asked by lines with a deadline, and surely killed.

Each runs in a process group of its own, but in our session: switching between two sessions costs
Linux 0.7 us more. One thread: pipes that never block us and one poll. Its stderr is read whenever we
are here, so that it cannot fill up; the last part is kept.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from weakref import WeakSet

from joute.engines.programs import orphans, pinning
from joute.engines.programs.linux import brand
from joute.engines.programs.run_queue import RunQueue
from joute.engines.programs.workplace import Workplace

SHORT, CHUNK = 1 << 8, 1 << 16  # bytes read at once: of a usual answer, of any
LONGEST = 1 << 20  # bytes of a line, at most
KEPT = 1600  # bytes of stderr that are kept
GRACE = 0.25  # seconds in which a program that closed its output may end
HICCUP = 0.05  # seconds that any program may wait for a processor
MOST_OWED = 20.0  # times a turn
AWAY = 0.05  # seconds; a longer oversleep means that this process was stopped, or had no processor

clock, read, write = time.perf_counter, os.read, os.write


class Trouble(Exception):
    """A program's failure to answer: `kind` is illegal, timeout or crash. With `waited_ms` an answer
    came late only because the program waited so long for a processor.
    """

    def __init__(self, kind: str, text: str, waited_ms: float = 0.0) -> None:
        super().__init__(text)
        self.kind, self.text, self.waited_ms = kind, text, waited_ms


class Program:
    """A program that runs. After Trouble it is of no use but to be killed.

    One that does not answer by `lines` is never asked: its stdout is kept together with its stderr.
    Its `place`, if it has one, is removed with it. A `pinned` one shares this process's processor, where
    that has one of its own.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        memory_mb: int = 0,
        lines: bool = True,
        place: Workplace | None = None,
        pinned: bool = True,
    ) -> None:
        if _forbidden.get():
            raise Trouble("crash", "is not started")
        if pinned:
            pinning.claim()
        keeper = _keeper()
        if memory_mb:
            limit = 'ulimit -v "$0" && exec "$@"'
            words = ["/bin/sh", "-c", limit, str(memory_mb * 1024), *words]
        self.place, cwd = place, place.cwd if place is not None else None
        self._mark = orphans.new_mark()
        name, _, value = self._mark.text.partition("=")
        try:
            self._process = subprocess.Popen(
                words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if lines else subprocess.STDOUT,
                cwd=cwd,
                env={
                    **os.environ,
                    **({"PWD": str(cwd)} if cwd else {}),
                    **environment,
                    name: value,
                },
                process_group=0,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Trouble("crash", f"cannot be started: {reason}") from None
        self.group = self._process.pid
        brand(self.group, self._mark.limit)
        _tell(keeper, f"+{self.group}\n")
        into, out = self._process.stdin, self._process.stdout
        assert into is not None and out is not None
        self._pipes = (into, out, self._process.stderr or out)
        self._in, self._out, self._err = (pipe.fileno() for pipe in self._pipes)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._look, self._writing = self._poll.poll, False
        early = select.poll()
        early.register(self._out, select.POLLIN)
        self._early = early.poll
        self._answered = [(self._out, select.POLLIN)]
        self._tail = b""
        self._queue = RunQueue(self.group)
        self.alive = True
        _living.add(self)

    def ask(self, data: bytes, time_ms: float) -> str:
        """Send lines and return the one line of the answer; raise Trouble if there is none in time.

        The first half is the way of a good answer, with as few calls as can be.
        """
        begun = clock()
        self._queue.begin(begun, time_ms / 1e3)
        if self._early(0) and (early := self._read()):
            raise Trouble("illegal", f"wrote {shown(early)} unasked (a second line?)")
        try:
            sent = write(self._in, data)
        except OSError:  # it reads no more, or not yet
            sent = 0
        if sent == len(data) and self._look(time_ms) == self._answered:
            answer = read(self._out, SHORT)
            text, spent = text_of(answer), clock() - begun
            if text and (spent * 1e3 <= time_ms or away(spent - time_ms / 1e3)):
                return text
            begun += away(spent - time_ms / 1e3)
            return self._wait(answer or self._read(), b"", begun, time_ms / 1e3)
        begun += away(clock() - begun - time_ms / 1e3)
        return self._wait(b"", self.send(data[sent:]), begun, time_ms / 1e3)

    def _wait(self, answer: bytes, left: bytes, begun: float, seconds: float) -> str:
        """Read, write the rest and drain stderr until a line is there or the time is over."""
        owed = 0.0  # seconds while it waited for a processor, and gets to answer after all
        while True:
            now = clock()
            if now - begun > seconds + owed:
                owed = self.owed(seconds)
            late = now - begun > seconds + owed
            if b"\n" in answer and not late:
                self._poll_writing(False)
                if owed:
                    raise self.starved(seconds, now - begun)
                return text_of_line(answer)
            if len(answer) > LONGEST:
                raise Trouble("illegal", f"wrote {len(answer)} bytes without the end of a line")
            if late:
                raise self.silence(seconds, so_far(answer))
            wanted = seconds + owed - (now - begun)
            chunk, left = self.pump(left, wanted)
            answer += chunk
            begun += away(clock() - now - wanted)

    def pump(self, left: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Wait for an event, at most some seconds: read, write more of `left`, drain stderr.

        Returns its output and the rest to write; raises Trouble when it closed its output.
        """
        output = b""
        self._poll_writing(bool(left))
        for pipe, _ in self._look(max(0.0, seconds) * 1e3):
            if pipe == self._out:
                output += self._read()
            elif pipe == self._err:
                self._hear()
            else:
                left = self.send(left)
        return output, left

    def silence(self, seconds: float, came: str) -> Trouble:
        """Return the trouble of a program that has not answered in so many seconds."""
        if self._process.poll() is not None:
            return Trouble(
                "crash", f"{self._how_it_ended()}, and a child process of it is still running"
            )
        owed = self.owed(seconds)
        text = f"no answer in {seconds * 1e3:g} ms{came}"
        if owed:
            text += f", nor in the {owed * 1e3:.0f} ms more while it waited for a processor"
        elif not came:
            text += " (a program must flush its output after every line)"
        return Trouble("timeout", text)

    def starved(self, seconds: float, spent: float) -> Trouble:
        """Return the trouble of a program whose answer came late for want of a processor."""
        waited = self.waited_ms()
        text = f"answered after {spent * 1e3:.0f} ms of {seconds * 1e3:g} ms, {waited:.0f} ms of them waiting for a processor"
        return Trouble("timeout", text, waited)

    def owed(self, seconds: float) -> float:
        """Return the seconds of a turn in which it waited for a processor; 0 where that is no more
        than a usual hiccup, or half of a short turn.
        """
        waited = self.waited_ms() / 1e3
        return min(waited, MOST_OWED * seconds) if waited > min(HICCUP, seconds / 2) else 0.0

    def begin_turn(self, now: float, seconds: float) -> None:
        """Count from now on, by `time.perf_counter()`, how long it waits for a processor in a turn of so
        many seconds.
        """
        self._queue.begin(now, seconds)

    def waited_ms(self) -> float:
        """Return how many milliseconds of this turn it waited for a processor."""
        return self._queue.waited_ms()

    def stirs(self) -> bool:
        """Whether it has written something, or has ended."""
        return bool(self._look(0))

    def _poll_writing(self, wanted: bool) -> None:
        if wanted == self._writing:
            return
        self._writing = wanted
        if wanted:
            self._poll.register(self._in, select.POLLOUT)
        else:
            self._poll.unregister(self._in)

    def send(self, data: bytes) -> bytes:
        """Write as much as the pipe takes; return the rest. A closed pipe is no trouble yet."""
        try:
            sent = write(self._in, data)
            return data[sent:] if sent < len(data) else b""
        except BlockingIOError:
            return data
        except BrokenPipeError:
            return b""

    def _read(self) -> bytes:
        """Return the program's output; raise Trouble when it closed it."""
        try:
            chunk = read(self._out, CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            raise Trouble("crash", self._how_it_ended())
        return chunk

    def _hear(self) -> bool:
        """Read a part of stderr; return whether there may be more."""
        try:
            chunk = read(self._err, CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._err)
        self._tail = (self._tail + chunk)[-KEPT:]
        return bool(chunk)

    def hear(self) -> None:
        """Read the program's stderr, a bounded part of it."""
        for _ in range(LONGEST // CHUNK):
            if not self._hear():
                break

    def ended(self, seconds: float = 0.0) -> str:
        """Return how the program ended, now or within some seconds; "" while it runs."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return ""
        return self._how_it_ended()

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "closed its output"
        if status >= 0:
            return f"ended with exit status {status}"
        try:
            return f"died by {signal.Signals(-status).name}"
        except ValueError:
            return f"died by signal {-status}"

    def tell(self, data: bytes) -> bool:
        """Send lines that want no answer; return whether all went out at once."""
        return not self.send(data)

    def pause(self) -> None:
        """Stop the whole group."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the whole group go on."""
        self._signal(signal.SIGCONT)

    def stderr_tail(self) -> str:
        """Return the last part of its stderr."""
        text = self._tail.decode(errors="replace").strip()
        return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)

    def wait(self, seconds: float) -> None:
        """Give it time to end by itself."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)

    def kill(self) -> None:
        """Kill the whole group, and leave neither zombie nor open pipe."""
        if not self.alive:
            return
        self.alive = False
        _living.discard(self)
        self._signal(signal.SIGKILL)
        self.wait(5.0)
        known = {*(program.group for program in _living), *(k.pid for k in _keepers.values())}
        orphans.end_orphans(self.group, self._mark, known, not _living)
        self.hear()
        for pipe in self._pipes:
            pipe.close()
        if self.place is not None:
            self.place.remove()
        _tell(_keeper(), f"-{self.group}\n")

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, number)


def away(late: float) -> float:
    """Return the seconds to forgive a program, given how much too late we came to read its answer.

    A wait that lasts longer than asked is our own delay: data in the pipe may have come in time.
    Nothing is forgiven for less than a machine's usual hiccups.
    """
    return late + AWAY if late > AWAY else 0.0


@lru_cache(maxsize=256)
def text_of(answer: bytes) -> str:
    """Return the text of a short line; an empty one without its end."""
    return text_of_line(answer) if b"\n" in answer else ""


def text_of_line(answer: bytes) -> str:
    """Return the text of an answer that is one whole line; raise Trouble if there is more."""
    try:
        text = answer.decode().strip()
    except UnicodeDecodeError:
        raise Trouble("illegal", f"wrote {shown(answer)}, which is not UTF-8") from None
    if answer.find(b"\n") + 1 < len(answer):
        raise Trouble("illegal", f"wrote more than one line: {shown(answer)}")
    return text


def shown(data: bytes) -> str:
    """Return bytes as a short text."""
    text = repr(data.decode(errors="backslashreplace"))
    return text if len(text) <= 80 else text[:77] + "..."


def so_far(answer: bytes) -> str:
    """Return a note on the output that came too late or without the end of a line."""
    if b"\n" in answer:
        return f"; {shown(answer)} came later"
    return f", only {shown(answer)} without the end of a line" if answer else ""


_forbidden: ContextVar[bool] = ContextVar("forbidden", default=False)


@contextlib.contextmanager
def nothing_starts() -> Iterator[None]:
    """Let no program start in the meantime."""
    before = _forbidden.set(True)
    try:
        yield
    finally:
        _forbidden.reset(before)


_living: WeakSet[Program] = WeakSet()
_keepers: dict[int, subprocess.Popen[bytes]] = {}  # by the process that started it


def _keeper() -> subprocess.Popen[bytes]:
    """Return the keeper of this process, started when first needed."""
    keeper = _keepers.get(os.getpid())
    if keeper is None or keeper.poll() is not None:
        script = str(Path(__file__).with_name("reaper.py"))
        keeper = _keepers[os.getpid()] = subprocess.Popen(
            [sys.executable, "-I", "-S", script, orphans.token(), str(orphans.family())],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        orphans.spare(keeper.pid)
    return keeper


def _tell(keeper: subprocess.Popen[bytes], line: str) -> None:
    assert keeper.stdin is not None
    with contextlib.suppress(OSError):
        keeper.stdin.write(line.encode())


@atexit.register
def _farewell() -> None:
    """Kill the running programs when this process ends."""
    for program in list(_living):
        program.kill()
    keeper = _keepers.pop(os.getpid(), None)
    if keeper is not None and keeper.stdin is not None:
        keeper.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            keeper.wait(2.0)
