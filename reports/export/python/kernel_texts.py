"""Kernels of a file in Python: each is read, its calls are replaced, its numbers bounded, once."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from joute.reports.export.python.inlining import Inlining
from joute.reports.export.python.printer import Printer
from joute.reports.export.python.ranges import Ranges
from joute.reports.export.syntax.source_syntax import Unplain
from joute.reports.export.typed.reading import function_of
from joute.reports.export.typed.simplified import Known, simplified
from joute.reports.export.typed.tree import Function


class KernelTexts:
    """Prints kernels, and holds what is known of them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, Function, Ranges]] = {}

    def known(self, kernel: Any) -> tuple[Any, Function, Ranges]:
        """Return a kernel with its tree and the ranges of its numbers; raises Unreadable, or Unplain for a
        type that no tree has.
        """
        if id(kernel) not in self._known:
            try:
                whole = function_of(kernel)
            except KeyError as error:
                raise Unplain(f"the type {error}") from None
            short = Inlining(whole, self.function).function
            function = simplified(short, Known(), self.function)
            self._known[id(kernel)] = kernel, function, Ranges(function, self.ranges)
        return self._known[id(kernel)]

    def function(self, kernel: Any) -> Function:
        """Return the tree of a kernel, in which short kernels stand for their calls."""
        return self.known(kernel)[1]

    def ranges(self, kernel: Any) -> Ranges:
        """Return the ranges of a kernel's numbers."""
        return self.known(kernel)[2]

    def text(
        self, kernel: Any, name: str, reference: Callable[[Any, str], str]
    ) -> tuple[str, set[str]]:
        """Return a kernel's text under a name, and its variables; `reference` returns the name of a kernel or
        table that it uses.
        """
        function = self.function(kernel)
        definition = Printer(function, self.ranges(kernel), reference).definition(name)
        return ast.unparse(definition), {*function.parameters, *function.variables}
