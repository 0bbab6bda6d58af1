"""A match like those of a run: between two of its engines, by its clock, on openings of its kind that it
has not played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import Refused, unknown
from joute.engines.parameter import text_of
from joute.engines.registry import names
from joute.results.frames import Results
from joute.results.tables import load

SHARED = ("openings", "time", "adjudicate")  # tables of a study that its match has too


@dataclass(frozen=True)
class Model:
    """The run that a match is to be like: its folder, the texts of its engines by name, the seed of the
    match, the tables of the run's study that the match shares, and how that declares the parameters of
    programs.
    """

    folder: Path
    engines: Mapping[str, str]
    seed: int
    tables: Mapping[str, dict[str, Any]]
    declared: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    def engine(self, name: str) -> str:
        """Return the text of an engine of the run, or the text itself; raise Refused for a name that
        nobody has.
        """
        text = any(mark in name for mark in "/:") or name in names("search")
        if name not in self.engines and not text:
            raise Refused(f"{self.folder}: {unknown('engine', name, [*self.engines])}")
        return self.engines.get(name, name)

    def parameters_of(self, *engines: Engine) -> dict[str, dict[str, Any]]:
        """Return the declarations of those parameters that programs among some engines have: a parameter of
        ours may have the same name.
        """
        known = set()
        for engine in engines:
            search = engine.search
            own = {p.name for p in search.parameters_for(engine.settings, engine.game)}
            known |= own - {p.name for p in search.parameters}
        return {name: row for name, row in self.declared.items() if name in known}


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
    declared = {
        name: with_range(row, study.get("space", {}).get(name))
        for name, row in study.get("parameters", {}).items()
    }
    return Model(folder, engines, int(study["seed"]) + 1, tables, declared)


def with_range(row: Mapping[str, Any], searched: Any) -> dict[str, Any]:
    """Return a declaration whose meaning names the range that was searched, if that is one of numbers."""
    if not isinstance(searched, dict) or not {"from", "to"} <= {*searched}:
        return dict(row)
    range_ = f"searched {text_of(searched['from'])} to {text_of(searched['to'])}"
    meaning = str(row.get("meaning", "")).strip("?")
    return {**row, "meaning": "; ".join(filter(None, (meaning, range_)))}


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
