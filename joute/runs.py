"""A run that was played, read from its folder: tables, answer, plots, files made of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.door import door
from joute.engines.errors import Refused, path_of
from joute.plugging import plug

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from joute.reports.export.export import Exported
    from joute.reports.plots.plot import Plot
    from joute.reports.reading.answer import Answer
    from joute.reports.replay import Replay
    from joute.results.frames import Results
    from joute.studies.play.progress import Outcome


@door
def load(folder: str | Path, plugins: Sequence[str | Path] = ()) -> Run:
    """Return the run of a folder, as it is now; raise Refused if there is none.

    `plugins`: the files of its games and engines, needed to draw, replay or export, because a run
    never loads the files that it names.
    """
    from joute.results.database import database_of

    plug(plugins)
    place = path_of(folder, "folder")
    database_of(place)  # refused under the name that it was given
    run = Run(place.absolute())
    _ = run.results
    return run


class Run:
    """A run's folder, for reading. Only `report` and `export` write.

    Tables are pandas frames with the columns of the CSV files of the same names (docs/python.md), with
    numbers as numbers, made on first use, from the games stored at that time; `reload` reads again. `folder` is the whole path;
    `outcome` tells how the run ended, if this process played it.
    """

    def __init__(self, folder: Path, outcome: Outcome | None = None) -> None:
        self.folder = folder
        self.outcome = outcome

    @cached_property
    def results(self) -> Results:
        """All games that count, as frames of codes and numbers (`joute.results.frames.Results`)."""
        from joute.results.frames import load

        return load(self.folder)

    def reload(self) -> Run:
        """Return the same run as its folder holds it now."""
        return load(self.folder)

    @cached_property
    def answer(self) -> Answer:
        """The run's answer: `lines` for a person, `winner` by name (None: cannot tell), `tied`,
        `excluded`.
        """
        from joute.reports.telling import answer

        return answer(self.results)

    # --- tables -----------------------------------------------------------------------------------

    @property
    def games(self) -> pd.DataFrame:
        """One row a game, in the order of the schedule: seats, winner, termination."""
        from joute.results.tables import games_table

        return typed(games_table(self.results))

    @property
    def seats(self) -> pd.DataFrame:
        """One row a seat of a game: rank, return in [0, 1], failure, nodes, plies."""
        from joute.results.tables import seats_table

        return typed(seats_table(self.results))

    @property
    def engines(self) -> pd.DataFrame:
        """One row an engine: name, spec, id, digest of its code, its parameters as columns."""
        from joute.results.tables import engines_table

        return typed(engines_table(self.results))

    @property
    def times(self) -> pd.DataFrame:
        """One row an engine and stage: wall times of its moves in milliseconds."""
        from joute.results.tables import times_table

        return typed(times_table(self.results.matches))

    @property
    def trials(self) -> pd.DataFrame:
        """One row a trial of a search: how it ended, games, score with a 95 % interval, its point;
        no row for a run that searched nothing.
        """
        from joute.results.tables import trials_table

        return typed(trials_table(self.results))

    @property
    def parameters(self) -> pd.DataFrame:
        """One row a searched parameter, by all games together: range, default, best value and where it may
        lie, importance; no row for a run that searched nothing.
        """
        from joute.reports.telling import telling_of

        return typed(telling_of(self.results).parameters())

    @property
    def failures(self) -> pd.DataFrame:
        """One row a failure: game, seat, ply, kind (illegal, timeout, crash, resigned), text."""
        return typed(self.results.failures)

    @property
    def moves(self) -> pd.DataFrame:
        """One row a ply that was played after an opening (docs/python.md): game, stage, ply,
        seat, engine, action as text, ms, nodes, depth, value for the player who moved.
        """
        from joute.reports.plies import plies_table

        return plies_table(self.results)

    def standings(self, stage: str | None = None) -> pd.DataFrame:
        """Return the standings of a stage, or of all: score, Elo and their intervals, best first."""
        from joute.results.tables import standings

        return typed(standings(self._of(stage)))

    def crosstable(self, stage: str | None = None) -> pd.DataFrame:
        """Return one row a pair of engines of a stage, or of all: the first one's score against the other."""
        from joute.results.tables import crosstables

        return typed(crosstables(self._of(stage)))

    def _of(self, stage: str | None) -> Results:
        played = self.results.matches
        if stage is None:
            return played
        if stage not in played.stages:
            from joute.engines.errors import unknown

            raise unknown("stage", stage, played.stages, str(self.folder))
        return played.only([stage])

    # --- plots ------------------------------------------------------------------------------------

    def plots(self) -> list[str]:
        """Return the names of the plots that this run has, in the order of the report."""
        return [plot.name for plot, _ in self._plots]

    def plot(self, name: str, ax: Axes | None = None) -> Figure:
        """Return a plot as a new figure, or drawn into `ax`, if it fits into one."""
        from joute.reports.plots.style import drawing_on

        plot, subject = self._plot(name)
        if ax is None:
            return plot.draw(subject)[0]
        with drawing_on(ax):
            return plot.draw(subject)[0]

    def plot_data(self, name: str) -> pd.DataFrame:
        """Return the numbers that a plot shows."""
        plot, subject = self._plot(name)
        return plot.draw(subject)[1]

    @cached_property
    def _plots(self) -> list[tuple[Plot, Any]]:
        from joute.reports.plots.write import plots_of

        return plots_of(self.results)

    def _plot(self, name: str) -> tuple[Plot, Any]:
        for plot, subject in self._plots:
            if plot.name == name:
                return plot, subject
        from joute.engines.errors import suggest

        raise Refused(f"{self.folder}: no plot {name!r} of this run{suggest(name, self.plots())}")

    # --- files ------------------------------------------------------------------------------------

    def report(self, anew: bool = True) -> Path:
        """Write tables, plots and page into the folder; return the page. Not `anew`: leave a page that tells
        the same games and the same answer.
        """
        from joute.reports.page.stamp import page_as_it_is

        if not anew and (kept := page_as_it_is(self.results, self.answer)) is not None:
            return kept
        from joute.reports.page.page import report

        return report(self.results, self.answer).page

    def export(
        self,
        target: str,
        path: str | Path | None = None,
        anyway: bool = False,
        limit: bool = False,
        move_ms: float | None = None,
        force: bool = False,
        point: str | None = None,
    ) -> Path:
        """Write the winner for a target ("python", "toml", "header", ...); return the file.

        `path` is the file (by default named after the study, in the current folder); only an earlier
        export is replaced, or any file with `force`. `anyway` exports a winner that is not confirmed;
        `limit` writes the largest engine that moves within `move_ms`; `point` names another point of a
        search, "tuned-1" or "trial-17". Raise Refused, with nothing
        written.
        """
        from joute.reports.export.export import ExportRequest, export

        place = None if path is None else path_of(path, "path")
        done: Exported = export(
            ExportRequest(target, self.folder, None, place, anyway, limit, move_ms, point, force)
        )
        return done.path

    def replay(self, game: str | int) -> Replay:
        """Return a stored game with its positions, by its number (its row in `games`, from 1), its id or a unique
        beginning of it.
        """
        from joute.reports.replay import replay

        return replay(self.folder, str(game))

    # --- how it shows itself ------------------------------------------------------------------------

    def __str__(self) -> str:
        return "\n".join([*self._unfinished(), *self.answer.lines])

    def __repr__(self) -> str:
        lines = [
            f"<joute.Run {self.folder}: {len(self.results.games)} games>",
            str(self),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        told = [*self._unfinished(), *self.answer.lines]
        lines = "".join(f"<p>{escape(line)}</p>" for line in told)
        title = f"<p><b>{escape(str(self.folder))}</b>, {len(self.results.games)} games</p>"
        return title + lines + self._standings_html()

    def _unfinished(self) -> list[str]:
        """Return a line that says how to go on, if this process was interrupted while it played."""
        if self.outcome is None or self.outcome.stopped != "interrupted":
            return []
        return ["interrupted before its end: the same call plays what is missing"]

    def _standings_html(self) -> str:
        """Return the standings of the last stage as the CSV file writes them, the first of them, without
        the columns in which they are all alike.
        """
        import pandas as pd

        from joute.results.tables import column_text, standings

        if not (stages := self.results.matches.stages):
            return ""
        table = standings(self._of(stages[-1])).head(SHOWN)
        texts = {str(name): column_text(table[name], str(name)) for name in table.columns}
        grid = set(self.results.grid)  # settings, which not all engines have
        told = {
            name: column
            for name, column in texts.items()
            if name in ALWAYS or len({*column} - ({""} if name in grid else set())) > 1
        }
        return pd.DataFrame(told).to_html(index=False)


ALWAYS = ("stage", "rank", "engine", "games", "score", "score_low", "score_high")
"""Columns of the standings that a notebook shows of any run."""
SHOWN = 20
"""Rows of the standings in a notebook."""


def typed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns have the types of what they hold: whole numbers and truth values stay
    such where some are unknown (NA); a column that mixes numbers and texts holds objects.
    """
    from pandas.api.types import infer_dtype

    table = table.copy()
    for name, column in table.items():
        if column.dtype != object:
            continue
        kind = infer_dtype(column, skipna=True)
        if kind in NULLABLE and column.isna().any():
            table[name] = column.astype(NULLABLE[kind])
        elif kind == "empty" and len(column):
            table[name] = column.astype("float64")
        else:
            table[name] = column.infer_objects()
    return table


NULLABLE: dict[str, Any] = {"integer": "Int64", "boolean": "boolean"}
"""Types of columns with unknown values, by what the others are."""
