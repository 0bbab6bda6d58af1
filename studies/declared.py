"""[parameters]: what a study file tells of a program's own parameters, which nobody else knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from engines.engine import COMPONENTS
from engines.errors import Refused
from engines.parameter import Parameter, text_of
from studies.faults import Faults, show
from studies.strict import Strict

NUMBERS = ("float", "int")


class Declared(Strict):
    """One parameter: its kind, its range or choices, its default."""

    kind: Literal["float", "int", "choice", "text"] = Field(
        description="'float', 'int', 'choice' or 'text'", examples=["text"]
    )
    default: Any = Field(description="a value of that kind", examples=[""])
    low: float | None = Field(None, description="a number")
    high: float | None = Field(None, description="a number")
    choices: list[str] = Field([], description="a list of texts")
    meaning: str = Field("", description="a text")


def parameters_of(declared: Mapping[str, Declared], faults: Faults) -> dict[str, Parameter]:
    """Return the declared parameters that make sense; note what does not."""
    found = {}
    for name, given in declared.items():
        path = f"parameters.{name}"
        if not faults.under(path):
            check(name, given, path, faults)
        if faults.under(path):
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
            faults.add(f"{path}.default", str(error))
            continue
        found[name] = parameter
    return found


def check(name: str, given: Declared, path: str, faults: Faults) -> None:
    """Note a name that cannot stand in braces, and a range or choices that do not fit the kind."""
    if not name.isidentifier() or name in COMPONENTS:
        faults.add(path, f"{show(name)} is not a name (letters, digits and '_')")
    numeric = given.kind in NUMBERS
    for end in ("low", "high"):
        if getattr(given, end) is not None and not numeric:
            faults.add(f"{path}.{end}", f"does not go with kind = {show(given.kind)}")
    if numeric and given.low is not None and given.high is not None and given.low >= given.high:
        faults.add(path, f"low = {text_of(given.low)} is not below high = {text_of(given.high)}")
    if given.kind == "choice" and len(set(given.choices)) < 2:
        faults.add(f"{path}.choices", f"{show(given.choices)} is not a list of two or more texts")
    if given.kind != "choice" and given.choices:
        faults.add(f"{path}.choices", f"goes only with kind = {show('choice')}")
    for choice in given.choices:
        if is_number(choice):
            faults.add(f"{path}.choices", f"{show(choice)} is a number; declare a float or an int")


def is_number(text: str) -> bool:
    """Whether a text would be read as a number."""
    try:
        Parameter("choice", "float", 0.0).check(text)
    except Refused:
        return False
    return True


def said_of(declared: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the table as a study file says it."""
    found = {}
    for name, p in declared.items():
        said: dict[str, Any] = {"kind": p.kind, "default": p.check(p.default)}
        if p.kind in NUMBERS:
            ends = {"low": p.low, "high": p.high}
            said |= {end: value for end, value in ends.items() if abs(value) < float("inf")}
        if p.choices:
            said["choices"] = list(p.choices)
        found[name] = said | ({"meaning": p.meaning} if p.meaning else {})
    return found
