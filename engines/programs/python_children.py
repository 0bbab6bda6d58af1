"""Starts Python processes of ours that import nothing from the current folder.

Python looks into the current folder first when it is started with -m or -c: a `queue.py` that lies there
would be run in place of the library's. Processes of ours get this process's module path without it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

VARIABLE = "PYTHONSAFEPATH"
OURS = "JOUTE_SAFE_PATH"  # set beside the variable if we have set it, not the user
HOME = str(Path(sys.modules["joute"].__path__[0]).parent)  # the folder that Joute is imported from
_STARTED_IN = os.getcwd()

_RUN = """\
import runpy, sys
count = int(sys.argv[1])
sys.path[:] = sys.argv[3 : 3 + count]
module, sys.argv[1:] = sys.argv[2], sys.argv[3 + count :]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def module_path() -> list[str]:
    """Return this process's module path without the current folder, however that is written.

    Where Joute itself is imported from there, a checkout, that folder comes last: it shadows nothing. But
    where another Joute is installed it comes first, or that one would play.
    """
    current = {os.path.realpath(folder) for folder in (_STARTED_IN, _current())}
    entries = [os.path.abspath(entry) for entry in sys.path if entry]
    others = [entry for entry in entries if os.path.realpath(entry) not in current]
    if len(others) == len(sys.path) or os.path.realpath(HOME) not in current:
        return others
    other = PathFinder.find_spec("joute", others)
    return [HOME, *others] if other is not None and other.origin else [*others, HOME]


def python_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours in a new process, as `python -m` would."""
    path = module_path()
    return [sys.executable, "-P", "-c", _RUN, str(len(path)), module, *path, *arguments]


@contextmanager
def safe_start() -> Iterator[None]:
    """Make processes that a library starts safe, too: workers of a pool and their trackers."""
    before, here = dict(os.environ), list(sys.path)
    os.environ.update(safe_variables())
    sys.path[:] = module_path()
    try:
        yield
    finally:
        sys.path[:] = here
        for name in (VARIABLE, OURS):
            _restore(name, before.get(name))


@contextmanager
def without_main() -> Iterator[None]:
    """Let processes that are spawned in the meantime not run the main script, which may have no guard."""
    main: Any = sys.modules["__main__"]
    file, spec = getattr(main, "__file__", None), main.__spec__
    main.__dict__.pop("__file__", None)
    main.__spec__ = None
    try:
        yield
    finally:
        main.__spec__ = spec
        if file is not None:
            main.__file__ = file


def safe_variables() -> dict[str, str]:
    """Return such a process's additional environment variables; none if the user set it."""
    return {} if os.environ.get(VARIABLE) else {VARIABLE: "1", OURS: "1"}


def forget_safe_start() -> None:
    """In such a process: take the variable away again, so that programs never see it."""
    if os.environ.pop(OURS, None) is not None:
        os.environ.pop(VARIABLE, None)


def last_lines(text: str, count: int = 3) -> str:
    """Return the last lines of a process's output, in one."""
    lines: Sequence[str] = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-count:])


def _current() -> str:
    with suppress(OSError):
        return os.getcwd()
    return _STARTED_IN


def _restore(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
