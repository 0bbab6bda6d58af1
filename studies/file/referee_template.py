"""The study file written by `joute init --referee`: a tune of the user's bot, in games that a referee plays."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine, parse_game
from joute.engines.errors import Refused
from joute.engines.parameter import Value, written
from joute.engines.programs import placeholders
from joute.engines.referees.form import NoResult, Result
from joute.engines.referees.refereed_game import RefereedGame
from joute.engines.registry import entries, plugins_named_in
from joute.harness.refereed import seated
from joute.results.quantity import milliseconds
from joute.studies.file.template import (
    NOTHING,
    Sketch,
    check_new,
    in_file,
    in_words,
    key,
    listed,
    listing,
    range_of,
    row_of,
    table,
    taken_out,
    toml,
    values_of,
    write_checked,
)

REFEREE = "the referee"  # is to be mended
FILE = """\
# Tunes the parameters of my own bot, by a referee that knows the game: joute run {path}
#
# Paths in the commands are relative to the folder in which joute is started, as in a shell. Each game
# is played in a temporary folder that has links to all that stands there.
name = "{name}"
kind = "tune"                  # or "scan": one or two parameters, the score against their values
game = {game}
{plugins}seed = 1
budget = "4000 games"          # or "2h"; more games find smaller differences, 1000 are a first look

[engine]
search = "{search}"
command = {command}

# How the bot gets its parameters: {{name}} in the command is replaced by a value, or one of these.
{env}
{file}

# What its parameters are: kind float, int, choice (choices = [...]) or text; low and high if there are any.
# The default is what every setting is compared with.
[parameters]
{parameters}

# What is searched. Give each the range in which good values may lie. Where it spans powers of ten, add
# log = true; it then begins above 0.
[space]
{space}

# Every setting meets these: your bot at its defaults. Opponents that score about 50 % teach most. Add
# older versions of yours, or bots of others: spec = '{search}:command="./old-version"'
[[opponents]]
name = "defaults"

[tune]
sampler = "joute"              # joute list names the others

# Maps that you want played, one seed a line; by default seeds are drawn, new ones for every block.
# [openings]
# records = "seeds.txt"
"""


@dataclass(frozen=True)
class Refereed:
    """A referee and a bot as their owner describes them, `{name}` or `{name=default}` in the bot's texts
    standing for parameters; `told` lists those in its parameter file.
    """

    referee: str
    bot: str
    form: str = ""
    players: int = 2
    env: str = ""
    file: str = ""
    told: str = ""


def write_referee_study(
    asked: Refereed,
    out: Path,
    start: bool = True,
    trying: Callable[[], None] = lambda: None,
    force: bool = False,
) -> Sketch:
    """Write a study of a bot for a referee; return the parameters that it tunes.

    With `start` a game of the bot against itself is played first, after a call of `trying`; nothing is
    written if it has no result. An existing file is replaced only with `force`.
    """
    check_new(out, force)
    if not asked.bot.strip():
        raise Refused("--bot is empty; allowed: a command, './mybot --k {k}'")
    game = game_of(asked)
    written_in: dict[str, Any] = {}
    command, env = (taken_out(text, written_in) for text in (asked.bot, asked.env))
    placeholders.check(command, "--bot")
    placeholders.check(env, "--env")
    names = [n for text in (command, env) for n in placeholders.names_in(text)]
    given = {name: written_in.get(name) for name in names if name != "file"}
    others = listed(asked.told)
    if asked.file:
        others = in_file(asked.file, others)
    given |= {name: given.get(name, value) for name, value in others.items()}
    notes: list[str] = []
    if not given and "file" not in names:  # {file} without --file is refused below
        raise Refused(NOTHING)
    search = next(n for n, entry in entries("search").items() if entry.facts.get("refereed"))
    settings: dict[str, Any] = {"search": search, "command": command}
    settings |= {"env": env} if env else {}
    settings |= {"file": asked.file} if asked.file else {}
    engine = Engine(game, settings | values_of(given) | listing(others, given))
    mend = ""
    if start:
        trying()
        note, mend = tried(game, engine)
        notes.append(note)
    if unknown := [n for n, value in given.items() if value is None]:
        notes.append(f"defaults and ranges of {', '.join(unknown)} are guesses: edit {out}")
    else:
        notes.append(f"ranges of {', '.join(given)} are guesses: edit [space] in {out}")
    rows = {name: row_of(value) for name, value in given.items()}
    searched = [name for name, row in rows.items() if row["kind"] != "text"]
    if not searched:
        raise Refused("no parameter is a number that can be tuned, only texts")
    text = FILE.format(
        path=out,
        name="own-bot" if not out.stem.replace("-", "").isalnum() else out.stem,
        game=toml(game.label),
        plugins=plugins_line(game, out),
        search=search,
        command=toml(command),
        env=f"env = {toml(env)}" if env else '# env = "K={k}"                # variables',
        file=f"file = {toml(asked.file)}"
        if asked.file
        else '# file = "params.json"         # made for each game; {file} in the command is its path',
        parameters="\n".join(f"{key(n)} = {table(row)}" for n, row in rows.items()),
        space="\n".join(f"{key(n)} = {range_of(rows[n])}" for n in searched),
    )
    parameters = {name: in_words(rows[name]) for name in searched}
    if mend == REFEREE:
        return Sketch(parameters, notes[:1], mend, engine.text, written=False)
    write_checked(text, out, force)
    return Sketch(parameters, notes, mend, engine.text)


def game_of(asked: Refereed) -> RefereedGame:
    """Return the game that a referee keeps."""
    name = next(n for n, entry in entries("game").items() if entry.facts.get("refereed"))
    options: dict[str, Value] = {"command": asked.referee, "players": asked.players}
    options |= {"form": asked.form} if asked.form else {}
    inside = ",".join(f"{option}={written(value)}" for option, value in options.items())
    game = parse_game(f"{name}[{inside}]")
    assert isinstance(game, RefereedGame)
    game.check_playable()
    return game


def plugins_line(game: RefereedGame, out: Path) -> str:
    """Return the line with the plugins that a game needs, as paths from the study's folder; "" for none."""
    paths = [os.path.relpath(path, out.resolve().parent) for path in plugins_named_in(game.label)]
    return f"plugins = {toml(paths)}\n" if paths else ""


def tried(game: RefereedGame, engine: Engine) -> tuple[str, str]:
    """Play a game of a bot against itself; say what came of it, and what is to be mended: "the bot",
    "the referee", or "".
    """
    begun = time.perf_counter()
    try:
        result = game.play_whole(game.start_text(1), seated([engine] * game.players))
    except NoResult as none:
        return f"tried one game, seed 1: no result: {none}", REFEREE
    spent = milliseconds(1000 * (time.perf_counter() - begun))
    said = f"tried one game, seed 1, in {spent}: {points_text(result)}"
    return said, "the bot" if any(result.failed) else ""


def points_text(result: Result) -> str:
    """Return the points or ranks of a result, and the failures, as a text."""
    sign = -1 if result.ranked else 1
    text = f"{'ranks' if result.ranked else 'scores'} {', '.join(f'{sign * p:g}' for p in result.points)}"
    failed = [f"bot {seat}: {why}" for seat, why in enumerate(result.failed, 1) if why]
    return f"{text}{'; ' if failed else ''}{'; '.join(failed)}"
