"""Reading a study file: text, overrides, models, engines; every error is reported at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import tomli_w

from joute.engines.data import parse_toml, read_text
from joute.engines.engine import parse_game
from joute.engines.errors import Refused, shown, suggest, unboxed
from joute.engines.forced import why_not_solved
from joute.engines.game import Game
from joute.engines.registry import find, load_plugin, make, names
from joute.engines.time_control import TimeControl
from joute.harness.openings import RANDOM, OpeningRules
from joute.studies.file.adjudicate import adjudication_of, check_values
from joute.studies.file.budget import budget_of
from joute.studies.file.clock import clock_in
from joute.studies.file.declared import option_names, parameters_of
from joute.studies.file.models import Common, Openings
from joute.studies.file.records import openings_in
from joute.studies.file.study_checker import StudyChecker
from joute.studies.file.validation import Errors, StudyRefused, show, validate
from joute.studies.ready_made import STUDIES, missing, ready_made
from joute.studies.study import Budget, Planned, Study, TimeRules

__all__ = ["StudyRefused", "load_study"]

INDEX = re.compile(r"^\d+$")
TOML = (str, int, float, date, time, Decimal)  # types of its values


def load_study(source: str | Path | Mapping[str, Any], overrides: Sequence[str] = ()) -> Study:
    """Return the checked study of a file, of a ready-made study's name, or of a table with the
    content of such a file, whose paths are relative to the current folder.

    An override is a text `path=value`, like `stage.0.blocks=8`; the value is TOML or plain text.
    Raises StudyRefused with every error.
    """
    if isinstance(source, Mapping):
        label, folder = str(source.get("name", "study")), Path.cwd()
    else:
        file = file_of(source)
        label, folder = str(source), file.resolve().parent
    try:
        text = text_of(source) if isinstance(source, Mapping) else read_text(file)
        data = parse_toml(text)
    except StudyRefused:
        raise
    except OSError as error:
        raise StudyRefused(label, [f"cannot be read: {error.strerror}"], whole=True) from None
    except UnicodeDecodeError:
        raise StudyRefused(label, ["is not UTF-8 text"], whole=True) from None
    except ValueError as error:
        raise StudyRefused(label, [f"is not TOML: {error}"], whole=True) from None
    errors = Errors()
    for override in overrides:
        override_one(data, override, errors)
    study = read(data, text, folder, errors)
    if study is None or errors.lines():
        raise StudyRefused(label, errors.lines())
    return study


def text_of(table: Mapping[str, Any]) -> str:
    """Return a table as the text of a study file."""
    try:
        return tomli_w.dumps(plain(table))
    except TypeError as error:
        label = str(table.get("name", "study"))
        raise StudyRefused(label, [str(error)], whole=True) from None


def override_text(path: str, value: Any) -> str:
    """Return an override as text, `path=value`; raise Refused for a value that TOML lacks."""
    try:
        return f"{path}={_inline(plain(value))}"
    except TypeError:
        raise Refused(f"settings: {path} = {value!r}: allowed: values that TOML can hold") from None


def plain(value: Any, place: str = "") -> Any:
    """Return a value without numpy's types, tuples, paths, and keys whose value is None; raise TypeError
    for what TOML cannot hold.
    """
    value = unboxed(value)
    if isinstance(value, Mapping):
        said = {str(key): item for key, item in value.items() if item is not None}
        return {key: plain(item, f"{place}.{key}".lstrip(".")) for key, item in said.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{place}.{i}") for i, item in enumerate(value)]
    if isinstance(value, Path):
        return str(value)
    if not isinstance(value, TOML):
        raise TypeError(
            f"{place}: {shown(value)} ({type(value).__name__}); allowed: a text, a number, true or false, "
            "a list or a table"
        )
    return value


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(k)} = {_inline(v)}' for k, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    if value is None:
        raise TypeError
    return json.dumps(value, allow_nan=False)


def file_of(source: str | Path) -> Path:
    """Return the file of a study; raise StudyRefused with the nearest ready-made name."""
    path = Path(source)
    if path.is_file():
        return path
    if str(source) in ready_made():
        return STUDIES / f"{source}.toml"
    raise StudyRefused(str(source), [missing(str(source), "study")], whole=True)


def override_one(data: dict[str, Any], override: str, errors: Errors) -> None:
    """Write one override into `data`, creating tables on the way; note impossible places."""
    path, equals, written = override.partition("=")
    parts = [part.strip() for part in path.split(".")]
    if not equals or not all(parts):
        errors.add(f"override {override!r}", "is not of the form path=value")
        return
    place: Any = data
    for i, part in enumerate(parts):
        here = ".".join(parts[:i])
        last = i == len(parts) - 1
        key: int | str = part
        if isinstance(place, list):
            if not INDEX.match(part) or int(part) >= len(place):
                known = f"0 to {len(place) - 1}" if place else "none"
                errors.add(f"override {override!r}", f"{here} has no member {part}; known: {known}")
                return
            key = int(part)
        elif not isinstance(place, dict):
            errors.add(f"override {override!r}", f"{here} = {show(place)} is not a table")
            return
        elif not last and part not in place and INDEX.match(parts[i + 1]):
            text = f"the file has no {part} {parts[i + 1]}"
            errors.add(f"override {override!r}", text)
            return
        if last:
            place[key] = value_of(written)
        else:
            place = place.setdefault(part, {}) if isinstance(place, dict) else place[int(part)]


def value_of(text: str) -> Any:
    """Return the TOML value of a text, or the text itself if it is not TOML."""
    text = text.strip()
    try:
        table = parse_toml(f"value = {text}")
    except ValueError:
        return text
    return table["value"] if list(table) == ["value"] else text


def read(data: dict[str, Any], text: str, folder: Path, errors: Errors) -> Study | None:
    """Return the study of a file's data, or None; notes the errors."""
    kind = kind_of(data, errors)
    model: Common | None
    if kind:
        model = validate(find("kind", kind).model, {**data, "kind": kind}, errors)
    else:
        known = {key: value for key, value in data.items() if key in Common.model_fields}
        model = validate(Common, known | {"kind": names("kind")[0]}, errors)
    if model is None:
        return None
    plugins = existing(model.plugins, "plugins", folder, errors)
    for i, path in enumerate(plugins):
        try:
            load_plugin(path)
        except Refused as error:
            errors.add(f"plugins.{i}", str(error))
    declared = parameters_of(model.parameters, errors)
    options = option_names(model.parameters)
    game = game_of(model, errors)
    clock = clock_of(model, game, errors)
    clocked = clock is not None or errors.at("time.clock")
    checker = StudyChecker(game, model.engine, errors, folder, declared, options, bool(clocked))
    openings, budget = openings_of(model, checker, folder), budget_in(model, errors)
    adjudication = adjudication_of(model.adjudicate, game, folder, errors)
    planned = Planned((), ())
    if kind:
        planned = make("kind", kind).plan(model, checker)
        checker.check_declared()
    named = tuple(stage.name for stage in planned.stages)
    stages = (*(find("kind", kind).stages if kind else ()), *named, *planned.later)
    files = existing(model.files, "files", folder, errors)
    if adjudication is not None:
        check_values(adjudication, [entrant.engine for entrant in planned.entrants], errors)
    if checker.game is None:
        return None
    return Study(
        name=model.name,
        kind=model.kind,
        game=checker.game,
        seed=model.seed,
        entrants=planned.entrants,
        stages=planned.stages,
        time=TimeRules(**{**model.time.model_dump(), "clock": clock}),
        openings=replace(openings, stages=stages) if openings.lines else openings,
        sprt=planned.sprt,
        budget=budget,
        plugins=tuple(plugins),
        source=text,
        files=tuple(files),
        report=model.report,
        own=planned.own,
        target=model.target,
        parameters=declared,
        adjudication=adjudication,
        later=planned.later,
        clocks=planned.clocks,
        later_engines=planned.later_engines,
    )


def kind_of(data: dict[str, Any], errors: Errors) -> str:
    """Return the kind of a study. If it is wrong or absent, note that and return the kind that its
    word or its keys resemble, so that other errors are found, too; "" if none does.
    """
    kind, known = data.get("kind"), names("kind")
    if isinstance(kind, str) and kind in known:
        return kind
    fault = "is missing" if kind is None else f"{show(kind)} is not a kind of study"
    errors.add("kind", fault + suggest("" if kind is None else str(kind), known))
    if near := get_close_matches(str(kind), known, n=1):
        return near[0]
    own = {
        name: len(({*find("kind", name).model.model_fields} - {*Common.model_fields}) & {*data})
        for name in known
    }
    best = [name for name in known if own[name] == max(own.values()) > 0]
    return best[0] if len(best) == 1 else ""


def existing(paths: Sequence[str], where: str, folder: Path, errors: Errors) -> list[Path]:
    """Return full paths, relative to the study's folder; note those that are not files."""
    full = [(folder / path).resolve() for path in paths]
    for i, path in enumerate(full):
        if not path.is_file():
            errors.add(f"{where}.{i}", f"{show(paths[i])} is not a file in {folder}")
    return [path for path in full if path.is_file()]


def game_of(model: Common, errors: Errors) -> Game | None:
    """Return the study's game."""
    if model.game is None:
        if not errors.at("game"):
            errors.add("game", "is missing; allowed: a game, name or name[option=value,...]")
        return None
    try:
        return parse_game(model.game)
    except Refused as error:
        errors.add("game", str(error))
        return None


def clock_of(model: Common, game: Game | None, errors: Errors) -> TimeControl | None:
    """Return the clock of the games, if they have one."""
    if model.time.clock is None and not model.time.flag_draws and not errors.at("time.clock"):
        errors.add("time.flag_draws", "needs a clock: time.clock")
    if model.time.clock is not None and game is not None and game.refereed:
        errors.add("time.clock", f"{game.name}: the referee's program keeps the time")
        return None
    return clock_in(model.time.clock, "time.clock", errors)


def openings_of(model: Common, checker: StudyChecker, folder: Path) -> OpeningRules:
    """Return the opening rules: both halves of the balance or none; records start at the folder."""
    given = model.openings
    both = ("balanced_by", "balanced_within")
    absent = [name for name in both if getattr(given, name) is None]
    if len(absent) == 1 and not checker.errors.at(f"openings.{absent[0]}"):
        checker.error(f"openings.{absent[0]}", f"is missing: {both[0]} and {both[1]} go together")
    game = checker.game
    usual = game.opening_plies if game is not None else 0
    plies = usual if given.plies is None else given.plies
    if game is not None and game.refereed:
        for name in ("plies", "balanced_by", "balanced_within"):
            if getattr(given, name):
                text = f"{game.name} has no moves here; allowed: records, a file of seeds"
                checker.error(f"openings.{name}", text)
                return OpeningRules(0)
    if game is not None and plies >= game.max_plies:
        text = f"{plies} is not below the {game.max_plies} plies that {game.label} can last"
        checker.error("openings.plies", text)
    path = "openings.balanced_by"
    engine = checker.spec(given.balanced_by, path) if given.balanced_by is not None else None
    records: str = ""
    lines: Sequence[str] = ()
    if given.records is not None and game is not None and not checker.errors.at("openings.plies"):
        place = (folder / given.records).resolve()
        records = str(place)
        try:
            lines = openings_in(place, game, plies)
        except Refused as error:
            checker.error("openings.records", str(error))
    for name in ("order", "start"):
        if given.records is None and name in given.model_fields_set:
            checker.error(f"openings.{name}", "needs openings.records")
    if given.order == RANDOM and given.start != 1:
        checker.error("openings.start", "needs order = 'sequential'")
    elif lines and given.start > len(lines):
        checker.error("openings.start", f"{given.start}: there are {len(lines)} records")
    return OpeningRules(
        *(plies, engine, given.balanced_within, records, lines),
        order=given.order,
        start=given.start,
        shuffle=model.seed,
        drop_forced=drop_forced(given, game, plies, checker),
        by_default=given.forced_ends is None,
    )


def drop_forced(given: Openings, game: Game | None, plies: int, checker: StudyChecker) -> bool:
    """Whether openings with a forced end are left out: random ones by default, where one can see it."""
    if game is None or given.forced_ends == "keep":
        return False
    why = why_not_solved(game)
    if given.forced_ends == "drop" and why:
        checker.error("openings.forced_ends", f"{why}; allowed: 'keep'")
    asked = given.forced_ends == "drop" or (plies > 0 and given.records is None)
    return asked and not why


def budget_in(model: Common, errors: Errors) -> Budget | None:
    """Return the budget, if there is one."""
    if model.budget is None:
        return None
    budget = budget_of(model.budget)
    if budget is None:
        allowed = Common.model_fields["budget"].description
        number = model.budget.strip()
        meant = f'; did you mean "{number} games"?' if number.isdecimal() and int(number) else ""
        errors.add("budget", f"{show(model.budget)} is not {allowed}{meant}")
    return budget
