"""The notes of a run beside its games, with types: the store keeps texts."""

from __future__ import annotations

import json
import tomllib
from typing import Any

BEGUN = "begun"  # key: the day on which the run was begun, in UTC
PROGRESS = "progress"  # how far a run is (`studies/play/progress_log.py`)
PACES = "paces"  # results of each worker, {worker: [games, seconds]}
GENERATIONS = "generations"  # notes of a training run, one entry a generation
BY_BLOCK = "by_block"  # set if the tuner of a search reads blocks, not single games
TRAINING_SEARCH = "trainings"  # notes of a training search
CONFIRMATION = "confirmation"  # the stage of a final at another limit
BOOK = "book"  # key: openings that were given, empty for random ones
ENDED = "ended"  # key: the study, games and copies with which a run was over
USED_UP = "openings used up"  # key: why a sequential test ended without openings
LEFT = "left"  # key: ids of engines that were entrants, and are no more


class Meta(dict[str, str]):
    """The notes of a run by key, as the store keeps them; the properties decode them."""

    def of(self, key: str, absent: Any) -> Any:
        """Return the JSON of a key, or the default for an absent or empty one."""
        return json.loads(self[key]) if self.get(key) else absent

    @property
    def name(self) -> str:
        """The study's name."""
        return self.get("name", "")

    @property
    def begun(self) -> str:
        """The day on which the run was begun, in UTC: 2026-11-28; "" of older runs."""
        return self.get(BEGUN, "")

    @property
    def kind(self) -> str:
        """The kind of study."""
        return self.get("kind", "")

    @property
    def game(self) -> str:
        """The game with its options."""
        return self.get("game", "")

    @property
    def seed(self) -> int:
        """The study's seed."""
        return int(self.get("seed") or 0)

    @property
    def book(self) -> int:
        """How many openings were given; 0 for random ones."""
        return int(self.get(BOOK) or 0)

    @property
    def stages(self) -> list[str]:
        """The names of the study's stages, in order."""
        return [str(stage) for stage in self.of("stages", [])]

    @property
    def adaptive(self) -> list[str]:
        """The names of the stages with adaptive pairings."""
        stages = (self.identity or {}).get("stages", [])
        return [str(stage["name"]) for stage in stages if stage.get("type") == "adaptive"]

    @property
    def left(self) -> list[str]:
        """The ids of the engines that were entrants, and are no more."""
        left: list[str] = self.of(LEFT, [])
        return left

    @property
    def sprt(self) -> dict[str, Any] | None:
        """The test that ends the study: elo0, elo1, alpha, beta, model."""
        sprt: dict[str, Any] | None = self.of("sprt", None)
        return sprt

    @property
    def study(self) -> dict[str, Any]:
        """The resolved study file."""
        return tomllib.loads(self.get("study", ""))

    @property
    def clock(self) -> str:
        """The clock of both players in words, `clock 10+0.1`; "" without one."""
        try:
            clock = self.study.get("time", {}).get("clock")
        except (ValueError, RecursionError):  # what cannot be read is told where it is needed
            return ""
        return f"clock {clock}" if clock else ""

    @property
    def plugins(self) -> list[str]:
        """The paths of the plugins that the run used; none where that cannot be read."""
        try:
            plugins = self.of("plugins", None) or self.study.get("plugins", [])
        except (ValueError, RecursionError):
            return []
        return [str(path) for path in plugins] if isinstance(plugins, list) else []

    @property
    def identity(self) -> dict[str, Any] | None:
        """The parts of the study that must not change when the run is continued."""
        identity: dict[str, Any] | None = self.of("identity", None)
        return identity

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Python and libraries, by name."""
        versions: dict[str, str] = self.of("versions", {})
        return versions

    @property
    def search(self) -> dict[str, Any] | None:
        """The notes on the search of a scan or tune study."""
        search: dict[str, Any] | None = self.of("search", None)
        return search

    @property
    def by_block(self) -> bool:
        """Whether the model of a search reads blocks of games; before it could, it read games."""
        return bool(self.get(BY_BLOCK))

    @property
    def candidates(self) -> list[dict[str, Any]] | None:
        """The points of a search that were screened; None before that."""
        candidates: list[dict[str, Any]] | None = self.of("candidates", None)
        return candidates

    @property
    def finalist(self) -> str:
        """The name of the engine that met the default in the final."""
        return self.get("finalist", "")

    @property
    def programs(self) -> dict[str, str]:
        """What outside programs call themselves, by the engine's name."""
        programs: dict[str, str] = self.of("programs", {})
        return programs

    @property
    def final_rounds(self) -> int:
        """Rounds that the final was planned to have."""
        return int(self.get("final_rounds") or 0)

    @property
    def generations(self) -> list[dict[str, Any]]:
        """The notes on the generations of a training run, in their order."""
        generations: list[dict[str, Any]] = self.of(GENERATIONS, [])
        return generations

    @property
    def training_search(self) -> dict[str, Any] | None:
        """The notes on a training search."""
        search: dict[str, Any] | None = self.of(TRAINING_SEARCH, None)
        return search

    @property
    def merged(self) -> list[str]:
        """The machines of the runs united in this one; none for a run of one machine."""
        machines: list[str] = self.of("merged", [])
        return machines
