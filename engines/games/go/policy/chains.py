"""Chains and their liberties, on sets of cells."""

from __future__ import annotations

from typing import NamedTuple

from joute.engines.games.go.cells import (
    ONE,
    SET,
    Cells,
    both,
    either,
    less,
    nothing,
    same,
    size,
    some,
)
from joute.engines.kernels.compile import Kernel, U, kernel


@kernel(f"{SET}({SET})")
def head(a):
    """The first cell of a set, as a set; none of an empty one."""
    if a[0]:
        return a[0] & (~a[0] + ONE), U(0), U(0), U(0), U(0), U(0)
    if a[1]:
        return U(0), a[1] & (~a[1] + ONE), U(0), U(0), U(0), U(0)
    if a[2]:
        return U(0), U(0), a[2] & (~a[2] + ONE), U(0), U(0), U(0)
    if a[3]:
        return U(0), U(0), U(0), a[3] & (~a[3] + ONE), U(0), U(0)
    if a[4]:
        return U(0), U(0), U(0), U(0), a[4] & (~a[4] + ONE), U(0)
    return U(0), U(0), U(0), U(0), U(0), a[5] & (~a[5] + ONE)


class Chains(NamedTuple):
    """The kernels; `stones` are those of one colour, `empty` the empty cells."""

    chain: Kernel  # chain(seed, stones) -> the stones that are connected to those of seed
    liberty: Kernel  # liberty(chain, empty) -> its only liberty, or nothing if it has more or none
    in_atari: Kernel  # in_atari(seeds, stones, empty) -> the chains of seeds with one liberty
    last_liberties: Kernel  # last_liberties(seeds, stones, empty) -> their liberties
    breadth: (
        Kernel  # breadth(here, own, empty) -> liberties of a stone placed here: 0, 1, or 2 and more
    )
    in_two: (
        Kernel  # in_two(seeds, stones, empty) -> the liberties of those chains of seeds with two
    )


def chains_of(cells: Cells) -> Chains:
    """Return the kernels for a board."""
    around = cells.around

    @kernel(f"{SET}({SET}, {SET})")
    def chain(seed, stones):
        connected = seed
        while True:
            more = either(connected, both(around(connected), stones))
            if same(more, connected):
                return connected
            connected = more

    @kernel(f"{SET}({SET}, {SET})")
    def liberty(stones, empty):
        liberties = both(around(stones), empty)
        return liberties if size(liberties) == 1 else nothing()

    @kernel(f"{SET}({SET}, {SET}, {SET})")
    def in_atari(seeds, stones, empty):
        left, chains = both(seeds, stones), nothing()
        while some(left):
            one = chain(head(left), stones)
            left = less(left, one)
            if some(liberty(one, empty)):
                chains = either(chains, one)
        return chains

    @kernel(f"{SET}({SET}, {SET}, {SET})")
    def last_liberties(seeds, stones, empty):
        left, cells = both(seeds, stones), nothing()
        while some(left):
            one = chain(head(left), stones)
            left, cells = less(left, one), either(cells, liberty(one, empty))
        return cells

    @kernel(f"i8({SET}, {SET}, {SET})")
    def breadth(here, own, empty):
        free = less(empty, here)
        liberties = both(around(here), free)
        if size(liberties) < 2:
            liberties = both(around(chain(here, own)), free)
        return min(size(liberties), 2)

    @kernel(f"{SET}({SET}, {SET}, {SET})")
    def in_two(seeds, stones, empty):
        left, cells = both(seeds, stones), nothing()
        while some(left):
            one = chain(head(left), stones)
            liberties = both(around(one), empty)
            left = less(left, one)
            if size(liberties) == 2:
                cells = either(cells, liberties)
        return cells

    return Chains(chain, liberty, in_atari, last_liberties, breadth, in_two)
