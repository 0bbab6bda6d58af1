"""A large book of openings: a file of which only the places of its entries are in memory.

An entry is read when it is its turn, so that a book of a million positions costs a few megabytes and
the first game does not wait for the last line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Words
from joute.engines.kernels.random import seed_of
from joute.engines.transcript import Transcript

CHUNK = 1 << 22  # bytes read at once
LONGEST = 1 << 20  # bytes of an entry
ROUNDS = 4  # of the network that shuffles


class Places:
    """The entries of a file in its own order; `digest` is that of its bytes."""

    def __init__(self, path: Path, form: Transcript) -> None:
        self.path = path
        begins, hashed, at = list[Words](), hashlib.sha256(), 0
        for part in whole_lines(path):
            hashed.update(part)
            found = [match.start() for match in re.finditer(form.entry, part)]
            begins.append(np.array(found, np.uint64) + np.uint64(at))
            at += len(part)
        self.digest = hashed.hexdigest()[:12]
        self._begins = np.concatenate([*begins, np.array([at], np.uint64)])

    def __len__(self) -> int:
        return len(self._begins) - 1

    def text(self, place: int) -> str:
        """Return the text of an entry; 0 is the first."""
        begin, end = int(self._begins[place]), int(self._begins[place + 1])
        with open(self.path, "rb") as file:
            file.seek(begin)
            return decoded(file.read(min(end - begin, LONGEST)))

    def line_number(self, place: int) -> int:
        """Return the number of the line of the file in which an entry begins, from 1."""
        left, number = int(self._begins[place]), 1
        with open(self.path, "rb") as file:
            while left and (part := file.read(min(left, CHUNK))):
                number += part.count(b"\n")
                left -= len(part)
        return number


class Book(Sequence[str]):
    """The openings of a large file, as `parse_position` reads them, each read anew when it is asked
    for; raises Refused for a broken entry.
    """

    def __init__(self, places: Places, form: Transcript, game: Game, plies: int) -> None:
        self.places, self._form, self._game, self._plies = places, form, game, plies

    @property
    def digest(self) -> str:
        """A digest of the file's content."""
        return f"{self.places.digest}, {self._plies} plies"

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(len(self)))]
        return self._form.entry_line(self.places.text(place), self._game, self._plies, place + 1)

    def where(self, place: int) -> str:
        """Return the file and the line of an entry."""
        return f"{self.places.path}, line {self.places.line_number(place)}"


def whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the content of a file in parts of whole lines; raise Refused for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            rest = b""
            while part := file.read(CHUNK):
                end = part.rfind(b"\n") + 1
                if end:
                    yield rest + part[:end]
                    rest = part[end:]
                else:
                    rest += part
            if rest:
                yield rest
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None


def decoded(content: bytes) -> str:
    """Return bytes as text, in UTF-8 or else in Latin-1, as older files have it."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def shuffled_place(place: int, count: int, seed: int) -> int:
    """Return where a place goes in a random order of `count` places that follows from the seed.

    A Feistel network on the next even number of bits, walked until it is below `count` (Black and
    Rogaway, "Ciphers with arbitrary finite domains", 2002): no order is held in memory.
    """
    half = max(1, ((count - 1).bit_length() + 1) // 2)
    mask = (1 << half) - 1
    while True:
        left, right = place >> half, place & mask
        for number in range(ROUNDS):
            left, right = right, left ^ (seed_of("book", seed, number, right) & mask)
        place = left << half | right
        if place < count:
            return place
