"""Which files of a run folder Joute wrote, so that starting over takes away those and no others.

The list is a file of the folder, a name a line, seen from the folder; a name is noted before its file
is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

MANIFEST = ".joute-files"

_noted: ContextVar[Path | None] = ContextVar("noted", default=None)


@contextmanager
def noting(folder: Path) -> Iterator[None]:
    """Note every file that is written below a run folder inside the `with` block."""
    before = _noted.set(folder)
    try:
        yield
    finally:
        _noted.reset(before)


def note(path: Path) -> None:
    """Note a file that is about to be written, if it belongs to the run folder that is at work."""
    folder = _noted.get()
    if folder is None or not path.is_relative_to(folder):
        return
    name = path.relative_to(folder).as_posix()
    if "\n" not in name and name not in _names(folder):
        with (folder / MANIFEST).open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")


def remove_noted(folder: Path, usual: Iterable[str] = ()) -> None:
    """Remove the files that Joute wrote into a run folder, then the list of them; where there is no
    list (it was lost, or the run is one of 0.1) the `usual` ones.
    """
    whole = folder.resolve()
    for name in _names(folder) if (folder / MANIFEST).exists() else usual:
        path = folder / name
        inside = ".." not in Path(name).parts and path.parent.resolve().is_relative_to(whole)
        if inside and (path.is_file() or path.is_symlink()):
            path.unlink()
    (folder / MANIFEST).unlink(missing_ok=True)


def _names(folder: Path) -> list[str]:
    try:
        return (folder / MANIFEST).read_text("utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
