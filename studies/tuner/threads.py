"""One thread of linear algebra while the tuner thinks: its matrices are small, and threads would only
wait for each other, and add in another order on every machine.
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
    """Return the numerical libraries of this process; looked for once, when numpy is there."""
    return ThreadpoolController()


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function compute with one thread of linear algebra; afterwards all is as it was."""

    @wraps(function)
    def alone(*arguments: P.args, **named: P.kwargs) -> R:
        with libraries().limit(limits=1, user_api="blas"):
            return function(*arguments, **named)

    return alone
