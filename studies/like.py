"""A match like those of a run: between two of its engines, by its clock, on openings of its kind that it
has not played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    match, the tables of the run's study that the match shares, how that declares the parameters of
    programs, and how many positions of its book it has not played (None: it has no book, or plays it in
    random order).
    """

    folder: Path
    engines: Mapping[str, str]
    seed: int
    tables: Mapping[str, dict[str, Any]]
    declared: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    unplayed: int | None = None

    def blocks(
        self, asked: int | None, usual: int | None, order: str | None, start: int | None
    ) -> int | None:
        """Return how many blocks a match takes of what the run has left of its book: as many as `asked`, or
        the usual number; without that (an SPRT) at most all that are left. Raise Refused where it would
        take positions of the run again.
        """
        if self.unplayed is None:
            return asked
        for name, given in (("order", order), ("start", start)):
            if given is not None:
                raise Refused(
                    f"{name}: a match like a run takes the positions of its book that this has not played, "
                    "one after the other; give a book (--openings) to choose others"
                )
        if not self.unplayed:
            raise Refused(
                f"{self.folder} has played all positions of its book; give another one (--openings)"
            )
        wanted = usual if asked is None else asked
        if usual is not None and wanted is not None and wanted > self.unplayed:
            raise Refused(
                f"{self.folder} has left {self.unplayed} positions of its book, and {wanted} blocks take one "
                "each; ask for fewer (--blocks), or give another book (--openings)"
            )
        return self.unplayed if wanted is None else min(wanted, self.unplayed)

    def called(self, texts: Sequence[str]) -> list[str]:
        """Return the names that texts of engines have in the run, "" for a stranger; none where two are
        the same engine.
        """
        known = [text for text in texts if text in self.engines]
        twice = len({*known}) < len(known)
        return [] if twice else [text if text in self.engines else "" for text in texts]

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
    unplayed = None
    if tables["openings"].get("records") and "order" not in tables["openings"]:
        start = first_unplayed(results, tables["openings"])
        unplayed = max(0, (results.meta.book or 0) + 1 - start)
        tables["openings"] |= {"start": start} if unplayed else {}
    pairs = zip(results.engines["name"], results.engines["spec"], strict=True)
    engines = {str(name): str(spec) for name, spec in pairs}
    declared = {
        name: with_range(row, study.get("space", {}).get(name))
        for name, row in study.get("parameters", {}).items()
    }
    return Model(folder, engines, int(study["seed"]) + 1, tables, declared, unplayed)


def with_range(row: Mapping[str, Any], searched: Any) -> dict[str, Any]:
    """Return a declaration whose meaning names the range that was searched, if that is one of numbers."""
    if not isinstance(searched, dict) or not {"from", "to"} <= {*searched}:
        return dict(row)
    range_ = f"searched {text_of(searched['from'])} to {text_of(searched['to'])}"
    meaning = str(row.get("meaning", "")).strip("?")
    return {**row, "meaning": "; ".join(filter(None, (meaning, range_)))}


def first_unplayed(results: Results, opened: Mapping[str, Any]) -> int:
    """Return the number of a book's first record behind those that the first stage played."""
    games = results.games
    played = int(games.loc[games["stage"] == results.stages[0], "opening"].nunique())
    return int(opened.get("start", 1)) + played
