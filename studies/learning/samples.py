"""Samples: positions as a network sees them, with its targets; in memory and as files."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joute.engines.errors import JouteError
from joute.engines.kernels.compile import Ints
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Shape
from joute.results.tables import write_atomically


class SamplesDamaged(JouteError):
    """A file of samples cannot be read."""


@dataclass(frozen=True, eq=False)
class Samples:
    """N positions, in the order of their games.

    `planes` [N, planes, rows, columns]; `policy` [N, entries], a distribution; `value` [N] the
    final return of the side to move, from -1 (lost) to 1; `teaches` [N] weight of the policy, 0 or
    1; `game` [N] number of the game; `ply` [N] and `plies` [N] the place in it and its length.
    """

    planes: Singles
    policy: Singles
    value: Singles
    teaches: Singles
    game: Ints
    ply: Ints
    plies: Ints

    def __len__(self) -> int:
        return len(self.value)

    @property
    def games(self) -> int:
        """Number of games."""
        return len(np.unique(self.game))

    def take(self, which: NDArray[np.generic]) -> Samples:
        """Return some of them, by a mask or by indices."""
        return Samples(*(getattr(self, f.name)[which] for f in fields(self)))


def no_samples(shape: Shape) -> Samples:
    """Return an empty set for a shape."""
    planes = np.zeros((0, shape.planes, shape.rows, shape.columns), np.float32)
    some, none = np.zeros(0, np.float32), np.zeros(0, np.int64)
    return Samples(planes, np.zeros((0, shape.policy), np.float32), some, some, none, none, none)


def joined(parts: Sequence[Samples]) -> Samples:
    """Return one or more sets as one; games with the same number are one game."""
    return Samples(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Samples)))


def write_samples(path: Path, samples: Samples, about: Sequence[dict[str, Any]] = ()) -> None:
    """Write a compressed file atomically and without loss. `about`: facts about the games."""
    stored = {f.name: smallest(getattr(samples, f.name)) for f in fields(samples)}
    stored["about"] = np.array(json.dumps(list(about)))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **stored)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, buffer.getvalue())


def read_samples(path: Path) -> Samples:
    """Return what `write_samples` wrote; raise SamplesDamaged."""
    arrays = _read(path, [f.name for f in fields(Samples)])
    integers = {"game", "ply", "plies"}
    kinds = {name: np.int64 if name in integers else np.float32 for name in arrays}
    return Samples(**{name: arrays[name].astype(kind) for name, kind in kinds.items()})


def read_about(path: Path) -> list[dict[str, Any]]:
    """Return the facts about the games in a file of samples; raise SamplesDamaged."""
    facts: list[dict[str, Any]] = json.loads(str(_read(path, ["about"])["about"]))
    return facts


def _read(path: Path, names: Sequence[str]) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise SamplesDamaged(f"{path} cannot be read as samples: {error}") from None


def smallest(numbers: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return the same numbers in the smallest type that loses none of them."""
    for kind in (np.int8, np.int32) if numbers.dtype == np.int64 else (np.int8, np.float16):
        small = numbers.astype(kind)
        if (small.astype(numbers.dtype) == numbers).all():
            return small
    return numbers
