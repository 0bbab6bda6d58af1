"""The contract of kernels: what a game, evaluation, generator, ending or view gives, and how it is called.

`SIGNATURES` holds each kernel of a contract once, in numba's notation: u8 and u8[::1] are an unsigned
word and an array of them, i8 an integer, f8 a float, f4[::1] an array of floats of 32 bits. `@rule`
compiles a function for the signature that its name has there. What the arguments mean is told where the kernels are used: `engines/game.py`,
`evaluation.py`, `generator.py`, `ending.py` and `view.py`.

A kernel has no annotations: its signature is its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any, Protocol

import numpy as np

from joute.engines.errors import nearest
from joute.engines.kernels.compile import Kernel, U, kernel

GAME = {
    "start": "void(u8[::1], u8)",
    "apply": "void(u8[::1], u8, u8, i8, i8)",
    "to_move": "i8(u8[::1], u8)",
    "status": "i8(u8[::1], u8)",
    "returns": "void(u8[::1], u8, f8[::1], u8)",
    "key": "u8(u8[::1], u8)",
    "nth": "i8(u8[::1], u8, u8)",
    "actions": "i8(u8[::1], u8, i8[::1], u8)",
    "is_legal": "b1(u8[::1], u8, i8)",
    "sample": "i8(u8[::1], u8, i8[::1], u8, u8[::1])",
    "playout": "i8(u8[::1], u8, i8[::1], u8, u8[::1])",
    "peek": "i8(u8[::1], u8, i8)",
    "advance": "void(u8[::1], u8, u8, i8)",
    "outcome": "i8(u8[::1], u8, i8, u8[::1])",
    "outcomes": "i8(u8[::1], u8, i8, i8[::1], u8, f8[::1], u8)",
    "assume": "void(u8[::1], u8, u8, i8, i8)",
    "repeats": "b1(u8[::1], u8)",
    "forcing": "i8(u8[::1], u8, i8[::1], u8)",
    "skip": "b1(u8[::1], u8, u8)",
}
GENERATOR = {
    **GAME,
    "prepare": "void(u8[::1], u8, f8[::1])",
    "guess": "void(u8[::1], u8, i8[::1], i8, f8[::1], f8[::1], u8)",
}
EVALUATION = {
    "init": "void(u8[::1], u8, f8[::1])",
    "update": "void(u8[::1], u8, u8, i8, f8[::1])",
    "value": "f8(u8[::1], u8, f8[::1])",
    "values": "void(u8[::1], u8, f8[::1], f8[::1], u8)",
    "expected": "void(u8[::1], u8, f8[::1], f8[::1], u8)",
    "after": "f8(u8[::1], u8, i8, f8[::1])",
    "final": "f8(u8[::1], u8, f8[::1])",
}
VIEW = {
    "see": "void(u8[::1], u8, f4[::1], u8)",
    "entry": "i8(u8[::1], u8, i8)",
}
ENDING = {"choose": "i8(u8[::1], u8, i8[::1], u8[::1], f8[::1])"}
CONTRACTS = {
    "game": GAME,
    "generator": GENERATOR,
    "evaluation": EVALUATION,
    "ending": ENDING,
    "view": VIEW,
}
SIGNATURES: dict[str, str] = {name: s for part in CONTRACTS.values() for name, s in part.items()}


class Offsets:
    """Numbers by name, for kernels to capture: `stones = at.stones`, then `W[s + stones]`.

    Each name has a size; the offsets follow each other from `begin` on. An attribute is an unsigned
    word. Raises AttributeError with the nearest name for one that is not there.
    """

    def __init__(self, sizes: Mapping[str, int], begin: int = 0) -> None:
        self.sizes = dict(sizes)
        self.size = sum(self.sizes.values())
        for name, size in self.sizes.items():
            if hasattr(Offsets, name) or name in ("size", "sizes"):
                raise TypeError(f"a word or parameter cannot be called {name}")
            setattr(self, name, U(begin))
            begin += size

    def __contains__(self, name: str) -> bool:
        return name in self.sizes

    def __getattr__(self, name: str) -> np.uint64:
        if name.startswith("_") or name == "sizes":
            raise AttributeError(name)
        raise AttributeError(f"no word or parameter is called {name}{nearest(name, self.sizes)}")

    def behind(self, begin: int) -> Offsets:
        """Return the same names from another offset on."""
        return Offsets(self.sizes, begin)


class State(Offsets):
    """The words of a state: `State("stones", "ply")`, or `State(mine=2, theirs=2, ply=1)`."""

    def __init__(self, *names: str, **sizes: int) -> None:
        super().__init__({**dict.fromkeys(names, 1), **sizes})


class HasName(Protocol):
    """A parameter, as far as it matters here."""

    @property
    def name(self) -> str:
        """Its name."""


def places(parameters: Iterable[HasName], base: int = 0) -> Offsets:
    """Return where the values of parameters stand in an engine's vector P, by name."""
    return Offsets({p.name: 1 for p in parameters}, base)


def rule(function: Callable[..., Any]) -> Kernel:
    """Compile a kernel of a contract, for the signature that belongs to its name.

    Raises TypeError for a name that no contract has (with the nearest one), and for a wrong number of
    arguments.
    """
    name = function.__name__
    if name not in SIGNATURES:
        raise TypeError(f"@rule {name}: no contract has such a kernel{nearest(name, SIGNATURES)}")
    wanted = SIGNATURES[name].count(",") + 1
    given = len(signature(function).parameters)
    if given != wanted:
        raise TypeError(
            f"@rule {name}: {given} arguments; its signature {SIGNATURES[name]} has {wanted}"
        )
    return kernel(SIGNATURES[name])(function)


def code_of(kernels: Any) -> str:
    """Return the digests of all kernels of a contract, one after the other; "" where they have none."""
    parts = [getattr(getattr(kernels, field.name), "digest", "") for field in fields(kernels)]
    return " ".join(map(str, filter(None, parts)))


def collect(contract: str, kernels: Iterable[Kernel] | None) -> dict[str, Kernel]:
    """Return kernels by name; raise TypeError for one that is not of the contract, or given twice."""
    known = CONTRACTS[contract]
    if kernels is None:
        raise TypeError(f"{contract}: build returns nothing; it must return the kernels")
    by_name: dict[str, Kernel] = {}
    for one in kernels:
        name = one.__name__
        if name not in known:
            raise TypeError(f"{contract}: no kernel is called {name}{nearest(name, known)}")
        if name in by_name:
            raise TypeError(f"{contract}: the kernel {name} is given twice")
        if getattr(one, "signature", known[name]) != known[name]:
            raise TypeError(f"{contract}: {name} must be {known[name]}, not {one.signature}")  # type: ignore[attr-defined]
        by_name[name] = one
    return by_name
