"""Plays a study and prints its answer; shared by `run` and `match`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from joute.commands._plugins import program
from joute.commands._ranking import ranking, standings_data
from joute.commands._terminal import announce_compiling, as_json, say, slow, write
from joute.progress_bar import cores

if TYPE_CHECKING:
    from joute.runs import Run
    from joute.studies.play.progress import Outcome
    from joute.studies.study import Study


@contextmanager
def resumable(command: str) -> Iterator[None]:
    """Print how to resume when a cluster is lost."""
    from joute.engines.errors import JouteError
    from joute.harness.cluster.lost import ClusterLost

    try:
        yield
    except ClusterLost as lost:
        raise JouteError(f"{lost}; what was played is stored; to continue: {command}") from None


def tell(run: Run, command: str, machine: bool, page: bool) -> int:
    """Print the answer of a run that was played, and write its report (if `page`); return the exit code."""
    from joute.reports.card import next_step
    from joute.reports.reading.caveats import failing
    from joute.reports.reading.reported_results import doubts, shares

    outcome, results = run.outcome, run.results
    assert outcome is not None
    with slow("reading all games"):
        _ = run.answer
        step = command if outcome.stopped else next_step(results, run.answer)
    if not machine:
        for line in filter(None, (ranking(results, run.answer), *run.answer.lines)):
            write(line)
        if step and not outcome.stopped:  # the last line says how to continue
            write(f"next: {step}")
    with slow("drawing the plots and writing the report"):
        drawn = page and outcome.stopped != "interrupted"  # who stops a run does not wait for plots
        place = run.report(anew=outcome.played > 0) if drawn else None
    if machine:
        as_json(
            {
                "folder": str(run.folder),
                "report": str(place) if place else None,
                "answer": list(run.answer.lines),
                "winner": run.answer.winner,
                "standings": standings_data(results),
                "next": step,
                "played": outcome.played,
                "failures": outcome.failures,
                **({"claims": claims} if (claims := shares(results)) else {}),
                "stopped": outcome.stopped,
                "seconds": round(outcome.seconds, 1),
                "seconds_expected": outcome.expected and round(outcome.expected, 1),
            }
        )
    else:
        later = f"tables, plots and report: {program()} report {quote(str(run.folder))}"
        write(f"report: {place}" if place else later)
    if not (outcome.played or outcome.stopped):
        say("everything was played before: nothing to do")
    tell_end(outcome, command, [*failing(results), *doubts(results)])
    return 130 if outcome.stopped == "interrupted" else 1 if outcome.failures else 0


no_report_option = click.option(
    "--no-report", is_flag=True, help="Print the answer only: no tables, plots and page."
)


def tell_end(outcome: Outcome, command: str, failing: Sequence[str]) -> None:
    """Print on stderr how a run ended, where the user should know."""
    if outcome.failures and not failing:
        times = f"{outcome.failures} time{'' if outcome.failures == 1 else 's'}"
        say(f"engines failed {times}; the report lists them")
    for line in failing:
        say(line)
    if outcome.stopped:
        why = "interrupted" if outcome.stopped == "interrupted" else "the budget is spent"
        left = f"{outcome.missing:,} games of this stage are still to be played"
        if outcome.at_most:
            left = f"the test has not decided: at most {outcome.missing:,} games are still to be played"
        say(f"{why}; {left}")
        say(f"to continue: {command}")


def dry(
    plan: Study, folder: Path | None, workers: int | None, machine: bool, start: bool = True
) -> None:
    """Print the cost and the resolution of a study, which the folder must be able to take, if one is given."""
    from joute.studies.play.estimate import estimate_run
    from joute.studies.play.run_folder import check_goes_on, games_in

    if folder is not None:
        check_goes_on(plan, folder)
    announce_compiling()
    with slow("playing a few games, to see how long they take", 2.0):
        estimate = estimate_run(plan, workers or cores(), start)
    stored = 0 if folder is None else games_in(folder)
    if machine:
        as_json({**estimate.data, **({"stored": stored} if stored else {})})
        return
    click.echo(estimate.text)
    if stored:
        games = "1 game is" if stored == 1 else f"{stored:,} games are"
        click.echo(f"{games} stored in {folder} already, and not played again")
