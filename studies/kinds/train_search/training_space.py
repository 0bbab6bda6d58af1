"""The space of a search among trainings: settings of a training study, by path in its file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from joute.engines.data import parse_toml
from joute.engines.errors import unknown
from joute.engines.parameter import Value
from joute.studies.file.range import above_zero, is_number, number, read_numbers
from joute.studies.file.validation import Errors, show
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Domain

TABLES = ("engine", "net", "view", "selfplay", "learn", "gate", "records")
RANGE = ("from", "to", "step", "log")
ALLOWED = "a list of two or more values, or { from, to } with step or log if need be"
FOLLOWS = "selfplay.iterations"


@dataclass(frozen=True)
class TrainingSpace(Domain):
    """Settings of a training by path (`learn.rate`); all are always active.

    Choices of an axis are the TOML texts of the values.
    """

    axes: tuple[Axis, ...]


def training_space_of(table: Mapping[str, Any], errors: Errors) -> TrainingSpace | None:
    """Return the space of a study's table; note every error."""
    axes = []
    for path, given in leaves(table):
        place, top = f"space.{path}", path.partition(".")[0]
        if top not in TABLES or "." not in path:
            errors.add(
                place, str(unknown("setting of a training", path, [f"{t}.…" for t in TABLES]))
            )
        elif path == FOLLOWS:
            errors.add(place, "follows from trials.games: leave it out")
        elif (axis := axis_of(path, given, place, errors)) is not None:
            axes.append(axis)
    if not table or not (axes or errors.under("space")):
        errors.add("space", f"is empty; allowed: settings such as learn.rate with {ALLOWED}")
    return None if errors.under("space") else TrainingSpace(tuple(axes))


def leaves(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path and the given values of each setting; a range is one setting."""
    for key, given in table.items():
        path = f"{before}{key}"
        if isinstance(given, Mapping) and not {*RANGE} & {*given}:
            yield from leaves(given, f"{path}.")
        else:
            yield path, given


def axis_of(path: str, given: Any, place: str, errors: Errors) -> Axis | None:
    """Return the axis of a setting: a choice, or a range, of integers if both ends are integers."""
    if isinstance(given, list):
        choices = tuple(map(written, given))
        if len(choices) > 1 and len({*choices}) == len(choices):
            return Axis(path, "choice", choices=choices)
        errors.add(place, f"{show(given)} is not {ALLOWED}, all different")
        return None
    if not isinstance(given, Mapping):
        errors.add(place, f"{show(given)} is not {ALLOWED}")
        return None
    whole = all(type(given.get(key, 1)) is int for key in ("from", "to", "step"))
    log, step = given.get("log", False), given.get("step")
    checks = {"from": number, "to": number}
    if step is not None:
        checks["step"] = lambda value: above_zero(value, whole)
    ends = read_numbers(given, place, errors, RANGE, checks, "a number")
    if type(log) is not bool:
        errors.add(f"{place}.log", f"{show(log)} is not true or false")
    if ends is None or errors.under(place):
        return None
    low, high = float(ends["from"]), float(ends["to"])
    if low >= high:
        errors.add(place, f"from = {show(given['from'])} is not below to = {show(given['to'])}")
    elif log and (low <= 0 or step is not None):
        errors.add(f"{place}.log", "needs from above 0 and no step")
    else:
        each = float(ends["step"]) if step is not None else 1.0 if whole and not log else None
        return Axis(path, "int" if whole else "float", low, high, each, log)
    return None


def written(value: Any) -> str:
    """Return a value as TOML; a text without quotes where that is unambiguous."""
    if isinstance(value, str):
        return value if read(value) == value else json.dumps(value)
    return json.dumps(value)


def read(text: str) -> Any:
    """Return the value of a choice's text."""
    try:
        return parse_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def trial_table(
    base: Mapping[str, Any], axes: tuple[Axis, ...], point: Mapping[str, Value], games: int
) -> dict[str, Any]:
    """Return the table of a training study: the base with the settings of a point, without ladder,
    and with the iterations that make so many games of self-play.
    """
    trial = {**deepcopy(dict(base)), "kind": "train", "ladder": {"generations": 0}}
    kinds = {axis.name: axis.kind for axis in axes}
    for path, value in point.items():
        *tables, key = path.split(".")
        place = trial
        for table in tables:
            place = place.setdefault(table, {})
        place[key] = read(str(value)) if kinds[path] == "choice" else value
    own = trial.get("selfplay")
    if own is not None:
        each = own.get("games", SelfPlayPlan().games)
        usable = type(each) is int and each > 0  # else reported elsewhere
        own["iterations"] = max(1, games // each) if usable else 1
    return trial


def setting(table: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path of a table; None if there is none."""
    place: Any = table
    for key in path.split("."):
        place = place.get(key) if isinstance(place, Mapping) else None
    return place


def point_of(space: Domain, table: Mapping[str, Any]) -> dict[str, Value] | None:
    """Return the point of a resolved training study; None if it is outside, or a setting is left to
    its search's default.
    """
    point: dict[str, Value] = {}
    for axis in space.axes:
        value = setting(table, axis.name)
        if value is None:
            return None
        if axis.kind == "choice":
            if written(value) not in axis.choices:
                return None
            point[axis.name] = written(value)
        elif not is_number(value) or not axis.low <= value <= axis.high:
            return None
        elif axis.step is None or axis.tidy(value) == value:
            point[axis.name] = value
        else:
            return None
    return point
