"""Turns numba's error for a kernel into one line: the place, and the reason in plain words."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import types

from joute.engines.errors import RulesError

SYMBOLS = {
    "and_": "&",
    "iand": "&=",
    "or_": "|",
    "ior": "|=",
    "xor": "^",
    "ixor": "^=",
    "lshift": "<<",
    "ilshift": "<<=",
    "rshift": ">>",
    "irshift": ">>=",
    "invert": "~",
}
COMPUTED = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor")
CALLED = re.compile(r">>> (\w+)\((.*)\)")
RETURNED = re.compile(r"No conversion from (\S+) to (\S+) for '\$\S*return_value")
UNDEFINED = re.compile(r"NameError: (?:global )?name '(\w+)' is not defined")
TYPED = re.compile(r"^During: typing of .* at (.+) \((\d+)\)$", re.MULTILINE)
WRAP = "wrap the literal in U, as in x + U(1)"
MIXED = f"signed and unsigned numbers meet, which makes a fraction (float64); {WRAP}"
MEET = f"signed and unsigned numbers meet, which makes a signed one; {WRAP}"


class KernelError(RulesError, TypeError):
    """A kernel that cannot be compiled; the message is its name, place and reason in one line."""


def mixed_error(function: Callable[..., Any], line: int) -> KernelError:
    """Return the error of a function with a line in which signed and unsigned numbers meet."""
    return KernelError(f"{_place(function, line)} is refused: {MEET}")


def mixed_line(compiled: Any) -> int:
    """Return the first line of a function, just compiled, that computes with a signed and an unsigned
    number; 0 if there is none.

    Numba makes a signed one of them, whatever was meant: above 2**63 it is negative, and shifts to
    the right, divisions and comparisons are then silently wrong. Comparing two such numbers and
    shifting by a signed one is safe.
    """
    typed: Any = getattr(compiled, "type_annotation", None)
    if not hasattr(typed, "calltypes"):
        return 0  # it comes from the disk, where none is
    lines = []
    for expression in typed.calltypes:
        if getattr(expression, "op", "") not in ("binop", "inplace_binop"):
            continue
        if expression.fn.__name__.strip("_").removeprefix("i") not in COMPUTED:
            continue
        pair = [types.unliteral(typed.typemap[v.name]) for v in (expression.lhs, expression.rhs)]
        if all(isinstance(one, types.Integer) for one in pair) and pair[0].signed != pair[1].signed:
            lines.append(expression.loc.line)
    return min(lines, default=0)


def kernel_error(function: Callable[..., Any], error: Exception) -> KernelError:
    """Return the error of a function that numba has refused."""
    if plain := plain_function(function):
        code = plain.__code__
        place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}"
        return KernelError(f"{plain.__name__} ({place}) is a plain function; write @rule above it")
    message = str(error)
    line = line_of(function, message)
    return KernelError(f"{_place(function, line)} cannot be compiled: {cause(message)}")


def inner_error(error: BaseException | None) -> KernelError | None:
    """Return the error of a kernel that the refused one calls, which led to this one; None without it."""
    while error is not None and not isinstance(error, KernelError):
        error = error.__cause__ or error.__context__
    return error


def plain_function(function: Callable[..., Any]) -> FunctionType | None:
    """Return a function that a kernel calls, and that is no kernel."""
    code, cells = function.__code__, function.__closure__ or ()
    captured = dict(zip(code.co_freevars, (c.cell_contents for c in cells), strict=True))
    called = {**{n: function.__globals__.get(n) for n in code.co_names}, **captured}
    plain = (
        f for f in called.values() if isinstance(f, FunctionType) and not hasattr(f, "signature")
    )
    return next(plain, None)


def _place(function: Callable[..., Any], line: int) -> str:
    """Return which kernel it is, and where."""
    file = function.__code__.co_filename
    code = linecache.getline(file, line).strip()
    shown = f", `{code}`" if code and line != function.__code__.co_firstlineno else ""
    return f"the kernel {function.__name__} ({Path(file).name}, line {line}{shown})"


def line_of(function: Callable[..., Any], message: str) -> int:
    """Return the line of the function's file that numba is about, or where the function begins."""
    code = function.__code__
    for file, line in TYPED.findall(message):
        if file == code.co_filename:
            return int(line)
    if name := UNDEFINED.search(message):
        last = max((line for *_, line in code.co_lines() if line), default=code.co_firstlineno)
        for line in range(code.co_firstlineno, last + 1):
            if re.search(rf"\b{name[1]}\b", linecache.getline(code.co_filename, line)):
                return line
    return code.co_firstlineno


def cause(message: str) -> str:
    """Return the reason of numba's message in plain words."""
    if name := UNDEFINED.search(message):
        return f"there is no {name[1]} (a kernel sees its arguments and what its factory names)"
    if returned := RETURNED.search(message):
        if returned[1] == "none":
            return f"one way through it returns nothing; it must return {returned[2]} always"
        return f"it returns {returned[1]}; it must return {returned[2]}"
    called = CALLED.search(message)
    if called and "No implementation of function" in message:
        asked, types = called[1], called[2]
        if asked in SYMBOLS and "float64" in types:
            return f"{SYMBOLS[asked]} does not go with a fraction: {MIXED}"
        if asked in ("getitem", "setitem") and re.search(r"\), float64", types):
            return f"a fraction is no index: {MIXED}"
        return f"kernels cannot compute {SYMBOLS.get(asked, asked)} of {types}"
    lines = [line.strip(" -=>") for line in message.splitlines()]
    frame = ("Failed in", "During:", "File ", "There are", "Overload", "This error")
    useful = [line for line in lines if line and not line.startswith(frame)]
    return useful[0] if useful else repr(message)
