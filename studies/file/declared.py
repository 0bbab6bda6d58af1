"""[parameters]: the parameters of an external program, as a study file declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from joute.engines.check import COMPONENTS
from joute.engines.errors import Refused
from joute.engines.parameter import Parameter, Value, text_of
from joute.engines.programs import placeholders
from joute.studies.file.strict import Strict
from joute.studies.file.validation import Errors, show

NUMBERS = ("float", "int")


class Declared(Strict):
    """One parameter: its kind, its range or choices, its default."""

    kind: Literal["float", "int", "choice", "text"] = Field(
        examples=["text"],
        title="the kind of its values",
    )
    default: Any = Field(
        description="a value of that kind",
        examples=[""],
        title="its value unless another is given",
    )
    low: float | None = Field(None, allow_inf_nan=False, title="the lowest value of a number")
    high: float | None = Field(None, allow_inf_nan=False, title="the highest value of a number")
    choices: list[Any] = Field([], description="a list of texts", title="the values of a choice")
    meaning: str = Field("", description="a text", title="what it does, for the reader")
    option: str = Field(
        "",
        description="a name as the program writes it",
        examples=["Mobility (Middle Game)"],
        title="the option of a UCI engine that it sets",
    )


def option_names(declared: Mapping[str, Declared]) -> dict[str, str]:
    """Return the options that parameters set, by the parameter's name."""
    return {name: given.option for name, given in declared.items() if given.option}


def with_options(settings: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, Any]:
    """Return a program's settings in which these options are set, `Mobility={mobility}`."""
    text = str(settings.get("options", ""))
    known = placeholders.names_in(text)
    more = [f"{option}={{{name}}}" for name, option in options.items() if name not in known]
    return {**settings, "options": "; ".join([*filter(None, [text.strip(" ;")]), *more])}


class StandIn(Parameter):
    """Placeholder for an invalid declaration: accepts anything, so that one mistake gives one error."""

    def check(self, value: Any, where: str = "") -> Value:
        """Return the value as it is."""
        return value  # type: ignore[no-any-return]


def parameters_of(declared: Mapping[str, Declared], errors: Errors) -> dict[str, Parameter]:
    """Return the valid declared parameters; note the errors of the others."""
    parameters = {}
    for name, given in declared.items():
        path = f"parameters.{name}"
        if not errors.under(path):
            check(name, given, path, errors)
        if errors.under(path):
            continue
        numeric = given.kind in NUMBERS
        range_ = {"low": given.low, "high": given.high} if numeric else {}
        parameter = Parameter(
            name,
            given.kind,
            given.default,
            choices=tuple(given.choices),
            meaning=given.meaning,
            source="declared in the study",
            **{end: value for end, value in range_.items() if value is not None},  # type: ignore[arg-type]
        )
        try:
            parameter.check(given.default)
        except Refused as error:
            errors.add(f"{path}.default", str(error))
            continue
        parameters[name] = parameter
    return parameters


def check(name: str, given: Declared, path: str, errors: Errors) -> None:
    """Note a name that does not fit in braces, and a range or choices that do not fit the kind."""
    if not name.isidentifier() or name in COMPONENTS:
        why = "is a reserved word" if name in COMPONENTS else "is not a name"
        errors.add(path, f"{show(name)} {why}; allowed: another name of letters, digits and '_'")
    numeric = given.kind in NUMBERS
    for end in ("low", "high"):
        limit = getattr(given, end)
        if limit is not None and not numeric:
            errors.add(f"{path}.{end}", f"does not go with kind = {show(given.kind)}")
        elif limit is not None and given.kind == "int" and limit % 1:
            errors.add(f"{path}.{end}", f"{text_of(limit)} is not a whole number")
    if numeric and given.low is not None and given.high is not None and given.low >= given.high:
        errors.add(path, f"low = {text_of(given.low)} is not below high = {text_of(given.high)}")
    if given.kind != "choice" and given.choices:
        errors.add(f"{path}.choices", f"goes only with kind = {show('choice')}")
    elif given.kind == "choice" and (fault := choices_fault(given.choices)):
        errors.add(f"{path}.choices", fault)


def choices_fault(choices: Sequence[Any]) -> str:
    """Return the first error in the choices of a parameter, or ""."""
    for choice in choices:
        if is_number(choice):
            return f"{show(choice)} is a number; declare a float or an int"
    if len(choices) < 2 or not all(isinstance(choice, str) for choice in choices):
        return f"{show(choices)} is not a list of two or more texts"
    return f"{show(choices)} lists a text twice" if len(set(choices)) < len(choices) else ""


def is_number(text: Any) -> bool:
    """Whether a text is a number, or would be read as one."""
    try:
        Parameter("choice", "float", 0.0).check(text)
    except Refused:
        return False
    return True


def as_table(declared: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the [parameters] table of a study file."""
    table = {}
    for name, p in declared.items():
        row: dict[str, Any] = {"kind": p.kind, "default": p.check(p.default)}
        if p.kind in NUMBERS:
            ends = {"low": p.low, "high": p.high}
            row |= {end: value for end, value in ends.items() if abs(value) < float("inf")}
        if p.choices:
            row["choices"] = list(p.choices)
        table[name] = row | ({"meaning": p.meaning} if p.meaning else {})
    return table
