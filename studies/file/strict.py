"""The base of all models of study files: no unknown keys, and words for what each key may be."""

from __future__ import annotations

from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

MANY = 10**9  # upper ends from here on are not worth a word


class Strict(BaseModel):
    """A table of a study file: no unknown keys, no conversion of types, finite numbers.

    A key without a `description` gets one from its type and range.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        """Describe each key whose field has no description."""
        for field in cls.model_fields.values():
            if field.description is None:
                field.description = allowed_words(field)


def allowed_words(field: FieldInfo) -> str | None:
    """Return the allowed values in words ("a number above 0"); None if the type does not say."""
    kind: Any = field.annotation
    ends = list(field.metadata)
    if get_origin(kind) in (Union, UnionType):
        parts = [part for part in get_args(kind) if part is not type(None)]
        if len(parts) != 1:
            return None
        kind = parts[0]
    if hasattr(kind, "__metadata__"):  # Annotated inside of `| None`
        for given in kind.__metadata__:
            ends += given.metadata if isinstance(given, FieldInfo) else [given]
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        words = [repr(word) for word in get_args(kind)]
        return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    if kind is bool:
        return "true or false"
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "a table"
    return _whole(ends) if kind is int else _number(ends) if kind is float else None


def _end(ends: list[Any], kind: type, name: str) -> Any:
    return next((getattr(end, name) for end in ends if isinstance(end, kind)), None)


def _whole(ends: list[Any]) -> str:
    low, high = _end(ends, Ge, "ge"), _end(ends, Le, "le")
    if low is None:
        return "a whole number"
    return f"a whole number from {low} " + ("up" if high is None or high >= MANY else f"to {high}")


def _number(ends: list[Any]) -> str:
    low, above, high = _end(ends, Ge, "ge"), _end(ends, Gt, "gt"), _end(ends, Le, "le")
    below = _end(ends, Lt, "lt")
    if above is not None:
        more = f", at most {high:g}" if high is not None else ""
        return f"a number above {above:g}" + (
            f" and below {below:g}" if below is not None else more
        )
    if low is None:
        return "a number"
    if below is not None:
        return f"a number from {low:g} to below {below:g}"
    return f"a number from {low:g} " + ("up" if high is None else f"to {high:g}")
