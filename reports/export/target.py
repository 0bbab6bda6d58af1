"""A target of `joute export`: a kind of file that an engine can be written to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from joute.engines.engine import Engine
from joute.engines.registry import Member, make
from joute.studies.play.progress import Progress


@dataclass(frozen=True)
class Order:
    """An export order: an engine, its origin, and the requirements of the file.

    `move_ms`: time per move (None: the target's own limit, if it has one). `limit` allows a
    smaller engine where this one does not fit. `say` prints what is done, `progress` shows how far it
    is. `path`: the file to be written. `kinds`: int, float, choice or text by the name of a parameter
    that the study declares; `meanings`: its meaning, default and searched range. `language`: of a
    target that writes several, one of them. `evaluation`: only the engine's evaluation is wanted.
    `searched`: the names of the parameters that the study searched.
    """

    engine: Engine
    provenance: dict[str, Any]
    move_ms: float | None
    limit: bool
    say: Callable[[str], None]
    path: Path | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    meanings: Mapping[str, str] = field(default_factory=dict)
    language: str = ""
    evaluation: bool = False
    searched: tuple[str, ...] = ()


class Written(NamedTuple):
    """A file's text, and the engine in it: the ordered one, or one cut down to fit.

    `use`: a further use of this file, beside the target's `use`.
    """

    text: str
    engine: Engine
    use: str = ""


class Target(Member, ABC, kind="target"):
    """A target. `ending` is the file's suffix; `use` says how to use the file, with `{path}` for
    it, and `{position}` for an example of a position where the file `plays`.

    `plays`: whether the file plays by itself, in a time a move that may be limited; `fits`: whether
    a study can be tuned at the budget that the file can afford. `languages`: those in which it can be
    written, the usual one first; empty where there is one only. `evaluations`: whether it can write an
    engine's evaluation alone.
    """

    ending: ClassVar[str]
    plays: ClassVar[bool] = False
    fits: ClassVar[bool] = False
    use: ClassVar[str]
    languages: ClassVar[tuple[str, ...]] = ()
    evaluations: ClassVar[bool] = False

    def suffix(self, language: str) -> str:
        """Return how the file's name ends in a language."""
        return self.ending

    def check(self, engine: Engine, language: str) -> None:
        """Raise Refused, at once, for an engine that no file in a language can play as."""

    @abstractmethod
    def write(self, order: Order) -> Written:
        """Return the file; raise Refused for anything that this target cannot express."""

    def affordable(self, engine: Engine, say: Callable[[str], None]) -> Engine:
        """Return the engine with the largest budget, up to its own, with which a file can play."""
        return engine


def find_target(name: str) -> Target:
    """Return a target; raise Refused with the nearest known name."""
    target: Target = make("target", name, "export")
    return target
