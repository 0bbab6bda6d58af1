"""Maps by name, by file and by chance: the values of a game's parameter `map`.

A specification is the name of a map that comes with Joute, the path of a file ending in .xml, one
of random_maps.py, or several of these joined by +, of which every seed takes one.
"""

from __future__ import annotations

from pathlib import Path

from joute.engines.errors import Refused, nearest
from joute.engines.files import here
from joute.engines.games.vampires import random_maps
from joute.engines.games.vampires.board import VampiresBoard, shown
from joute.engines.games.vampires.map_file import MOST_BYTES, read_xml, write_xml

__all__ = [
    "check_spec",
    "draw",
    "is_random",
    "largest",
    "load",
    "names",
    "read_xml",
    "size",
    "write_xml",
]

FOLDER = Path(__file__).parent / "maps"


def names() -> list[str]:
    """Return the names of the maps that come with Joute."""
    return sorted(file.stem for file in FOLDER.glob("*.xml"))


def load(name_or_path: str) -> VampiresBoard:
    """Return the board of a known map, or of a map file."""
    if name_or_path in names():
        return read(FOLDER / f"{name_or_path}.xml", name_or_path)
    if name_or_path.endswith(".xml"):
        return read(here(name_or_path), name_or_path)
    near = nearest(name_or_path[:80], names()) or f"; known: {', '.join(names())}"
    raise Refused(f"unknown map {shown(name_or_path)}{near}; or a path ending in .xml")


def read(path: Path, label: str) -> VampiresBoard:
    """Return the board of a map file that exists; no more of it is read than a map may have."""
    try:
        if not path.is_file():
            raise Refused(f"map {shown(label, 200)}: there is no such file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise Refused(f"map {shown(label, 200)}: cannot be read: {reason}") from None
    return read_xml(data, f"map {shown(label, 200)}")


def is_random(spec: str) -> bool:
    """Whether a specification gives another board for every seed."""
    return "+" in spec or spec.startswith(random_maps.PREFIX)


def draw(spec: str, seed: int) -> VampiresBoard:
    """Return the board of a specification; a map that is not random is the same for every seed."""
    several = spec.split("+")
    if len(several) > 1:
        return draw(several[seed % len(several)], seed // len(several))
    return random_maps.draw(spec, seed) if is_random(spec) else load(spec)


def check_spec(spec: str) -> None:
    """Refuse a specification that is no known map, no file of one, and no random map."""
    largest(spec)


def largest(spec: str) -> tuple[int, int]:
    """Return how many columns and rows a board of a specification has at most."""
    several = [largest(one) for one in spec.split("+")] if "+" in spec else []
    if several:
        return max(columns for columns, _ in several), max(rows for _, rows in several)
    if is_random(spec):
        return random_maps.largest(spec)
    board = load(spec)
    return board.columns, board.rows


def size(spec: str) -> tuple[int, int] | None:
    """Return the columns and rows that every board of a specification has; None where they differ."""
    if "+" in spec:
        sizes = {size(one) for one in spec.split("+")}
        return sizes.pop() if len(sizes) == 1 else None
    if is_random(spec):
        fixed = random_maps.parse(spec)
        return fixed[:2] if fixed else None
    return largest(spec)
