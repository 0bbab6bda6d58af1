"""An entrant: an engine that takes part, and its name."""

from __future__ import annotations

from dataclasses import dataclass

from joute.engines.engine import Engine
from joute.engines.parameter import Value


@dataclass(frozen=True, eq=False)
class Entrant:
    """An engine that takes part, its unique name, and every setting that has an effect."""

    name: str
    engine: Engine
    parameters: dict[str, Value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entrant) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str]:
        return self.name, self.engine.text
