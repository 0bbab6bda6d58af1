"""Finds the parts of tuples that are 0 wherever a tuple is made: the words of a set beyond a small
board's last. A file does without them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from joute.engines.kernels.bits import popcount
from joute.reports.export.typed.tree import (
    Called,
    Choice,
    Conversion,
    Expression,
    Function,
    Named,
    Number,
    Operation,
    Part,
    Parts,
    Unary,
    Unpack,
    Variable,
    walk,
)
from joute.reports.export.typed.types import I8, U8, Type, tuple_of

Zeros = Mapping[Type, Collection[int]]  # of types of tuples: the places of the parts that are 0


def zeros_of(functions: Iterable[Function], kept: Collection[Function]) -> Zeros:
    """Return the parts of tuples that are always 0, but the first; of no tuple that comes from outside
    or goes there, by the functions `kept`, or that is taken apart.
    """
    nodes = [part for function in functions for one in function.body for part in walk(one)]
    made = [node for node in nodes if isinstance(node, Parts)]
    outside = {type_ for one in kept for type_ in (one.result, *one.parameters.values())}
    outside |= {node.value.type for node in nodes if isinstance(node, Unpack)}
    outside |= {
        node.tuple.type
        for node in nodes
        if isinstance(node, Part) and not isinstance(node.tuple, Variable)
    }
    zeros = {
        node.type: {k for k, part in enumerate(node.type.parts) if k and part in (U8, I8)}
        for node in made
        if node.type not in outside
    }
    before = None
    while before != (before := {type_: {*places} for type_, places in zeros.items()}):
        for node in made:
            places = zeros.get(node.type, set())
            places -= {k for k in places if not is_zero(node.parts[k], before)}
    return {type_: places for type_, places in zeros.items() if places}


def is_zero(node: Expression, zeros: Zeros) -> bool:
    """Whether a whole number is 0 where these parts of tuples are."""

    def zero(part: Expression) -> bool:
        return is_zero(part, zeros)

    if isinstance(node, Number):
        return node.type in (U8, I8) and node.value == 0
    if isinstance(node, Part):
        return node.index in zeros.get(node.tuple.type, ())
    if isinstance(node, Conversion):
        return node.value.type in (U8, I8) and node.type in (U8, I8) and zero(node.value)
    if isinstance(node, Choice):
        return zero(node.yes) and zero(node.no)
    if isinstance(node, Unary):
        return node.sign == "-" and node.type in (U8, I8) and zero(node.operand)
    if isinstance(node, Called):
        return node.function is popcount and zero(node.arguments[0])
    if not isinstance(node, Operation) or node.type not in (U8, I8):
        return False
    if node.sign in ("&", "*"):
        return zero(node.left) or zero(node.right)
    if node.sign in ("<<", ">>"):
        return zero(node.left)
    return node.sign in ("|", "^", "+", "-") and zero(node.left) and zero(node.right)


def without_zeros(type_: Type, zeros: Zeros) -> Type:
    """Return the type of a tuple without these parts."""
    places = zeros.get(type_, ())
    return (
        tuple_of(*(part for k, part in enumerate(type_.parts) if k not in places))
        if places
        else type_
    )


def folded(node: Any, before: Any, zeros: Zeros) -> Any:
    """Return an expression without what its zeros decide; its parts are folded already, `before` is what
    it was.
    """
    if isinstance(node, Part):
        places = zeros.get(before.tuple.type, ())
        if node.index in places:
            return Number(node.type, 0)
        return replace(node, index=node.index - sum(k < node.index for k in places))
    if isinstance(node, Parts) and node.type in zeros:
        places = zeros[node.type]
        parts = [part for k, part in enumerate(node.parts) if k not in places]
        return Parts(without_zeros(node.type, zeros), parts)
    whole = isinstance(node, Operation | Called) and node.type in (U8, I8)
    if whole and is_zero(node, {}) and not named(node):
        return Number(node.type, 0)
    if isinstance(node, Operation) and node.type in (U8, I8):
        left, right = node.left, node.right
        if node.sign in ("|", "^", "+", "-") and is_zero(right, {}) and not named(right):
            return left
        if node.sign in ("|", "^", "+") and is_zero(left, {}) and not named(left):
            return right
    return node


def named(node: Expression) -> bool:
    """Whether a number stands under its name, or something in an expression is kept under one."""
    kept = any(isinstance(part, Named) for part in walk(node))
    return kept or (isinstance(node, Number) and bool(node.name))
