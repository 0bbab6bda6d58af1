"""Kernels of one expression, written where they are called: a call costs Python as much as they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from joute.engines.kernels.bits import popcount
from joute.reports.export.typed import tree
from joute.reports.export.typed.simplified import denied, parts_changed
from joute.reports.export.typed.types import B1, I8, U8


class Inlining:
    """Replaces calls in a kernel; `function` is the result, `inner` returns the same of one it calls."""

    def __init__(self, function: tree.Function, inner: Callable[[Any], tree.Function]) -> None:
        self.inner = inner
        self.function = replace(function, variables=dict(function.variables))
        self.function.body = self.block(function.body)

    def block(self, body: Sequence[tree.Statement]) -> list[tree.Statement]:
        """Return statements without the calls that are replaced."""
        return [new for node in body for new in self.statement(node)]

    def statement(self, node: tree.Statement) -> list[tree.Statement]:
        """Return a statement so."""
        new = changed(node, self.value)
        if isinstance(new, tree.Do) and isinstance(new.call, tree.Called):
            body = self.inner(new.call.function).body
            if not body and all(map(self.pure, new.call.arguments)):
                return []
            one = body[0] if len(body) == 1 else None
            if isinstance(one, tree.Assign) and [*map(type, one.targets)] == [tree.Element]:
                new = self.replaced(one, new.call) or new
        for name in ("body", "yes", "no"):
            if hasattr(new, name):
                setattr(new, name, self.block(getattr(new, name)))
        return [new]

    def value(self, node: tree.Expression) -> tree.Expression:
        """Return an expression without the calls that are replaced."""
        if isinstance(node, tree.Number):
            return replace(node, name="")  # a name would keep it from being computed with
        new = parts_changed(node, self.value)
        if isinstance(new, tree.Called) and new.function in ("min", "max"):
            return replace(new, arguments=[self.kept(part) for part in new.arguments])
        if not isinstance(new, tree.Called) or new.function is popcount or is_own(new):
            return new
        body = expression(self.inner(new.function).body)
        return new if body is None else self.replaced(body, new) or new

    def kept(self, node: tree.Expression) -> tree.Expression:
        """Return an expression that can be read twice: what is not at hand gets a name."""
        if at_hand(node.value if is_same(node) else node):  # type: ignore[attr-defined]
            return node
        return tree.Named(node.type, self.fresh(node), node)

    def replaced(self, body: Any, call: tree.Called) -> Any:
        """Return what a kernel consists of with the arguments of a call; None if it cannot be. An argument
        that is read again gets a name where it is read first.
        """
        looks = [p for a in call.arguments for p in tree.walk(a) if isinstance(p, tree.Element)]
        if not all(map(self.pure, call.arguments)) or (looks and not self.pure(body)):
            return None
        read = list(evaluated(body))
        first: dict[int, tree.Expression] = {}
        others: dict[str, tree.Expression] = {}
        for part in tree.walk(body):
            if isinstance(part, tree.Named):
                others[part.name] = tree.Variable(part.type, self.fresh(part))
        parameters = self.inner(call.function).parameters
        for name, argument in zip(parameters, call.arguments, strict=True):
            uses = [(node, always) for own, node, always in read if own == name]
            others[name] = argument
            if len(uses) > 1 and not at_hand(argument):
                if not uses[0][1]:
                    return None
                others[name] = kept = tree.Variable(argument.type, self.fresh(argument))
                first[id(uses[0][0])] = tree.Named(argument.type, kept.name, argument)

        def put(node: tree.Expression) -> tree.Expression:
            if id(node) in first:
                return first[id(node)]
            if isinstance(node, tree.Variable):
                return copy(others.get(node.name, node))
            if isinstance(node, tree.Length):
                array: Any = others[node.array]
                if isinstance(array, tree.Table):
                    return tree.Number(I8, len(array.values))
                return replace(node, array=array.name)
            if isinstance(node, tree.Named):
                return tree.Named(node.type, others[node.name].name, put(node.value))  # type: ignore[attr-defined]
            return parts_changed(node, put)

        return changed(body, put) if isinstance(body, tree.Statement) else put(body)

    def pure(self, node: Any) -> bool:
        """Whether nothing that is called in an expression or statement writes into arrays."""
        calls = (p for p in tree.walk(node) if isinstance(p, tree.Called) and not is_own(p))
        return not any(self.inner(part.function).written for part in calls)

    def fresh(self, value: tree.Expression) -> str:
        """Return the name of a new variable for a value."""
        number = 1
        while (name := f"_{number}") in self.function.variables:
            number += 1
        self.function.variables[name] = value.type
        return name


def changed(node: Any, change: Callable[[tree.Expression], tree.Expression]) -> Any:
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
    if not isinstance(node, tree.Assign) or len(node.targets) > 1:
        return False
    return isinstance(node.values[0], tree.Operation) and node.values[0].left == node.targets[0]


def at_hand(node: tree.Expression) -> bool:
    """Whether an expression is read without being computed."""
    return isinstance(node, tree.Number | tree.Variable | tree.Table)


def is_own(call: tree.Called) -> bool:
    """Whether a call is one of a function of Python's."""
    return isinstance(call.function, str)


def is_same(node: tree.Expression) -> bool:
    """Whether an expression is a word for a signed number, or the other way round."""
    return isinstance(node, tree.Conversion) and {node.type, node.value.type} == {U8, I8}


def expression(body: Sequence[tree.Statement]) -> tree.Expression | None:
    """Return the one expression that a body of branches and returns is, if it is such."""
    if not body:
        return None
    first, rest = body[0], body[1:]
    if isinstance(first, tree.Return):
        return first.value
    if isinstance(first, tree.If):
        yes, no = expression(first.yes), expression(first.no or rest)
        if yes is not None and no is not None:
            return chosen(first.test, yes, no)
    return None


def chosen(test: tree.Expression, yes: tree.Expression, no: tree.Expression) -> tree.Expression:
    """Return one of two values; of truths one of which is known all or any of several."""
    for one, other, own in ((yes, no, test), (no, yes, denied(test))):
        if isinstance(one, tree.Number) and one.type == B1:
            either = [own, other] if one.value else [denied(own), other]
            return tree.Several(B1, "or" if one.value else "and", either)
    return tree.Choice(yes.type, test, yes, no)


def evaluated(node: Any, always: bool = True) -> Iterator[tuple[str, Any, bool]]:
    """Yield the variables that are read, in the order in which Python does, where they are, and whether they
    are read in any case.
    """
    if isinstance(node, tree.Variable | tree.Length):
        yield node.name if isinstance(node, tree.Variable) else node.array, node, always
        return
    parts = [*tree.inside(node)]
    if adds(node):
        parts = [node.targets[0], node.values[0].right]
    elif isinstance(node, tree.Assign):
        parts = [*node.values, *node.targets]
    ends = isinstance(node, tree.Choice | tree.Several)  # with its first part, maybe
    for k, part in enumerate(parts):
        yield from evaluated(part, always and not (ends and k))
