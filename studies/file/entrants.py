"""Entrants: engines from the grid, from tables of settings or from texts, and their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.check import COMPONENTS
from joute.engines.engine import Engine
from joute.engines.parameter import Value, text_of
from joute.engines.programs.option import BETWEEN
from joute.engines.programs.placeholders import fill
from joute.studies.file.grid import combinations
from joute.studies.file.study_checker import StudyChecker
from joute.studies.file.validation import show
from joute.studies.study import Entrant

OPTIONS = "options"  # the setting of a program's options, Threads=1; Hash=16
NOBODY = ("draw", "shared")  # winners of games in tables
LONGEST = 200  # characters of a name: tables and plots have to show it
LONG = 70  # characters of a name made of settings from which it is shortened, to about
SHORT = 40


@dataclass(frozen=True)
class Draft:
    """An entrant without a final name: its place in the file and its engine, if it has one."""

    path: str
    name: str | None
    engine: Engine | None


def drafts_of_grid(grid: Mapping[str, Any], checker: StudyChecker) -> list[Draft]:
    """Return the engines of base x grid; none if the grid itself is invalid."""
    if not grid:
        checker.error("grid", "is empty; allowed: parameters with a list or range of values")
        return []

    def where(setting: str) -> str:
        own = setting in grid or not setting or any(part in grid for part in COMPONENTS)
        return "grid" if own else "engine"

    settings = list(combinations(grid, checker.errors))
    broken = checker.errors.under("grid")
    drafts = [
        Draft("grid", None, checker.engine({**checker.base, **own}, where)) for own in settings
    ]
    return [] if broken else drafts


def draft_of_table(table: Mapping[str, Any], path: str, checker: StudyChecker) -> Draft:
    """Return the engine of a table: `spec = "..."`, or settings over the base; maybe a `name`."""
    own = dict(table)
    name = own.pop("name", None)
    if name is not None and not (isinstance(name, str) and name.strip() and name.isprintable()):
        checker.error(f"{path}.name", f"{show(name)} is not a name (one line of text)")
        name = None
    elif name is not None and len(name) > LONGEST:
        fault = f"a name of {len(name)} characters; allowed: up to {LONGEST}"
        checker.error(f"{path}.name", fault)
    elif name in NOBODY:
        fault = f"{show(name)} is how the tables call a game that nobody won"
        checker.error(f"{path}.name", fault)
    if "spec" in own:
        text = own.pop("spec")
        for other in own:
            checker.error(
                f"{path}.{other}", "cannot be combined with spec, which is the whole engine"
            )
        return Draft(path, name, checker.spec(text, f"{path}.spec"))

    def where(setting: str) -> str:
        foreign = setting in own or not setting or any(part in own for part in COMPONENTS)
        return path if foreign else "engine"

    return Draft(path, name, checker.engine({**checker.base, **own}, where))


def named(drafts: Sequence[Draft], checker: StudyChecker) -> tuple[Entrant, ...]:
    """Return the entrants that could be made; note duplicate names and duplicate engines."""
    made = [(draft, draft.engine) for draft in drafts if draft.engine is not None]
    derived = told_apart(derive_names([engine for _, engine in made]), made)
    entrants: list[Entrant] = []
    paths: dict[str, str] = {}
    meanings: dict[str, str] = {}
    same = 0
    for (draft, engine), short in zip(made, derived, strict=True):
        name = draft.name or short
        if engine.id in meanings:
            same += 1
            if same == 1:
                other = meanings[engine.id]
                checker.error(
                    draft.path, f"{name!r} is the same engine as {other!r}: {engine.text}"
                )
        elif name in paths:
            checker.error(draft.path, f"the name {name!r} is taken by {paths[name]}")
        paths.setdefault(name, draft.path)
        meanings.setdefault(engine.id, name)
        entrants.append(Entrant(name, engine, dict(engine.settings)))
    if same > 1:
        checker.error("entrants", f"{same} entrants in all are the same as an earlier one")
    return tuple(entrants)


def told_apart(names: Sequence[str], made: Sequence[tuple[Draft, Engine]]) -> list[str]:
    """Return the names, with 'again' after that of a twin (an engine that meets itself)."""
    ids = {engine.text: engine.id for _, engine in reversed(made)}
    return [
        name if ids[engine.text] == engine.id else f"{name} again"
        for name, (_, engine) in zip(names, made, strict=True)
    ]


def derive_names(engines: Sequence[Engine]) -> list[str]:
    """Return a name for each engine from the settings in which they differ.

    A setting that only some engines have counts only if nothing else differs, but for an option of one
    program, which another entrant leaves as the program has it. Where searches differ a program stands
    for its own, and its command is left out if no other one starts it.
    """
    settings = [spelled_out(engine.settings) for engine in engines]
    keys = differing(settings)
    commands = {str(own["command"]) for own in settings if "command" in own}
    programs = "command" in keys  # several ones
    if "search" in keys and len({program_name(text) for text in commands}) == len(commands):
        keys = [key for key in keys if key != "command"]
    given = zip(settings, engines, strict=True)
    options = {k for own, engine in given for k in own if k not in engine.settings}
    if programs:
        options = set()
    plain = [k for k in keys if k in options or len({own[k] for own in settings if k in own}) > 1]
    differences = [words_of(own, plain) for own in settings]
    if len(set(differences)) < len(differences):
        differences = [words_of(own, keys) for own in settings]
    names = [",".join(words) for words in differences]
    shorter = [shortened(words) for words in differences]
    if len(set(shorter)) == len(set(names)):
        names = shorter
    names = [re.sub("^(search|command)=", "", name) for name in names]  # "uct beats glaurung"
    pairs = zip(names, engines, strict=True)
    return [name or usual_name(engine) for name, engine in pairs]


def shortened(words: Sequence[str]) -> str:
    """Return what settings are called together; of many the first ones and the number of the others."""
    name, kept = ",".join(words), 1
    if len(name) <= LONG:
        return name
    while kept < len(words) and len(",".join(words[: kept + 1])) <= SHORT:
        kept += 1
    more = len(words) - kept
    return ",".join(words[:kept]) + (f" and {more} more" if more else "")


def usual_name(engine: Engine) -> str:
    """Return the name of an engine that differs in nothing: its program's, or its search's."""
    command = str(engine.settings.get("command", ""))
    return program_name(command) if engine.search.starts and command else engine.search.name


def spelled_out(settings: Mapping[str, Value]) -> dict[str, Value]:
    """Return settings in which each of a program's own options stands for itself; those that a
    parameter fills are left out, as the parameter is there.
    """
    own = {name: value for name, value in settings.items() if name != OPTIONS}
    text = str(settings.get(OPTIONS, ""))
    for part in filter(None, (part.strip() for part in BETWEEN.split(text))):
        name, _, value = (word.strip() for word in part.partition("="))
        if "{" not in value:
            own.setdefault(name, value)
    return own


def words_of(settings: Mapping[str, Value], keys: Sequence[str]) -> tuple[str, ...]:
    """Return `depth=6` and `width=0.45`: the settings among `keys`; a command with its parameters filled in."""
    known = {key: text_of(settings[key]) for key in keys if key in settings}
    if "search" in known and "command" in settings:
        known["search"] = program_name(str(settings["command"]))
    if "command" in known:
        known["command"] = fill(known["command"], settings)
    return tuple(f"{key}={text}" for key, text in known.items())


VARIABLE = re.compile(r"\w+=")  # of the environment, before a program
LAUNCHER = re.compile(
    r"(python|pypy|perl|ruby|lua|php|node|java|mono|dotnet|wine|deno|(ba|da|z)?sh)[\d.]*|nice|taskset|timeout|stdbuf"
)  # programs that start the one that matters
SCRIPT = re.compile(r"[^-=]*[A-Za-z][^=]*\.\w|[^-=]*/[^=]")


def program_name(command: str) -> str:
    """Return what a person calls a program: the name of its file, or of the script that it runs."""
    words = [word for word in command.split() if word != "env" and not VARIABLE.match(word)]
    file = words[0] if words else "program"
    if LAUNCHER.fullmatch(Path(file).name):
        file = next((word for word in words[1:] if SCRIPT.match(word)), file)
    return Path(file).stem


def differing(settings: Sequence[Mapping[str, Value]]) -> list[str]:
    """Return the settings that differ, in canonical order."""
    keys = dict.fromkeys(key for own in settings for key in own)
    return [key for key in keys if len({own.get(key) for own in settings}) > 1]


def groupings(entrants: Sequence[Entrant]) -> list[str]:
    """Return the settings that all entrants have and that differ among them."""
    settings = [entrant.parameters for entrant in entrants]
    return [key for key in differing(settings) if all(key in own for own in settings)]
