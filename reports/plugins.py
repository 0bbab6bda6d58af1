"""The plugins of a stored run, and how to name them again."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

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
    return f"; this run used {names}: add {' '.join(option(path) for path in absent)} before the command's name"


def option(path: str) -> str:
    """Return `--plugin` with a path, relative if the file lies below the current folder."""
    near = Path(path).resolve().is_relative_to(Path.cwd())
    return f"--plugin {quote(from_here(path) if near else path)}"


def from_here(path: Path | str) -> str:
    """Return a path relative to the current folder; if it lies elsewhere, only its name."""
    full, here = Path(path).resolve(), Path.cwd()
    return str(full.relative_to(here)) if full.is_relative_to(here) else full.name
