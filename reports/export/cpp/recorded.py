"""Calls of kernels, recorded as they happen: what C++ must do with the same bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Call(NamedTuple):
    """A call: its arguments (arrays as they were before), the arrays after, and the result."""

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    result: Any


class Recorded:
    """A kernel that notes every so many of its calls, up to `most`.

    Arrays that are at hand elsewhere stay the same objects: nothing else changes.
    """

    def __init__(self, kernel: Any, most: int, every: int = 1) -> None:
        self.kernel, self.most, self.every = kernel, most, every
        self.calls: list[Call] = []
        self.seen = 0

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        self.seen += 1
        if len(self.calls) >= self.most or self.seen % self.every:
            return self.kernel(*arguments)
        flat = taken_apart(arguments)
        before = tuple(copied(argument) for argument in flat)
        result = self.kernel(*arguments)
        self.calls.append(Call(before, tuple(copied(argument) for argument in flat), result))
        return result


def taken_apart(arguments: tuple[Any, ...]) -> list[Any]:
    """Return arguments with the fields of named tuples in their place."""
    flat: list[Any] = []
    for argument in arguments:
        flat += list(argument) if isinstance(argument, tuple) else [argument]
    return flat


def copied(argument: Any) -> Any:
    """Return an argument that later calls do not change."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument
