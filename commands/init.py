"""`joute init`: write a study that tunes your own program, ready to run, with comments."""

from __future__ import annotations

from pathlib import Path

import click

from joute.commands._plugins import PlayingCommand, program
from joute.commands._terminal import as_json, json_option


@click.command(cls=PlayingCommand)
@click.option("--bot", "command", required=True, metavar="COMMAND", help="How you start it.")
@click.option(
    "--env",
    default="",
    metavar="VARIABLES",
    help='Its variables, if they take parameters: "K={k}".',
)
@click.option("--game", help="The game it plays (default: the first with lines of its own).")
@click.option("--protocol", help="How it is asked (default: the game's).")
@click.option("-o", "out", type=click.Path(path_type=Path), default=Path("study.toml"))
@json_option
def command(
    command: str, env: str, game: str | None, protocol: str | None, out: Path, machine: bool
) -> None:
    """Write a study that tunes your own program, ready to run, with comments."""
    from joute.studies.file.template import usual_game, write_study

    parameters = write_study(command, game, protocol, out, env)
    if machine:
        as_json({"path": str(out), "parameters": parameters})
        return
    if game is None:
        note = f"the game is {usual_game()}; --game NAME takes another (joute list names them)"
        click.echo(f"joute: {note}", err=True)
    if "{" not in command + env:
        note = "the command had no {name}: --k {k} was added as an example; edit it"
        click.echo(f"joute: {note}", err=True)
    click.echo(f"{out}  tunes {', '.join(parameters)}")
    click.echo(f"use: {program()} run {out}")
