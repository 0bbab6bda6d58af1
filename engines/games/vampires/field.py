"""A state of Vampires vs Werewolves in words, and the kernels that move and fight on it.

Cells are numbered y * width + x, where width is what the game has room for; a board may be smaller.
For `parts` words of 64 cells: vampires, werewolves, humans (a bit a cell), then the counts, a byte a
cell, eight a word. Then three words:
* meta: the player to move (bit 0), the status (bits 1-3), columns (8-15), rows (16-23), plies (32-);
* units: vampires (bits 0-15), werewolves (16-31), humans (32-47);
* knobs: 0 but in a search, whose generator keeps its own parameters there.

Resolution follows the course's server, not its brief (docs/vampires.md: a weak attack is an ordinary
random battle). Battles are given their result from outside: 0 for none, else 256 + survivors for
a victory of who came, 512 + survivors for a defeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State
from joute.engines.kernels.random import next_word

VAMPIRES, WEREWOLVES, HUMANS = range(3)
MOST = 255  # units of a cell
WON, LOST = 256, 512  # results of a battle, plus the survivors
RESULT_BITS = 10
# The eight directions in Langorou's order; y grows downwards.
DX = np.array([0, 0, 1, -1, 1, 1, -1, -1], np.int64)
DY = np.array([-1, 1, 0, 0, -1, 1, -1, 1], np.int64)
UNIT = 1.0 / (1 << 53)


@dataclass(frozen=True)
class Layout:
    """Offsets of the parts of a state with room for `width` x `height` cells."""

    width: int
    height: int

    @property
    def parts(self) -> int:
        """Words of a set of cells."""
        return (self.width * self.height + 63) // 64

    @cached_property
    def state(self) -> State:
        """The words of a state: three sets of cells by species (vampires, werewolves, humans), units a
        cell (8 bits), then turn, status, size and plies; units by species; a generator's parameters.
        """
        return State(cells=3 * self.parts, counts=8 * self.parts, meta=1, units=1, knobs=1)


@dataclass(frozen=True)
class FieldKernels:
    """Basic kernels of the rules, generators and evaluations; all take (W, at, ...)."""

    count: Kernel  # (cell) -> units there
    holds: Kernel  # (species, cell) -> whether it has units there
    take: Kernel  # (mover, cell, n): units leave a cell
    certain: Kernel  # (mover, cell, n) -> whether n units have a certain outcome there
    odds: Kernel  # (mover, cell, n) -> probability that they win
    settle: Kernel  # (mover, cell, n, result): units arrive
    draw: Kernel  # (mover, cell, n, S) -> a result of the battle
    finish: Kernel  # ends the turn
    step: Kernel  # (cell, direction) -> the neighbour, or -1 off the board


@kernel("i8(u8)")
def lowest(x):
    """Return the number of the lowest set bit."""
    return popcount((x & (~x + U(1))) - U(1))


@kernel("f8(i8, i8, i8)")
def probability(n, k, human):
    """Return the chance of n attackers against k defenders (facts, section 3: GetProba)."""
    a, d = np.float64(n), np.float64(k)
    if n == k:
        return np.float64(0.5)
    if n < k:
        return a / (2.0 * d)
    if human or 2 * n >= 3 * k:
        return np.float64(1.0)
    return a / d - 0.5


@kernel("i8(i8, f8, u8[::1])")
def binomial(n, p, S):
    """Return how many of n survive, each with probability p."""
    successes = np.int64(0)
    for _ in range(n):
        if np.float64(next_word(S) >> U(11)) * UNIT < p:
            successes += 1
    return successes


def field_kernels(layout: Layout, most_plies: int) -> FieldKernels:
    """Return the kernels for a layout; a game ends after `most_plies`."""
    parts, counts = U(layout.parts), layout.state.counts
    meta, units = layout.state.meta, layout.state.units
    width, one = np.int64(layout.width), U(1)

    @kernel("i8(u8[::1], u8, u8)")
    def count(W, at, cell):
        return np.int64((W[at + counts + (cell >> U(3))] >> ((cell & U(7)) << U(3))) & U(255))

    @kernel("b1(u8[::1], u8, u8, u8)")
    def holds(W, at, species, cell):
        return bool((W[at + species * parts + (cell >> U(6))] >> (cell & U(63))) & one)

    @kernel("void(u8[::1], u8, u8, u8, i8)")
    def put(W, at, species, cell, n):
        # Sets a cell that held this species or nothing; units are counted by who calls.
        word, lane = at + counts + (cell >> U(3)), (cell & U(7)) << U(3)
        W[word] = (W[word] & ~(U(255) << lane)) | (U(n) << lane)
        bit, where = one << (cell & U(63)), at + species * parts + (cell >> U(6))
        W[where] = W[where] | bit if n > 0 else W[where] & ~bit

    @kernel("void(u8[::1], u8, u8, u8, i8)")
    def take(W, at, mover, cell, n):
        put(W, at, mover, cell, count(W, at, cell) - n)

    @kernel("b1(u8[::1], u8, u8, u8, i8)")
    def certain(W, at, mover, cell, n):
        if holds(W, at, U(2), cell):
            return bool(n >= count(W, at, cell))
        return not holds(W, at, one - mover, cell) or bool(2 * n >= 3 * count(W, at, cell))

    @kernel("f8(u8[::1], u8, u8, u8, i8)")
    def odds(W, at, mover, cell, n):
        human = np.int64(1) if holds(W, at, U(2), cell) else np.int64(0)
        return probability(n, count(W, at, cell), human)

    @kernel("void(u8[::1], u8, u8, u8, i8, i8)")
    def settle(W, at, mover, cell, n, result):
        k = count(W, at, cell)
        species = mover
        if holds(W, at, U(2), cell):
            species = U(2)
        elif holds(W, at, one - mover, cell):
            species = one - mover
        left = n + k  # own units, humans who are converted, an empty cell
        if result >= 512:
            left = np.int64(0)
            k -= result & 255
            put(W, at, species, cell, result & 255)
        elif species != mover:
            if result > 0:
                left = result & 255
            elif species != U(2):
                left = n
            put(W, at, species, cell, np.int64(0))
            put(W, at, mover, cell, left)
        else:
            put(W, at, mover, cell, left)
        if species == mover:
            k = np.int64(0)
            left = n
        own, other = mover << U(4), species << U(4)
        W[at + units] += (U(left) << own) - (U(n) << own)
        W[at + units] -= U(k) << other

    @kernel("i8(u8[::1], u8, u8, u8, i8, u8[::1])")
    def draw(W, at, mover, cell, n, S):
        p, k = odds(W, at, mover, cell, n), count(W, at, cell)
        if np.float64(next_word(S) >> U(11)) * UNIT < p:
            left = binomial(n, p, S)
            if holds(W, at, U(2), cell):
                left += binomial(k, p, S)
            return 256 + left
        return 512 + binomial(k, 1.0 - p, S)

    @kernel("void(u8[::1], u8)")
    def finish(W, at):
        plies = (W[at + meta] >> U(32)) + one
        vampires, werewolves = W[at + units] & U(65535), (W[at + units] >> U(16)) & U(65535)
        code = U(0)
        if vampires == U(0):
            code = U(2)
        elif werewolves == U(0):
            code = U(1)
        elif plies >= U(most_plies):
            code = U(3) if vampires == werewolves else (one if vampires > werewolves else U(2))
        turn = (W[at + meta] & one) ^ one
        size = W[at + meta] & U(0xFFFF00)
        W[at + meta] = (plies << U(32)) | size | (code << one) | turn

    @kernel("i8(u8[::1], u8, u8, i8)")
    def step(W, at, cell, direction):
        y = np.int64(cell) // width
        x = np.int64(cell) - y * width + DX[U(direction)]
        y += DY[U(direction)]
        columns = np.int64((W[at + meta] >> U(8)) & U(255))
        rows = np.int64((W[at + meta] >> U(16)) & U(255))
        if x < 0 or y < 0 or x >= columns or y >= rows:
            return np.int64(-1)
        return y * width + x

    return FieldKernels(count, holds, take, certain, odds, settle, draw, finish, step)
