"""Shared parts of the commands: options, output, and progress."""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from joute.engines.game import Game


NUMBERS = {"ignore_unknown_options": True}  # so that -3 is a number


def say(text: str) -> None:
    """Print a message on stderr: stdout is for results."""
    click.echo(f"joute: {text}", err=True)


def write(text: str) -> None:
    """Print a line of an answer; where the reader has left (`| head`), print no more and go on."""
    try:
        click.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def announce_compiling() -> None:
    """Print once on stderr that kernels are compiled, which takes seconds."""
    from joute.engines.kernels import compile

    compile.announce = say


def as_json(data: object) -> None:
    """Print data for machines; JSON has no NaN and no infinite numbers, which become null."""
    import json

    click.echo(json.dumps(_finite(data), allow_nan=False))


def _finite(data: object) -> object:
    if isinstance(data, dict):
        return {name: _finite(part) for name, part in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(part) for part in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def tell(text: str) -> None:
    """Print text that may have colours; without them if the output is no terminal or wants none."""
    from joute.engines.colours import plain

    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    click.echo(text if wanted else plain(text))


def terminal_width() -> float:
    """Return the columns of the terminal that stdout is; infinite if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else math.inf


def fitted(line: str, indent: int) -> str:
    """Return a line broken to the width of the terminal, what follows indented; as it is elsewhere."""
    width = max(terminal_width(), 2 * indent)
    if not math.isfinite(width):
        return line
    return textwrap.fill(
        line,
        int(width),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


class Time(click.FloatRange):
    """A finite time, in a unit."""

    def __init__(self, low: float, high: float, unit: str) -> None:
        super().__init__(low, high)
        self._said = f"a time in {unit}; allowed: {low:g} to {high:g}"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Refuse nan, too."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value!r} is not {self._said}", param, ctx)
        return number


def milliseconds(least: float = 1) -> Time:
    """Return the type of a turn's time, by default from 1 ms up."""
    return Time(least, 1e7, "milliseconds")


def seconds() -> Time:
    """Return the type of a game's time, from a hundredth of a second up."""
    return Time(0.01, 1e6, "seconds")


@contextmanager
def slow(text: str, seconds: float = 1.0) -> Iterator[None]:
    """Print on stderr what is being done, if it takes longer than that."""
    import threading

    timer = threading.Timer(seconds, lambda: say(f"{text} ..."))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


json_option = click.option("--json", "machine", is_flag=True, help="Print JSON.")


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on a dask cluster: tcp://HOST:PORT, tls://HOST:PORT, local:WORKERS or a FILE.toml.",
)


workers_option = click.option(
    "-j",
    "--workers",
    type=click.IntRange(1, 1024),
    help="Worker processes (default: all cores); of a referee's games, cores.",
)


def with_position(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a POSITION: words at its end, or one word of --position; by default the start.

    It gets the text as `position`.
    """

    @wraps(command)
    def asked(*args: Any, words: Sequence[str], placed: str | None, **more: Any) -> None:
        from joute.engines.errors import Refused

        if words and placed is not None:
            raise Refused("the position is given twice: at the end and with --position")
        command(*args, position=" ".join(words) or placed or "startpos", **more)

    option = click.option("--position", "placed", help="The POSITION as one quoted argument.")
    return click.argument("words", nargs=-1, metavar="[POSITION]...")(option(asked))


no_start_option = click.option(
    "--no-start",
    is_flag=True,
    help="Start no program, load no plugin except by --plugin, play nothing.",
)


@contextmanager
def starting(allowed: bool) -> Iterator[None]:
    """Let programs and plugins that only a file names start in the meantime, or nothing of them."""
    from joute.engines.programs.process import nothing_starts
    from joute.engines.registry import no_more_plugins

    if allowed:
        yield
        return
    with nothing_starts(), no_more_plugins():
        yield


def game_of(text: str) -> Game:
    """Return the game of a text."""
    from joute.engines.engine import parse_game

    return parse_game(text)
