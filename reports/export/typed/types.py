"""Types of what kernels compute with, in numba's notation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from joute.engines.kernels.compile import arguments_of, flat


class Type(NamedTuple):
    """A scalar by its name (u8, i8, f8, b1, ...), an "array" of one, a "tuple" of several, or void."""

    kind: str
    parts: tuple[Type, ...] = ()

    @property
    def element(self) -> Type:
        """The type of an array's elements."""
        return self.parts[0]


U8, I8, F8, B1, VOID = Type("u8"), Type("i8"), Type("f8"), Type("b1"), Type("void")
SCALARS = {
    name: Type(name) for name in ["u8", "i8", "f8", "b1", "u4", "i4", "f4", "u2", "i2", "u1", "i1"]
}
WIDE = {"u4": U8, "u2": U8, "u1": U8, "i4": I8, "i2": I8, "i1": I8}  # as numba computes with them
OF_NUMPY = {
    np.dtype(of): SCALARS[name]
    for of, name in [
        (np.uint64, "u8"), (np.int64, "i8"), (np.float64, "f8"), (np.bool_, "b1"),
        (np.uint32, "u4"), (np.int32, "i4"), (np.float32, "f4"), (np.uint16, "u2"),
        (np.int16, "i2"), (np.uint8, "u1"), (np.int8, "i1"),
    ]
}  # fmt: skip


def array_of(element: Type) -> Type:
    """Return the type of a flat array."""
    return Type("array", (element,))


def tuple_of(*parts: Type) -> Type:
    """Return the type of a tuple."""
    return Type("tuple", parts)


def type_of(text: str) -> Type:
    """Return the type that numba's notation names; KeyError for one that no kernel has."""
    text = text.strip()
    if text.startswith("Tuple(("):
        return tuple_of(*map(type_of, text[7:-2].split(",")))
    if text.startswith("UniTuple("):
        part, count = text[9:-1].split(",")
        return tuple_of(*[type_of(part)] * int(count))
    if text.endswith("[::1]"):
        return array_of(type_of(text[:-5]))
    return VOID if text == "void" else SCALARS[text]


def signature_of(kernel: Any) -> tuple[Type, list[Type]]:
    """Return the types of a kernel's result and of its arguments, named tuples taken apart."""
    text = flat(kernel.signature).strip()
    arguments = arguments_of(text)
    depth, begin = 0, len(text)
    for begin in range(len(text) - 1, -1, -1):
        depth += (text[begin] == ")") - (text[begin] == "(")
        if depth == 0:
            break
    return type_of(text[:begin]), [type_of(argument) for argument in arguments]


def joined(a: Type, b: Type) -> Type | None:
    """Return the type of a variable that takes values of both, as numba has it; None if none does."""
    if a == b:
        return a
    kinds = {a.kind, b.kind}
    if kinds <= {"i8", "f8", "b1"}:
        return F8 if "f8" in kinds else I8
    if kinds == {"u8", "f8"}:
        return F8
    return None
