"""Plays a study and says what came of it; shared by `run` and `match`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from joute.commands._cluster import clustered
from joute.commands._plugins import program
from joute.commands._terminal import announce_compiling, as_json, cores, shown

if TYPE_CHECKING:
    from joute.reports.page.answer import Answer
    from joute.results.frames import Results
    from joute.studies.play.progress import Outcome
    from joute.studies.study import Study


def carry_out(
    plan: Study,
    folder: Path,
    workers: int | None,
    fresh: bool,
    command: str,
    machine: bool,
    page: bool = True,
    cluster: str | None = None,
) -> None:
    """Run a plan in a folder, print the answer, write the report (if `page`) and set the exit code."""
    from joute.engines.errors import JouteError
    from joute.harness.cluster.lost import ClusterLost
    from joute.studies.play.study_run import run_study

    announce_compiling()
    command += f" --cluster {quote(cluster)}" if cluster else ""
    files = [str(path.absolute()) for path in plan.files]
    with (
        shown() as progress,
        clustered(cluster, progress.say, workers, plan.timed, files) as executor,
    ):
        try:
            outcome = run_study(plan, folder, workers or cores(), fresh, progress, executor)
        except ClusterLost as lost:
            raise JouteError(f"{lost}; what was played is stored; to go on: {command}") from None

    from joute.reports.page.answer import answer
    from joute.reports.page.caveats import failing
    from joute.reports.page.claims import doubts, shares
    from joute.results.frames import load

    results = load(folder)
    found = answer(results)
    if not machine:
        for line in found.lines:
            click.echo(line)
    place = written(results, found) if page else None
    if machine:
        as_json(
            {
                "folder": str(folder),
                "report": str(place) if place else None,
                "answer": list(found.lines),
                "winner": found.winner,
                "played": outcome.played,
                "failures": outcome.failures,
                **({"claims": claims} if (claims := shares(results)) else {}),
                "stopped": outcome.stopped,
                "seconds": round(outcome.seconds, 1),
                "seconds_expected": outcome.expected and round(outcome.expected, 1),
            }
        )
    else:
        later = f"for tables, plots and a report: {program()} report {quote(str(folder))}"
        click.echo(f"report: {place}" if place else later)
    tell_end(outcome, command, [*failing(results), *doubts(results)])
    sys.exit(130 if outcome.stopped == "interrupted" else 1 if outcome.failures else 0)


def written(results: Results, found: Answer) -> Path:
    """Write the report of a run; return its page. What draws takes a second to import."""
    from joute.reports.page.page import report

    return report(results, found).page


no_report_option = click.option(
    "--no-report", is_flag=True, help="Say the answer alone: no tables, plots and page."
)


def tell_end(outcome: Outcome, command: str, failing: Sequence[str]) -> None:
    """Say on stderr what a person should know about how a run ended."""
    if outcome.failures:
        click.echo(
            f"joute: {outcome.failures} failures of engines; see the report and failures in run.db",
            err=True,
        )
    for line in failing:
        click.echo(f"joute: {line}", err=True)
    if outcome.stopped:
        why = "interrupted" if outcome.stopped == "interrupted" else "the budget is spent"
        click.echo(f"joute: {why}; {outcome.missing} games of this stage are missing", err=True)
        click.echo(f"joute: to go on: {command}", err=True)


def dry(plan: Study, workers: int | None, machine: bool, start: bool = True) -> None:
    """Print what a study would cost and resolve."""
    from joute.studies.play.estimate import estimate_run

    announce_compiling()
    found = estimate_run(plan, workers or cores(), start)
    as_json(found.data) if machine else click.echo(found.text)
