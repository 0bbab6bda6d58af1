"""[space]: the searched parameters, their ranges, and how points become engines."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joute.engines.check import COMPONENTS, check, context, parameters_in, usual_generator
from joute.engines.engine import Engine
from joute.engines.errors import Refused, suggest, unknown
from joute.engines.game import Game
from joute.engines.parameter import LIMITS, Parameter, Value
from joute.engines.registry import find, make, names
from joute.studies.file.declared import StandIn
from joute.studies.file.range import MOST, Range, above_zero, read_numbers
from joute.studies.file.study_checker import StudyChecker
from joute.studies.file.validation import show
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Domain

RANGE = ("from", "to", "step", "log", "marks")
ALLOWED = "a list of values, or { from, to } with optional step, log or marks"


@dataclass(frozen=True)
class Space(Domain):
    """The searched axes over a base engine; components (search, evaluation, generator) come first.

    An axis is active at a point when the engine there has that parameter and it has an effect.
    """

    game: Game | None
    base: Mapping[str, Any]
    axes: tuple[Axis, ...]
    declared: Mapping[str, Parameter] = field(default_factory=dict)
    _known: dict[tuple[str, ...], dict[str, Parameter]] = field(default_factory=dict, compare=False)

    def active(self, axis: Axis, point: Mapping[str, Value]) -> bool:
        """Whether an axis has an effect, given the axes before it."""
        if axis.name in COMPONENTS:
            return True
        settings = {**self.base, **point}
        known = self.parameters(settings)
        if axis.name not in known:
            return False
        values = {n: settings.get(n, p.usual(settings)) for n, p in known.items()}
        return known[axis.name].active(context(self.game, settings, values))

    def parameters(self, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """Return the parameters of the components that the settings name, in canonical order."""
        chosen = tuple(str(settings.get(kind, "")) for kind in COMPONENTS)
        if chosen not in self._known:
            parameters = check(self.game, settings, self.declared).parameters
            self._known[chosen] = {p.name: p for p in parameters}
        return self._known[chosen]

    def engine(self, point: Mapping[str, Value]) -> Engine:
        """Return the engine at a point; settings of the base that it does not know are dropped, and usual
        ones where another component has its own parameter of that name.
        """
        assert self.game is not None
        settings = {**self.base, **point}
        parameters = self.parameters(settings)
        settings = {n: p.default for n, p in parameters.items() if n in self.declared} | settings
        known = {*parameters, *COMPONENTS, *LIMITS} - self._usual_elsewhere(point, parameters)
        return Engine(self.game, {k: v for k, v in settings.items() if k in known})

    def _usual_elsewhere(
        self, point: Mapping[str, Value], parameters: Mapping[str, Parameter]
    ) -> set[str]:
        """Return the names of which the base has the usual value, of another parameter than a point: a
        resolved study says every value, also that of a name which two evaluations share.
        """
        if all(point.get(kind, self.base.get(kind)) == self.base.get(kind) for kind in COMPONENTS):
            return set()
        try:
            own = self.parameters(self.base)
        except Refused:  # the base is no engine by itself
            return set()
        return {
            name
            for name, there in own.items()
            if name in self.base
            and name not in point
            and parameters.get(name, there) != there
            and self.base[name] == there.usual(self.base)
        }

    def point_of(self, engine: Engine) -> dict[str, Value] | None:
        """Return the point of an engine; None if it is outside the space or between steps."""
        settings = engine.settings
        for axis in self.axes:
            value = settings.get(axis.name)
            if value is None:
                continue
            between = axis.step is not None and axis.tidy(value) != value
            if not axis.holds(value) or between:
                return None
        point: dict[str, Value] = {}
        for axis in self.axes:
            if self.active(axis, point):
                if axis.name not in settings:
                    return None
                point[axis.name] = settings[axis.name]
        return point


def space_of(table: Mapping[str, Any], checker: StudyChecker, path: str = "space") -> Space | None:
    """Return the space of a study's table over its base engine; note every error."""
    if not table:
        if not checker.errors.under(path):  # as of a table that is missing
            checker.error(path, f"is empty; allowed: parameters with {ALLOWED}")
        return None
    if checker.game is None:
        return None
    axis_by_name: dict[str, Axis] = {}
    chosen = {kind: choices_of(table.get(kind), checker.base.get(kind)) for kind in COMPONENTS}
    if not chosen["generator"] and len(chosen["search"]) == 1:
        with contextlib.suppress(Refused):  # an unknown search is reported below
            chosen["generator"] = [usual_generator(checker.game, find("search", *chosen["search"]))]
    known: dict[str, Parameter] = {}
    for kind, members in chosen.items():
        for name in members:
            try:
                member = make(kind, name)
                settings = {**checker.base, kind: name}
                own = parameters_in(checker.game, settings, {kind: member})
                known |= {p.name: p for p in own if p.name not in known} | checker.declared_for(
                    settings
                )
            except Refused as error:
                place = f"{path}.{kind}" if kind in table else f"engine.{kind}"
                checker.error(place, str(error))
    for name, given in table.items():
        where = f"{path}.{name}"
        if name in COMPONENTS:
            axis = choice_axis(name, given, tuple(names(name)), where, checker)
        elif name in known:
            axis = axis_of(known[name], given, where, checker)
        else:
            searched = [*known, *COMPONENTS]
            fixed = f"{name} is a limit of work, which is fixed in [engine]; allowed: {', '.join(searched)}"
            checker.error(
                where, fixed if name in LIMITS else str(unknown("parameter", name, searched))
            )
            continue
        if axis is not None:
            axis_by_name[name] = axis
    order = [*COMPONENTS, *known]
    axes = tuple(sorted(axis_by_name.values(), key=lambda axis: order.index(axis.name)))
    if any(checker.errors.under(part) for part in (path, "engine", "parameters")):
        return None
    space = Space(checker.game, checker.base, axes, checker.declared)
    try:
        for point in space.corners():
            space.engine(point)
    except Refused as error:
        checker.error(path, str(error))
        return None
    return space


def choices_of(given: Any, base: Any) -> list[str]:
    """Return the searched members of a component, else the base's."""
    if isinstance(given, list):
        return [str(value) for value in given]
    return [] if base is None else [str(base)]


def choice_axis(
    name: str, given: Any, allowed: tuple[str, ...], where: str, checker: StudyChecker
) -> Axis | None:
    """Return the axis of a choice; report a non-list, a duplicate, an unknown or a single choice."""
    if not isinstance(given, list):
        checker.error(where, f"{show(given)} is not a list of values")
        return None
    for value in given:
        if str(value) not in allowed:
            checker.error(where, f"{show(value)} is not one of {', '.join(allowed)}"
                       f"{suggest(str(value), allowed)}")  # fmt: skip
    if len({str(value) for value in given}) < len(given):
        checker.error(where, f"{show(given)} lists a value twice")
    if len(given) < 2:
        checker.error(where, f"{show(given)} leaves no choice; allowed: at least two values (a "
            f"single one belongs under [engine])")  # fmt: skip
    return (
        None if checker.errors.at(where) else Axis(name, "choice", choices=tuple(map(str, given)))
    )


def axis_of(parameter: Parameter, given: Any, where: str, checker: StudyChecker) -> Axis | None:
    """Return the axis of a parameter: a choice's values, or a range within the parameter's own."""
    if isinstance(parameter, StandIn):
        return None
    if parameter.kind == "choice":
        return choice_axis(parameter.name, given, parameter.choices, where, checker)
    if parameter.kind == "text":
        checker.error(where, f"is no number; declare it: [parameters] {parameter.name} = "
                   "{ kind, low, high, default }")  # fmt: skip
        return None
    if not isinstance(given, dict):
        allowed = "{ from, to }, with optional step or log"
        checker.error(where, f"{show(given)} is not a range {allowed}")
        return None
    whole = parameter.kind == "int"
    checks = dict.fromkeys(("from", "to"), lambda value: float(parameter.check(value)))
    if given.get("step") is not None:
        checks["step"] = lambda value: float(above_zero(value, whole))
    ends = read_numbers(given, where, checker.errors, RANGE, checks, parameter.allowed())
    step, log = given.get("step"), given.get("log", False)
    marks = given.get("marks", [])
    numbers = isinstance(marks, list) and all(type(m) in (int, float) for m in marks)
    if not numbers:
        checker.error(f"{where}.marks", f"{show(marks)} is not a list of numbers")
    elif ends is not None and not all(ends["from"] <= m <= ends["to"] for m in marks):
        checker.error(f"{where}.marks", f"{show(marks)} leaves the range")
    if not isinstance(log, bool):
        checker.error(f"{where}.log", f"{show(log)} is not true or false")
    if ends is None or checker.errors.under(where):
        return None
    if ends["from"] >= ends["to"]:
        checker.error(where, f"from = {show(given['from'])} is not below to = {show(given['to'])}")
    elif step is not None and not ends["to"] - ends["from"] >= step:
        checker.error(f"{where}.step", f"{show(step)} is wider than the range")
    elif step is not None and (ends["to"] - ends["from"]) / step > MOST:
        checker.error(f"{where}.step", f"{show(step)} makes more than {MOST} values; leave it out")
    elif log and (ends["from"] <= 0 or step is not None):
        checker.error(f"{where}.log", "needs from > 0 and no step")
    if checker.errors.under(where):
        return None
    if step is None and parameter.step is not None:
        step = parameter.step
    if step is not None:  # the range ends at its last step
        ends["to"] = float(Range(ends["from"], ends["to"], float(step)).last)
    own = 1.0 if whole and step is None and not log else step
    fine = None if own is None else float(own)
    ends_of = (ends["from"], ends["to"])
    pointed = tuple(float(m) for m in marks)
    return Axis(parameter.name, parameter.kind, *ends_of, fine, bool(log), marks=pointed)
