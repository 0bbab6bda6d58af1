"""Follows values to all they need, and writes each once: the heart of `assemble`."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from joute.engines.kernels.compile import flat
from joute.reports.export.python.kernel_texts import KernelTexts
from joute.reports.export.source.classes import class_text
from joute.reports.export.source.naming import MARK, Names
from joute.reports.export.source.plain import Lists, list_of
from joute.reports.export.source.preamble import BRIEF
from joute.reports.export.syntax.folding import Fold
from joute.reports.export.syntax.source_syntax import (
    Convert,
    Plain,
    Unwritable,
    captured,
    names_of,
    parsed,
    wish,
)
from joute.reports.export.syntax.tuples import taken_apart

FOREIGN = {*sys.stdlib_module_names, "numpy"}
CACHED = functools._lru_cache_wrapper


@dataclass(frozen=True)
class Needed:
    """The attributes and classes that the exported code uses, as earlier passes have found them."""

    attributes: set[str]
    called: set[type]


class Writer:
    """One pass. `ref` returns the expression that means a value, and adds its definition to `items`.

    With `kernels` these are written for Python's own numbers, else for numpy's.
    """

    def __init__(self, needed: Needed, kernels: KernelTexts | None = None) -> None:
        self.needed, self.found = needed, Needed(set(), set())
        self.kernels, self.plain = kernels, kernels is not None
        self.names = Names()
        self.items: list[tuple[str, str]] = []  # the mark that is defined, and the definition
        self.modules = set() if self.plain else {"numpy", "sys"}  # those of the preamble
        self._known: dict[Any, str] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def ref(self, value: Any, hint: str, where: str) -> str:
        """Return the expression for a value; `hint` is a name for it, `where` tells who needs it."""
        if isinstance(value, np.generic):
            if self.plain:
                return self.ref(value.item(), hint, where)
            return self._once((hint, repr(value)), value, hint, where)
        if value is None or isinstance(value, bool | int | str):
            return repr(value)
        if isinstance(value, float):
            return repr(value) if np.isfinite(value) else f"float('{value}')"
        if isinstance(value, tuple) and hasattr(value, "_fields"):  # a NamedTuple
            fields = ", ".join(self.ref(v, hint, where) for v in value)
            return f"{self.ref(type(value), type(value).__name__, where)}({fields})"
        if type(value) in (tuple, list):
            inside = ", ".join(self.ref(v, hint, where) for v in value)
            one = "," if len(value) == 1 else ""
            return f"({inside}{one})" if type(value) is tuple else f"[{inside}]"
        if type(value) is dict:
            pairs = [
                (self.ref(k, hint, where), self.ref(v, named(k, hint), where))
                for k, v in value.items()
            ]
            return "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
        if isinstance(value, ModuleType):
            return self.module(value.__name__, where)
        if isinstance(value, MethodType):
            self.found.attributes.add(value.__name__)
            return f"{self.ref(value.__self__, hint, where)}.{value.__name__}"
        if isinstance(value, type) and value.__module__.partition(".")[0] not in FOREIGN:
            self.found.called.add(value)
        return self._once(id(value), value, hint, where)

    def number(self, value: Any, name: str, where: str) -> str:
        """Return the expression for a value that keeps its name even if it is a plain number."""
        if type(value) not in (int, float, str, tuple):
            return self.ref(value, name, where)
        written = self.ref(value, name, where)
        if (name, written) not in self._known:
            self._known[name, written] = self._constant(name, written)
        return self._known[name, written]

    def module(self, name: str, where: str) -> str:
        """Return the expression for a module, which is imported."""
        if name.partition(".")[0] not in FOREIGN:
            raise Unwritable(f"{where} uses the module {name}")
        self.modules.add(name)
        return BRIEF.get(name, name)

    def function(self, node: ast.FunctionDef, function: FunctionType, fold: bool) -> None:
        """Rewrite a function's syntax tree so that it stands alone; `fold` for a kernel."""
        where = f"{function.__module__}.{function.__qualname__}"
        free, local = names_of(function.__code__)
        if fold:
            local |= bound(node)
        if free & local:
            raise Unwritable(f"{where}: {sorted(free & local)} are both local and global")
        known = {name: value for name, value in captured(function) if name not in local}
        Plain().visit(node)
        if fold:
            Fold(known).visit(node)
        if self.plain:
            Lists(known).visit(node)
        elif fold:
            Convert(known, lambda n: self.ref(n, wish(n), where)).visit(node)
        refer = self.ref if fold else self.number
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute):
                self.found.attributes.add(inner.attr)
            elif isinstance(inner, ast.Import | ast.ImportFrom):
                for alias in inner.names:
                    self.module(getattr(inner, "module", None) or alias.name, where)
            elif isinstance(inner, ast.Name):
                if inner.id in known:
                    inner.id = refer(known[inner.id], inner.id, where)
                elif not (inner.id in local | self.names.taken or MARK.search(inner.id)):
                    raise Unwritable(f"{where}: {inner.id} is not known here (in a default?)")
                self.names.hide(inner.id, local)

    def _once(self, key: Any, value: Any, hint: str, where: str) -> str:
        if key not in self._known:
            self._kept.append(value)
            self._known[key] = self._define(value, hint, where, key)
        return self._known[key]

    def _define(self, value: Any, hint: str, where: str, key: Any) -> str:
        if isinstance(value, np.generic):
            return self._constant(hint, self._numpy_number(value))
        if isinstance(value, np.ndarray):
            return self._constant(hint, self._array(value))
        if isinstance(value, re.Pattern):
            self.modules.add("re")
            return self._constant(hint, f"re.compile({value.pattern!r}, {int(value.flags)})")
        kernel = hasattr(value, "signature") and hasattr(value, "digest")
        if not (kernel or isinstance(value, type | FunctionType | BuiltinFunctionType | CACHED)):
            return self._object(value, hint, where, key)
        home = value.__module__
        if home == "builtins":
            return str(value.__name__)
        if home.partition(".")[0] in FOREIGN:
            return f"{self.module(home, where)}.{value.__qualname__}"
        mark = self._known[key] = self.names.mark(value.__name__)
        if isinstance(value, type):
            text = class_text(self, value, mark, frozenset())
        else:
            text = self._function_text(value, mark, kernel)
        self.items.append((mark, text))
        return mark

    def _constant(self, hint: str, written: str) -> str:
        mark = self.names.mark(hint)
        self.items.append((mark, f"{mark} = {written}"))
        return mark

    def _numpy_number(self, value: np.generic) -> str:
        plain = value.item()
        text = hex(plain) if isinstance(plain, int) and plain > 99_999 else repr(plain)
        return f"np.{value.dtype.name}({text})"

    def _array(self, value: np.ndarray[Any, Any]) -> str:
        if self.plain:
            return list_of(value)
        flat = ", ".join(map(repr, value.ravel().tolist()))
        made = f"np.array([{flat}], np.{value.dtype.name})"
        return made if value.ndim == 1 else f"{made}.reshape{value.shape}"

    def _function_text(self, value: Any, mark: str, kernel: bool) -> str:
        if kernel and self.kernels is not None:
            return self._kernel_text(value, mark, self.kernels)
        cached = isinstance(value, CACHED)
        function: FunctionType = value.__wrapped__ if cached else getattr(value, "py_func", value)
        node = taken_apart(value)[0] if kernel else parsed(function)
        assert isinstance(node, ast.FunctionDef), f"{function.__qualname__} is not a def"
        if kernel or cached:
            node.decorator_list = []
        self.function(node, function, fold=kernel)
        node.name = mark
        text = ast.unparse(ast.fix_missing_locations(node))
        if cached:
            most = value.cache_parameters()["maxsize"]
            return f"@{self.module('functools', mark)}.lru_cache({most})\n{text}"
        if not kernel:
            return text
        return (
            f'@kernel("{flat(value.signature)}"{"" if value.inline else ", inline=False"})\n{text}'
        )

    def _kernel_text(self, kernel: Any, mark: str, kernels: KernelTexts) -> str:
        where = f"{kernel.__module__}.{kernel.__qualname__}"
        used = list[str]()

        def reference(value: Any, hint: str) -> str:
            used.append(self.ref(value, hint, where))
            return used[-1]

        text, local = kernels.text(kernel, mark, reference)
        for name in used:
            self.names.hide(name, local)
        return text

    def _object(self, value: Any, hint: str, where: str, key: Any) -> str:
        kind = type(value)
        if kind.__module__.partition(".")[0] in FOREIGN or not hasattr(value, "__dict__"):
            raise Unwritable(f"{where} uses {hint}, a {kind.__name__}")
        mark = self._known[key] = self.names.mark(hint)
        members = [name for name in members_of(kind) if name in self.needed.attributes]
        for name in members:  # a cached property is written as its value
            if isinstance(inspect.getattr_static(kind, name), functools.cached_property):
                getattr(value, name)
        own = vars(value)
        attributes = ", ".join(
            f"{name}={self.ref(thing, name, f'{where}.{name}')}"
            for name, thing in own.items()
            if name in self.needed.attributes
        )
        made = f"types.SimpleNamespace({attributes})"
        if set(members) - set(own):
            made = f"made({self.kind(kind, frozenset(own))}, {attributes})"
        else:
            self.modules.add("types")
        self.items.append((mark, f"{mark} = {made}"))
        return mark

    def kind(self, kind: type, own: frozenset[str]) -> str:
        """Return the name of a class of objects whose attributes `own` are not the class's."""
        if kind in self.needed.called:
            return self.ref(kind, kind.__name__, kind.__module__)
        if id(kind) not in self._known:
            mark = self._known[id(kind)] = self.names.mark(kind.__name__)
            self.items.append((mark, class_text(self, kind, mark, own)))
        return self._known[id(kind)]


def bound(node: ast.FunctionDef) -> set[str]:
    """Return the parameters of a function and the names that it stores."""
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {a.arg for a in node.args.args} | {n.id for n in names if isinstance(n.ctx, ast.Store)}


def named(key: Any, hint: str) -> str:
    """Return a name for what stands under a key: the key, if it is one."""
    return key if isinstance(key, str) and key.isidentifier() else hint


def members_of(kind: type) -> Iterator[str]:
    """Yield the names that a class of ours and its bases define, special ones left out."""
    for one in kind.__mro__:
        if one.__module__.partition(".")[0] not in FOREIGN:
            yield from (name for name in vars(one) if not name.startswith("__"))
