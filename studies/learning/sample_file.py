"""Files of samples: written as they come, and read row by row where they lie.

A file is an .npz, which numpy opens, too; what is large is not compressed. Its arrays have the smallest type that loses
nothing; planes of zeros and ones are bits. Of a policy only the entries above 0 are kept: `entries`
and `shares` of sample n end at `ends[n]`.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Shape
from joute.results.tables import atomically
from joute.studies.learning.columns import Array, Column, loaded, mapped, member_of
from joute.studies.learning.samples import Samples, in_parts, no_samples

AT_ONCE = 4096  # samples that are copied at a time
FLOATS, INTEGERS = ("value", "teaches"), ("game", "ply", "plies")
COLUMNS = ("planes", "entries", "shares", "ends", *FLOATS, *INTEGERS)
SHAPE, ABOUT = "shape", "about"


class SamplesDamaged(JouteError):
    """A file of samples cannot be read."""


class SampleWriter:
    """Writes a file of samples as they come; nothing of it is seen before it is whole."""

    def __init__(self, path: Path, shape: Shape) -> None:
        self._path, self._shape = path, shape
        path.parent.mkdir(parents=True, exist_ok=True)
        self._columns = {name: Column(path.parent, bits=name == "planes") for name in COLUMNS}
        self.add(no_samples(shape))

    def add(self, samples: Samples) -> None:
        """Append samples; raise OSError, with the file's path, where they cannot be written."""
        rows, entries = np.nonzero(samples.policy)
        many = np.bincount(rows, minlength=len(samples))
        arrays = {
            "planes": samples.planes.reshape(len(samples), self._shape.numbers),
            "entries": entries,
            "shares": samples.policy[rows, entries],
            "ends": self._columns["entries"].rows + np.cumsum(many, dtype=np.int64),
            **{name: getattr(samples, name) for name in (*FLOATS, *INTEGERS)},
        }
        try:
            for name, array in arrays.items():
                self._columns[name].add(array)
        except OSError as error:  # a nameless file has no name to tell
            raise OSError(error.errno, error.strerror, str(self._path)) from None

    def write(self, about: Sequence[dict[str, Any]] = ()) -> None:
        """Write the file, atomically. `about`: facts about the games."""
        shape, facts = np.array(self._shape), np.array(json.dumps(list(about)))
        with atomically(self._path) as file, zipfile.ZipFile(file, "w") as archive:
            for name, column in self._columns.items():
                column.write(archive, name)
                column.close()
            for entry, array in (member_of(SHAPE), shape), (member_of(ABOUT, True), facts):
                with archive.open(entry, "w") as member:
                    np.lib.format.write_array(member, array, (1, 0), allow_pickle=False)


class SampleFile:
    """The samples of a file; rows are read when they are taken. Raises SamplesDamaged."""

    def __init__(self, path: Path) -> None:
        try:
            arrays = mapped(path, (*COLUMNS, SHAPE))
            self.shape = Shape(*map(int, arrays[SHAPE]))
            self._planes, self._entries = arrays["planes"], arrays["entries"]
            self._shares, self._ends = arrays["shares"], arrays["ends"].astype(np.int64)
            self._value = arrays["value"]
            self.teaches: Singles = arrays["teaches"].astype(np.float32)
            self.game, self.ply, self.plies = (
                np.asarray(arrays[name], np.int64) for name in INTEGERS
            )
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
            raise damaged(path, error) from None
        self.about = read_about(path)

    def __len__(self) -> int:
        return len(self._ends)

    def take(self, which: Array) -> Samples:
        """Return some of them, by their numbers."""
        shape = self.shape
        planes = loaded(self._planes[which], shape.numbers, np.dtype(np.float32))
        return Samples(
            planes.reshape(-1, shape.planes, shape.rows, shape.columns),
            self._policy(which),
            self._value[which].astype(np.float32),
            self.teaches[which],
            self.game[which],
            self.ply[which],
            self.plies[which],
        )

    def _policy(self, which: Array) -> Singles:
        ends = self._ends[which]
        begins = np.where(which > 0, self._ends[which - 1], 0)
        many = ends - begins
        rows = np.repeat(np.arange(len(which)), many)
        places = np.arange(many.sum()) + np.repeat(begins - (np.cumsum(many) - many), many)
        policy = np.zeros((len(which), self.shape.policy), np.float32)
        policy[rows, self._entries[places]] = self._shares[places]
        return policy


class Window:
    """The samples of several files, one after the other, as a `SampleSource`."""

    def __init__(self, files: Sequence[SampleFile]) -> None:
        self._files = files
        self._begins = np.cumsum([0, *map(len, files)])
        self.teaches: Singles = np.concatenate([file.teaches for file in files])
        self.game, self.ply, self.plies = (
            np.concatenate([getattr(file, name) for file in files]) for name in INTEGERS
        )

    def __len__(self) -> int:
        return int(self._begins[-1])

    def take(self, which: Array) -> Samples:
        """Return some of them, by their numbers."""
        samples = empty(len(which), self._files[0].shape)
        file_of = np.searchsorted(self._begins, which, "right") - 1
        for number in np.unique(file_of):
            places = np.flatnonzero(file_of == number)
            rows = self._files[number].take(which[places] - self._begins[number])
            for name, array in vars(samples).items():
                array[places] = getattr(rows, name)
        return samples


def empty(count: int, shape: Shape) -> Samples:
    """Return memory for so many samples."""
    arrays = vars(no_samples(shape)).values()
    return Samples(*(np.empty((count, *array.shape[1:]), array.dtype) for array in arrays))


def join_files(path: Path, parts: Sequence[Path]) -> None:
    """Write the samples of several files as one, in the order of their games and plies."""
    files = [SampleFile(part) for part in parts]
    window = Window(files)
    order = np.lexsort((window.ply, window.game))
    writer = SampleWriter(path, files[0].shape)
    for rows in in_parts(len(window), AT_ONCE):
        writer.add(window.take(order[rows]))
    writer.write(sorted((fact for file in files for fact in file.about), key=by_number))


def by_number(fact: dict[str, Any]) -> int:
    """Return the number of a game."""
    number: int = fact["number"]
    return number


def read_about(path: Path) -> list[dict[str, Any]]:
    """Return the facts about the games in a file of samples; raise SamplesDamaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            facts: list[dict[str, Any]] = json.loads(str(file[ABOUT]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise damaged(path, error) from None
    return facts


def damaged(path: Path, error: Exception) -> SamplesDamaged:
    """Return the error about a file."""
    return SamplesDamaged(f"{path} cannot be read as samples: {error}")
