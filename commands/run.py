"""`joute run`: play or resume a STUDY (a file, or the name of a ready-made one), then report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from shlex import quote

import click

from joute.commands._plugins import PlayingCommand, program
from joute.commands._study import dry, no_report_option, resumable, tell
from joute.commands._terminal import (
    announce_compiling,
    cluster_option,
    json_option,
    no_start_option,
    say,
    starting,
    workers_option,
)

SETTINGS = (
    "budget",
    "blocks",
    "seed",
    "game",
    "sprt",
    "openings",
    "engine",
    "entrants",
    "opponents",
    "time",
)
"""Keys of a study that people look for among the options."""


class RunCommand(PlayingCommand):
    """Says how a key of the study is set where it was given as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words; for an unknown option like a key of a study name `--set`."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            near = get_close_matches(error.option_name.lstrip("-"), SETTINGS, 1)
            if near:
                raise click.UsageError(
                    f"No such option: {error.option_name}. A setting of the study: --set {near[0]}=...",
                    ctx,
                ) from error
            raise


@click.command(cls=RunCommand)
@click.argument("study")
@workers_option
@cluster_option
@click.option("--out", type=click.Path(path_type=Path), help="Run folder (default: runs/NAME).")
@click.option("--fresh", is_flag=True, help="Start over: delete what the folder holds.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Estimate games, time and what they can resolve; play no more than a few games.",
)
@no_start_option
@click.option(
    "--follow",
    "followed",
    is_flag=True,
    help="Go on at once with what changes in the study's file, as new entrants of a league; at the end wait for it.",
)
@no_report_option
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Override a setting of the study.",
)
@json_option
def command(
    study: str,
    workers: int | None,
    cluster: str | None,
    out: Path | None,
    fresh: bool,
    dry_run: bool,
    no_start: bool,
    followed: bool,
    no_report: bool,
    settings: Sequence[str],
    machine: bool,
) -> None:
    """Play or resume a STUDY (a file, or the name of a ready-made one), then report."""
    from joute.engines.errors import Refused
    from joute.playing import planned, play
    from joute.progress_bar import shown

    if dry_run and cluster:
        raise Refused("--dry-run measures this machine: leave out --cluster")
    if no_start and not dry_run:
        raise Refused("--no-start needs --dry-run")
    if no_start:
        from joute.studies.load import load_study

        with starting(False):
            plan = load_study(study, settings)
            folder = None if fresh else out or Path("runs") / plan.name
            dry(plan, folder, workers, machine, start=False)
        return
    if dry_run and followed:
        raise Refused("--dry-run plays no study to the end: leave out --follow")
    announce_compiling()
    if dry_run:
        plan, folder = planned(study, settings, out, say)
        dry(plan, None if fresh else folder, workers, machine)
        return
    command = f"{program()} run {quote(study)}" + "".join(f" --set {quote(s)}" for s in settings)
    command += (f" -j {workers}" if workers else "") + (f" --out {quote(str(out))}" if out else "")
    command += f" --cluster {quote(cluster)}" if cluster else ""
    command += " --follow" if followed else ""
    with shown() as progress, resumable(command):
        if followed:
            from joute.follow import StudyFile, follow

            file = StudyFile(study, settings, out, progress)
            played = follow(file, workers, cluster, progress, fresh)
            codes = [tell(run, command, machine, not no_report) for run in played]
            sys.exit(codes[-1])
        plan, folder = planned(study, settings, out, say)
        run = play(plan, folder, workers, cluster, progress, fresh)
    sys.exit(tell(run, command, machine, not no_report))
