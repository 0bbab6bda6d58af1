"""`joute init`: write a study that tunes your own program, ready to run, with comments."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from joute.commands._plugins import PlayingCommand, program
from joute.commands._terminal import as_json, json_option, say

if TYPE_CHECKING:
    from joute.studies.file.template import Sketch


@click.command(cls=PlayingCommand)
@click.option(
    "--bot",
    "command",
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
@click.option(
    "--first-line",
    default="",
    metavar="LINE",
    help="Parameters in a line that it reads before all else: 'k {k} depth {depth=4}'.",
)
@click.option(
    "--uci",
    metavar="COMMAND",
    help="An engine that speaks UCI; its options become the parameters.",
)
@click.option(
    "--referee",
    metavar="COMMAND",
    help="A program that knows the rules, starts the bots and says scores or ranks.",
)
@click.option("--form", help="How the referee is told the bots and answers (default: json-line).")
@click.option("--players", type=int, help="Bots of a game that the referee plays (default: 2).")
@click.option("--game", help="The game it plays (joute list names them).")
@click.option("--protocol", help="How Joute talks to it (default: the game's protocol).")
@click.option(
    "-o",
    "out",
    type=click.Path(path_type=Path),
    default=Path("study.toml"),
    help="The study's file (default: study.toml).",
)
@click.option("--force", is_flag=True, help="Replace a file that exists already.")
@click.option(
    "--no-start", is_flag=True, help="Do not try the program: write the study whatever it does."
)
@json_option
def command(
    command: str | None,
    env: str,
    file: str,
    told: str,
    first_line: str,
    uci: str | None,
    referee: str | None,
    form: str | None,
    players: int | None,
    game: str | None,
    protocol: str | None,
    out: Path,
    force: bool,
    no_start: bool,
    machine: bool,
) -> None:
    """Write a study that tunes your own program, ready to run, with comments.

    The program gets its parameters on its command line, in environment variables, in a file, in a
    first line, or by the protocol json-lines. Joute starts it, asks for one turn and plays a game;
    exit code 1: it failed, and if it gave no turn at all, no study is written. With --referee it is
    tuned for a game whose rules Joute does not know; the referee plays one game. With --uci a chess
    engine is asked for its options and plays a game.
    """
    from joute.engines.errors import Refused

    if uci is not None:
        from joute.studies.file.uci_template import write_uci_study

        others = {
            "--bot": command, "--env": env, "--file": file, "--parameters": told,
            "--first-line": first_line, "--referee": referee, "--form": form,
            "--players": players, "--game": game, "--protocol": protocol,
        }  # fmt: skip
        if name := next((name for name, value in others.items() if value), None):
            raise Refused(
                f"{name} does not go with --uci, which knows game and protocol, and asks the engine "
                "for its parameters"
            )
        what = "asking the engine for its options" + (
            "" if no_start else ", then trying it: a game"
        )
        sketch = write_uci_study(uci, out, not no_start, lambda: trying(what, machine), force)
        tell(out, sketch, machine)
        return
    if command is None:
        raise Refused("--bot: how is your program started? --bot './mybot --k {k}'")
    if referee is not None:
        from joute.studies.file.referee_template import Refereed, write_referee_study

        talk = {"--game": game, "--protocol": protocol, "--first-line": first_line}
        for name, value in talk.items():
            if value:
                raise Refused(
                    f"{name}: a referee knows the game and talks to the bots; leave it out"
                )
        asked = Refereed(referee, command, form or "", players or 2, env, file, told)
        sketch = write_referee_study(
            *(asked, out, not no_start),
            lambda: trying("trying the referee: one game", machine),
            force,
        )
        tell(out, sketch, machine)
        return
    for name, given in (("--form", form), ("--players", players)):
        if given is not None:
            raise Refused(f"{name} goes with --referee")
    from joute.studies.file.template import Bot, write_study

    if game is None:
        from joute.engines.registry import find, names

        known = ", ".join(name for name in names("game") if not find("game", name).refereed)
        raise Refused(
            f"--game: which game does it play? {known} (of another: --referee or --plugin)"
        )
    bot = Bot(command, game, protocol, env, file, told, first_line)
    sketch = write_study(
        *(bot, out, not no_start),
        lambda: trying("trying the program: a turn, a game, then both ends of each range", machine),
        force,
    )
    tell(out, sketch, machine)


def trying(text: str, machine: bool) -> None:
    """Say what is done, unless JSON is asked for."""
    if not machine:
        say(f"{text} ...")


def tell(out: Path, sketch: Sketch, machine: bool) -> None:
    """Print what was written, and what is next; exit with 1 where the program must be mended first."""
    following = f"{program()} run {out}"
    if sketch.mend:
        then = "" if sketch.written else "this command again; more says "
        following = f"mend {sketch.mend}, then {then}{program()} check {quote(sketch.engine)}"
    if machine:
        path = str(out) if sketch.written else None
        written = {"path": path, "parameters": [*sketch.parameters], "notes": sketch.notes}
        as_json({**written, "next": following})
    else:
        for note in sketch.notes:
            say(note)
        for name, words in sketch.parameters.items() if sketch.written else ():
            click.echo(f"{name} = {words}")
        done = "is written" if sketch.written else "is not written (it would be with --no-start)"
        click.echo(f"{out} {done}" + ("\n" if sketch.mend else "; ") + f"next: {following}")
    sys.exit(1 if sketch.mend else 0)
