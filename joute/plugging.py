"""Loads the plugin files that a call of the door names."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from joute.engines.errors import Refused


def need_docstrings() -> None:
    """Refuse a Python that strips docstrings: the digests of engines are made of code with them."""
    if sys.flags.optimize >= 2:
        raise Refused(
            "this Python runs with -OO, which removes docstrings and so changes every engine: "
            "leave out -OO and PYTHONOPTIMIZE=2 (-O is fine)"
        )


def plug(plugins: Sequence[str | Path]) -> None:
    """Load plugin files; raise Refused for other things, such as a class of a notebook's cell."""
    from joute.engines.registry import load_plugin

    need_docstrings()
    if isinstance(plugins, str | Path):
        raise Refused(f"plugins = {str(plugins)!r}: allowed: a list of files, [{str(plugins)!r}]")
    for plugin in plugins:
        if not isinstance(plugin, str | Path):
            name = getattr(plugin, "__name__", repr(plugin))
            raise Refused(
                f"plugins: {name} is no file; workers load plugins by their files: put it into "
                f"one, "
                f'{name.lower()}.py, and name that: plugins=["{name.lower()}.py"]'
            )
        load_plugin(plugin)
