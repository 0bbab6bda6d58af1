"""Limits linear algebra to one thread while a model is made or read: its matrices are small; threads
would only wait for each other, many times as long on a busy machine, and sum in another order on every
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, wraps
from inspect import isfunction, isgeneratorfunction
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)


@cache
def libraries() -> ThreadpoolController:
    """Return the numerical libraries of this process; looked up once, after numpy and scipy are loaded."""
    import scipy.linalg  # noqa: F401

    return ThreadpoolController()


class Alone:
    """How many computations, in any threads, need one thread of linear algebra at this moment."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Limit the libraries from the first that comes in to the last that goes out."""
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._limit = libraries().limit(limits=1, user_api="blas")
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    self._limit.restore_original_limits()


_alone = Alone()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function compute with one thread of linear algebra, and restore the old number."""

    @wraps(function)
    def alone(*arguments: P.args, **named: P.kwargs) -> R:
        with _alone():
            return function(*arguments, **named)

    return alone


def each_alone(made: C) -> C:
    """Make the public methods and cached properties of a class, and how it is made, compute with one thread."""
    for name, member in list(vars(made).items()):
        called = name == "__init__" or not name.startswith("_")
        if isinstance(member, cached_property):
            member.func = one_thread(member.func)
        elif called and isfunction(member) and not isgeneratorfunction(member):
            setattr(made, name, one_thread(member))
    return made
