"""`report.html`: the whole run on one self-contained page, for screen, phone and print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from joute.reports.card import card_of
from joute.reports.html import page as html_page
from joute.reports.page.failures import failure_groups, time_columns
from joute.reports.page.game_part import LARGEST, NOTHING, game_part
from joute.reports.page.hosts import host_columns, host_notes
from joute.reports.page.inline import inline
from joute.reports.page.stamp import REPORT, stamp_of
from joute.reports.page.standings import standing_columns
from joute.reports.plots.plot import Plot
from joute.reports.plots.write import write_plots
from joute.reports.plugins import from_here, program
from joute.reports.reading.answer import Answer
from joute.reports.reading.caveats import warnings
from joute.reports.reading.failed import mostly_failed
from joute.reports.reading.next_command import export_commands
from joute.reports.reading.words import listed
from joute.reports.telling import answer, telling_of, winner_of, write_winner
from joute.results.frames import Results
from joute.results.hosts import by_host
from joute.results.manifest import noting
from joute.results.meta import PROGRESS, Meta
from joute.results.quantity import duration
from joute.results.tables import write_atomically, write_tables

POOL = 8  # opponents of a search that are named
TEMPLATE = "report.html.jinja"


@dataclass(frozen=True)
class Report:
    """A reported run: the page, its games and the answer."""

    page: Path
    results: Results
    answer: Answer


def report(run: Path | str | Results, answered: Answer | None = None) -> Report:
    """Write the tables, the winner, the plots and the page of a run, which is read once; a run read
    and answered before is taken as it is.
    """
    with noting(run.folder if isinstance(run, Results) else Path(run)):
        results = write_tables(run)
        answered = answered or answer(results)
        write_winner(results, answered)
        telling_of(results).write_files()
        plots = write_plots(results)
        page = results.folder / REPORT
        write_atomically(page, render(results, plots, answered))
    return Report(page, results, answered)


def render(results: Results, plots: list[Plot], answered: Answer) -> str:
    """Return the page; the SVG files of the plots must have been written."""
    values = values_of(results, plots, answered)
    empty = html_page(TEMPLATE, games_here=NOTHING, **values)
    here = game_part(results, LARGEST - len(empty.encode()))
    return html_page(TEMPLATE, games_here=here, **values)


def values_of(results: Results, plots: list[Plot], answered: Answer) -> dict[str, Any]:
    """Return the values of the page, except the clickable games."""
    paces, parted = by_host(results.folder)
    telling, folder = telling_of(results), quote(from_here(results.folder))
    best = winner_of(results, answered)
    return dict(
        stamp=stamp_of(results, answered),
        name=results.meta.name or results.folder.name,
        meta=results.meta,
        when=when(results.meta),
        pool=listed((results.search or {}).get("pool", [])[:POOL]),
        games=len(results.games),
        engines=len(results.engines),
        programs=listed([f"{name} is {own}" for name, own in results.meta.programs.items()]),
        players=results.matches.players,
        modelled=telling.modelled,
        answer=answered,
        card=card_of(results, answered, best),
        warnings=warnings(results.matches, telling.confirms)
        + telling.warnings()
        + host_notes(paces, parted, bool(results.meta.get("timed"))),
        sections=telling.sections(program(results.meta), folder),
        stages=[
            {
                "name": stage,
                "note": telling.standing_note(stage),
                "columns": standing_columns(
                    results.matches, stage, answered if telling.first_wins else None
                ),
            }
            for stage in reversed(results.matches.stages)
        ],
        **_plots(results, plots),
        times=time_columns(results.matches),
        hosts=host_columns(paces),
        failures=failure_groups(results),
        versions=_versions(results.meta),
        program=program(results.meta),
        folder=folder,
        exports=[] if best is None or mostly_failed(results) else export_commands(results, best),
        confirmed=best is not None and best.confirmed,
    )


def when(meta: Meta) -> str:
    """Return the day on which a run was last played, and how long that took; "" if unknown."""
    noted = meta.of(PROGRESS, {})
    begun, end = noted.get("begun"), noted.get("end")
    if not isinstance(begun, int | float):
        return ""
    day = datetime.fromtimestamp(begun, UTC).date().isoformat()
    spent = f" for {duration(end - begun)}" if isinstance(end, int | float) and end >= begun else ""
    return f" · last played {day}{spent}"


def _plots(results: Results, plots: list[Plot]) -> dict[str, Any]:
    """Return the plots that the page shows first, and those that it folds away: title and drawing."""
    first = [plot for plot in plots if plot.leads] or plots[:1]
    folder = results.folder / "plots"
    drawn = {plot.name: (plot.title, inline(folder / f"{plot.name}.svg")) for plot in plots}
    more = [drawn[plot.name] for plot in plots if plot not in first]
    return {"plots": [drawn[plot.name] for plot in first], "more_plots": more}


def _versions(meta: Meta) -> list[tuple[str, str]]:
    versions = meta.versions
    pairs = [(str(name), str(version)) for name, version in versions.items()]
    for key in ("commit", "machine", "workers"):
        if meta.get(key):
            pairs.append((key, meta[key]))
    return pairs
