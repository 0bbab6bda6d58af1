"""The study file written by `joute init`: a tune of the user's program, ready to run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from joute.engines.engine import Engine, parse_game
from joute.engines.errors import Refused, cut
from joute.engines.first_turn import UNREAD, FirstTurn, first_turn
from joute.engines.game import Game
from joute.engines.programs import parameter_file, placeholders, told
from joute.engines.programs.program_player import STDERR
from joute.engines.protocol import Protocol, protocols_of
from joute.engines.registry import entries, make
from joute.harness.conformance.subjects import engines_of
from joute.results.tables import check_place, write_atomically
from joute.studies.file.unmoved import unmoved
from joute.studies.file.whole_game import whole_game
from joute.studies.load import load_study

TRIED, WEAK, STRONG = "iterations=50", "iterations=20", "iterations=200"
"""Limits of engines: in the conformance suite, and of the two kinds of opponents here."""
WIDE = 4  # times a float's default: the guessed end of its range
FILE = """\
# Tunes the parameters of my own program: joute run {path}
#
# Paths in the command are relative to the folder in which joute is started, as in a shell.
name = "{name}"
kind = "tune"                  # or "scan": one or two parameters, the score against their values
game = "{game}"
seed = 1
budget = "4000 games"          # or "2h"; more games find smaller differences, 1000 are a first look

[engine]
search = "{search}"
command = {command}
protocol = "{protocol}"  # joute show {protocol}
{limit}turn_ms = {turn_ms:<16g}     # a later answer is a failure
first_ms = {first_ms:<16g}    # the first turn of a game
# keep = "game"                # a process a game; "alive": one process for many games
# pause_waiting = "on"         # stopped while it is not its turn
# memory_mb = 512

# How the program gets its parameters: {{name}} in the command is replaced by a value, or one of these.
{env}
{file}
{told}
{first_line}

# What its parameters are: kind float, int, choice (choices = [...]) or text; low and high if there are any.
# The default is what every setting is compared with.
[parameters]
{parameters}

# What is searched. Give each the range in which good values may lie. Where it spans powers of ten, add
# log = true; it then begins above 0.
[space]
{space}

# Every setting meets these: your program at its defaults, a weak and a stronger engine of Joute. Opponents
# that score about 50 % teach most. Add older versions of yours: spec = '{search}:command="./old-version"'
[[opponents]]
name = "defaults"
{pool}

[tune]
sampler = "joute"              # joute list names the others
# against = "pool"             # settings play the opponents alone; else each other in turn as well
{openings}"""
EVEN = """
[openings]                     # at random, kept if a quick search of Joute calls them even
balanced_by = {by}
balanced_within = {within:g}
"""
WITH_DEFAULT = re.compile(r"\{([A-Za-z_]\w*)=([^{}\s]*)\}")
NOTHING = (
    "--bot: nothing to tune; name each parameter where its value goes: --bot './mybot --k {k}' (or see --env, "
    "--file, --parameters, --first-line)"
)
GUESS = {"kind": "float", "default": 0.5, "meaning": "?"}  # of a parameter that nothing is known of


@dataclass(frozen=True)
class Bot:
    """A program as its owner describes it, `{name}` or `{name=default}` standing for parameters.

    `told` lists those that are told otherwise than by command and variables: `k=0.3 depth`.
    """

    command: str
    game: str
    protocol: str | None = None
    env: str = ""
    file: str = ""
    told: str = ""
    first_line: str = ""


class Sketch(NamedTuple):
    """What was written: the parameters that are tuned, each with its default and range in words; notes,
    a line each; and what is to be mended first, "the bot" or "the referee", with the text of the engine that
    was tried, if it failed. `written`: whether there is a file; there is none of a program that never answered.
    """

    parameters: dict[str, str]
    notes: list[str]
    mend: str = ""
    engine: str = ""
    written: bool = True


def check_new(out: Path, force: bool = False) -> None:
    """Raise Refused for a study's path that cannot be written, or that exists and is not to be replaced."""
    check_place(out)
    if out.exists() and not force:
        raise Refused(
            f"{out} already exists; replace it (--force), or take another name: -o {free_name(out)}"
        )


def free_name(out: Path) -> Path:
    """Return a path like one that exists, with a number, that is free."""
    stem = re.sub(r"-\d+$", "", out.stem)
    return next(
        path for n in count(2) if not (path := out.with_name(f"{stem}-{n}{out.suffix}")).exists()
    )


def write_study(
    bot: Bot,
    out: Path,
    start: bool = True,
    trying: Callable[[], None] | None = None,
    force: bool = False,
) -> Sketch:
    """Write a study of a program; return the parameters that it tunes.

    With `start` the program is tried first, after a call of `trying`; nothing is written if it does not
    answer. Defaults come from `bot`, from the parameter file, or from what the program announces. An
    existing file is replaced only with `force`. Raises Refused, and writes nothing, for a program that
    cannot be started or has no parameter.
    """
    check_new(out, force)
    if not bot.command.strip():
        raise Refused("--bot is empty; allowed: a command, './mybot --k {k}'")
    given: dict[str, Any] = {}  # a default, a table as in [parameters], or None, by name
    written: dict[str, Any] = {}
    command, env, line = (
        taken_out(text, written) for text in (bot.command, bot.env, bot.first_line)
    )
    placeholders.check(command, "--bot")
    placeholders.check(env, "--env")
    placeholders.check(line, "--first-line")
    if "file" in placeholders.names_in(line):
        raise Refused("--first-line: {file} stands in --bot or --env alone")
    bound = parse_game(bot.game)
    protocol = bot.protocol or next(iter(protocols_of(bound)), "json-lines")
    talk: Protocol = make("protocol", protocol)
    talk.check(bound)
    command += "".join(f" {{{n}}}" for n in talk.fills if n not in placeholders.names_in(command))
    for text in (command, env, line):
        for name in placeholders.names_in(text):
            if name == "file" and not bot.file:
                raise Refused("{file} is the path of a parameter file: say --file params.json")
            if name not in talk.fills and name != "file":
                given.setdefault(name, written.get(name))
    others = listed(bot.told)
    if bot.file:
        others = in_file(bot.file, others)
    notes: list[str] = []
    settings: dict[str, Any] = {"search": starter(), "command": command, "protocol": protocol}
    settings |= talk.usual_limit
    settings |= {"env": env} if env else {}
    settings |= {"first_line": line} if line else {}
    settings |= {"file": bot.file} if bot.file else {}
    given |= {name: given.get(name, value) for name, value in others.items()}
    tried, spec = FirstTurn(), ""
    if start:
        engine = Engine(bound, settings | values_of(given) | listing(others, given))
        engine.search.check_here(engine.setup)
        if trying is not None:
            trying()
        tried, spec = first_turn(engine), engine.text
        notes.append(words_of(tried, bound, protocol, bot.file))
    announced = {name: sound(name, value) for name, value in tried.announced.items()}
    if not given and announced:
        given = others = announced
    given = {n: with_announced(v, announced.get(n)) for n, v in given.items()}
    if not given:
        raise Refused(NOTHING)
    guessed = [n for n, value in given.items() if not isinstance(value, dict)]
    if unknown := [n for n in guessed if given[n] is None]:
        notes.append(f"defaults and ranges of {', '.join(unknown)} are guesses: edit {out}")
    elif guessed:
        notes.append(f"ranges of {', '.join(guessed)} are guesses: edit [space] in {out}")
    rows = {name: row_of(value) for name, value in given.items()}
    searched = [name for name, row in rows.items() if row["kind"] != "text"]
    if not searched:
        whose = bot.file or "the program"
        raise Refused(f"{whose}: no parameter is a number that can be tuned, only texts")
    text = FILE.format(
        path=out,
        name="own-bot" if not out.stem.replace("-", "").isalnum() else out.stem,
        game=bound.label,
        search=settings["search"],
        command=toml(settings["command"]),
        protocol=protocol,
        limit=f"{limit_line(talk)}  # of a move; another one: joute show {protocol}\n"
        if talk.usual_limit
        else "",
        env=f"env = {toml(env)}" if env else '# env = "K={k}"                # variables',
        file=f"file = {toml(bot.file)}"
        if bot.file
        else '# file = "params.json"         # a file, made for each process; {file} in the command is its path',
        told=f"parameters = {toml(' '.join(others))}"
        if others and not bot.file
        else '# parameters = "k"             # json-lines tells them when a game begins',
        first_line=f"first_line = {toml(line)}"
        if line
        else '# first_line = "k {k}"         # a line that is sent first',
        turn_ms=talk.turn_ms,
        first_ms=talk.first_ms,
        parameters="\n".join(f"{key(n)} = {table(row)}" for n, row in rows.items()),
        space="\n".join(f"{key(n)} = {range_of(rows[n])}" for n in searched),
        pool="\n".join(
            f"[[opponents]]\nname = {json.dumps(short(spec))}\nspec = {json.dumps(spec)}"
            for spec in pool_of(bound)
        ),
        openings=even_openings(bound),
    )
    parameters = {name: in_words(rows[name]) for name in searched}
    if tried.failure:
        return Sketch(parameters, notes[:1], "the bot", spec, written=False)
    write_checked(text, out, force)
    if not start:
        return Sketch(parameters, notes)
    usual = {name: row["default"] for name, row in rows.items()}
    engine = Engine(bound, settings | usual | listing(others, given))
    game = whole_game(engine)
    notes.insert(1, f"tried {game.text}")
    if game.failure:
        return Sketch(parameters, notes, "the bot", spec)
    ends = {n: ends_of(rows[n]) for n in searched if rows[n]["kind"] != "choice"}
    notes += tried_at(ends, engine)
    return Sketch(parameters, notes)


def even_openings(game: Game) -> str:
    """Return the part of a study that keeps even openings; "" where no quick search tells them."""
    if not game.balanced_by or game.players != 2:
        return ""
    return EVEN.format(by=toml(game.balanced_by), within=game.balanced_within)


def limit_line(talk: Protocol) -> str:
    """Return the limit of a move that programs usually get in a protocol, as a line of TOML."""
    return "".join(f"{name} = {toml(value)}" for name, value in talk.usual_limit.items())


def starter() -> str:
    """Return the search that starts a program and asks it for moves."""
    searches = entries("search").items()
    return next(n for n, e in searches if e.fact("starts") and not e.facts.get("refereed"))


def write_checked(text: str, out: Path, force: bool) -> None:
    """Write a study file; leave none that cannot be loaded, but what was there before."""
    check_new(out, force)  # trying took a while
    before = out.read_bytes() if out.exists() else None
    write_atomically(out, text)
    try:
        load_study(out)
    except Refused:
        if before is None:
            out.unlink()
        else:
            write_atomically(out, before)
        raise


def tried_at(ends: Mapping[str, tuple[float, float]], engine: Engine) -> Iterator[str]:
    """Play at both ends of each range; yield what is wrong with the range."""
    same, failed = unmoved(engine, ends)
    yield from (f"the program fails at {one}; mend it, or take another range" for one in failed)
    for name, where in same.items():
        low, high = ends[name]
        yield (
            f"{name} = {low:g} and {high:g} play the same moves in {where}: "
            "does the program read it? Or the range is too narrow to change a move there"
        )


def taken_out(text: str, written: dict[str, Any]) -> str:
    """Return a text with `{k}` for `{k=0.3}`, whose values are noted."""

    def one(match: re.Match[str]) -> str:
        written[match[1]] = parameter_file.number_or_text(match[2])
        return f"{{{match[1]}}}"

    return WITH_DEFAULT.sub(one, text)


def listed(text: str) -> dict[str, Any]:
    """Return the defaults of `k=0.3 depth`, None where there is none."""
    values: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not name.isidentifier():
            raise Refused(
                f"--parameters: {word!r} is not a name; allowed: 'k depth' or 'k=0.3 depth=4'"
            )
        values[name] = parameter_file.number_or_text(value) if equals else None
    return values


def in_file(name: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a parameter file is to hold: what is listed, or else what stands there now, with the
    defaults that stand there.
    """
    parameter_file.check_name(name)
    there = parameter_file.values_in(Path(name)) if Path(name).exists() else {}
    if not wanted and not there:
        raise Refused(
            f"--file {name}: is not there, and would say names and defaults; write it, or list them: "
            "--parameters 'k=0.3 depth=4'"
        )
    return {n: there.get(n) if v is None else v for n, v in (wanted or there).items()}


def with_announced(default: Any, announced: Any) -> Any:
    """Return what is known of a parameter: what the program announces, with the default that its owner
    wrote, if he did and it is of that range.
    """
    if default is None or not isinstance(announced, dict):
        return announced if default is None else default
    ends = announced.get("low", default), announced.get("high", default)
    numbers = all(isinstance(n, int | float) for n in (default, *ends))
    inside = default in announced.get("choices", [default]) and (
        not numbers or ends[0] <= default <= ends[1]
    )
    same = isinstance(default, type(announced.get("default", default)))
    return announced | {"default": default} if inside and same else default


def values_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with which a program is tried."""
    return {name: row_of(value)["default"] for name, value in given.items()}


def listing(others: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the setting that lists parameters, with their kinds."""
    kinds = {name: str(row_of(given[name])["kind"]) for name in others}
    return {"parameters": told.written(kinds)} if kinds else {}


def row_of(given: Any) -> dict[str, Any]:
    """Return the declaration of a parameter: what is given of it, with the kind that its default has."""
    if given is None:
        return dict(GUESS)
    row = dict(given) if isinstance(given, dict) else {"default": given}
    default = row.get("default")
    kind = "choice" if "choices" in row else {int: "int", float: "float"}.get(type(default), "text")
    return {"kind": kind, "default": default, **row}


def sound(name: str, value: Any) -> Any:
    """Return what a program announces of a parameter; raise Refused for what says nothing of one."""
    parts = value.values() if isinstance(value, dict) else [value]
    every = [one for part in parts for one in (part if isinstance(part, list) else [part])]
    for one in every:
        number = isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one)
        if not (number or isinstance(one, str)) or isinstance(value, list):
            raise Refused(
                f"the program announces {cut(name, 40)!r} = {cut(json.dumps(value), 60)}; allowed: a number, a "
                "text, or an object with default, low, high, choices, meaning"
            )
    return value


def range_of(row: Mapping[str, Any]) -> str:
    """Return the range of a parameter that is searched, as TOML."""
    if row["kind"] == "choice":
        return toml(row.get("choices", []))
    low, high = ends_of(row)
    return f"{{ from = {toml(low)}, to = {toml(high)} }}"


def in_words(row: Mapping[str, Any]) -> str:
    """Say default and range of a parameter that is searched."""
    if row["kind"] == "choice":
        return f"{row['default']}; one of {', '.join(map(str, row.get('choices', [])))}"
    low, high = ends_of(row)
    kind = "whole numbers" if row["kind"] == "int" else "numbers"
    return f"{row['default']}; {kind} from {low:g} to {high:g}"


def ends_of(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return the range of a number that is searched: its own, or one around its default."""
    low, high = (0, 1) if row == GUESS else around(row["default"], row["kind"] == "int")
    return row.get("low", low), row.get("high", high)


def around(default: Any, whole: bool) -> tuple[float, float]:
    """Return a range around a default, of its sign."""
    if not isinstance(default, int | float) or not default:
        return 0, 1
    if default < 0:
        return (2 if whole else WIDE) * default, 0
    return (int(default > 1), 2 * default) if whole else (0, WIDE * default)


def toml(value: Any) -> str:
    """Return a number, a text or a list of these as TOML."""
    return json.dumps(value, ensure_ascii=False)


def key(name: str) -> str:
    """Return a name as a key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml(name)


def table(row: Mapping[str, Any]) -> str:
    """Return a table of TOML in a line."""
    return "{ " + ", ".join(f"{key(n)} = {toml(v)}" for n, v in row.items() if v is not None) + " }"


def words_of(tried: FirstTurn, game: Game, protocol: str, file: str) -> str:
    """Say in a line what came of the try."""
    how = f"tried one turn of {game.name} by {protocol}"
    if tried.failure:
        asked = (
            f"; it was sent {protocol} of {game.name}: does it speak another protocol (--protocol), or is "
            "this another game (--game)?"
        )
        return f"{how}: no answer: {tried.failure}{'' if STDERR in tried.failure else asked}"
    unread = f", but {UNREAD.format(file=file)}" if tried.opened is False else ""
    return f"{how}: the program answered {tried.action}{unread}"


def short(spec: str) -> str:
    """Return a name for one of our engines: its search, its evaluation and its iterations."""
    search, _, settings = spec.partition(":")
    values = dict(part.partition("=")[::2] for part in settings.split(","))
    return " ".join([search, *(values[n] for n in ("evaluation", "iterations") if n in values)])


def pool_of(game: Game) -> list[str]:
    """Return a weak engine, and a stronger one with an evaluation if the game has any."""
    specs = [t.removeprefix(f"{game.label}/") for t in engines_of(game) if "ending=" not in t]
    limited = [s for s in specs if TRIED in s and "network=" not in s]
    plain = [s for s in limited if "evaluation=" not in s]
    guided = [s for s in limited if "evaluation=" in s]
    pool = [s.replace(TRIED, WEAK) for s in plain[-1:]]
    pool += [s.replace(TRIED, STRONG) for s in (guided or plain)[:1]]
    return pool or specs
