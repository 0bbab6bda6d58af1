"""`joute suite`: ask engines for their moves in a suite of positions (a FILE, or a ready-made one)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    announce_compiling,
    as_json,
    cluster_option,
    json_option,
    no_start_option,
    say,
    starting,
    workers_option,
)
from joute.playing import clustered
from joute.progress_bar import cores

if TYPE_CHECKING:
    from joute.engines.script import Script


def add_case(
    file: Path, where: tuple[str, str, str], best: Sequence[str], remark: str, machine: bool
) -> None:
    """Add a position of a stored game to a suite."""
    from dataclasses import asdict

    from joute.engines.errors import Refused
    from joute.reports.suites.table import add_from_game
    from joute.results.tables import check_place

    check_place(file)
    folder, game, number = where
    if not (number.isascii() and number.isdigit()):
        raise Refused(f"--from-game: {number!r} is no move number")
    case = add_from_game(Path(folder), game, int(number), best, remark, file)
    if machine:
        as_json({"file": str(file), **asdict(case)})
        return
    click.echo(f"{file}: {case.name}, {case.position}; passes: {case.wanted}")


def check_alone(file: str, specs: Sequence[str], grid: Sequence[str], machine: bool) -> None:
    """Print the suite and the engines, without asking anything."""
    from joute.studies.suites.answers import engines_of
    from joute.studies.suites.suite import load_suite

    asked = load_suite(file)
    engines = (
        [engine.text for engine in engines_of(asked.game, specs, grid).values()] if specs else []
    )
    if machine:
        data = {"suite": asked.name, "game": asked.game.label, "cases": len(asked.cases)}
        as_json({**data, "engines": engines})
        return
    cases, game = len(asked.cases), asked.game.label
    click.echo("\n".join([f"{asked.name}: {cases} cases of {game}; nothing was asked", *engines]))


def run_script(
    script: Script,
    file: str,
    specs: Sequence[str],
    grid: Sequence[str],
    workers: int | None,
    cluster: str | None,
    table: Path | None,
    start: bool,
    machine: bool,
) -> int:
    """Put a script to engines and print the result; return the exit code."""
    from joute.engines.engine import parse_game
    from joute.reports.suites.script import data, failures, text, write_answers
    from joute.studies.suites.answers import engines_of
    from joute.studies.suites.scripts import examine

    steps = script.read(Path(file))
    game = parse_game(script.game)
    if not start:
        engines = engines_of(game, specs, grid, alike=False) if specs else {}
        tests = sum(step.wanted is not None for step in steps)
        texts = [engine.text for engine in engines.values()]
        faults = [f"line {s.line}, {s.command}: {s.fault}" for s in steps if s.fault]
        if machine:
            counts = {"suite": file, "game": game.name, "tests": tests}
            as_json({**counts, "engines": texts, "faults": faults})
            return 0
        told = f"{file}: {tests} tests of {game.name}; nothing was asked"
        click.echo("\n".join([told, *texts, *faults]))
        return 0
    engines = engines_of(game, specs, grid, alike=False)
    with clustered(cluster, say, workers) as executor:
        examined = examine(script.name, steps, engines, workers or cores(), executor)
    if table is not None:
        write_answers(steps, examined, table)
    as_json(data(file, steps, examined)) if machine else click.echo(text(file, steps, examined))
    return 1 if failures(examined) else 0


@click.command(cls=PlayingCommand)
@click.argument("file")
@click.argument("specs", nargs=-1, metavar="[SPEC ...]")
@click.option(
    "--grid", multiple=True, metavar="NAME=V1,V2,...", help="Vary a parameter of every SPEC."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@workers_option
@cluster_option
@click.option(
    "--csv", "table", type=click.Path(path_type=Path), help="Write the answers to this file."
)
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path),
    help="Write a page of the answers to this file.",
)
@click.option(
    "--from-game",
    nargs=3,
    type=str,
    metavar="RUN ID MOVE",
    help="Add the position before this move of a stored game to FILE, as a move to avoid.",
)
@click.option(
    "--best", multiple=True, metavar="ACTION", help="With --from-game: an action that passes."
)
@click.option("--remark", default="", metavar="TEXT", help="With --from-game: why it passes.")
@no_start_option
@json_option
def command(
    file: str,
    specs: Sequence[str],
    grid: Sequence[str],
    seed: int,
    workers: int | None,
    cluster: str | None,
    table: Path | None,
    page: Path | None,
    from_game: tuple[str, str, str] | None,
    best: Sequence[str],
    remark: str,
    no_start: bool,
    machine: bool,
) -> None:
    """Ask engines for their moves in a suite of positions (a FILE, or the name of a ready-made one).

    A FILE may also be a test script of a protocol, such as .tst (joute list: script).
    """
    from joute.engines.errors import Refused
    from joute.engines.script import script_of
    from joute.reports.suites.answer import card_of, sentences
    from joute.reports.suites.page import write_page
    from joute.reports.suites.table import data, failures, text, write_answers
    from joute.results.tables import check_place
    from joute.studies.suites.answers import ask, engines_of
    from joute.studies.suites.suite import load_suite

    announce_compiling()
    if from_game is not None:
        if script_of(file) is not None:
            raise Refused(f"{file}: --from-game adds a case to a suite, a .toml file")
        if specs or grid or table or page:
            raise Refused("--from-game only adds a case: leave out SPEC, --grid, --csv and --html")
        add_case(Path(file), from_game, best, remark, machine)
        return
    if best or remark:
        raise Refused("--best and --remark need --from-game")
    for place in (table, page):
        if place is not None:
            check_place(place)
    if page is not None and page.suffix.lower() not in (".html", ".htm"):
        raise Refused(f"--html {page}: a page needs a name that ends in .html")
    if page is not None and script_of(file) is not None:
        raise Refused(f"{file}: --html shows a suite, a .toml file")
    if (script := script_of(file)) is not None:
        with starting(not no_start):
            sys.exit(
                run_script(
                    script, file, specs, grid, workers, cluster, table, not no_start, machine
                )
            )
    if no_start:
        with starting(False):
            check_alone(file, specs, grid, machine)
        return
    asked = load_suite(file)
    engines = engines_of(asked.game, specs, grid)
    with clustered(cluster, say, workers) as executor:
        columns = ask(asked, engines, seed, workers or cores(), executor)
    if table is not None:
        write_answers(asked, columns, table)
    if page is not None:
        write_page(file, asked, columns, seed, page)
    answer = sentences(asked, columns)
    if machine:
        as_json({**data(asked, columns), "answer": answer})
    else:
        step = card_of(file, asked, columns).next
        click.echo("\n".join([text(asked, columns), "", *answer, f"next: {step}"]))
    sys.exit(1 if failures(columns) else 0)
