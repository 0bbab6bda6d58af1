"""Kernels for Python's own ints and floats, on lists: several times faster uncompiled than numpy's.

A word becomes an int of which the lowest 64 bits count; they are taken out (`& 0xFFFFFFFFFFFFFFFF`)
only where a value may have left them and it matters. Signed numbers are assumed not to overflow.
What cannot be translated raises Unplain: then the kernels keep numpy's numbers.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from itertools import count
from typing import Any

import numpy as np

from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import flat
from joute.reports.export.source.addresses import addresses
from joute.reports.export.source.conversions import (
    CONVERSIONS,
    Typed,
    call,
    clean,
    constant,
    convert,
    converted,
)
from joute.reports.export.source.inlining import Inline, expression, inlined
from joute.reports.export.source.loops import rename_loops
from joute.reports.export.source.ranges import (
    ADDRESS,
    B1,
    EXACT,
    F8,
    FAR,
    I8,
    RANGES,
    SIGNED,
    U8,
    WORD,
    Type,
    Unplain,
    bounded,
    join,
    signature_of,
)
from joute.reports.export.source.source_syntax import callee

MATH: dict[Any, Type] = {math.sqrt: F8, math.ceil: I8, math.floor: I8}
KINDS = {"u": U8, "i": I8, "f": F8, "b": B1}
_temporary = count()  # numbers of variables that inlining makes, never the same twice
WIDEN = 3  # rounds after which a range that still grows is taken for unlimited


def rewrite(
    node: ast.FunctionDef,
    kernel: Any,
    known: Mapping[str, Any],
    inline: Callable[[Any], Inline | None],
) -> Inline | None:
    """Rewrite a kernel's tree; return what can be written in the place of its calls, if that is short.

    `inline(kernel)` returns the same of a kernel that this one calls.
    """
    rename_loops(node)
    one = Rewriter(node, kernel, known, inline)
    while True:
        before = dict(one.types)
        body = one.block(deepcopy(node.body))
        one.rounds += 1
        if one.types == before:
            break
    node.body = body
    ast.fix_missing_locations(node)
    parameters = [argument.arg for argument in node.args.args]
    return short(body, parameters, one)


def short(body: list[ast.stmt], parameters: list[str], one: Rewriter) -> Inline | None:
    """Return what stands for a call of the kernel with this body."""
    code = [part for part in body if not is_text(part) and not isinstance(part, ast.Pass)]
    if not code:
        return Inline(parameters, ast.Pass(), one.result)
    if len(code) == 1 and isinstance(code[0], ast.AugAssign | ast.Assign):
        target = code[0].target if isinstance(code[0], ast.AugAssign) else code[0].targets[0]
        if isinstance(target, ast.Subscript):
            return Inline(parameters, code[0], one.result)
    value = expression(code)
    if value is None or one.result.kind not in KINDS:
        return None
    return Inline(parameters, value, one.returned or one.result)


def is_text(node: ast.stmt) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


class Rewriter:
    """Goes over a kernel until the types of its variables are settled; `types` holds them."""

    def __init__(
        self,
        node: ast.FunctionDef,
        kernel: Any,
        known: Mapping[str, Any],
        inline: Callable[[Any], Inline | None],
    ) -> None:
        self.known, self.inline, self.rounds = known, inline, 0
        self.result, arguments = signature_of(flat(kernel.signature))
        self.returned: Type | None = None
        self.types: dict[str, Type] = {}
        self.addresses = addresses(node.body, known)
        for argument, type_ in zip(node.args.args, arguments, strict=True):
            self.note(argument.arg, type_)

    def note(self, name: str, type_: Type) -> None:
        """A variable takes a value."""
        old = self.types.get(name)
        try:
            new = join(old, type_)
        except Unplain as error:
            raise Unplain(f"{name}: {error}") from None
        if new.kind == "w" and new.low < new.high:
            new = new._replace(kind="i")
        if old is not None and new != old and self.rounds > WIDEN:
            new = KINDS.get(new.kind, new)
        if new.kind == "u" and name in self.addresses:
            new = new._replace(high=min(new.high, ADDRESS))
        self.types[name] = new

    # --- statements

    def block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Rewrite statements."""
        return [new for node in body for new in self.statement(node)] or [ast.Pass()]

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """Rewrite a statement."""
        if isinstance(node, ast.Pass | ast.Break | ast.Continue) or is_text(node):
            return [node]
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return [self.assign(node.targets[0], node.value)]
        if isinstance(node, ast.AugAssign):
            return [self.augmented(node)]
        if isinstance(node, ast.If | ast.While):
            node.test = clean(*self.value(node.test))[0]
            node.body = self.block(node.body)
            node.orelse = self.block(node.orelse) if node.orelse else []
            return [node]
        if isinstance(node, ast.For) and not node.orelse and isinstance(node.target, ast.Name):
            node.iter, type_ = self.iterated(node.iter)
            self.note(node.target.id, type_)
            node.body = self.block(node.body)
            return [node]
        if isinstance(node, ast.Return):
            return [self.returning(node)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            rewritten = self.called(node.value)[0]
            return [rewritten] if isinstance(rewritten, ast.stmt) else [ast.Expr(rewritten)]
        raise Unplain(f"the statement {ast.unparse(node)}")

    def assign(self, target: ast.expr, value: ast.expr) -> ast.stmt:
        """Rewrite an assignment."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = [
                self.assigned(t, *self.value(v))
                for t, v in zip(target.elts, value.elts, strict=True)
            ]
            left, right = [p[0] for p in pairs], [p[1] for p in pairs]
            return ast.Assign([ast.Tuple(left, ast.Store())], ast.Tuple(right, ast.Load()))
        new, type_ = self.value(value)
        if not isinstance(target, ast.Tuple):
            place, new = self.assigned(target, new, type_)
            return ast.Assign([place], new)
        if type_.kind != "t":
            raise Unplain("several targets for one value")
        targets = []
        for part, own in zip(target.elts, type_.of, strict=True):
            blank = ast.Name("_", ast.Load())
            to, given = self.assigned(part, blank, own)
            if given is not blank:
                raise Unplain("a result of another type")
            targets.append(to)
        return ast.Assign([ast.Tuple(targets, ast.Store())], new)

    def assigned(self, target: ast.expr, value: ast.expr, type_: Type) -> tuple[ast.expr, ast.expr]:
        """Return a target and the value that it takes."""
        value, type_ = clean(value, type_)
        if isinstance(target, ast.Name):
            self.note(target.id, type_)
            if self.types[target.id].kind == "f" and type_.kind == "w":
                value = convert(value, type_, F8)
            return target, value
        if isinstance(target, ast.Subscript):
            place, own = self.element(target)
            return place, convert(value, type_, own)
        raise Unplain(f"the target {ast.unparse(target)}")

    def augmented(self, node: ast.AugAssign) -> ast.stmt:
        """Rewrite `x += y`."""
        old = deepcopy(node.target)
        for part in ast.walk(old):
            if hasattr(part, "ctx"):
                part.ctx = ast.Load()
        whole, type_ = self.operation(ast.BinOp(old, node.op, node.value))
        own = self.types.get(node.target.id) if isinstance(node.target, ast.Name) else None
        if own is None:
            assert isinstance(node.target, ast.Subscript)
            own = self.element(deepcopy(node.target))[1]
        simple = isinstance(whole, ast.BinOp) and (type_.kind != "u" or type_.clean)
        if simple and type_.kind in (own.kind, "w"):
            target, _ = self.assigned(node.target, whole, type_)
            assert isinstance(whole, ast.BinOp) and isinstance(target, ast.Name | ast.Subscript)
            return ast.AugAssign(target, node.op, whole.right)
        place, value = self.assigned(node.target, whole, type_)
        return ast.Assign([place], value)

    def iterated(self, node: ast.expr) -> Typed:
        """Rewrite what a loop goes over; return the type of its variable."""
        if isinstance(node, ast.Tuple):
            parts = [self.value(part) for part in node.elts]
            type_ = parts[0][1]
            for _, other in parts[1:]:
                type_ = join(type_, other)
            return ast.Tuple([clean(*part)[0] for part in parts], ast.Load()), type_
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "range"
        ):
            parts = [clean(*self.value(part)) for part in node.args]
            kind = "u" if any(type_.kind == "u" for _, type_ in parts) else "i"
            low = parts[0][1].low if len(parts) > 1 else 0
            high = max(parts[min(len(parts) - 1, 1)][1].high - 1, low)
            if len(parts) > 2:
                low, high = -FAR, FAR
            node.args = [part for part, _ in parts]
            return node, Type(kind, *bounded(low, high))
        raise Unplain(f"a loop over {ast.unparse(node)}")

    def returning(self, node: ast.Return) -> ast.Return:
        """Rewrite a `return`; what it returns before the last conversion stays at hand for inlining."""
        if node.value is None:
            return node
        raw, type_ = self.value(node.value)
        value = convert(raw, type_, self.result)
        if type_.kind == self.result.kind == "u":
            self.returned = type_ if self.returned is None else join(self.returned, type_)
        else:
            raw, self.returned = value, self.returned or self.result
        new = ast.Return(value)
        new.raw = raw  # type: ignore[attr-defined]
        return new

    # --- expressions

    def value(self, node: ast.expr) -> Typed:
        """Rewrite an expression; return it with its type."""
        if isinstance(node, ast.Constant):
            return constant(node.value)
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            parts = [clean(*self.value(part))[0] for part in (node.left, *node.comparators)]
            return ast.Compare(parts[0], node.ops, parts[1:]), B1
        if isinstance(node, ast.BoolOp):
            return self.one_of(
                [self.value(v) for v in node.values], lambda v: ast.BoolOp(node.op, v)
            )
        if isinstance(node, ast.IfExp):
            test = clean(*self.value(node.test))[0]
            either = [self.value(node.body), self.value(node.orelse)]
            return self.one_of(either, lambda v: ast.IfExp(test, *v))
        if isinstance(node, ast.Subscript):
            return self.element(node)
        if isinstance(node, ast.Tuple):
            parts_ = [clean(*self.value(part)) for part in node.elts]
            own = tuple(type_ for _, type_ in parts_)
            return ast.Tuple([part for part, _ in parts_], ast.Load()), Type("t", of=own)
        if isinstance(node, ast.Call):
            rewritten, type_ = self.called(node)
            if isinstance(rewritten, ast.expr):
                return rewritten, type_
        raise Unplain(f"the expression {ast.unparse(node)}")

    def name(self, node: ast.Name) -> Typed:
        """A variable, or something from outside."""
        if node.id in self.types:
            return node, self.types[node.id]
        value = self.known.get(node.id, self)
        if isinstance(value, np.generic):
            return constant(value)
        if isinstance(value, np.ndarray) and value.size:
            low, high = value.min().item(), value.max().item()
            of = Type(value.dtype.kind, low, high) if value.dtype.kind in "ui" else F8
            return node, Type("x", of=(of,))
        if value is self:
            return node, Type("w", 0, 0)  # takes its value further below, in a loop
        raise Unplain(f"{node.id}, a {type(value).__name__}")

    def one_of(self, parts: list[Typed], build: Callable[[list[ast.expr]], ast.expr]) -> Typed:
        """Return the node that `build` makes of values, and the type that holds them all."""
        nodes = [clean(*part)[0] for part in parts]
        if len(parts) > 1 and any(t.kind == "b" for _, t in parts):
            return build(nodes), B1  # of a word or number only the truth is asked
        type_ = parts[0][1]
        for _, other in parts[1:]:
            type_ = join(type_, other)
        if type_.kind == "f":
            nodes = [
                convert(n, t, F8) if t.kind == "w" else n
                for n, (_, t) in zip(nodes, parts, strict=True)
            ]
        return build(nodes), type_ if type_.kind != "u" or type_.clean else U8

    def operation(self, node: ast.BinOp) -> Typed:
        """Rewrite an operation on two numbers."""
        op, (left, a), (right, b) = type(node.op), self.value(node.left), self.value(node.right)
        kinds = {a.kind, b.kind}
        if "f" in kinds or op is ast.Div:
            (left, a), (right, b) = clean(left, a), clean(right, b)
            if op is ast.Div and not (isinstance(right, ast.Constant) and right.value):
                return call("divided", left, right), F8
            if op not in (ast.Add, ast.Sub, ast.Mult, ast.Div):
                raise Unplain(f"{ast.unparse(node)} of floats")
            return ast.BinOp(left, node.op, right), F8
        if kinds == {"b"} and op in (ast.BitAnd, ast.BitOr, ast.BitXor):
            return ast.BinOp(left, node.op, right), B1
        if "u" in kinds and not kinds <= {"u", "w"}:
            raise Unplain(f"words and signed numbers in {ast.unparse(node)}")
        kind = "u" if "u" in kinds else "w" if kinds == {"w"} else "i"
        if op in EXACT:
            (left, a), (right, b) = clean(left, a), clean(right, b)
            return ast.BinOp(left, node.op, right), Type(kind, *EXACT[op](a, b))
        if op not in RANGES:
            raise Unplain(ast.unparse(node))
        if op is ast.LShift:
            right, b = clean(right, b)
        return ast.BinOp(left, node.op, right), Type(kind, *RANGES[op](a, b))

    def unary(self, node: ast.UnaryOp) -> Typed:
        """Rewrite an operation on one number."""
        value, a = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(node.op, clean(value, a)[0]), B1
        if a.kind == "b" or (isinstance(node.op, ast.Invert) and a.kind == "f"):
            raise Unplain(ast.unparse(node))
        new = ast.UnaryOp(node.op, value)
        if a.kind == "f" or isinstance(node.op, ast.UAdd):
            return new, a
        less = 1 if isinstance(node.op, ast.Invert) else 0
        return new, Type(a.kind, *bounded(-a.high - less, -a.low - less))

    def element(self, node: ast.Subscript) -> Typed:
        """Rewrite an element of an array. What lies outside the array is nobody's index, so that an
        index needs no last care."""
        array, type_ = self.value(node.value)
        if type_.kind != "x" or isinstance(node.slice, ast.Tuple | ast.Slice):
            raise Unplain(f"the index of {ast.unparse(node)}")
        index, own = self.value(node.slice)
        if own.kind not in "uiw" or not -SIGNED <= own.low <= own.high <= 2 * WORD:
            index = convert(index, own, U8)
        return ast.Subscript(array, index, node.ctx), type_.of[0]

    def called(self, node: ast.Call) -> tuple[ast.expr | ast.stmt, Type]:
        """Rewrite a call, or write what is called in its place."""
        function = callee(node.func, self.known)
        parts = [] if is_range(node) else [self.value(part) for part in node.args]
        if function in CONVERSIONS:
            to = CONVERSIONS[function]
            return converted(*parts[0], to)
        if function is popcount:
            return call("popcount", clean(*parts[0])[0]), Type("i", 0, 64)
        if hasattr(function, "signature"):
            return self.kernel(node, function, parts)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        new = ast.Call(node.func, [clean(*part)[0] for part in parts], [])
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            own = MATH.get(getattr(self.known.get(node.func.value.id), node.func.attr, None))
            if own is not None:
                return new, own
        if name in self.known:
            raise Unplain(f"a call of {name}")
        if name in ("min", "max"):
            return self.extreme(name, parts)
        if name in ("int", "float", "bool"):
            return converted(*parts[0], {"int": I8, "float": F8, "bool": B1}[name])
        if name == "len":
            return new, Type("i", 0, ADDRESS)
        if name == "abs" and parts[0][1].kind in "ifw":
            kind = parts[0][1].kind
            return new, Type(kind, 0) if kind != "f" else F8
        raise Unplain(f"a call of {ast.unparse(node.func)}")

    def extreme(self, name: str, parts: list[Typed]) -> Typed:
        """Rewrite `min` or `max`."""
        parts = [clean(*part) for part in parts]
        new, type_ = self.one_of(parts, lambda nodes: call(name, *nodes))
        best: Callable[..., int] = {"min": min, "max": max}[name]
        low, high = best(t.low for _, t in parts), best(t.high for _, t in parts)
        return new, type_ if type_.kind == "f" else type_._replace(low=low, high=high)

    def kernel(
        self, node: ast.Call, function: Any, parts: list[Typed]
    ) -> tuple[ast.expr | ast.stmt, Type]:
        """Rewrite a call of a kernel."""
        result, types = signature_of(flat(function.signature))
        arguments = [convert(*part, own) for part, own in zip(parts, types, strict=True)]
        inline = self.inline(function)
        if inline is not None:
            written = inlined(inline, arguments, [f"_{next(_temporary)}" for _ in arguments])
            if written is not None:
                return written, inline.type
        return ast.Call(node.func, arguments, []), result


def is_range(node: ast.Call) -> bool:
    """Whether a call is one of `range`."""
    return isinstance(node.func, ast.Name) and node.func.id == "range"
