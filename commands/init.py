"""`joute init`: write a study that tunes your own program, ready to run, with comments."""

from __future__ import annotations

from pathlib import Path

import click

from joute.commands._plugins import PlayingCommand, program
from joute.commands._terminal import as_json, json_option


@click.command(cls=PlayingCommand)
@click.option(
    "--bot",
    "command",
    required=True,
    metavar="COMMAND",
    help="How to start it: './mybot --k {k}', or with a default: {k=0.3}.",
)
@click.option(
    "--env",
    default="",
    metavar="VARIABLES",
    help="Parameters in environment variables: 'K={k} D={depth=4}'.",
)
@click.option(
    "--file",
    default="",
    metavar="NAME",
    help="Parameters in a file that it reads: params.json (.toml, .txt, .ini, .cfg).",
)
@click.option(
    "--parameters",
    "told",
    default="",
    metavar="NAMES",
    help="Names for json-lines, or for the file: 'k=0.3 depth=4'.",
)
@click.option("--game", help="The game it plays (default: the first with a protocol of its own).")
@click.option("--protocol", help="How Joute talks to it (default: the game's protocol).")
@click.option("-o", "out", type=click.Path(path_type=Path), default=Path("study.toml"))
@click.option("--no-start", is_flag=True, help="Do not try the program.")
@json_option
def command(
    command: str,
    env: str,
    file: str,
    told: str,
    game: str | None,
    protocol: str | None,
    out: Path,
    no_start: bool,
    machine: bool,
) -> None:
    """Write a study that tunes your own program, ready to run, with comments.

    The program gets its parameters on its command line, in environment variables, in a file, or by
    the protocol json-lines. Joute starts it and asks for one turn.
    """
    from joute.studies.file.template import Bot, usual_game, write_study

    bot = Bot(command, game, protocol, env, file, told)

    def say() -> None:
        if not machine:
            click.echo("joute: trying the program: one turn ...", err=True)

    parameters, notes = write_study(bot, out, not no_start, say)
    if machine:
        as_json({"path": str(out), "parameters": [*parameters], "notes": notes})
        return
    if game is None:
        note = f"the game is {usual_game()}; for another add --game NAME (joute list names them)"
        click.echo(f"joute: {note}", err=True)
    for note in notes:
        click.echo(f"joute: {note}", err=True)
    for name, words in parameters.items():
        click.echo(f"{name} = {words}")
    click.echo(f"{out} is written; next: {program()} run {out}")
