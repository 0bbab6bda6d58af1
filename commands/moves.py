"""`joute moves`: compare the moves of engines in the same positions, of a RUN or a suite."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    announce_compiling,
    as_json,
    cluster_option,
    json_option,
    say,
    workers_option,
)
from joute.playing import clustered
from joute.progress_bar import cores

PICTURES = (".png", ".svg")


@click.command(cls=PlayingCommand)
@click.argument("source", metavar="RUN|SUITE")
@click.argument("specs", nargs=-1, metavar="SPEC SPEC...")
@click.option(
    "--grid", multiple=True, metavar="NAME=V1,V2,...", help="Vary a parameter of every SPEC."
)
@click.option(
    "--positions",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Most positions of a RUN, drawn by the seed.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@workers_option
@cluster_option
@click.option(
    "--csv", "table", type=click.Path(path_type=Path), help="Write the moves to this file."
)
@click.option(
    "--plot", "picture", type=click.Path(path_type=Path), help="Draw the shares: a .png or .svg."
)
@json_option
def command(
    source: str,
    specs: Sequence[str],
    grid: Sequence[str],
    positions: int,
    seed: int,
    workers: int | None,
    cluster: str | None,
    table: Path | None,
    picture: Path | None,
    machine: bool,
) -> None:
    """Ask engines for their moves in the same positions: how many differ from the first SPEC's, by ply,
    and what a move costs.

    A RUN gives each position of its games once, whoever met it, where a player has a choice.
    """
    from joute.engines.errors import Refused
    from joute.reports.asked_positions import positions_of
    from joute.reports.moves import comparable, data, differences, text, write_moves
    from joute.results.tables import check_place
    from joute.studies.suites.answers import ask, engines_of

    announce_compiling()
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise Refused(f"--plot {picture}; allowed: a file ending in {' or '.join(PICTURES)}")
    for path in (table, picture):
        if path is not None:
            check_place(path)
    asked = positions_of(source, positions, seed)
    engines = engines_of(asked.game, specs, grid)
    comparable(list(engines.values()))
    with clustered(cluster, say, workers) as executor:
        columns = ask(asked.suite, engines, seed, workers or cores(), executor)
    found = differences(asked, columns)
    if table is not None:
        write_moves(asked, columns, table)
    if picture is not None:
        from joute.reports.plots.moves import write_plot

        write_plot(asked, columns[0].name, found, picture)
    as_json(data(asked, columns, found)) if machine else click.echo(text(asked, columns, found))
    sys.exit(1 if any(d.failures for d in found) else 0)
