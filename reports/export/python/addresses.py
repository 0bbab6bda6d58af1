"""Which variables of a kernel are added up to an index: their values are small, or it is outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joute.reports.export.typed import tree


def addresses(
    parts: Sequence[Any], places: Callable[[Any], list[bool]]
) -> tuple[set[str], set[str]]:
    """Return the variables that reach an index by sums and products, here or in a kernel called, and those of
    them that reach no comparison; `parts` are all parts of a kernel, `places` tells which parameters of
    another one are addresses.
    """
    indices: list[tree.Expression] = []
    pairs: list[tuple[str, tree.Expression]] = []
    for part in parts:
        if isinstance(part, tree.Element):
            indices.append(part.index)
        elif isinstance(part, tree.Called) and not isinstance(part.function, str):
            given = zip(part.arguments, places(part.function), strict=True)
            indices += [argument for argument, is_address in given if is_address]
        elif isinstance(part, tree.Assign):
            both = zip(part.targets, part.values, strict=True)
            pairs += [(t.name, value) for t, value in both if isinstance(t, tree.Variable)]
        elif isinstance(part, tree.Named):
            pairs.append((part.name, part.value))

    def reaching(names: set[str]) -> set[str]:
        before = None
        while before != (before := len(names)):
            names = names.union(*(added(value) for name, value in pairs if name in names))
        return names

    reach = reaching({name for index in indices for name in added(index)})
    tests = (part for part in parts if isinstance(part, tree.Comparison))
    return reach, reach - reaching({*tree.names_in(*tests)})


def added(node: tree.Expression) -> Iterator[str]:
    """Yield the names in a sum."""
    if isinstance(node, tree.Variable):
        yield node.name
    elif isinstance(node, tree.Operation) and node.sign in ("+", "-", "*"):
        yield from (*added(node.left), *added(node.right))
    elif isinstance(node, tree.Choice):
        yield from (*added(node.yes), *added(node.no))
    elif isinstance(node, tree.Conversion | tree.Named):
        yield from added(node.value)
