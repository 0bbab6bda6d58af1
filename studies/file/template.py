"""The study file written by `joute init`: a tune of the user's program, ready to run."""

from __future__ import annotations

import json
from pathlib import Path

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.programs import placeholders
from joute.engines.protocol import Protocol, dialogues_of, protocols_of
from joute.engines.registry import find, make, names
from joute.harness.conformance.subjects import engines_of
from joute.results.tables import check_place
from joute.studies.load import load_study

QUICK, LEVEL = (
    "iterations=50",
    "iterations=200",
)  # limits of engines in the conformance suite, and here
FILE = """\
# Tunes the parameters of my own program: joute run {path}
#
# Words of the command are seen from the folder in which joute is started, as in a shell.
name = "{name}"
kind = "tune"                  # or "scan": one or two parameters, the score against their values
game = "{game}"
seed = 1
budget = "1000 games"          # or "2h"; more games find smaller differences

[engine]
search = "process"
command = {command}  # {{name}} is filled with its value
protocol = "{protocol}"  # joute show {protocol}
turn_ms = {turn_ms:<16g}     # a later answer is a failure
first_ms = {first_ms:<16g}    # the first turn of a game
{env}                # variables; first_line = "k {{k}}" is sent first: any of the three
# keep = "game"                # a process a game; "alive": one process for many games
# pause_waiting = "on"         # stopped while it is not its turn
# memory_mb = 512

# What the program's own parameters are: kind float, int, choice (choices = [...]) or text.
[parameters]
{parameters}

# What is searched.
[space]
{space}

# Whom every setting meets: your program at its defaults, and engines of ours. Put older versions of
# yours here as soon as you have them: spec = 'process:command="./old-version"'
[[opponents]]
name = "defaults"
{pool}

[tune]
sampler = "joute"              # joute list names the others
"""


def write_study(
    command: str, game: str | None, protocol: str | None, out: Path, env: str = ""
) -> list[str]:
    """Write a study of the program started by `command`; return the parameters it tunes.

    Without a placeholder in the command or in `env`, its variables, the command gets one, `--k {k}`.
    An existing file is not overwritten.
    """
    placeholders.check(command, "--bot")
    placeholders.check(env, "--env")
    check_place(out)
    if not command.strip():
        raise Refused("--bot is empty; allowed: a command, './mybot --k {k}'")
    bound = parse_game(game or usual_game())
    name = protocol or next(iter(protocols_of(bound)), "json-lines")
    talk: Protocol = make("protocol", name)
    talk.check(bound)
    if not {*placeholders.names_in(command), *placeholders.names_in(env)} - {*talk.fills}:
        command += " --k {k}"
    command += "".join(f" {{{n}}}" for n in talk.fills if n not in placeholders.names_in(command))
    named = [*placeholders.names_in(command), *placeholders.names_in(env)]
    own = [n for n in dict.fromkeys(named) if n not in talk.fills]
    text = FILE.format(
        path=out,
        name="own-bot" if not out.stem.replace("-", "").isalnum() else out.stem,
        game=bound.label,
        command=json.dumps(command, ensure_ascii=False),
        protocol=name,
        env=f"env = {json.dumps(env, ensure_ascii=False)}" if env else '# env = "K={k}"',
        turn_ms=talk.turn_ms,
        first_ms=talk.first_ms,
        parameters="\n".join(
            f'{n} = {{ kind = "float", low = 0, high = 1, default = 0.5, meaning = "?" }}'
            for n in own
        ),
        space="\n".join(f"{n} = {{ from = 0, to = 1 }}" for n in own),
        pool="\n".join(
            f"[[opponents]]\nname = {json.dumps(short(spec))}\nspec = {json.dumps(spec)}"
            for spec in pool_of(bound)
        ),
    )
    try:
        with open(out, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Refused(f"{out} is there already; take another name: -o study-2.toml") from None
    try:
        load_study(out)
    except Refused:
        out.unlink()
        raise
    return own


def short(spec: str) -> str:
    """Return a name for one of our engines: its search and its evaluation."""
    search, _, settings = spec.partition(":")
    values = dict(part.partition("=")[::2] for part in settings.split(","))
    return " ".join([search, *([values["evaluation"]] if "evaluation" in values else [])])


def usual_game() -> str:
    """Return the first game that has a dialogue in some protocol, else the first game."""
    every = names("game")
    return next((n for n in every if dialogues_of(find("game", n))), every[0])


def pool_of(game: Game) -> list[str]:
    """Return engines of medium strength, one per evaluation, or without evaluation."""
    specs = [t.removeprefix(f"{game.label}/") for t in engines_of(game) if "ending=" not in t]
    strong = [s.replace(QUICK, LEVEL) for s in specs if QUICK in s and "evaluation=" in s]
    return strong or [s.replace(QUICK, LEVEL) for s in specs if QUICK in s] or specs
