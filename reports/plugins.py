"""The plugins of a stored run, and how to name them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from shlex import quote

from joute.engines.asking import plugins_of_run
from joute.engines.registry import plugin_files
from joute.results.meta import Meta


def program(meta: Meta) -> str:
    """Return the command line of joute with a run's plugins, without paths of this machine."""
    return "joute" + "".join(f" --plugin {quote(from_here(path))}" for path in meta.plugins)


def missing_hint(meta: Meta) -> str:
    """Name a run's missing plugins and how to give them; "" if none is missing."""
    absent = [path for path in meta.plugins if str(Path(path).resolve()) not in plugin_files()]
    if not absent:
        return ""
    names = ", ".join(Path(path).name for path in absent)
    given = plugins_of_run([near(path) for path in absent], " before the command's name")
    return f"; this run used {names}: {given}"


def option(path: str) -> str:
    """Return `--plugin` with a path, relative if the file lies below the current folder."""
    return f"--plugin {quote(near(path))}"


def near(path: str) -> str:
    """Return a path, relative if the file lies below the current folder."""
    inside = Path(path).resolve().is_relative_to(Path.cwd())
    return from_here(path) if inside else path


def from_here(path: Path | str) -> str:
    """Return a path relative to the current folder; if it lies elsewhere, only its name, for a page may
    travel, or all of it where commands are `typed_here`.
    """
    full, here = Path(path).resolve(), Path.cwd()
    if full.is_relative_to(here):
        return str(full.relative_to(here))
    return str(full) if _typed_here.get() else full.name


@contextmanager
def typed_here() -> Iterator[None]:
    """Name files in full that lie elsewhere: for commands that are shown in a terminal."""
    before = _typed_here.set(True)
    try:
        yield
    finally:
        _typed_here.reset(before)


_typed_here: ContextVar[bool] = ContextVar("typed_here", default=False)
