"""Columns of numbers in files: appended in the smallest type that loses none, and read where they lie."""

from __future__ import annotations

import shutil
import struct
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
FLOATS = (np.dtype(np.int8), np.dtype(np.float16), np.dtype(np.float32))
INTEGERS = (np.dtype(np.int8), np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64))
BITS = np.dtype(np.uint8)
"""The type of a column whose rows are zeros and ones, eight in a byte."""
AT_ONCE = 1 << 24  # bytes that are converted at a time
LOCAL = 30  # bytes of a member's own header in a zip file, before its name


class Column:
    """Rows of numbers that are appended, kept in a nameless file. The first ones decide whether they
    are integers; rows of several numbers may be `bits`.
    """

    def __init__(self, folder: Path, bits: bool = False) -> None:
        self._folder, self._file = folder, tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._kinds: tuple[np.dtype[Any], ...] = ()
        self._level, self._bits, self._numbers = 0, bits, 0
        self.rows = 0

    def add(self, array: Array) -> None:
        """Append rows: [rows], or [rows, numbers]."""
        if not self._kinds:
            kinds = INTEGERS if np.issubdtype(array.dtype, np.integer) else FLOATS
            self._kinds = (BITS, *kinds) if self._bits else kinds
            self._numbers = array.shape[1] if array.ndim > 1 else 0
        self._widen(level_of(array, self._kinds))
        self._file.write(stored(array, self._kinds[self._level]).tobytes())
        self.rows += len(array)

    def write(self, archive: zipfile.ZipFile, name: str) -> None:
        """Write them as a member of an archive."""
        kind = self._kinds[self._level]
        width = -(-self._numbers // 8) if kind == BITS else self._numbers
        header = {
            "descr": np.lib.format.dtype_to_descr(kind),
            "fortran_order": False,
            "shape": (self.rows, width) if self._numbers else (self.rows,),
        }
        self._file.seek(0)
        with archive.open(member_of(name), "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, header)
            shutil.copyfileobj(self._file, member)

    def _widen(self, level: int) -> None:
        """Convert what is there to a larger type, if it needs one."""
        if level <= self._level:
            return
        old, new = self._kinds[self._level], self._kinds[level]
        self._level, narrow = level, self._file
        if not self.rows:
            return
        numbers = self._numbers or 1
        size = -(-numbers // 8) if old == BITS else numbers * old.itemsize
        self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        narrow.seek(0)
        while content := narrow.read(max(1, AT_ONCE // size) * size):
            rows = np.frombuffer(content, old).reshape(len(content) // size, -1)
            whole = loaded(rows, numbers, new)
            self._file.write(whole.tobytes())
        narrow.close()

    def close(self) -> None:
        """Remove them."""
        self._file.close()


def level_of(array: Array, kinds: tuple[np.dtype[Any], ...]) -> int:
    """Return the place of the smallest type that loses none of the numbers; the last, if all do."""
    for level, kind in enumerate(kinds[:-1]):
        if kind == BITS:
            if ((array == 0) | (array == 1)).all():
                return level
        elif (array.astype(kind).astype(array.dtype) == array).all():
            return level
    return len(kinds) - 1


def stored(array: Array, kind: np.dtype[Any]) -> Array:
    """Return rows as they are kept."""
    return np.packbits(array.astype(np.uint8), axis=1) if kind == BITS else array.astype(kind)


def loaded(rows: Array, numbers: int, kind: np.dtype[Any]) -> Array:
    """Return kept rows of so many numbers, in another type."""
    if rows.dtype == BITS:
        rows = np.unpackbits(rows, axis=1, count=numbers)
    return rows.astype(kind)


def member_of(name: str, compressed: bool = False) -> zipfile.ZipInfo:
    """Return the entry of an array in an archive, without a date."""
    member = zipfile.ZipInfo(f"{name}.npy")
    member.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    return member


def mapped(path: Path, names: Sequence[str]) -> dict[str, Array]:
    """Return uncompressed arrays of an .npz, mapped from the file, after a look at its checksums.

    Raises OSError, ValueError, KeyError, BadZipFile.
    """
    arrays = {}
    with zipfile.ZipFile(path) as archive, path.open("rb") as file:
        members = {name: archive.getinfo(f"{name}.npy") for name in names}
        if any(member.compress_type != zipfile.ZIP_STORED for member in members.values()):
            raise ValueError("it is compressed, as older versions wrote it")
        if broken := archive.testzip():
            raise ValueError(f"{broken} is damaged")
        for name, member in members.items():
            file.seek(member.header_offset)
            file.seek(sum(struct.unpack("<HH", file.read(LOCAL)[-4:])), 1)  # its name, and more
            np.lib.format.read_magic(file)
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
            arrays[name] = (
                np.memmap(path, kind, "r", file.tell(), shape)
                if np.prod(shape) and kind.itemsize
                else np.zeros(shape, kind)
            )
    return arrays
