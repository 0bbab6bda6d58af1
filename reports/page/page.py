"""`report.html`: the whole run on one page that needs nothing else, for screen, phone and print."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from markupsafe import Markup

from engines.record import KINDS
from reports.html import page as html_page
from reports.page.answer import Answer, answer
from reports.page.caveats import warnings
from reports.page.html_table import Column
from reports.page.parameters import (
    parameter_columns,
    parameter_note,
    search_warnings,
    write_parameters,
)
from reports.page.selfplay import samples_of
from reports.page.training import generation_columns
from reports.page.winner import WINNER, write_winner
from reports.page.words import elo_ends, elo_text, likelihood, milliseconds, ordinal, percent
from reports.plots.plot import Plot
from reports.plots.style import DPI, WIDTH
from reports.plots.write import write_plots
from reports.plugins import from_here, program
from results.frames import MEAN_RANK, PLACES, Results
from results.manifest import noting
from results.standings import standings_table
from results.tables import cell_text, times_table, write_atomically, write_tables

REPORT = "report.html"
TEMPLATE = "report.html.jinja"
POINTS = re.compile(r'<svg[^>]*? width="([\d.]+)pt"')
PIXELS = DPI / 72  # of a point
EXCERPTS = 3
"""Failures quoted for each engine and kind."""
LINES = 6
"""Lines quoted of each."""


@dataclass(frozen=True)
class Report:
    """A run as it was reported: the page, its games and the answer."""

    page: Path
    results: Results
    answer: Answer


def report(run: Path | str | Results, found: Answer | None = None) -> Report:
    """Write the tables, the winner, the plots and the page of a run, which is read once; one that was
    read and answered before is taken as it is.
    """
    with noting(run.folder if isinstance(run, Results) else Path(run)):
        results = write_tables(run)
        found = found or answer(results)
        write_winner(results, found)
        write_parameters(results)
        plots = write_plots(results)
        page = results.folder / REPORT
        write_atomically(page, render(results, plots, found))
    return Report(page, results, found)


def render(results: Results, plots: list[Plot], found: Answer) -> str:
    """Return the page; the SVG files of the plots must have been written."""
    return html_page(
        TEMPLATE,
        name=results.meta.get("name") or results.folder.name,
        meta=results.meta,
        games=len(results.games),
        engines=len(results.engines),
        players=results.matches.players,
        answer=found,
        warnings=warnings(results.matches) + search_warnings(results),
        generations=generation_columns(results),
        selfplay=samples_of(results),
        parameters=parameter_columns(results),
        parameter_note=parameter_note(results),
        stages=[
            {"name": stage, "columns": _standings(results.matches, stage, found)}
            for stage in reversed(results.matches.stages)
        ],
        plots=[(plot.title, _inline(results, plot.name)) for plot in plots],
        times=_times(results.matches),
        failures=_failures(results),
        versions=_versions(results.meta),
        program=program(results.meta),
        folder=quote(from_here(results.folder)),
        anyway="" if _confirmed(results) else " --anyway",
    )


def _confirmed(results: Results) -> bool:
    """Whether the winner may be exported without more ado."""
    file = results.folder / WINNER
    return file.is_file() and bool(json.loads(file.read_text("utf-8"))["confirmed"])


def _inline(results: Results, name: str) -> Markup:
    """Return a plot's SVG for use inside the page: no XML header, ids that no other plot has."""
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


def _standings(results: Results, stage: str, found: Answer) -> list[Column]:
    table = standings_table(results, stage)
    rows: list[dict[Any, Any]] = table.to_dict("records")
    rated = any(row["elo"] is not None for row in rows)
    answered = found if stage == results.stages[-1] and results.search is None else None
    columns = [
        *([Column("group", [row["group"] for row in rows], False)] if any(table["group"]) else []),
        Column("#", [str(row["rank"]) for row in rows]),
        Column("engine", [row["engine"] for row in rows], False),
        Column("verdict", [_verdict(row, answered) for row in rows], False),
        *_scores(rows, results.players),
    ]
    if rated:
        columns += [
            Column("Elo", [elo_text(row["elo"]) for row in rows]),
            Column("95 % interval", [elo_ends(row["elo_low"], row["elo_high"]) for row in rows]),
            Column("stronger than first", [_chance(row["los_vs_best"]) for row in rows]),
        ]
    columns += [
        Column("games", [str(row["games"]) for row in rows]),
        *_counts(rows, results.players),
        Column("nodes/move", [_count(row["nodes_per_move"]) for row in rows]),
    ]
    for name in (*KINDS, "slow"):
        if any(row[name] for row in rows):
            title = "slow moves" if name == "slow" else name
            columns.append(Column(title, [str(row[name]) for row in rows]))
    settings = [Column(name, [cell_text(row[name]) for row in rows]) for name in results.grid]
    return columns + settings  # last: there may be many


def _scores(rows: list[dict[Any, Any]], players: int) -> list[Column]:
    """Return the score with its interval; among more than two players the mean rank."""
    name, low, high = "score", "score_low", "score_high"
    if players > 2:
        name, low, high = MEAN_RANK

    def shown(value: float) -> str:
        return percent(value) if players == 2 else f"{value:.2f}"

    return [
        Column(name.replace("_", " "), [shown(row[name]) for row in rows]),
        Column("95 % interval", [f"{shown(row[low])} to {shown(row[high])}" for row in rows]),
    ]


def _counts(rows: list[dict[Any, Any]], players: int) -> list[Column]:
    """Return wins, draws and losses; among more than two players how often each place was taken."""
    if players == 2:
        counts = [f"{row['wins']} {row['draws']} {row['losses']}" for row in rows]
        return [Column("W D L", counts)]
    return [
        Column(ordinal(place), [cell_text(row[name]) for row in rows])
        for place, name in enumerate(PLACES[:players], 1)
    ]


def _chance(los: float | None) -> str:
    return "" if los is None else likelihood(los)


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}".replace(",", " ")


def _verdict(row: dict[Any, Any], found: Answer | None) -> str:
    """Say where an engine stands; in the last stage, as the answer says it."""
    engine, first, tied = row["engine"], row["rank"] == 1, row["tied_with_best"]
    if found is not None and engine in found.excluded:
        return "too slow to win"
    if found is not None and found.winner is not None:
        first, tied = engine == found.winner, engine in found.tied
    return "★ first" if first else "≈ tied" if tied else ""


def _times(results: Results) -> list[Column]:
    table = times_table(results)
    rows: list[dict[Any, Any]] = table.to_dict("records")
    columns = [
        Column("stage", [row["stage"] for row in rows], False),
        Column("engine", [row["engine"] for row in rows], False),
        Column("moves", [str(row["moves"]) for row in rows]),
    ]
    for name in ("mean", "median", "p95", "p99", "max"):
        columns.append(Column(name, [milliseconds(row[f"{name}_ms"]) for row in rows]))
    if any(row["slow_moves"] is not None for row in rows):
        limit = milliseconds(results.number("slow_after_ms") or 0.0)
        columns.append(Column(f"over {limit}", [cell_text(row["slow_moves"]) for row in rows]))
    return columns


def _failures(results: Results) -> list[dict[str, Any]]:
    """Count the failures of each engine by kind, with the first lines of their texts."""
    found = []
    grouped = results.failures.groupby(["engine", "kind"], sort=True)
    for (engine, kind), rows in grouped:
        texts = list(dict.fromkeys(_first_lines(text) for text in rows["text"] if text.strip()))
        games = rows[["game", "ply"]].head(EXCERPTS).itertuples(index=False)
        where = [f"game {row.game}, ply {row.ply}" for row in games]
        found.append(
            {
                "engine": engine,
                "kind": kind,
                "count": len(rows),
                "texts": texts[:EXCERPTS],
                "where": where,
            }
        )
    return found


def _first_lines(text: str) -> str:
    lines = text.strip().splitlines()
    shown = [line[:200] for line in lines[:LINES]]
    return "\n".join([*shown, "…"] if len(lines) > LINES else shown)


def _versions(meta: dict[str, str]) -> list[tuple[str, str]]:
    found = json.loads(meta.get("versions") or "{}")
    pairs = [(str(name), str(version)) for name, version in found.items()]
    for key in ("commit", "machine", "workers"):
        if meta.get(key):
            pairs.append((key, meta[key]))
    return pairs
