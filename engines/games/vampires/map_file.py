"""Map files of the official server: XML of cells, read with distrust, and written.

    <Map Rows="5" Columns="6">
      <Humans X="2" Y="2" Count="1"/>
      <Werewolves X="2" Y="3" Count="3"/>
      <Vampires X="5" Y="4" Count="3"/>
    </Map>

Names are case-sensitive, attributes and elements come in any order. A map says nothing of turns:
vampires move first.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from joute.engines.errors import Refused, suggest
from joute.engines.games.vampires.board import Cell, VampiresBoard, shown

MOST_BYTES = 1_000_000
ATTRIBUTES = {
    "Map": ("Rows", "Columns"),
    "Humans": ("X", "Y", "Count"),
    "Werewolves": ("X", "Y", "Count"),
    "Vampires": ("X", "Y", "Count"),
}
NUMBER = re.compile(r"[0-9]{1,3}")


def read_xml(data: bytes, label: str) -> VampiresBoard:
    """Return the board of a map file; `label` is its name in messages.

    A document type is refused before any of its declarations is looked at, so that no entity is
    ever expanded; everything else that is not a map, at the first place that shows it.
    """
    if len(data) > MOST_BYTES:
        raise Refused(f"{label}: {len(data)} bytes; allowed: {MOST_BYTES}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refused(f"{label}: byte {error.start} is not UTF-8; allowed: UTF-8") from None
    reader = _Reader(label)
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise Refused(f"{label}: line {error.lineno}: no XML: {error}") from None
    return reader.board()


def write_xml(board: VampiresBoard) -> str:
    """Return the map file of a board, without the player to move; each side in one cell."""
    for name, cells in (("Werewolves", board.werewolves), ("Vampires", board.vampires)):
        if len(cells) != 1:
            raise Refused(f"map file: {len(cells)} cells of {name}; allowed: exactly 1")
    groups = [("Humans", board.humans), ("Werewolves", board.werewolves)]
    lines = [
        f'  <{name} X="{x}" Y="{y}" Count="{count}"/>\n'
        for name, cells in [*groups, ("Vampires", board.vampires)]
        for (x, y), count in cells.items()
    ]
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<Map Rows="{board.rows}" Columns="{board.columns}">\n{"".join(lines)}</Map>\n'
    )


class _Reader:
    """Collects a map while expat reads it; refuses at the first thing that does not belong."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.depth = 0
        self.size: Cell = (0, 0)
        self.cells: dict[str, dict[Cell, int]] = {"Humans": {}, "Werewolves": {}, "Vampires": {}}
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters

    def refuse(self, message: str) -> Refused:
        return Refused(f"{self.label}: line {self.parser.CurrentLineNumber}: {message}")

    def doctype(self, *_: object) -> None:
        raise self.refuse("a document type (DOCTYPE); allowed: none")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and name != "Map":
            raise self.refuse(f"the root is {shown(name)}; allowed: 'Map'")
        if self.depth == 1 and name not in self.cells:
            raise self.refuse(f"unknown element {shown(name)}{suggest(name[:40], self.cells)}")
        if self.depth > 1:
            raise self.refuse(f"element {shown(name)} inside of another; allowed: inside of 'Map'")
        self.depth += 1
        wanted = ATTRIBUTES[name]
        for key in attributes:
            if key not in wanted:
                raise self.refuse(
                    f"{name}: unknown attribute {shown(key)}{suggest(key[:40], wanted)}"
                )
        numbers = [self.number(name, key, attributes) for key in wanted]
        if name == "Map":
            self.size = numbers[1], numbers[0]
            self.made()  # refuses sizes before any cell is read
            return
        x, y, count = numbers
        if any((x, y) in cells for cells in self.cells.values()):
            raise self.refuse(f"{name}: cell {x},{y} again; allowed: each cell once")
        if name != "Humans" and self.cells[name]:
            raise self.refuse(f"a second element {name}; allowed: exactly one")
        self.cells[name][x, y] = count

    def number(self, name: str, key: str, attributes: dict[str, str]) -> int:
        if key not in attributes:
            raise self.refuse(f"{name}: attribute {key} is missing")
        if not NUMBER.fullmatch(attributes[key]):
            raise self.refuse(f"{name}: {key}={shown(attributes[key])}; allowed: 0 to 255")
        return int(attributes[key])

    def end(self, _: str) -> None:
        self.depth -= 1

    def characters(self, text: str) -> None:
        if text.strip():
            raise self.refuse(f"text {shown(text.strip())}; allowed: elements only")

    def board(self) -> VampiresBoard:
        for name in ("Werewolves", "Vampires"):
            if not self.cells[name]:
                raise Refused(f"{self.label}: no element {name}; allowed: exactly one")
        return self.made()

    def made(self) -> VampiresBoard:
        humans, werewolves, vampires = self.cells.values()
        try:
            return VampiresBoard(*self.size, humans, vampires, werewolves)
        except Refused as refusal:
            raise self.refuse(str(refusal)) from None
