"""A call from a kernel to Python, which values a state by a network.

The address of the function travels in an engine's parameter vector: no compiled kernel holds one.
An error in the call cannot travel through a kernel. A network's failure is kept: every value from then
on is 0, until the player asks what failed. Any other error ends the process with its text on stderr, and
the seat to move loses by a crash.
"""

from __future__ import annotations

import ctypes
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from joute.engines.kernels.compile import JIT, Words
from joute.engines.player import PlayerFailure

Value = Callable[[Words, int], float]  # (W, at): value of the state for the player to move
CALLED = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
ARRAYS = 64  # of engines at work that share a network
CRASHED = 70  # exit code after a network failed within a kernel


class Called:
    """A function that kernels can call, at `address`, as long as this process lives."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self._failure: PlayerFailure | None = None
        self._arrays: dict[tuple[int, int], Words] = {}
        self._function = CALLED(self._answer)
        self.address = float(ctypes.cast(self._function, ctypes.c_void_p).value or 0)
        _called[self.address] = self

    def failure(self) -> PlayerFailure | None:
        """Return the first failure since this was asked before."""
        failure, self._failure = self._failure, None
        return failure

    def ask(self, W: Words, at: int) -> float:
        """Return the value of a state, 0 after a failure."""
        if self._failure is not None:
            return 0.0
        try:
            return self.value(W, at)
        except PlayerFailure as failure:
            self._failure = failure
            return 0.0

    def _answer(self, words: int, size: int, at: int) -> float:
        try:
            if (words, size) not in self._arrays:
                if len(self._arrays) >= ARRAYS:
                    del self._arrays[next(iter(self._arrays))]  # the first: its engine may be gone
                memory = (ctypes.c_uint64 * size).from_address(words)
                self._arrays[words, size] = np.ctypeslib.as_array(memory)
            return self.ask(self._arrays[words, size], at)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(CRASHED)


_called: dict[float, Called] = {}


class _Plainly:
    """Replaces `ask` where nothing is compiled."""

    def __call__(self, address: float, W: Words, at: int) -> float:
        return _called[float(address)].ask(W, int(at))


@intrinsic
def _ask(context: Any, address: Any, W: Any, at: Any) -> Any:
    """Return the value that the function at an address gives the state at W[at]."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number = ir.IntType(64)
        array = cgutils.create_struct_proxy(signature.args[1])(context, builder, arguments[1])
        function = ir.FunctionType(ir.DoubleType(), [number] * 3).as_pointer()
        called = builder.inttoptr(builder.fptosi(arguments[0], number), function)
        given = (builder.ptrtoint(array.data, number), array.nitems, arguments[2])
        return builder.call(called, given)

    return types.float64(address, W, at), code


ask: Any = _ask if JIT else _Plainly()
ask.digest = "call 1"
