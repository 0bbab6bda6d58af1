"""`joute replay`: step through a stored game: Enter forward, b back, a number jumps, q quits."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from joute.commands._plugins import ReadingCommand
from joute.commands._terminal import announce_compiling, as_json, json_option, tell


@click.command(cls=ReadingCommand)
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("game", metavar="[GAME]", required=False)
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[PATH]",
    help="Write a page that replays the game (default: replay-ID.html).",
)
@click.option(
    "--to",
    "written",
    metavar="FORMAT",
    help="Print the game (without GAME: all games) in a format that other programs read, where there is one (joute list).",
)
@json_option
def command(
    folder: Path, game: str | None, page: str | None, written: str | None, machine: bool
) -> None:
    """Step through a stored game: Enter forward, b back, a number jumps, q quits.

    GAME is a number (the game's row in games.csv, from 1), an id, or the beginning of an id. Without GAME, list the games of the
    RUN, or print all of them with --to. Of a training run selfplay:7:12 is game 12 of the seventh
    iteration's self-play.
    """
    if game is None:
        from joute.engines.errors import Refused
        from joute.reports.game_list import game_list

        if page is not None:
            raise Refused("--html: name a GAME; joute replay RUN lists them")
        if written is not None:
            from joute.reports.replay import transcripts

            if machine:
                raise Refused("--to: without a GAME there is no --json")
            announce_compiling()
            for text in transcripts(folder, written):
                click.echo(f"{text.rstrip()}\n")
            return
        listed = game_list(folder)
        as_json(listed.data) if machine else click.echo(listed.text)
        return
    from joute.reports.replay import data, moved, transcript
    from joute.reports.replay import replay as read
    from joute.reports.replay_page import write_page
    from joute.results.tables import check_place

    announce_compiling()
    if written is not None and not machine and page is None:
        click.echo(transcript(folder, game, written), nl=False)
        return
    if page:
        check_place(Path(page))
    replay = read(folder, game)
    path = None if page is None else write_page(replay, Path(page) if page else None)
    if machine:
        more = {"page": str(path)} if path else {}
        if written is not None:
            more["transcript"] = transcript(folder, game, written)
        as_json({**data(replay), **more})
        return
    if path is not None:
        click.echo(f"page: {path}")
        if written is not None:
            click.echo(transcript(folder, game, written), nl=False)
        return
    last, number = len(replay.steps) - 1, 0
    stepping = sys.stdin.isatty() and sys.stdout.isatty()
    while number <= last:
        if stepping:
            click.clear()
        if stepping or not number:
            tell("\n".join([replay.title(), *replay.seats(), ""]))
        tell(replay.shown(number))
        answer = click.prompt(f"{number} of {last}", "", show_default=False) if stepping else ""
        there = moved(number, answer, last)
        if there is None:
            break
        number = there
