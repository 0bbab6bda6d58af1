"""The study file written by `joute init --uci`: a tune of a chess engine's own options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from pathlib import Path

from joute.engines.engine import Engine, parse_game
from joute.engines.errors import Refused
from joute.engines.player import PlayerFailure
from joute.engines.programs.conversing import ConversingPlayer
from joute.engines.programs.option import FAIR, Option
from joute.engines.programs.startable import check_startable
from joute.engines.registry import entries, make
from joute.studies.file.template import (
    Sketch,
    check_new,
    limit_line,
    starter,
    toml,
    tried_at,
    write_checked,
)
from joute.studies.file.whole_game import whole_game
from joute.studies.load import load_study

NOT_TUNED = re.compile(
    r".*\bthreads?\b.*|.*\bsplit\b.*|.*\blog\b.*|hash|multi ?pv|uci_.*|skill level|slow ?mover|move overhead|nodestime|syzygy.*|.*book.*"
    r"|ponder|.*\bcache\b.*|search (time|depth)|protocol|.*tablebase.*|.*egtb.*|.*file|.*path",
    re.IGNORECASE,
)
SEARCHED = 5  # options in [space]; the others stand there as comments
HANDSHAKE_MS = 10_000.0
TRIED_MS = 10_000.0  # of a turn while it is tried
FILE = """\
# Tunes options of {title}: joute run {path}
#
# The engine is asked by UCI. `options` sets what is the same in every game: one thread, little memory, no
# book of its own, no thinking in the opponent's time. A limit a move: depth, nodes or movetime
# (milliseconds). Some engines ignore nodes: joute check tells.
name = "{name}"
kind = "tune"
game = "{game}"
seed = 1
budget = "4000 games"          # or "2h"; more games find smaller differences, 1000 are a first look

[engine]
search = "{search}"
command = {command}
protocol = "uci"
{limit}
options = {options}

# Every number and choice that the engine declares, with its own range and default. Settings of yours that
# differ belong in [engine], as `mobility = 120`: every point is compared with them.
[parameters]
{parameters}

# What is searched: take the # off those that interest you, and give each the range in which good values may lie.
[space]
{space}

[[opponents]]
name = "defaults"

[tune]
sampler = "joute"              # joute list names the others
# against = "pool"             # points play the defaults alone; else each other, as fishtest tunes

# Tune short, confirm long: the best point against the defaults once more, as you play. Take the # off.
# [final]
# limit = {{ {off} }}          # 0: the clock alone, or a longer limit here
# clock = "8+0.08"               # seconds and increment
# blocks = 200                   # or sprt = {{ elo0 = 0, elo1 = 5 }}

[openings]                      # or your book instead: records = "book.epd" (or a PGN), order = "random"
plies = 8                       # at random, kept if neither side stands much better
balanced_by = {balanced_by}
balanced_within = {balanced_within:g}
"""


def write_uci_study(
    command: str,
    out: Path,
    start: bool = True,
    trying: Callable[[], None] = lambda: None,
    force: bool = False,
) -> Sketch:
    """Write a study of a chess engine, which is asked for its options, after a call of `trying`; `start`:
    it also plays a game, and both ends of each range.

    Returns the parameters that it tunes. An existing file is replaced only with `force`.
    """
    check_new(out, force)
    search = starter()
    trying()
    name, options, taken = introduced(search, command)
    tuned = by_name([option for option in options.values() if is_tuned(option)], taken)
    if not tuned:
        raise Refused(f"{command}: {name or 'the engine'} declares no option that can be tuned")
    fixed = [f"{n}={value}" for n, value in FAIR.items() if n in options]
    rows = [f"{n} = {row_of(option)}" for n, option in tuned.items()]
    game = game_of_uci()
    judge = entries("game")[game]
    text = FILE.format(
        title=name or command,
        game=game,
        balanced_by=toml(judge.fact("balanced_by")),
        balanced_within=judge.fact("balanced_within"),
        path=out,
        name=name_of(name or out.stem).replace("_", "-") or "engine",
        search=search,
        command=toml(command),
        limit=limit_line(make("protocol", "uci")),
        off="depth = 0",
        options=toml("; ".join(fixed)),
        parameters="\n".join(rows),
        space="\n".join(space_of(tuned)),
    )
    write_checked(text, out, force)
    searched = {n: tuned[n] for n in first_of(tuned)}
    notes = [
        f"{name or command} declares {len(options)} options, of which {len(tuned)} can be tuned"
    ]
    parameters = {n: in_words(option) for n, option in searched.items()}
    if not start:
        return Sketch(parameters, notes)
    engine = load_study(out).entrants[0].engine
    engine = Engine(engine.game, engine.settings | {"turn_ms": TRIED_MS})
    played = whole_game(engine)
    notes.append(f"tried {played.text}")
    if played.failure:
        return Sketch(parameters, notes, "the engine", engine.text)
    numbers = {n: o for n, o in searched.items() if o.kind == "spin"}
    notes += tried_at({n: (o.low or 0, o.high or 0) for n, o in numbers.items()}, engine)
    return Sketch(parameters, notes)


def game_of_uci() -> str:
    """Return the game of the protocol."""
    games: tuple[str, ...] = entries("protocol")["uci"].fact("games")
    return games[0]


def introduced(search: str, command: str) -> tuple[str, Mapping[str, Option], Set[str]]:
    """Start an engine; return its name, its options, and the names that Joute's own settings have."""
    settings = {"search": search, "command": command, "protocol": "uci", "depth": 1}
    settings |= {"first_ms": HANDSHAKE_MS}
    engine = Engine(parse_game(game_of_uci()), settings)
    check_startable(shlex.split(command), {})
    player = engine.player()
    assert isinstance(player, ConversingPlayer)
    try:
        player.meet()
    except PlayerFailure as failure:
        silent = failure.kind == "timeout" and len(shlex.split(command)) == 1
        hint = f"; some speak UCI only when told to: --uci '{command} --uci'" if silent else ""
        raise Refused(f"--uci: {failure.text.splitlines()[0]}{hint}") from None
    finally:
        player.close()
    return player.side.name, player.side.options, {"search", *(p.name for p in engine.parameters)}


def is_tuned(option: Option) -> bool:
    """Whether an option is a number, a choice or a switch of the engine's play."""
    if NOT_TUNED.fullmatch(option.name) or not name_of(option.name).isidentifier():
        return False
    if option.kind == "spin":
        return option.low is not None and option.high is not None and option.low < option.high
    return option.kind == "check" or len(option.choices) > 1


def by_name(options: Sequence[Option], taken: Set[str]) -> dict[str, Option]:
    """Return options by names of their own, none of them taken: `King+` and `King-` are king and king_2."""
    named: dict[str, Option] = {}
    for option in options:
        plain = name_of(option.name)
        name, number = f"{plain}_option" if plain in taken else plain, 1
        while name in named or name in taken:
            number += 1
            name = f"{plain}_{number}"
        named[name] = option
    return named


def name_of(text: str) -> str:
    """Return a name for braces: mobility_middle_game."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def row_of(option: Option) -> str:
    """Return an option as a row of [parameters]."""
    named = f"option = {toml(option.name)}"
    if option.kind == "spin":
        default = int(option.default) if re.fullmatch(r"-?\d+", option.default) else option.low
        return (
            f'{{ kind = "int", {named}, low = {option.low}, high = {option.high}, '
            f"default = {default} }}"
        )
    choices = ("true", "false") if option.kind == "check" else option.choices
    default_choice = option.default if option.default in choices else choices[0]
    return (
        f'{{ kind = "choice", {named}, choices = {toml(list(choices))}, '
        f"default = {toml(default_choice)} }}"
    )


def first_of(tuned: Mapping[str, Option]) -> list[str]:
    """Return the names that are searched at first: some numbers, or what else there is."""
    numbers = [name for name, option in tuned.items() if option.kind == "spin"]
    return (numbers or [*tuned])[:SEARCHED]


def space_of(tuned: Mapping[str, Option]) -> Iterable[str]:
    """Yield the rows of [space], all but the first as comments."""
    first = first_of(tuned)
    for name in sorted(tuned, key=lambda n: n not in first):
        option = tuned[name]
        if option.kind == "spin":
            row = f"{name} = {{ from = {option.low}, to = {option.high} }}"
        else:
            choices = ("true", "false") if option.kind == "check" else option.choices
            row = f"{name} = {toml(list(choices))}"
        yield row if name in first else f"# {row}"


def in_words(option: Option) -> str:
    """Return an option's default and range in words."""
    inside = (
        f"{option.low} to {option.high}" if option.kind == "spin" else ", ".join(option.choices)
    )
    return f"{option.default} ({inside or 'true, false'}): {option.name}"
