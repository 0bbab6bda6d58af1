"""`langorou`: the turns that Langorou, four students' bot, considers in Vampires vs Werewolves.

Every own group stays or goes to a neighbour, whole or, while groups are few, by half; a turn is any
combination. A search by expectation assumes mean losses, and takes likely battles for certain.
Source: the bot's repository; see docs/vampires.md.

A turn is coded by the groups that move, row by row, 15 bits each: the cell, then 1 + d for direction
d, 9 + d if half of it goes, 17 + d for one unit (where nothing else is legal). At most four groups
move in a turn.
"""

from __future__ import annotations

import numpy as np

from joute.engines.game import Game
from joute.engines.games.vampires.field import LOST, MOST, RESULT_BITS, WON, lowest, probability
from joute.engines.games.vampires.vampires import GROUPS, MOVE_BITS, TURNS, Vampires
from joute.engines.generator import Generator
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places, rule
from joute.engines.kernels.random import below
from joute.engines.parameter import Parameter

ONE, LEFT, CELL = U(1), U(MOVE_BITS), U(1023)
EXACT = float(1 << 53)  # a threshold travels in the state as a whole number of 2**-53
BRANCHES = 1 << GROUPS
TRIES = 100  # random turns that are tried before all are listed


class Langorou(Generator):
    """Turns of groups and halves of groups; battles by threshold."""

    name = "langorou"
    summary = "groups and halves of groups; likely battles count as certain, survivors as means"
    games = ("vampires",)
    branches = BRANCHES
    parameters = (
        Parameter(
            "max_groups",
            "int",
            2,
            1,
            4,
            meaning="a group may split in half while its side has fewer groups than this",
            source="Langorou: 2, entrants 3",
        ),
        Parameter(
            "win_threshold",
            "float",
            1.0,
            0.5,
            1.0,
            meaning="a battle with at least this chance of a win counts as won, of a loss as lost",
            source="Langorou: 1, shipped .8",
        ),
    )

    def assumes(self, game: Game) -> bool:
        """Mean losses, and two outcomes of a battle that is open."""
        return True

    def build(self, game: Game, stride: int, base: int) -> list[Kernel]:
        """Return the rules for turns coded by groups."""
        assert isinstance(game, Vampires)
        return [*turns(game), prepare_kernel(game, places(self.parameters, base))]


def prepare_kernel(game: Vampires, at: Offsets) -> Kernel:
    """Return `prepare(W, root, P)`: note the parameters in the root's state."""
    knobs, most, threshold = game.layout.state.knobs, at.max_groups, at.win_threshold

    @rule
    def prepare(W, root, P):
        W[root + knobs] = U(P[most]) | U(P[threshold] * EXACT) << U(8)

    return prepare


def turns(game: Vampires) -> list[Kernel]:
    """Return the kernels that list, draw and play turns coded by groups."""
    lay, k = game.layout, game.field
    parts, units, knobs = U(lay.parts), lay.state.units, lay.state.knobs
    words, many = lay.state.size, np.int64(TURNS)
    count, holds, take, settle, finish = k.count, k.holds, k.take, k.settle, k.finish
    certain, draw, step, meta = k.certain, k.draw, k.step, lay.state.meta

    @kernel("i8(u8[::1], u8)")
    def smallest(W, at):
        # The smallest group of humans, or more than there can be.
        units = np.int64(1 << 20)
        for part in range(parts):
            bits = W[at + U(2) * parts + U(part)]
            while bits != U(0):
                units = min(units, count(W, at, U(np.int64(part) * 64 + lowest(bits))))
                bits &= bits - ONE
        return units

    @kernel("i8(u8[::1], u8, u8)")
    def groups_of(W, at, species):
        groups = np.int64(0)
        for part in range(parts):
            groups += popcount(W[at + species * parts + U(part)])
        return groups

    @kernel("i8(u8[::1], u8, u8)")
    def units_of(W, at, move):
        # The units that a move takes along.
        n = count(W, at, move & CELL)
        share = ((move >> U(10)) - ONE) & U(24)  # all, half, or one unit
        return n if share == U(0) else (n >> 1 if share == U(8) else np.int64(1))

    @kernel("i8(u8[::1], u8, u8)")
    def target(W, at, move):
        return step(W, at, move & CELL, np.int64((move >> U(10)) - ONE) & 7)

    @kernel("i8(u8[::1], u8, u8, u8, i8)")
    def arriving(W, at, code, rest, cell):
        # The units that go to a cell by the moves of `rest`, the end of `code`; 0 if one before
        # them goes there.
        units = units_of(W, at, rest)
        if code >> LEFT == U(0):
            return units
        while code != rest:
            if target(W, at, code) == cell:
                return np.int64(0)
            code >>= LEFT
        rest >>= LEFT
        while rest != U(0):
            if target(W, at, rest) == cell:
                units += units_of(W, at, rest)
            rest >>= LEFT
        return units

    @kernel("b1(u8[::1], u8, u8, u8)")
    def legal(W, at, mover, code):
        # No move ends where another begins, and no cell would hold too many.
        rest = code
        while rest != U(0):
            cell = target(W, at, rest)
            there = np.int64(0)
            if not holds(W, at, ONE - mover, U(cell)):
                there = count(W, at, U(cell))
            if there + arriving(W, at, code, rest, cell) > MOST:
                return False
            other = code
            while other != U(0):
                if np.int64(other & CELL) == cell:
                    return False
                other >>= LEFT
            rest >>= LEFT
        return True

    @kernel("i8(u8[::1], u8, i8[::1], u8, u8)")
    def singles(W, at, A, to, mover):
        # Lists the legal turns of one unit, for crowds in which no group can move as a whole.
        n = to
        for part in range(parts):
            bits = W[at + mover * parts + U(part)]
            while bits != U(0):
                cell = U(np.int64(part) * 64 + lowest(bits))
                bits &= bits - ONE
                for d in range(8):
                    code = cell | U(17 + d) << U(10)
                    if step(W, at, cell, np.int64(d)) >= 0 and legal(W, at, mover, code):
                        A[n] = np.int64(code)
                        n += ONE
        return np.int64(n - to)

    @rule
    def actions(W, at, A, to):
        mover, least = W[at + meta] & ONE, np.int64(2) * smallest(W, at)
        few = groups_of(W, at, mover) < np.int64(W[at + knobs] & U(255))
        people, own = (W[at + units] >> U(32)) & U(65535), (W[at + units] >> (mover * U(16)))
        narrow = people + (own & U(65535)) > U(MOST)
        n = np.int64(1)
        A[to] = 0
        for part in range(parts):
            bits = W[at + mover * parts + U(part)]
            while bits != U(0):
                cell = U(np.int64(part) * 64 + lowest(bits))
                bits &= bits - ONE
                splits = few and count(W, at, cell) >= least
                ways, open_ways = np.int64(0), U(0)
                for d in range(8):
                    there = step(W, at, cell, np.int64(d))
                    if there >= 0:
                        ways += 1
                        open_ways |= ONE << U(d)
                        if holds(W, at, mover, U(there)):
                            narrow = True
                options = ONE + U(ways) * U(2 if splits else 1)
                if U(n) * options > U(many):
                    break
                p = n
                while p > 0:
                    p -= 1
                    base = U(A[to + U(p)])
                    free, shift = base >> U(MOVE_BITS * (GROUPS - 1)) == U(0), U(0)
                    while base >> shift != U(0) and free:
                        shift += LEFT
                    j = to + U(p + 1) * options - ONE
                    for digit in range(16 if splits else 8, 0, -1):
                        if (open_ways >> U((digit - 1) & 7)) & ONE != U(0):
                            A[j] = 0
                            if free:
                                A[j] = np.int64(base | (cell | U(digit) << U(10)) << shift)
                            j -= ONE
                    A[j] = np.int64(base)
                n *= np.int64(options)
        kept = to
        for p in range(1, n):
            code = A[to + U(p)]
            if code != 0 and (not narrow or legal(W, at, mover, U(code))):
                A[kept] = code
                kept += ONE
        if kept == to:
            return singles(W, at, A, to, mover)
        return np.int64(kept - to)

    @kernel("void(u8[::1], u8, u8, u8, u8)")
    def leave(W, src, dst, mover, code):
        # Copies the state and takes the units that go out of their cells.
        for i in range(words):
            W[dst + U(i)] = W[src + U(i)]
        while code != U(0):
            take(W, dst, mover, code & CELL, units_of(W, src, code))
            code >>= LEFT

    @rule
    def apply(W, src, dst, action, outcome):
        mover, rest, drawn = W[src + meta] & ONE, U(action), U(outcome)
        leave(W, src, dst, mover, rest)
        while rest != U(0):
            cell = target(W, src, rest)
            n = arriving(W, src, U(action), rest, cell)
            if n > 0:
                settle(W, dst, mover, U(cell), n, np.int64(drawn & U(1023)))
                drawn >>= U(RESULT_BITS)
            rest >>= LEFT
        finish(W, dst)

    @rule
    def outcome(W, at, action, S):
        mover, rest, shift, results = W[at + meta] & ONE, U(action), U(0), U(0)
        while rest != U(0):
            cell = target(W, at, rest)
            n = arriving(W, at, U(action), rest, cell)
            if n > 0:
                if not certain(W, at, mover, U(cell), n):
                    results |= U(draw(W, at, mover, U(cell), n, S)) << shift
                shift += U(RESULT_BITS)
            rest >>= LEFT
        return np.int64(results)

    @kernel("f8(u8[::1], u8, u8, u8, i8)")
    def chance(W, at, mover, cell, n):
        # The probability to win that a search by expectation works with; -1 where none fights.
        there, human = count(W, at, cell), holds(W, at, U(2), cell)
        if human:
            return np.float64(1.0) if n >= there else probability(n, there, np.int64(1))
        if holds(W, at, ONE - mover, cell):
            return probability(n, there, np.int64(0))
        return np.float64(-1.0)

    @rule
    def outcomes(W, at, action, O, to, F, weights):
        mover, rest, m, number = W[at + meta] & ONE, U(action), np.int64(1), U(0)
        sure = np.float64(W[at + knobs] >> U(8)) / EXACT
        O[to], F[weights] = 0, 1.0
        while rest != U(0):
            cell = target(W, at, rest)
            n = arriving(W, at, U(action), rest, cell)
            p = chance(W, at, mover, U(cell), n) if n > 0 else -1.0
            if p >= 0.0 and p < sure and p >= 1.0 - sure:
                b = m
                while b > 0:
                    b -= 1
                    old, weight = O[to + U(b)], F[weights + U(b)]
                    O[to + U(2 * b)] = old
                    F[weights + U(2 * b)] = weight * p
                    O[to + U(2 * b + 1)] = old | np.int64(ONE << number)
                    F[weights + U(2 * b + 1)] = weight * (1.0 - p)
                m *= 2
                number += ONE
            rest >>= LEFT
        return m

    @rule
    def assume(W, src, dst, action, outcome):
        mover, rest, lost = W[src + meta] & ONE, U(action), U(outcome)
        sure = np.float64(W[src + knobs] >> U(8)) / EXACT
        leave(W, src, dst, mover, rest)
        while rest != U(0):
            cell = target(W, src, rest)
            n = arriving(W, src, U(action), rest, cell)
            if n > 0:
                p, result = chance(W, src, mover, U(cell), n), np.int64(0)
                if p >= 0.0:
                    loses = p < 1.0 - sure
                    if not loses and p < sure:
                        loses = lost & ONE != U(0)
                        lost >>= ONE
                    there = np.float64(count(W, src, U(cell)))
                    if loses:
                        result = LOST + np.int64((1.0 - p) * there)
                    elif holds(W, src, U(2), U(cell)):
                        result = WON + np.int64(p * np.float64(n) + p * there)
                    else:
                        result = WON + np.int64(p * np.float64(n))
                settle(W, dst, mover, U(cell), n, result)
            rest >>= LEFT
        finish(W, dst)

    @rule
    def sample(W, at, A, to, S):
        mover, least = W[at + meta] & ONE, np.int64(2) * smallest(W, at)
        few = groups_of(W, at, mover) < np.int64(W[at + knobs] & U(255))
        for _ in range(TRIES):
            code, shift = U(0), U(0)
            for part in range(parts):
                bits = W[at + mover * parts + U(part)]
                while bits != U(0):
                    cell = U(np.int64(part) * 64 + lowest(bits))
                    bits &= bits - ONE
                    splits = few and count(W, at, cell) >= least
                    digit = below(S, U(17 if splits else 9))
                    if digit == U(0) or shift == LEFT * U(GROUPS):
                        continue
                    if step(W, at, cell, np.int64((digit - ONE) & U(7))) >= 0:
                        code |= (cell | digit << U(10)) << shift
                        shift += LEFT
            if code != U(0) and legal(W, at, mover, code):
                return np.int64(code)
        n = actions(W, at, A, to)
        return A[to + below(S, U(n))] if n > 0 else np.int64(0)

    return [actions, apply, outcome, outcomes, assume, sample]
