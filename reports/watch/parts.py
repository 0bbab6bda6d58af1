"""The parts of the page as HTML, from the present state of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joute.reports.card import card_of
from joute.reports.html import page as html_part
from joute.reports.page.failures import failure_groups, time_columns
from joute.reports.page.html_table import Column
from joute.reports.page.standings import standing_columns
from joute.reports.plugins import typed_here
from joute.reports.reading.answer import Answer
from joute.reports.reading.card import Card
from joute.reports.reading.caveats import warnings
from joute.reports.reading.modelled import Modelled
from joute.reports.reading.winner import stored_winner
from joute.reports.telling import telling_of, with_failures
from joute.reports.watch.pace import Progress
from joute.reports.watch.what_if import what_if
from joute.results.frames import Results
from joute.results.quantity import duration, percent

NAMES = ("progress", "answer", "standings", "charts", "trials", "speed", "failures")


@dataclass(frozen=True)
class Now:
    """The present state of a run: games, progress, its model if it has one, and the games of each
    machine, if known.
    """

    results: Results
    progress: Progress
    model: Modelled | None = None
    hosts: Mapping[str, int] = field(default_factory=dict)


def parts(now: Now) -> dict[str, str]:
    """Return the HTML of every part by its name."""
    telling = telling_of(now.results)
    answer = with_failures(now.results, telling.answer_now(now.model))
    fitting = telling.modelled and now.model is None and bool(now.results.trials)
    return {
        "progress": html_part("parts/progress.html.jinja", **progress_values(now)),
        "answer": html_part(
            "parts/answer.html.jinja",
            card=None if fitting or now.progress.state == "playing" else card(now, answer),
            answer=answer,
            open_points=what_if(now.results, answer, now.progress),
            warnings=warnings(now.results.matches, telling.confirms) + telling.warnings_now(),
            fault=now.model.fault if now.model else "",
        ),
        "standings": html_part("parts/standings.html.jinja", **standing_values(now, answer)),
        "charts": html_part(
            "parts/charts.html.jinja",
            sets=telling.charts(now.model),
            model=now.model,
        ),
        "trials": html_part("parts/trials.html.jinja", **telling.trials()),
        "speed": html_part("parts/speed.html.jinja", **speed_values(now)),
        "failures": html_part(
            "parts/failures.html.jinja", failures=failure_groups(now.results), linked=None
        ),
    }


def card(now: Now, answer: Answer) -> Card | None:
    """Return the card of a run that is not playing, its commands for this machine."""
    with typed_here():
        return card_of(now.results, answer, stored_winner(now.results.folder))


def progress_values(now: Now) -> dict[str, Any]:
    """Return the values of the progress bar."""
    p = now.progress
    line = {
        "playing": "playing",
        "done": "done",
        "unknown": "no process is playing this run",
        "stopped": {
            "budget": "stopped: the budget is spent",
            "interrupted": "stopped; the same command continues",
            "changed": "its study has changed: it goes on at once",
        }.get(p.ended, "stopped before its end; the same command continues"),
    }[p.state]
    count = f"{p.games:,} games"
    if p.total:
        count = f"{p.games:,} of {'at most ' if p.most else ''}{p.total:,} games"
    facts = [count, *([p.stage] if p.stage and p.state == "playing" else [])]
    if p.rate is not None:
        facts.append(f"{speed(p.rate)} games/s{'' if p.state == 'playing' else ' in all'}")
    if p.left is not None:
        facts.append(f"about {duration(p.left)} left")
    return {
        "state": p.state,
        "said": line,
        "facts": facts,
        "share": None if p.share is None else round(100 * p.share, 1),
    }


def speed(rate: float) -> str:
    """Return games a second with a suitable number of decimals."""
    return f"{rate:,.0f}" if rate >= 20 else f"{rate:.2g}"


def standing_values(now: Now, answer: Answer) -> dict[str, Any]:
    """Return the tables of all stages but a search's own, the last one first."""
    matches, telling = now.results.matches, telling_of(now.results)
    marked = answer if telling.first_wins else None
    stages = [
        {
            "name": stage,
            "note": telling.standing_note(stage),
            "columns": standing_columns(matches, stage, marked),
        }
        for stage in reversed(matches.stages)
    ]
    return {
        "stages": stages,
        "players": matches.players,
        "tables": telling.tables(),
    }


def speed_values(now: Now) -> dict[str, Any]:
    """Return times of moves by engine, and games a second by worker."""
    p, results = now.progress, now.results
    times = [c for c in time_columns(results.matches) if c.title != "moves"]
    each = None
    if p.rate is not None and p.workers:
        each = speed(p.rate / p.workers)
    return {
        "times": times,
        "rate": None if p.rate is None else speed(p.rate),
        "workers": p.workers,
        "each": each,
        "hosts": host_columns(now.hosts, p.rate),
        "paces": pace_columns(p.paces),
    }


def pace_columns(paces: Mapping[str, tuple[int, float]]) -> list[Column]:
    """Return the games of each worker, the slowest first; empty for a single worker."""
    if len(paces) < 2:
        return []
    rates = {worker: games / seconds for worker, (games, seconds) in paces.items() if seconds > 0}
    ranked = sorted(rates, key=lambda worker: (rates[worker], worker))
    return [
        Column("worker", ranked, False),
        Column("games", [f"{paces[worker][0]:,}" for worker in ranked]),
        Column("games per second while playing", [speed(rates[worker]) for worker in ranked]),
    ]


def host_columns(hosts: Mapping[str, int], rate: float | None) -> list[Column]:
    """Return the games of each machine and its share of the speed; empty for a single machine."""
    if len(hosts) < 2:
        return []
    total = sum(hosts.values())
    ranked = sorted(hosts.items(), key=lambda pair: (-pair[1], pair[0]))
    columns = [
        Column("host", [host for host, _ in ranked], False),
        Column("games", [f"{count:,}" for _, count in ranked]),
        Column("share", [percent(count / total) for _, count in ranked]),
    ]
    if rate is not None:
        columns.append(Column("games/s", [speed(rate * count / total) for _, count in ranked]))
    return columns
