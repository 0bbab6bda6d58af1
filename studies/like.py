"""A match like those of a run: between two of its engines, by its clock, on openings of its kind that it
has not played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused, unknown
from joute.engines.registry import names
from joute.results.frames import Results
from joute.results.tables import load

SHARED = ("openings", "time", "adjudicate")  # tables of a study that its match has too


@dataclass(frozen=True)
class Model:
    """The run that a match is to be like: its folder, the texts of its engines by name, the seed of the
    match, and the tables of the run's study that the match shares.
    """

    folder: Path
    engines: Mapping[str, str]
    seed: int
    tables: Mapping[str, dict[str, Any]]

    def engine(self, name: str) -> str:
        """Return the text of an engine of the run, or the text itself; raise Refused for a name that
        nobody has.
        """
        text = any(mark in name for mark in "/:") or name in names("search")
        if name not in self.engines and not text:
            raise Refused(f"{self.folder}: {unknown('engine', name, [*self.engines])}")
        return self.engines.get(name, name)


def model_of(folder: Path) -> Model:
    """Return what a match like those of a run has: the next seed; of a book the records behind those that
    the first stage played.
    """
    results = load(folder)
    study = results.meta.study
    tables = {name: dict(study.get(name, {})) for name in SHARED}
    if tables["openings"].get("records"):
        start = first_unplayed(results, tables["openings"])
        tables["openings"] |= {} if start is None else {"start": start}
    pairs = zip(results.engines["name"], results.engines["spec"], strict=True)
    engines = {str(name): str(spec) for name, spec in pairs}
    return Model(folder, engines, int(study["seed"]) + 1, tables)


def first_unplayed(results: Results, opened: Mapping[str, Any]) -> int | None:
    """Return the number of a book's first record behind those that the first stage played; None for one
    in random order, or without such a record.
    """
    if "order" in opened:
        return None
    games = results.games
    played = int(games.loc[games["stage"] == results.stages[0], "opening"].nunique())
    number = int(opened.get("start", 1)) + played
    return number if number <= (results.meta.book or 0) else None
