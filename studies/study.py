"""The plan of a study: what its file means, read, checked and made explicit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import tomli_w

from joute.engines.book import Book
from joute.engines.engine import Engine
from joute.engines.game import Game
from joute.engines.parameter import Parameter
from joute.engines.registry import make, plugin_files, plugins_named_in
from joute.engines.time_control import TimeControl
from joute.harness.adjudication import Adjudication
from joute.harness.match import MARGIN_MS, Rules
from joute.harness.openings import OpeningRules
from joute.harness.worker import Setting
from joute.studies.file import declared
from joute.studies.file.adjudicate import identity_of, table_of
from joute.studies.file.budget import Budget as Budget
from joute.studies.file.differences import diff as diff
from joute.studies.file.entrant import Entrant as Entrant
from joute.studies.file.sprt import SprtPlan as SprtPlan

ROUND_ROBIN, GAUNTLET, ADAPTIVE = "round_robin", "gauntlet", "adaptive"  # types of a stage


@dataclass(frozen=True)
class StagePlan:
    """One stage: its entrants ("all", "best:N", "best-per:PARAMETER"), type and number of blocks.

    With `within`, only entrants with the same value of that parameter meet. `type` is round_robin,
    gauntlet or adaptive; in a gauntlet the others play those named in `against`, not each other, and so
    do those of `against` named in `also_play`. `blocks` are those of a pairing, or of an entrant on
    average where pairings are adaptive. With `shared`, all tables of a round get the same
    opening, so that scores can be paired.
    """

    name: str
    entrants: str
    within: str | None
    blocks: int
    type: str
    against: tuple[str, ...] = ()
    shared: bool = False
    also_play: tuple[str, ...] = ()


CLOCK_KEYS = ("clock", "flag_draws")


@dataclass(frozen=True)
class TimeRules:
    """Milliseconds a move: flagged as slow; a failure; late after an engine's own limit (None: the
    usual); too slow to be the winner. Each player's clock, and whether one that runs out draws where
    nobody else can win.
    """

    slow_after_ms: float | None = None
    move_time_ms: float | None = None
    margin_ms: float | None = None
    exclude_p99_over_ms: float | None = None
    clock: TimeControl | None = None
    flag_draws: bool = True

    def rules(self, adjudication: Adjudication | None = None) -> Rules:
        """Return the rules that the referee enforces."""
        margin = MARGIN_MS if self.margin_ms is None else self.margin_ms
        return Rules(
            *(self.move_time_ms, margin), void_starved=True, clock=self.clock,
            flag_draws=self.flag_draws, adjudication=adjudication,
        )  # fmt: skip

    def table(self) -> dict[str, Any]:
        """Return the table of a study file."""
        table = {key: value for key, value in asdict(self).items() if key not in CLOCK_KEYS}
        return {**table, **self.clock_table()}

    def clock_table(self) -> dict[str, Any]:
        """Return what a study file says of clocks; nothing without any."""
        if self.clock is None:
            return {}
        return {"clock": self.clock.text, **({} if self.flag_draws else {"flag_draws": False})}


class OwnPlan(Protocol):
    """A kind's plan besides stages: a study carries it without reading it."""

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed, under unique keys."""


class Planned(NamedTuple):
    """A kind's part of the plan."""

    entrants: tuple[Entrant, ...]
    stages: tuple[StagePlan, ...]
    sprt: SprtPlan | None = None
    own: OwnPlan | None = None
    later: tuple[str, ...] = ()
    clocks: Mapping[str, TimeControl] = {}
    later_engines: tuple[Engine, ...] = ()


@dataclass(frozen=True, eq=False)
class Study:
    """A study, checked and explicit. Two are equal when their resolved files are.

    `later`: names of stages that its kind plays besides the usual ones; `clocks`: those of stages
    that have others than the study; `later_engines`: who plays in such stages alone.
    """

    name: str
    kind: str
    game: Game
    seed: int
    entrants: tuple[Entrant, ...]
    stages: tuple[StagePlan, ...]
    time: TimeRules
    openings: OpeningRules
    sprt: SprtPlan | None
    budget: Budget | None
    plugins: tuple[Path, ...]
    source: str
    files: tuple[Path, ...] = ()
    report: Mapping[str, Any] = field(default_factory=dict)
    own: OwnPlan | None = None
    target: str | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    adjudication: Adjudication | None = None
    later: tuple[str, ...] = ()
    clocks: Mapping[str, TimeControl] = field(default_factory=dict)
    later_engines: tuple[Engine, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.resolved() == other.resolved()

    def __hash__(self) -> int:
        return hash(self.resolved_toml())

    def resolved(self) -> dict[str, Any]:
        """Return the fully explicit study file: engines in full, no grid, no defaults."""
        openings = self._openings() | {"records": self.openings.records or None}
        table = {
            "name": self.name,
            "kind": self.kind,
            "game": self.game.label,
            "seed": self.seed,
            "plugins": [str(path) for path in self.plugins],
            "files": [str(path) for path in self.files],
            "budget": self.budget and self.budget.text,
            "parameters": declared.as_table(self.parameters),
            "openings": without_absent(openings),
            "time": without_absent(self.time.table()),
            **self._adjudicate(),
            **make("kind", self.kind).resolve(self),
            "report": dict(self.report),
        }
        return {key: value for key, value in without_absent(table).items() if value != {}}

    def resolved_toml(self) -> str:
        """Return `resolved()` as the text of a study file."""
        return tomli_w.dumps(self.resolved())

    @property
    def open_ended(self) -> bool:
        """Whether a test ends the study, without a given number of blocks."""
        return self.sprt is not None

    def setting(self) -> Setting:
        """Return what all tasks share, for the workers."""
        return Setting(
            self.game.label,
            {e.engine.id: e.engine.text for e in self.entrants},
            self.time.rules(self.adjudication),
            tuple(plugin_files()),
            {
                stage: replace(self.time, clock=clock).rules(self.adjudication)
                for stage, clock in self.clocks.items()
            },
        )

    @property
    def timed(self) -> bool:
        """Whether games depend on the clock: a time limit, or a program that may read it."""
        engines = [*(entrant.engine for entrant in self.entrants), *self.later_engines]
        if self.time.move_time_ms is not None or self.time.clock is not None or self.clocks:
            return True
        return any(not engine.search.reproducible or engine.timed for engine in engines)

    def plugins_used(self) -> list[str]:
        """Return the plugins that it names, and the loaded ones whose members it names."""
        return list(
            dict.fromkeys([*map(str, self.plugins), *plugins_named_in(self.resolved_toml())])
        )

    def _adjudicate(self, identity: bool = False) -> dict[str, Any]:
        """Return what a study file says of adjudication, or what identifies it; nothing without it."""
        rules = self.adjudication
        if rules is None:
            return {}
        return {"adjudicate": identity_of(rules, self.game) if identity else table_of(rules)}

    def _openings(self) -> dict[str, Any]:
        given, by = self.openings, self.openings.balanced_by
        table: dict[str, Any] = {"plies": given.plies, "balanced_by": by and by.text}
        table |= {"balanced_within": given.balanced_within}
        table |= {"forced_ends": "drop"} if given.drop_forced else {}
        if given.lines:  # by content, not by path
            table |= {"records": f"{len(given.lines)} positions ({digest_of(given.lines)})"}
            usual = OpeningRules()
            ways = {"order": given.order, "start": given.start}
            table |= {name: way for name, way in ways.items() if way != getattr(usual, name)}
        return table

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed; plain data, for `diff`."""
        return {
            **(self.own.identity() if self.own else {}),
            "game": self.game.label,
            "seed": self.seed,
            "openings": self._openings(),
            "move_time_ms": self.time.move_time_ms,
            "margin_ms": self.time.margin_ms,
            **self.time.clock_table(),
            **self._adjudicate(identity=True),
            "entrants": {entrant.name: entrant.engine.text for entrant in self.entrants},
            "stages": [
                {
                    "name": stage.name,
                    "entrants": stage.entrants,
                    "type": stage.type,
                    "within": stage.within,
                    "against": list(stage.against),
                }
                for stage in self.stages
            ],
        }


def digest_of(lines: Sequence[str]) -> str:
    """Return a digest of openings; that of a large book is known."""
    if isinstance(lines, Book):
        return lines.digest
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def without_absent(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table without None, which TOML does not have."""
    return {key: value for key, value in table.items() if value is not None}
