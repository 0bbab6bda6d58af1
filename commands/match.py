"""`joute match`: play A against B for a fixed number of blocks, or until an SPRT decides; or more engines."""

from __future__ import annotations

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
    from joute.studies.adhoc import match_study

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
        gauntlet=gauntlet,
    )
    folder = match_folder(plan, out, fresh)
    specs = " ".join(quote(spec) for spec in (one, two, *more))
    command = f"{program()} match {specs} --out {quote(str(folder))}"
    command += " --gauntlet" if gauntlet else ""
    command += f" --names {quote(names)}" if names is not None else ""
    command += f" --like {quote(str(like))}" if like is not None else ""
    command += f" --seed {seed}" if seed is not None else ""
    command += f" --plies {plies}" if plies is not None else ""
    command += f" --openings {quote(openings)}" if openings is not None else ""
    command += f" --order {order}" if order is not None else ""
    command += f" --start {start}" if start is not None else ""
    command += f" --margin-ms {margin_ms:g}" if margin_ms is not None else ""
    command += f" --draw {draw[0]} {draw[1]} {draw[2]:g}" if draw is not None else ""
    command += f" --resign {resign[0]} {resign[1]:g}" if resign is not None else ""
    command += "".join(f" --tablebases {quote(str(folder))}" for folder in tablebases)
    command += f" --clock {quote(clock)}" if clock is not None else ""
    command += f" --blocks {blocks}" if blocks is not None else ""
    command += f" --sprt {sprt[0]:g} {sprt[1]:g}" if sprt else ""
    command += f" --cluster {quote(cluster)}" if cluster else ""
    with shown() as progress, resumable(command):
        run = play(plan, folder, workers, cluster, progress, fresh and out is not None)
    tell(run, command, machine, not no_report)
