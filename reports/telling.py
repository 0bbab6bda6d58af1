"""A kind of study's report on a run: answer, winner, parts of the page, plots, the watched page.

A kind `mine` is reported by the class of that name in `reports/kinds/` or a plugin, found by the
registry; without one it is reported as a match: standings, and the engines level with the first.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pandas as pd
from markupsafe import Markup

from joute.engines.registry import Member, entries, find
from joute.reports.page.html_table import Column
from joute.reports.reading.answer import Answer, match_answer, three_lines
from joute.reports.reading.card import Card
from joute.reports.reading.caveats import FIRST, failures_line, failures_of
from joute.reports.reading.failed import mostly_failed, no_verdict, often_failed
from joute.reports.reading.modelled import Modelled
from joute.reports.reading.unfinished import missing
from joute.reports.reading.winner import WINNER, Winner, match_winner
from joute.results.frames import Results
from joute.results.manifest import noting
from joute.results.tables import write_atomically

if TYPE_CHECKING:
    from joute.reports.watch.charts import Chart

STAGES = 2  # the latest, whose parameters a watched page shows


@dataclass(frozen=True)
class Section:
    """A part of a page: a title; a table, or any HTML (`body`); a note below. `keys`: the columns
    by which a watched page recognises a row.
    """

    title: str
    columns: Sequence[Column] = ()
    note: str = ""
    body: Markup = field(default_factory=Markup)
    keys: tuple[str, ...] = ()


class Telling(Member, kind="telling"):
    """The report on a run of matches. A kind's own telling overrides what differs.

    `first_wins`: whether the first of the last standings is marked as the answer's. `confirms`:
    whether the kind itself measures its winner on fresh games; else a single stage of many engines
    has a caveat. `modelled`: whether a model of its trials is fitted while it is watched (`model`).
    `settled_by_games`: whether more of the same games decide what is open.
    """

    first_wins: ClassVar[bool] = True
    confirms: ClassVar[bool] = False
    modelled: ClassVar[bool] = False
    settled_by_games: ClassVar[bool] = True

    def __init__(self, results: Results) -> None:
        self.results = results

    # --- what is known ----------------------------------------------------------------------------

    def answer(self) -> Answer:
        """Return the answer in at most three lines, and the winner."""
        return match_answer(self.results)

    def winner(self, answered: Answer) -> Winner | None:
        """Return the engine that the run recommends, or its unconfirmed best guess; None if there
        is neither.
        """
        return match_winner(self.results, answered) if len(self.results.games) else None

    def card(self, answered: Answer, best: Winner) -> Card | None:
        """Return the kind's own answer card; None: that of a run of matches or a search."""
        return None

    def detected(self) -> list[str]:
        """Return the searched parameters of which the games show an effect at the recommended point."""
        return []

    def warnings(self) -> list[str]:
        """Return the kind's own caveats, a sentence each."""
        return []

    # --- files and page ---------------------------------------------------------------------------

    def write_files(self) -> None:
        """Write the kind's own tables into the run's folder."""

    def parameters(self) -> pd.DataFrame:
        """Return one row a searched parameter; none of a kind that searches nothing."""
        return pd.DataFrame({"parameter": pd.Series([], dtype=object)})

    def subjects(self) -> dict[str, Any]:
        """Return the subjects of plots, by the word in `Plot.of`."""
        return {"games": self.results.matches} if len(self.results.matches.games) else {}

    def tables(self) -> list[Section]:
        """Return the kind's own tables above the standings, also for a watched page."""
        return []

    def sections(self, program: str, folder: str) -> list[Section]:
        """Return the parts of the report above the standings; `program report folder` names the run
        in a shell.
        """
        return self.tables()

    def standing_note(self, stage: str) -> str:
        """Say why a stage's standings give other scores than the answer; "" where they do not."""
        return ""

    # --- the watched page -------------------------------------------------------------------------

    def model(self, playing: bool) -> Modelled:
        """Fit a model to the trials so far; it takes seconds."""
        return Modelled(self.answer(), games=len(self.results.games))

    def answer_now(self, model: Modelled | None) -> Answer:
        """Return the answer so far."""
        return self.answer()

    def warnings_now(self) -> list[str]:
        """Return the warnings of a watched page: those that need no fit."""
        return self.warnings()

    def to_come(self) -> list[str]:
        """Return the deciding steps still to come, a sentence each."""
        listed: list[str] = self.results.meta.stages
        stages = self.results.stages
        later = listed[len(stages) :]
        if later and set(stages) == {*listed[: len(stages)]}:
            return [f"The stage “{later[-1]}” is still to come, on fresh openings, and decides."]
        return []

    def charts(self, model: Modelled | None) -> list[tuple[str, list[Chart]]]:
        """Return score against parameter, each set with its name."""
        from joute.reports.watch.charts import grid_charts

        stages = [*reversed(self.results.stages)][:STAGES]
        sets = [(stage, grid_charts(self.results, stage)) for stage in stages]
        return [(stage if len(stages) > 1 else "", charts) for stage, charts in sets if charts]

    def trials(self) -> dict[str, Any]:
        """Return the values of the part about trials (`parts/trials.html.jinja`)."""
        return {"trials": None, "count": 0, "pruned": 0, "unplayed": 0, "shown": 0}


def telling_of(results: Results) -> Telling:
    """Return the telling of a run, by its kind; made once, as its evaluation may be costly."""
    made: Telling | None = vars(results).get("_telling")
    if made is None:
        kind = results.meta.kind
        cls: type[Telling] = find("telling", kind) if kind in entries("telling") else Telling
        made = cls(results)
        vars(results)["_telling"] = made
    return made


def answer(results: Results) -> Answer:
    """Return the answer of a run, with the number of games in which an engine failed; no verdict where
    one failed in most of its games.
    """
    return so_far(results, with_failures(results, telling_of(results).answer()))


def so_far(results: Results, answered: Answer) -> Answer:
    """Return the answer of a run that is not over, which says so first."""
    if not (told := missing(results)):
        return answered
    first, *others = answered.lines
    return replace(answered, lines=[f"So far ({told}): {first}", *others])


def with_failures(results: Results, answered: Answer) -> Answer:
    """Add to an answer in how many games an engine failed: at its end, or early where that is much.
    Where it is most games of an engine, only that is said.
    """
    if failed := mostly_failed(results):
        return Answer([no_verdict(failed)], beyond=[])
    line, lines = failures_line(results), answered.lines
    if not line:
        return answered
    much = failures_of(results)["game"].nunique() >= FIRST * len(results.games)
    lines = [lines[0], line, *lines[1:]] if much else [*lines, line]
    beyond = answered.beyond
    if beyond is not None and not often_failed(results):  # else the card says it
        beyond = [*beyond, line]
    return replace(answered, lines=three_lines(lines), beyond=beyond)


def winner_of(results: Results, answered: Answer | None = None) -> Winner | None:
    """Return the winner of a run, or its unconfirmed best guess; None if there is neither. Where an
    engine failed in most of its games nothing is confirmed.
    """
    telling = telling_of(results)
    if not (failed := mostly_failed(results)):
        return telling.winner(answered or telling.answer())
    best = telling.winner(telling.answer())
    return None if best is None else replace(best, confirmed=False, why=no_verdict(failed))


def write_winner(results: Results, answered: Answer | None = None) -> Path | None:
    """Write `winner.json` into the run folder, or nothing if no game was played."""
    best = winner_of(results, answered)
    if best is None:
        return None
    path = results.folder / WINNER
    with noting(results.folder):
        write_atomically(path, json.dumps(best.data(), indent=2) + "\n")
    return path
