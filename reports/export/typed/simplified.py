"""Makes the tree of a kernel smaller: branches that cannot be taken, and what nothing reads, go.

What is known: the kernel's own numbers, those elements of the array P (an engine's parameters) that
are fixed, and which fields of named tuples have elements. Every array is left as the whole kernel
leaves it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, TypeVar

from joute.reports.export.typed.reading import number_of
from joute.reports.export.typed.tree import (
    Assign,
    Called,
    Choice,
    Comparison,
    Conversion,
    Count,
    Do,
    Each,
    Element,
    Expression,
    Function,
    If,
    Leave,
    Length,
    Named,
    Number,
    Parts,
    Return,
    Several,
    Statement,
    Unary,
    Unpack,
    Variable,
    While,
    assigned_in,
    inside,
    names_in,
    walk,
)
from joute.reports.export.typed.types import B1, F8, I8, U8, Type
from joute.reports.export.typed.zeros import folded, without_zeros

COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
PARAMETERS = "P"  # what kernels call the array of an engine's parameters
Node = TypeVar("Node", bound=Expression | Statement)


class Known(NamedTuple):
    """What is known of kernels' arguments: elements of P by their places, whether fields of named
    tuples have elements, which parts of tuples are 0, and the parameters that always get the same
    number, by the kernel's digest.
    """

    numbers: Mapping[int, float] = {}
    kept: Mapping[str, bool] = {}
    zeros: Mapping[Type, Collection[int]] = {}
    given: Mapping[str, Mapping[str, Number]] = {}


def simplified(function: Function, known: Known, inner: Callable[[Any], Function]) -> Function:
    """Return a kernel's tree with nothing in it that is not needed where this is `known`; `inner`
    returns the simplified tree of a kernel that it calls.
    """
    smaller = Simplifier(function, known, inner)
    same = known.given.get(getattr(function.kernel, "digest", ""), {})
    smaller.always = dict(same)
    body, before = smaller.block(function.body), 0
    while before != (before := sum(1 for s in body for _ in walk(s))):
        smaller.always = always_in(body, {*function.parameters}) | dict(same)
        read = read_in(body) | {*function.parameters}
        body = smaller.without(smaller.block(body), read)
    new = replace(
        function,
        result=without_zeros(function.result, known.zeros),
        parameters={n: without_zeros(t, known.zeros) for n, t in function.parameters.items()},
        variables={n: without_zeros(t, known.zeros) for n, t in function.variables.items()},
        body=body,
        lengths=set(),
        written=set(),
    )
    for part in (part for statement in body for part in walk(statement)):
        if isinstance(part, Length):
            new.lengths.add(part.array)
        for target in getattr(part, "targets", ()):
            if isinstance(target, Element) and isinstance(target.array, Variable):
                new.written.add(target.array.name)
        if isinstance(part, Called) and not isinstance(part.function, str):
            called = inner(part.function)
            for name, given in zip(called.parameters, part.arguments, strict=True):
                if isinstance(given, Variable):
                    new.lengths |= {given.name} if name in called.lengths else set()
                    new.written |= {given.name} if name in called.written else set()
    return new


def read_in(body: Sequence[Statement]) -> set[str]:
    """Return the variables whose values statements ask for."""
    found = names_in(*body)
    for part in (part for statement in body for part in walk(statement)):
        if isinstance(part, Assign | Unpack):
            found.subtract(t.name for t in part.targets if isinstance(t, Variable))
    return {name for name, times in found.items() if times > 0}


def always_in(body: Sequence[Statement], parameters: set[str]) -> dict[str, Expression]:
    """Return the variables that take one number only, wherever they take one."""
    found: dict[str, Expression] = {}
    other = set(parameters)
    for part in (part for statement in body for part in walk(statement)):
        if not isinstance(part, Assign):
            other |= assigned_in(part) if isinstance(part, Unpack | Count | Each) else set()
            continue
        for target, value in zip(part.targets, part.values, strict=True):
            if not isinstance(target, Variable):
                continue
            plain = isinstance(value, Number) and not value.name and value.type == target.type
            if plain and repr(found.setdefault(target.name, value)) == repr(value):
                continue
            other.add(target.name)
    return {name: value for name, value in found.items() if name not in other}


class Simplifier:
    """Simplifies statements in their order; `known` are variables whose values are decided here."""

    def __init__(self, function: Function, known: Known, inner: Callable[[Any], Function]) -> None:
        self.function, self.fixed, self.inner = function, known, inner
        self.known: dict[str, Expression] = {}
        self.always: dict[str, Expression] = {}  # variables that have one value only

    # --- statements

    def block(self, body: Sequence[Statement]) -> list[Statement]:
        """Return what is left of statements, up to the first that leaves."""
        left: list[Statement] = []
        for statement in body:
            left += self.statement(statement)
            if left and isinstance(left[-1], Return | Leave):
                break
        return left

    def statement(self, node: Statement) -> list[Statement]:
        """Return what is left of a statement."""
        if isinstance(node, Assign):
            return [self.assign(node)]
        if isinstance(node, Unpack):
            new = replace(node, value=self.value(node.value), targets=self.places(node.targets))
            self.forget(new)
            return [new]
        if isinstance(node, If):
            return self.branch(node)
        if isinstance(node, While):
            return self.loop(node)
        if isinstance(node, Count):
            return self.count(node)
        if isinstance(node, Each):
            values = node.values
            if isinstance(values, list):
                values = [self.value(value) for value in values]
            self.forget(node)
            return [replace(node, values=values, body=self.inside(node.body))]
        if isinstance(node, Return):
            return [replace(node, value=None if node.value is None else self.value(node.value))]
        if isinstance(node, Do):
            call = self.value(node.call)
            done = isinstance(call, Called) and not isinstance(call.function, str)
            return [replace(node, call=call)] if done and not self.pure(call) else []
        return [node]

    def assign(self, node: Assign) -> Assign:
        """Return an assignment, and note the variables of which it decides the value."""
        new = Assign(node.line, self.places(node.targets), [self.value(v) for v in node.values])
        self.forget(new)
        for target, old, value in zip(new.targets, node.values, new.values, strict=True):
            decided = isinstance(value, Number) and not isinstance(old, Number)
            if decided and isinstance(target, Variable) and target.type == value.type:
                self.known[target.name] = value
        return new

    def branch(self, node: If) -> list[Statement]:
        """Return the branch that is taken, or both."""
        test = self.value(node.test)
        if isinstance(test, Number):
            taken = self.block(node.yes if test.value else node.no)
            return [replace(taken[0], line=node.line), *taken[1:]] if taken else []
        before = dict(self.known)
        yes = self.block(node.yes)
        self.known = dict(before)
        no = self.block(node.no)
        self.known = before
        self.forget(node)
        return self.either(node.line, test, yes, no)

    def either(
        self, line: int, test: Expression, yes: list[Statement], no: list[Statement]
    ) -> list[Statement]:
        """Return a branch of two bodies that may be empty."""
        if not yes and not no:
            return [] if self.pure(test) else [If(line, test, yes, no)]
        return [If(line, test, yes, no) if yes else If(line, denied(test), no, [])]

    def loop(self, node: While) -> list[Statement]:
        """Return a loop, unless it is never entered."""
        first = self.value(node.test)
        if isinstance(first, Number) and not first.value:
            return []
        self.forget(node)
        return [replace(node, test=self.value(node.test), body=self.inside(node.body))]

    def count(self, node: Count) -> list[Statement]:
        """Return a loop over numbers, unless there are none."""
        begin, end = self.value(node.begin), self.value(node.end)
        step = None if node.step is None else self.value(node.step)
        known = isinstance(begin, Number) and isinstance(end, Number) and step is None
        if known and begin.value >= end.value:  # type: ignore[attr-defined]
            return []
        self.forget(node)
        body = self.inside(node.body)
        return [replace(node, begin=begin, end=end, step=step, body=body)]

    def inside(self, body: list[Statement]) -> list[Statement]:
        """Return a loop's body; what is known in it is not afterwards."""
        before = dict(self.known)
        left = self.block(body)
        self.known = before
        return left

    def forget(self, *nodes: Statement) -> None:
        """Know no more what statements change."""
        for name in assigned_in(*nodes):
            self.known.pop(name, None)

    def places(self, targets: Sequence[Expression]) -> list[Expression]:
        """Return places that take values."""
        return [
            replace(t, index=self.value(t.index)) if isinstance(t, Element) else self.typed(t)
            for t in targets
        ]

    def typed(self, node: Expression) -> Expression:
        """Return an expression whose type is without parts that are 0."""
        if isinstance(node, Parts) or node.type not in self.fixed.zeros:
            return node
        return replace(node, type=without_zeros(node.type, self.fixed.zeros))

    def without(self, body: Sequence[Statement], read: set[str]) -> list[Statement]:
        """Return statements without those that only give a value to a variable that nobody reads."""
        left: list[Statement] = []
        for node in body:
            if isinstance(node, Assign):
                pairs = [
                    (target, value)
                    for target, value in zip(node.targets, node.values, strict=True)
                    if not isinstance(target, Variable)
                    or target.name in read
                    or not self.pure(value)
                ]
                if pairs:
                    targets, values = map(list, zip(*pairs, strict=True))
                    left.append(Assign(node.line, targets, values))
                continue
            if isinstance(node, If):
                yes, no = self.without(node.yes, read), self.without(node.no, read)
                left += self.either(node.line, node.test, yes, no)
            elif isinstance(node, While | Count | Each):
                left.append(replace(node, body=self.without(node.body, read)))
            else:
                left.append(node)
        return left

    # --- expressions

    def pure(self, node: Expression) -> bool:
        """Whether an expression changes nothing, and keeps nothing under a name."""
        return not any(
            isinstance(part, Named)
            or (
                isinstance(part, Called)
                and not isinstance(part.function, str)
                and self.inner(part.function).written
            )
            for part in walk(node)
        )

    def value(self, node: Expression) -> Expression:
        """Return what is left of an expression."""
        if isinstance(node, Variable):
            value = self.always.get(node.name) or self.known.get(node.name)
            return value or self.typed(node)
        new = self.typed(folded(parts_changed(node, self.value), node, self.fixed.zeros))
        if isinstance(new, Element):
            return self.element(new)
        if isinstance(new, Comparison):
            left, right = new.left, new.right
            if new.sign == ">" and isinstance(left, Length) and right == Number(I8, 0):
                return self.some(new, left)
            alike = left.type == right.type or F8 not in (left.type, right.type)
            if isinstance(left, Number) and isinstance(right, Number) and alike:
                return Number(B1, COMPARED[new.sign](left.value, right.value))
        if isinstance(new, Conversion) and isinstance(new.value, Number) and whole(new):
            return number_of(new.value.value, new.type)
        if isinstance(new, Unary) and new.sign == "not" and isinstance(new.operand, Number):
            return Number(B1, not new.operand.value)
        if isinstance(new, Several):
            return self.several(new)
        if isinstance(new, Choice) and isinstance(new.test, Number):
            return new.yes if new.test.value else new.no
        if isinstance(new, Called) and not isinstance(new.function, str):
            body = self.inner(new.function).body
            if len(body) == 1 and isinstance(body[0], Return):
                result = body[0].value
                if isinstance(result, Number) and all(map(self.pure, new.arguments)):
                    return Number(result.type, result.value)
        return new

    def element(self, node: Element) -> Expression:
        """Return an element; a parameter that is fixed is a number."""
        named = isinstance(node.array, Variable) and node.array.name == PARAMETERS
        if named and isinstance(node.index, Number) and node.index.value in self.fixed.numbers:
            return Number(F8, self.fixed.numbers[node.index.value])
        return node

    def some(self, node: Comparison, length: Length) -> Expression:
        """Return whether an array has elements."""
        member = self.function.member(length.array)
        if member is None or member[1] not in self.fixed.kept:
            return node
        return Number(B1, self.fixed.kept[member[1]])

    def several(self, node: Several) -> Expression:
        """Return all or any of truths, without those that decide nothing."""
        ends = node.sign == "or"  # the truth that ends the row
        left: list[Expression] = []
        for part in node.parts:
            if not isinstance(part, Number):
                left.append(part)
            elif bool(part.value) == ends:
                if all(map(self.pure, left)):
                    return Number(B1, ends)
                left.append(Number(B1, ends))
                break
        if not left:
            return Number(B1, not ends)
        return left[0] if len(left) == 1 else replace(node, parts=left)


def parts_changed(node: Node, change: Callable[[Expression], Expression]) -> Node:
    """Return a copy of a node whose expressions are changed."""
    new: dict[str, Any] = {}
    for one in fields(node):
        value = getattr(node, one.name)
        if isinstance(value, Expression):
            new[one.name] = change(value)
        elif isinstance(value, list) and value and isinstance(value[0], Expression):
            new[one.name] = [change(part) for part in value]
    return replace(node, **new)


def whole(node: Conversion) -> bool:
    """Whether a number has an equal one of another type."""
    value, number = node.value, getattr(node.value, "value", 0)
    if node.type not in (U8, I8, F8, B1) or (value.type == F8 and not math.isfinite(number)):
        return False
    return value.type != F8 or node.type in (F8, B1) or 0 <= number < 1 << 62


def denied(test: Expression) -> Expression:
    """Return the contrary of a truth."""
    if isinstance(test, Unary) and test.sign == "not":
        return test.operand
    return Unary(B1, "not", test)


def same_arguments(
    functions: Mapping[str, Function], kept: Collection[str]
) -> dict[str, dict[str, Number]]:
    """Return the parameters of functions (by digest) that get the same number in all calls, but of those
    `kept`, which are called from outside too, and of those that they change.
    """
    found: dict[str, dict[str, Number]] = {}
    other: dict[str, set[str]] = {
        digest: assigned_in(*function.body) for digest, function in functions.items()
    }
    for function in functions.values():
        for part in (part for statement in function.body for part in walk(statement)):
            digest = getattr(getattr(part, "function", None), "digest", "")
            if digest not in functions or digest in kept:
                continue
            pairs = zip(functions[digest].parameters, part.arguments, strict=True)
            for name, value in pairs:
                known = found.setdefault(digest, {})
                plain = isinstance(value, Number)
                if not plain or repr(known.setdefault(name, value)) != repr(value):
                    other[digest].add(name)
    given = {
        digest: {name: value for name, value in known.items() if name not in other[digest]}
        for digest, known in found.items()
    }
    return {digest: known for digest, known in given.items() if known}


def without_unread_variables(function: Function, inner: Callable[[Any], Function]) -> None:
    """Take away what only gives values to variables that a function does not read."""
    read = read_in(function.body) | {*function.parameters}
    function.body = Simplifier(function, Known(), inner).without(function.body, read)


def without_unread(functions: Mapping[str, Function], kept: set[str]) -> None:
    """Take away parameters that functions do not read, and what their callers hand on for them, of all
    functions (by digest) but those `kept`, which are called from outside.
    """
    unread: dict[str, set[str]] = {digest: set() for digest in functions}

    def is_call(node: Any) -> bool:
        return getattr(getattr(node, "function", None), "digest", "") in functions

    def mentioned(node: Any) -> set[str]:
        if isinstance(node, Variable):
            return {node.name}
        if not is_call(node):
            parts = [*inside(node)]
        else:
            own, gone = functions[node.function.digest], unread[node.function.digest]
            pairs = zip(own.parameters, node.arguments, strict=True)
            parts = [given for name, given in pairs if name not in gone]
        return set().union(*map(mentioned, parts))

    calls = [
        part
        for function in functions.values()
        for statement in function.body
        for part in walk(statement)
        if is_call(part)
    ]
    plain: dict[str, set[str]] = {d: {*f.parameters} - f.lengths for d, f in functions.items()}
    for call in calls:  # what is handed on must have no effect of its own
        own = functions[call.function.digest]
        for name, given in zip(own.parameters, call.arguments, strict=True):
            if any(isinstance(part, Called) for part in walk(given)):
                plain[call.function.digest].discard(name)
    changed = True
    while changed:
        changed = False
        for digest, function in functions.items():
            if digest in kept:
                continue
            read = set().union(*map(mentioned, function.body))
            new = plain[digest] - read
            changed |= new != unread[digest]
            unread[digest] = new
    for call in calls:
        own, gone = functions[call.function.digest], unread[call.function.digest]
        pairs = zip(own.parameters, call.arguments, strict=True)
        call.arguments = [given for name, given in pairs if name not in gone]
    for digest, function in functions.items():
        for name in unread[digest]:
            del function.parameters[name]
