"""The one tree of errors that a user may meet: each prints its lines and ends with its exit code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral
from pathlib import Path
from typing import Any

LONGEST = 1200  # characters of a line
SHOWN = 60  # characters of a refused value
ANYTHING = (Exception, SystemExit, GeneratorExit)  # errors caught from outside code; not Ctrl-C


class JouteError(Exception):
    """An error for the user, in a few lines without a traceback."""

    exit_code = 1

    def lines(self) -> list[str]:
        """Return the lines to print."""
        return [cut(str(self), LONGEST)]


class Refused(JouteError, ValueError):
    """A request that cannot be carried out as written; the message is one clear line."""

    exit_code = 2

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows instead of a traceback: IPython asks for it by this name."""
        return [f"{type(self).__name__}: {line}" for line in self.lines()]


class RulesError(JouteError):
    """An author's rules or kernels raised an exception: its line, and the context."""


class ProtocolError(JouteError):
    """The other side of a connection left or sent something invalid; the message is one line."""


@contextmanager
def building(what: str) -> Iterator[None]:
    """Turn exceptions of an author's code, while `what` is made, into a RulesError of one line."""
    try:
        yield
    except JouteError:
        raise
    except ANYTHING as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        message = f"{lines[0]} ... {lines[-1]}" if len(lines) > 1 else "".join(lines)
        raise RulesError(f"{what} cannot be made: {type(error).__name__}: {message}") from error


def cut(text: str, most: int = 400) -> str:
    """Return a text of at most so many characters: a longer one without its middle."""
    if len(text) <= most:
        return text
    head = 2 * most // 3
    return f"{text[: head - 5]} ... {text[len(text) - (most - head) :]}"


def shown(value: Any) -> str:
    """Return a value for a message: in full, unless it is long."""
    return cut(repr(value), SHOWN)


def whole(value: Any, what: str, least: int | None = None) -> int:
    """Return a whole number from `least` up, or any; raise Refused if it is invalid."""
    valid = isinstance(value, Integral) and not isinstance(value, bool)
    if not valid or (least is not None and value < least):
        ends = "" if least is None else f" from {least} up"
        raise Refused(f"{what} = {shown(value)}; allowed: whole numbers{ends}")
    return int(value)


def unboxed(value: Any) -> Any:
    """Return numpy's numbers and arrays as Python's own numbers and lists; anything else as it is."""
    boxed = hasattr(value, "tolist") and not isinstance(value, type)
    return value.tolist() if boxed else value


def path_of(value: object, what: str) -> Path:
    """Return a path that a caller gave; raise Refused for what is none."""
    if isinstance(value, str | Path):
        return Path(value).expanduser()
    raise Refused(f"{what} = {shown(value)}; allowed: a path, as text or pathlib.Path")


def unknown(kind: str, name: str, known: Iterable[str], where: str = "") -> Refused:
    """Return the refusal of an unknown name, with the nearest known one."""
    known = sorted(known)
    place = f"{where}: " if where else ""
    return Refused(f"{place}unknown {kind} {name!r}{suggest(name, known)}")


def suggest(name: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...' or '; known: ...' for a misspelt name."""
    known = sorted(known)
    near = nearest(name, known)
    if near:
        return near
    return f"; known: {', '.join(known)}" if known else "; none is known"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return '; did you mean ...' for a name that looks like a known one, else nothing."""
    near = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def nearest_path(path: Path, known: Iterable[Path]) -> str:
    """Return '; did you mean ...' for a path whose name looks like that of a known one, else nothing."""
    try:
        by_name = {one.name: one for one in sorted(known)}
    except (OSError, ValueError):  # a folder that cannot be listed
        return ""
    near = get_close_matches(path.name, by_name, n=1)
    return f"; did you mean {str(by_name[near[0]])!r}?" if near else ""
