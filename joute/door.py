"""What all functions of the door have in common: an argument that they lack is refused by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from joute.engines.errors import unknown

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


def door(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Make a function of the door: an argument of an unknown name is refused with the nearest. Signature,
    types and docstring stay those of the function.
    """
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def checked(*args: Arguments.args, **named: Arguments.kwargs) -> Returned:
        for name in named:
            if name not in known:
                raise unknown("argument", name, known, f"joute.{function.__name__}")
        return function(*args, **named)

    return checked
