"""Our own tuner as the benchmark sees it: `joute.Tuner` on a problem's axes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Literal, Protocol, overload

from benchmarks.tuners.space import Axis, Point, Real, Space, Whole

NAME = "joute"
FOLDER = Path(__file__).resolve().parents[2] / "studies" / "tuner"


class Ours(Protocol):
    """A rival's interface, and the extra answers of our tuner."""

    @overload
    def ask(self, games: int) -> list[tuple[Point, int]]: ...

    @overload
    def ask(self, games: int, duels: Literal[True]) -> list[tuple[Point, Point, int]]: ...

    def ask(self, games: int, duels: bool = False) -> Any:
        """Return points and games, at most so many in all; of duels two points and their games."""

    def tell(
        self, point: Point, wins: int, draws: int, losses: int, *, pairs: list[int] | None = None
    ) -> None:
        """Take outcomes; `pairs`: those of the same games, by the points of a pair."""

    def tell_duel(self, point: Point, other: Point, wins: int, draws: int, losses: int) -> None:
        """Take outcomes of a point against another."""

    def recommend(self) -> Point:
        """Return the point believed best."""

    def estimate(self, point: Point) -> tuple[float, float, float]:
        """Return low end, mean and high end of the 95 % interval of the expected score."""

    def report(self) -> Any:
        """Return the whole answer; of it `regret`, what the recommended point may still lack."""

    def verdict(self) -> str:
        """Return "better" than the default, "keep" it, or "unknown"."""


def unable() -> str:
    """Return why our tuner cannot run, or ""."""
    return "" if hasattr(_room(), "Tuner") else "joute has no Tuner"


def make(space: Space, seed: int, games: int, default: Point | None, block: int = 1) -> Ours:
    """Return our tuner: blocks of so many games, any number at a time; without a default it has no
    verdict.
    """
    room = _room()
    axes = {name: _axis(room, axis) for name, axis in space.items()}
    made: Ours = room.Tuner(axes, seed=seed, default=default, budget=games, block=block)
    return made


def _room() -> Any:
    return importlib.import_module("joute")


def _axis(room: Any, axis: Axis) -> Any:
    if isinstance(axis, Real):
        when = None if axis.when is None else {axis.when[0]: axis.when[1]}
        return room.Float(axis.low, axis.high, when=when)
    if isinstance(axis, Whole):
        return room.Int(axis.values[0], axis.values[-1])
    return room.Choice(*axis.values)
