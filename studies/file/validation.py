"""Errors of a study file: all at once, one line each: where, what was found, what is allowed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from joute.engines.errors import LONGEST, Refused, cut, suggest
from joute.studies.file.strict import MANY

TOLD = 100  # different errors of one file that are told
Loc = tuple[int | str, ...]
M = TypeVar("M", bound=BaseModel)


class StudyRefused(Refused):
    """A study file that cannot be carried out; `errors` has one line each."""

    def __init__(self, source: str, errors: Sequence[str], whole: bool = False) -> None:
        super().__init__("\n".join(f"{source}: {error}" for error in errors))
        self.source, self.errors, self.whole = source, list(errors), whole

    def lines(self) -> list[str]:
        """Return one line per error; of a file that cannot be read at all, with its name."""
        name = f"{self.source}: " if self.whole else ""
        return [cut(f"{name}{error}", LONGEST) for error in self.errors]


class Errors:
    """Collects errors; the same text at several places becomes one line."""

    def __init__(self) -> None:
        self._paths: dict[str, dict[str, None]] = {}  # by text, in order
        self._faulty = set[str]()  # the paths that have an error
        self._above = set[str]()  # and all that these lie in

    def add(self, path: str, text: str) -> None:
        """Note an error once."""
        self._paths.setdefault(text, {})[path] = None
        self._faulty.add(path)
        while path and path not in self._above:
            self._above.add(path)
            path = path.rpartition(".")[0]

    def at(self, path: str) -> bool:
        """Whether this path itself has an error."""
        return path in self._faulty

    def under(self, path: str) -> bool:
        """Whether this path or anything below it has an error."""
        return path in self._above

    def lines(self) -> list[str]:
        """Return the errors, in the order in which they were found; of very many the first."""
        told = [*self._paths.items()][:TOLD]
        more = len(self._paths) - len(told)
        lines = [f"{places([*paths])}: {text}" for text, paths in told]
        return [*lines, f"{more} more error{'s' * (more != 1)}"] if more else lines


def places(paths: Sequence[str]) -> str:
    """Return paths as text: up to three in full, else two and the number of the others."""
    if len(paths) > 3:
        return f"{paths[0]}, {paths[1]} and {len(paths) - 2} more"
    return ", ".join(paths)


def show(value: Any) -> str:
    """Return a value as a study file writes it, more or less, cut at 60 characters."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def validate(model: type[M], data: Mapping[str, Any], errors: Errors) -> M | None:
    """Return the model of `data`; note its errors and replace faulty values by harmless ones."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        invalid = error.errors(include_url=False, include_context=False)
    for path, text in translate(model, invalid):
        errors.add(path, text)
    try:
        return model.model_validate(mended(model, data, invalid))
    except ValidationError:
        return None


def translate(model: type[BaseModel], errors: Sequence[ErrorDetails]) -> Iterator[tuple[str, str]]:
    """Yield path and text of pydantic's errors, reworded."""
    for error in errors:
        loc = error["loc"]
        path = ".".join(map(str, loc))
        owner, field = locate(model, loc)
        allowed = field.description if field else ""
        if field is None:
            yield path, f"unknown key{suggest(str(loc[-1]), owner.model_fields)}"
        elif error["type"] == "missing":
            yield path, f"is missing; allowed: {allowed}"
        else:
            value = error["input"]
            most = f" to {MANY:,}" if isinstance(value, int) and value > MANY else ""
            yield path, f"{show(value)} is not {allowed}{most}{hint(field, value)}"


def hint(field: FieldInfo, value: Any) -> str:
    """Return the nearest allowed word for a misspelt choice."""
    if get_origin(field.annotation) is not Literal or not isinstance(value, str):
        return ""
    return suggest(value, get_args(field.annotation))


def locate(model: type[BaseModel], loc: Loc) -> tuple[type[BaseModel], FieldInfo | None]:
    """Return the model and the field at an error's place; no field: an unknown key."""
    owner, field = model, None
    inner: type[BaseModel] | None = model
    named = False  # whether the next part is a user's name, in a table of tables
    for part in loc:
        if isinstance(part, int) or named:
            named = False
            continue
        if inner is None:
            break
        owner = inner
        field = owner.model_fields.get(part)
        if field is None:
            break
        inner = model_in(field.annotation)
        named = get_origin(field.annotation) is dict and inner is not None
    return owner, field


def model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model inside an annotation like `list[Stage]` or `Sprt | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        if model := model_in(part):
            return model
    return None


def mended(
    model: type[BaseModel], data: Mapping[str, Any], errors: Sequence[ErrorDetails]
) -> dict[str, Any]:
    """Return a copy of `data` whose faulty values are left out or, if required, replaced."""
    copy = deepcopy(dict(data))
    for error in errors:
        owner: Any = None
        key: int | str = ""
        table: Any = copy
        for part in error["loc"]:
            if isinstance(part, str):  # a faulty member takes its whole list with it
                owner, key = table, part
            held = isinstance(table, dict) and part in table
            held = held or (isinstance(table, list) and isinstance(part, int) and part < len(table))
            table = table[part] if held else None
        if not isinstance(owner, dict):
            continue
        _, field = locate(model, error["loc"])
        if field is not None and field.is_required() and field.examples:
            owner[key] = deepcopy(field.examples[0])
        else:
            owner.pop(key, None)
    return copy
