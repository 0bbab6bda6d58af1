"""`report.html`: the whole run on one self-contained page, for screen, phone and print."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Any

from markupsafe import Markup

from joute.reports.card import card_of
from joute.reports.html import page as html_page
from joute.reports.page.failures import failure_groups, time_columns
from joute.reports.page.game_part import LARGEST, NOTHING, game_part
from joute.reports.page.hosts import host_columns, host_notes
from joute.reports.page.standings import standing_columns
from joute.reports.plots.plot import Plot
from joute.reports.plots.style import DPI, WIDTH
from joute.reports.plots.write import write_plots
from joute.reports.plugins import from_here, program
from joute.reports.reading.answer import Answer
from joute.reports.reading.caveats import warnings
from joute.reports.reading.winner import WINNER
from joute.reports.reading.words import listed
from joute.reports.telling import answer, telling_of, winner_of, write_winner
from joute.results.frames import Results
from joute.results.hosts import by_host
from joute.results.manifest import noting
from joute.results.meta import PROGRESS, Meta
from joute.results.quantity import duration
from joute.results.tables import write_atomically, write_tables

POOL = 8  # opponents of a search that are named
REPORT = "report.html"
TEMPLATE = "report.html.jinja"
POINTS = re.compile(r'<svg[^>]*? width="([\d.]+)pt"')
PIXELS = DPI / 72  # of a point


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
    return dict(
        name=results.meta.name or results.folder.name,
        meta=results.meta,
        when=when(results.meta),
        pool=listed((results.search or {}).get("pool", [])[:POOL]),
        games=len(results.games),
        engines=len(results.engines),
        players=results.matches.players,
        answer=answered,
        card=card_of(results, answered, winner_of(results, answered)),
        warnings=warnings(results.matches, telling.confirms)
        + telling.warnings()
        + host_notes(paces, parted, bool(results.meta.get("timed"))),
        sections=telling.sections(program(results.meta), folder),
        stages=[
            {
                "name": stage,
                "columns": standing_columns(
                    results.matches, stage, answered if telling.first_wins else None
                ),
            }
            for stage in reversed(results.matches.stages)
        ],
        plots=[(plot.title, _inline(results, plot.name)) for plot in plots],
        times=time_columns(results.matches),
        hosts=host_columns(paces),
        failures=failure_groups(results),
        versions=_versions(results.meta),
        program=program(results.meta),
        folder=folder,
        anyway="" if _confirmed(results) else " --anyway",
    )


def when(meta: Meta) -> str:
    """Return the day on which a run was last played, and how long that took; "" if unknown."""
    noted = meta.of(PROGRESS, {})
    begun, end = noted.get("begun"), noted.get("end")
    if not isinstance(begun, int | float):
        return ""
    day = datetime.fromtimestamp(begun, UTC).date().isoformat()
    return f" · {day}" + (f" · {duration(end - begun)}" if isinstance(end, int | float) else "")


def _confirmed(results: Results) -> bool:
    """Whether the winner may be exported without `--anyway`."""
    file = results.folder / WINNER
    return file.is_file() and bool(json.loads(file.read_text("utf-8"))["confirmed"])


def _inline(results: Results, name: str) -> Markup:
    """Return a plot's SVG for the page: no XML header, unique ids."""
    svg = (results.folder / "plots" / f"{name}.svg").read_text("utf-8")
    svg = svg[svg.index("<svg") :]
    if wide := POINTS.search(svg):  # letters of one size in all plots, however wide they are
        pixels = float(wide[1]) * PIXELS
        share = min(100, 100 * pixels / (WIDTH * DPI))  # and on a page narrower than the usual plot
        svg = svg.replace("<svg", f'<svg style="max-width:{pixels:.0f}px;width:{share:.1f}%"', 1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'xlink:href="#', f'xlink:href="#{name}-', svg)
    return Markup(re.sub(r"url\(#", f"url(#{name}-", svg))  # our own drawing, text escaped in it


def _versions(meta: Meta) -> list[tuple[str, str]]:
    versions = meta.versions
    pairs = [(str(name), str(version)) for name, version in versions.items()]
    for key in ("commit", "machine", "workers"):
        if meta.get(key):
            pairs.append((key, meta[key]))
    return pairs
