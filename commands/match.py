"""`joute match`: play A against B for a fixed number of blocks, or until an SPRT decides; or more engines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

from joute.commands._plugins import PlayingCommand, program
from joute.commands._study import no_report_option, resumable, tell
from joute.commands._terminal import (
    announce_compiling,
    cluster_option,
    json_option,
    milliseconds,
    workers_option,
)

OF_THIS_CALL = ("workers", "out", "fresh", "no_report", "machine")
"""Options that the command to go on does not repeat; it names the folder itself."""


@click.command(cls=PlayingCommand)
@click.argument("one", metavar="SPEC")
@click.argument("two", metavar="SPEC")
@click.argument("more", nargs=-1, metavar="[SPEC]...")
@click.option(
    "--gauntlet",
    is_flag=True,
    help="Of three engines or more, only the first plays all others; else all play all.",
)
@click.option(
    "--adaptive",
    is_flag=True,
    help="Of three engines or more, games go where they tell most about who is first; --blocks are then "
    "those of each engine, on average.",
)
@click.option(
    "--blocks", type=click.IntRange(1), help="Blocks to play (default 100), or with --sprt at most."
)
@click.option(
    "--sprt",
    nargs=2,
    type=float,
    metavar="ELO0 ELO1",
    help="Stop when an SPRT decides between two Elo differences.",
)
@click.option(
    "--names", metavar="NAME,NAME,...", help="What the engines are called, in their order."
)
@click.option(
    "--like",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="RUN",
    help="Name engines of this run; openings, clock and adjudication are its own, the seed the next.",
)
@click.option("--seed", type=click.IntRange(0), help="Of openings and engines (default 1).")
@click.option("--plies", type=click.IntRange(0, 40), help="Random plies of each opening.")
@click.option(
    "--openings",
    metavar="PATH",
    help="Take openings from game records or positions, a file or a folder: the first --plies of each.",
)
@click.option(
    "--order", type=click.Choice(["sequential", "random"]), help="Order of the --openings."
)
@click.option("--start", type=click.IntRange(1), help="Number of the first of the --openings.")
@click.option(
    "--margin-ms",
    type=milliseconds(0),
    help="Milliseconds by which an engine may exceed its time limit before it loses (default 50).",
)
@click.option(
    "--draw",
    type=(click.IntRange(1), click.IntRange(1), click.FloatRange(0)),
    metavar="MOVE MOVES VALUE",
    help="From a move on, a draw after so many moves of both within a value of 0.",
)
@click.option(
    "--resign",
    type=(click.IntRange(1), click.FloatRange(0)),
    metavar="MOVES VALUE",
    help="A loss after so many moves at -VALUE or worse, if the opponent's values agree.",
)
@click.option(
    "--tablebases",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="End a game where the Syzygy tables of a folder know the result; may be repeated.",
)
@click.option("--clock", metavar="CLOCK", help="Each player's clock: 10+0.1 (seconds), 40/1:30.")
@workers_option
@cluster_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Run folder (default: in runs/; the same match continues, an edited engine gets a new "
    "folder).",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="Start over in a new folder; with --out, delete what that folder holds.",
)
@no_report_option
@json_option
def command(
    one: str,
    two: str,
    more: tuple[str, ...],
    gauntlet: bool,
    adaptive: bool,
    blocks: int | None,
    sprt: tuple[float, float] | None,
    names: str | None,
    like: Path | None,
    seed: int | None,
    plies: int | None,
    openings: str | None,
    order: str | None,
    start: int | None,
    margin_ms: float | None,
    draw: tuple[int, int, float] | None,
    resign: tuple[int, float] | None,
    tablebases: tuple[Path, ...],
    clock: str | None,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
    fresh: bool,
    no_report: bool,
    machine: bool,
) -> None:
    """Play A against B for a fixed number of blocks, or until an SPRT decides; or three engines and more,
    so many blocks a pairing.
    """
    from joute.playing import match_folder, play
    from joute.progress_bar import shown
    from joute.studies.adhoc import match_study, pairings_of

    announce_compiling()
    adjudicate: dict[str, dict[str, float] | list[str]] = {}
    if draw is not None:
        adjudicate["draw"] = {"from_move": draw[0], "moves": draw[1], "within": draw[2]}
    if resign is not None:
        adjudicate["resign"] = {"moves": resign[0], "beyond": resign[1]}
    if tablebases:
        adjudicate["tablebases"] = [str(folder.absolute()) for folder in tablebases]
    plan = match_study(
        *(one, two, blocks, sprt, seed, plies, openings, margin_ms, clock, order, start),
        adjudicate=adjudicate,
        like=like,
        names=None if names is None else [name.strip() for name in names.split(",")],
        more=more,
        pairings=pairings_of(gauntlet, adaptive),
    )
    folder = match_folder(plan, out, fresh)
    command = asked([one, two, *more], folder)
    with shown() as progress, resumable(command):
        run = play(plan, folder, workers, cluster, progress, fresh and out is not None)
    sys.exit(tell(run, command, machine, not no_report))


def asked(specs: Sequence[str], folder: Path) -> str:
    """Return the command of these options that goes on in a folder."""
    context = click.get_current_context()
    parts = [program(), "match", *(quote(spec) for spec in specs), "--out", quote(str(folder))]
    for option in context.command.params:
        value = context.params.get(option.name or "")
        if not isinstance(option, click.Option) or option.name in OF_THIS_CALL:
            continue
        if value is None or value == ():
            continue
        if option.is_flag:
            parts += [option.opts[0]] if value else []
            continue
        for one in value if option.multiple else [value]:
            parts += [option.opts[0], *map(written, one if isinstance(one, tuple) else (one,))]
    return " ".join(parts)


def written(value: object) -> str:
    """Return the value of an option as it is typed."""
    return f"{value:g}" if isinstance(value, float) else quote(str(value))
