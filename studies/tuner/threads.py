"""Limits linear algebra to one thread while the tuner thinks: its matrices are small; threads would
only wait for each other, and sum in another order on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
R = TypeVar("R")


@cache
def libraries() -> ThreadpoolController:
    """Return the numerical libraries of this process; looked up once, after numpy is loaded."""
    return ThreadpoolController()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function compute with one thread of linear algebra, and restore the old number."""

    @wraps(function)
    def alone(*arguments: P.args, **named: P.kwargs) -> R:
        with libraries().limit(limits=1, user_api="blas"):
            return function(*arguments, **named)

    return alone
