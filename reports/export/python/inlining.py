"""Kernels of one expression, written where they are called: a call costs Python as much as they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joute.engines.kernels.bits import popcount
from joute.reports.export.typed.simplified import denied, parts_changed
from joute.reports.export.typed.tree import (
    Assign,
    Called,
    Choice,
    Conversion,
    Do,
    Element,
    Expression,
    Function,
    If,
    Length,
    Number,
    Operation,
    Return,
    Several,
    Statement,
    Table,
    Variable,
    inside,
    walk,
)
from joute.reports.export.typed.types import B1, I8, U8


@dataclass
class Named(Expression):
    """A value that is kept under a name on the way; read again it is a variable."""

    name: str
    value: Expression


class Inlining:
    """Replaces calls in a kernel; `function` is the result, `inner` returns the same of one it calls."""

    def __init__(self, function: Function, inner: Callable[[Any], Function]) -> None:
        self.inner = inner
        self.function = replace(function, variables=dict(function.variables))
        self.function.body = self.block(function.body)

    def block(self, body: Sequence[Statement]) -> list[Statement]:
        """Return statements without the calls that are replaced."""
        return [new for node in body for new in self.statement(node)]

    def statement(self, node: Statement) -> list[Statement]:
        """Return a statement so."""
        new = changed(node, self.value)
        if isinstance(new, Do) and isinstance(new.call, Called):
            body = self.inner(new.call.function).body
            if not body and all(map(self.pure, new.call.arguments)):
                return []
            stores = len(body) == 1 and isinstance(body[0], Assign) and len(body[0].targets) == 1
            if stores and isinstance(body[0].targets[0], Element):  # type: ignore[attr-defined]
                new = self.replaced(body[0], new.call) or new
        for name in ("body", "yes", "no"):
            if hasattr(new, name):
                setattr(new, name, self.block(getattr(new, name)))
        return [new]

    def value(self, node: Expression) -> Expression:
        """Return an expression without the calls that are replaced."""
        new = parts_changed(node, self.value)
        if isinstance(new, Operation) and new.sign in ("//", "%"):
            return replace(new, right=self.kept(new.right))
        if isinstance(new, Called) and new.function in ("min", "max"):
            return replace(new, arguments=[self.kept(part) for part in new.arguments])
        if not isinstance(new, Called) or isinstance(new.function, str) or new.function is popcount:
            return new
        body = expression(self.inner(new.function).body)
        return new if body is None else self.replaced(body, new) or new

    def kept(self, node: Expression) -> Expression:
        """Return an expression that can be read twice: what is not at hand gets a name."""
        if at_hand(node.value if is_same(node) else node):  # type: ignore[attr-defined]
            return node
        return Named(node.type, self.fresh(node), node)

    def replaced(self, body: Any, call: Called) -> Any:
        """Return what a kernel consists of with the arguments of a call; None if it cannot be. An argument
        that is read again gets a name where it is read first.
        """
        if not all(map(self.pure, call.arguments)):
            return None
        read = list(evaluated(body))
        first: dict[int, Expression] = {}
        others: dict[str, Expression] = {}
        for name, argument in zip(
            self.inner(call.function).parameters, call.arguments, strict=True
        ):
            uses = [(node, always) for own, node, always in read if own == name]
            others[name] = argument
            if len(uses) > 1 and not at_hand(argument):
                if not uses[0][1]:
                    return None
                others[name] = kept = Variable(argument.type, self.fresh(argument))
                first[id(uses[0][0])] = Named(argument.type, kept.name, argument)

        def put(node: Expression) -> Expression:
            if id(node) in first:
                return first[id(node)]
            if isinstance(node, Variable):
                return others.get(node.name, node)
            if isinstance(node, Length):
                array: Any = others[node.array]
                if isinstance(array, Table):
                    return Number(I8, len(array.values))
                return replace(node, array=array.name)
            if isinstance(node, Named):
                value = put(node.value)
                others[node.name] = again = Variable(node.type, self.fresh(value))
                return Named(node.type, again.name, value)
            return parts_changed(node, put)

        return changed(body, put) if isinstance(body, Statement) else put(body)

    def pure(self, node: Expression) -> bool:
        """Whether it does not matter when, and whether, an expression is computed."""
        called = (p.function for p in walk(node) if isinstance(p, Called))
        return not any(self.inner(f).written for f in called if not isinstance(f, str))

    def fresh(self, value: Expression) -> str:
        """Return the name of a new variable for a value."""
        number = 1
        while (name := f"_{number}") in self.function.variables:
            number += 1
        self.function.variables[name] = value.type
        return name


def changed(node: Any, change: Callable[[Expression], Expression]) -> Any:
    """Return a copy of a statement whose expressions are changed; what an assignment adds to stays one
    expression.
    """
    if not adds(node):
        return parts_changed(node, change)
    place = change(node.targets[0])
    whole = replace(node.values[0], left=place, right=change(node.values[0].right))
    return replace(node, targets=[place], values=[whole])


def adds(node: Any) -> bool:
    """Whether a statement changes what it assigns to: `x += y`."""
    if not isinstance(node, Assign) or len(node.targets) > 1:
        return False
    return isinstance(node.values[0], Operation) and node.values[0].left == node.targets[0]


def at_hand(node: Expression) -> bool:
    """Whether an expression is read without being computed."""
    return isinstance(node, Number | Variable | Table)


def is_same(node: Expression) -> bool:
    """Whether an expression is a word for a signed number, or the other way round."""
    return isinstance(node, Conversion) and {node.type, node.value.type} == {U8, I8}


def expression(body: Sequence[Statement]) -> Expression | None:
    """Return the one expression that a body of branches and returns is, if it is such."""
    if not body:
        return None
    first, rest = body[0], body[1:]
    if isinstance(first, Return):
        return first.value
    if isinstance(first, If):
        yes, no = expression(first.yes), expression(first.no or rest)
        if yes is not None and no is not None:
            return chosen(first.test, yes, no)
    return None


def chosen(test: Expression, yes: Expression, no: Expression) -> Expression:
    """Return one of two values; of truths one of which is known all or any of several."""
    for one, other, own in ((yes, no, test), (no, yes, denied(test))):
        if isinstance(one, Number) and one.type == B1:
            return (
                Several(B1, "or", [own, other])
                if one.value
                else Several(B1, "and", [denied(own), other])
            )
    return Choice(yes.type, test, yes, no)


def evaluated(node: Any, always: bool = True) -> Iterator[tuple[str, Any, bool]]:
    """Yield the variables that are read, in the order in which Python does, where they are, and whether they
    are read in any case.
    """
    if isinstance(node, Variable | Length):
        yield node.name if isinstance(node, Variable) else node.array, node, always
        return
    parts = [*inside(node)]
    if adds(node):
        parts = [node.targets[0], node.values[0].right]
    elif isinstance(node, Assign):
        parts = [*node.values, *node.targets]
    for k, part in enumerate(parts):
        yield from evaluated(part, always and not (k and isinstance(node, Choice | Several)))
