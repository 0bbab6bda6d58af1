"""The rules of Go as kernels: captures, suicide, ko, playouts, the score.

Before every move each chain has a liberty. So a stone at `cell` captures the stones of the other
side that no flood from the remaining empty cells reaches. The flood stops as soon as it has reached
the neighbours of `cell`: mostly at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from joute.engines.board import Map, symmetric_key
from joute.engines.games.go.cells import (
    ONE,
    SET,
    Cells,
    both,
    cells_of,
    either,
    less,
    meet,
    nothing,
    nth_cell,
    same,
    size,
    some,
    steps_of,
    within,
)
from joute.engines.kernels.bits import mix
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, rule
from joute.engines.kernels.random import below


@dataclass(frozen=True)
class Rules:
    """Constants of the kernels. `komi` is in half points, `last` the ply at which a game is scored."""

    columns: int
    rows: int
    ko: str  # superko, simple or none
    prisoners: bool  # territory and prisoners count, not area
    komi: int
    last: int

    @property
    def cells(self) -> int:
        """The number of cells, which is the action of a pass."""
        return self.columns * self.rows

    @property
    def state(self) -> State:
        """The words: stones, plies, passes in a row; what a policy looks at; then what ko and score need.

        `recent` has the cells of the last move (bits 0 to 15) and of the one before it (16 to 31), each
        + 1, 0 for a pass or none; `knobs` are the policy's own. Rules read neither.

        For superko: `stones` on the board, `most` of them in this state or one before it in the line,
        and how many states that are. For simple ko: the forbidden cell + 1, or 0. For territory: the
        stones that each player has captured.
        """
        parts = (self.cells + 63) // 64
        words = {"first": parts, "second": parts, "ply": 1, "passes": 1, "recent": 1, "knobs": 1}
        if self.ko == "superko":
            words |= {"stones": 1, "most": 1, "before": 1}
        if self.ko == "simple":
            words["ko"] = 1
        if self.prisoners:
            words["prisoners"] = 2
        return State(**words)


def kernels_of(rules: Rules, maps: Iterable[Map], stride: int) -> list[Kernel]:
    """Return the kernels of the contract."""
    cells, state = cells_of(rules.columns, rules.rows), rules.state
    legal = legal_kernel(rules, cells, stride)
    return [
        *choosing(rules, state, cells, legal),
        apply_kernel(rules, state, cells, captured_kernel(cells)),
        status_kernel(rules, state, score_kernel(rules, state, cells)),
        key_kernel(rules, state, maps),
    ]


def captured_kernel(cells: Cells) -> Kernel:
    """Return `captured(other, free, c)`: the stones of `other` that a stone at c captures.

    `free` are the empty cells without c.
    """
    near, around = cells.near, cells.around

    @kernel(f"{SET}({SET}, {SET}, u8)")
    def captured(other, free, c):
        beside = both(near(c), other)
        if not some(beside):
            return nothing()
        alive = both(around(free), other)
        while not within(beside, alive):
            more = either(alive, both(around(alive), other))
            if same(more, alive):
                return less(other, alive)
            alive = more
        return nothing()

    return captured


def breathes_kernel(cells: Cells) -> Kernel:
    """Return `breathes(own, free, c)`: whether a stone at c has a liberty if it captures nothing."""
    near, around = cells.near, cells.around

    @kernel(f"b1({SET}, {SET}, u8)")
    def breathes(own, free, c):
        beside = near(c)
        if meet(beside, free):
            return True
        friends = both(beside, own)
        if not some(friends):
            return False
        alive = both(around(free), own)
        while not meet(friends, alive):
            more = either(alive, both(around(alive), own))
            if same(more, alive):
                return False
            alive = more
        return True

    return breathes


def repeats_kernel(state: State, cells: Cells, stride: int) -> Kernel:
    """Return `repeats(W, at, own, other, count)`: whether an earlier board of the line was this one.

    `own` and `other` are the stones of the player to move and of his opponent after his move, `count`
    how many they are. A ply adds one stone at most: from a board with n more stones than this one, n
    plies back is the first that can be it; and where there never were as many, there is none.
    """
    parts, step = state.second - state.first, U(stride)
    first, ply = state.first, state.ply
    stones, most, before = state.stones, state.most, state.before
    load = cells.load

    @kernel(f"b1(u8[::1], u8, {SET}, {SET}, u8)")
    def repeats(W, at, own, other, count):
        mover = W[at + ply] & ONE
        own_at, other_at = first + mover * parts, first + (ONE - mover) * parts
        left, frame = W[at + before], at
        while W[frame + most] >= count:
            back = ONE
            if W[frame + stones] > count:
                back = W[frame + stones] - count
            elif (
                W[frame + stones] == count
                and same(load(W, frame + own_at), own)
                and same(load(W, frame + other_at), other)
            ):
                return True
            if back > left:
                return False
            left -= back
            frame -= back * step
        return False

    return repeats


def legal_kernel(rules: Rules, cells: Cells, stride: int) -> Kernel:
    """Return `legal(W, at, c)`: whether the player to move may place a stone on an empty cell c."""
    state, captured, breathes = rules.state, captured_kernel(cells), breathes_kernel(cells)
    parts = state.second - state.first
    first, ply = state.first, state.ply
    whole, load, one = cells.whole, cells.load, cells.one

    if rules.ko == "superko":
        stones, most = state.stones, state.most
        repeats = repeats_kernel(state, cells, stride)

        @kernel("b1(u8[::1], u8, u8)")
        def legal(W, at, c):
            mover = W[at + ply] & ONE
            own = load(W, at + first + mover * parts)
            other = load(W, at + first + (ONE - mover) * parts)
            free = less(whole(), either(either(own, other), one(c)))
            dead = captured(other, free, c)
            if not some(dead):
                if not breathes(own, free, c):
                    return False
                if W[at + stones] >= W[at + most]:
                    return True  # there never were as many stones
            count = W[at + stones] + ONE - U(size(dead))
            return not repeats(W, at, either(own, one(c)), less(other, dead), count)

    else:
        simple = rules.ko == "simple"
        ko = state.ko if simple else ply

        @kernel("b1(u8[::1], u8, u8)")
        def legal(W, at, c):
            if simple and W[at + ko] == c + ONE:
                return False
            mover = W[at + ply] & ONE
            own = load(W, at + first + mover * parts)
            other = load(W, at + first + (ONE - mover) * parts)
            free = less(whole(), either(either(own, other), one(c)))
            return breathes(own, free, c) or some(captured(other, free, c))

    return legal


def choosing(rules: Rules, state: State, cells: Cells, legal: Kernel) -> list[Kernel]:
    """Return `actions`, `is_legal`, `sample` and `playout`."""
    parts, passing = state.second - state.first, rules.cells
    first, ply = state.first, state.ply
    whole, load, one = cells.whole, cells.load, cells.one
    own_eye = own_eye_kernel(rules, cells)
    order = np.array(from_the_middle(rules.columns, rules.rows), np.int64)

    @kernel(f"{SET}(u8[::1], u8)")
    def empty(W, at):
        return less(whole(), either(load(W, at + first), load(W, at + first + parts)))

    @rule
    def actions(W, at, A, to):
        left, n = empty(W, at), to
        for c in order:
            if meet(left, one(U(c))) and legal(W, at, U(c)):
                A[n] = c
                n += ONE
        A[n] = passing
        return np.int64(n + ONE - to)

    @rule
    def is_legal(W, at, action):
        if action < 0 or action >= passing:
            return action == passing
        return meet(empty(W, at), one(U(action))) and legal(W, at, U(action))

    @rule
    def sample(W, at, A, to, S):
        # Whichever is the first legal one, drawn without putting back, is drawn uniformly.
        left = empty(W, at)
        while True:
            n = size(left)
            k = np.int64(below(S, U(n + 1)))
            if k == n:
                return np.int64(passing)
            c = nth_cell(left, k)
            if legal(W, at, c):
                return np.int64(c)
            left = less(left, one(c))

    @rule
    def playout(W, at, A, to, S):
        left, mover = empty(W, at), W[at + ply] & ONE
        own = load(W, at + first + mover * parts)
        other = load(W, at + first + (ONE - mover) * parts)
        while True:
            n = size(left)
            if n == 0:
                return np.int64(passing)
            c = nth_cell(left, np.int64(below(S, U(n))))
            if not own_eye(own, other, c) and legal(W, at, c):
                return np.int64(c)
            left = less(left, one(c))

    return [actions, is_legal, sample, playout]


def from_the_middle(columns: int, rows: int) -> list[int]:
    """Return the cells in canonical order: those in the middle first, the corners last."""

    def distance(c: int) -> int:
        y, x = divmod(c, columns)
        return (2 * x - columns + 1) ** 2 + (2 * y - rows + 1) ** 2

    return sorted(range(columns * rows), key=distance)


def own_eye_kernel(rules: Rules, cells: Cells) -> Kernel:
    """Return `own_eye(own, other, c)`: whether the empty cell c is an eye that a playout never fills.

    All its neighbours are own stones, and of the cells aslant at most one is the opponent's, none
    where the board ends.
    """
    near, aslant = cells.near, cells.aslant
    beside = steps_of(rules.columns, rules.rows)[1]
    spare = np.array([1 if len(one) == 4 else 0 for one in beside], np.int64)

    @kernel(f"b1({SET}, {SET}, u8)")
    def own_eye(own, other, c):
        return within(near(c), own) and size(both(aslant(c), other)) <= spare[c]

    return own_eye


def apply_kernel(rules: Rules, state: State, cells: Cells, captured: Kernel) -> Kernel:
    """Return `apply`."""
    parts, passing = state.second - state.first, rules.cells
    first, ply, passes = state.first, state.ply, state.passes
    recent, knobs = state.recent, state.knobs
    whole, load, save, one, near = cells.whole, cells.load, cells.save, cells.one, cells.near
    superko, simple, prisoners = rules.ko == "superko", rules.ko == "simple", rules.prisoners
    ko, taken = state.ko if simple else ply, state.prisoners if prisoners else ply
    stones, most, before = (state.stones, state.most, state.before) if superko else (ply, ply, ply)

    @rule
    def apply(W, src, dst, action, outcome):
        mover = W[src + ply] & ONE
        own_at, other_at = first + mover * parts, first + (ONE - mover) * parts
        own, other = load(W, src + own_at), load(W, src + other_at)
        dead, forbidden, passed = nothing(), U(0), W[src + passes] + ONE
        W[dst + recent], W[dst + knobs] = (W[src + recent] & U(0xFFFF)) << U(16), W[src + knobs]
        if action != passing:
            c = U(action)
            W[dst + recent] |= c + ONE
            here = one(c)
            free = less(whole(), either(either(own, other), here))
            dead, passed = captured(other, free, c), U(0)
            if simple and size(dead) == 1 and not meet(near(c), own):
                liberties = both(near(c), either(free, dead))
                if same(liberties, dead):
                    forbidden = nth_cell(dead, np.int64(0)) + ONE
            own, other = either(own, here), less(other, dead)
        save(W, dst + own_at, own)
        save(W, dst + other_at, other)
        W[dst + passes] = passed
        if superko:
            count = W[src + stones] - U(size(dead))
            if action != passing:
                count += ONE
            W[dst + stones], W[dst + most] = count, max(W[src + most], count)
            W[dst + before] = W[src + before] + ONE
        if simple:
            W[dst + ko] = forbidden
        if prisoners:
            W[dst + taken + mover] = W[src + taken + mover] + U(size(dead))
            W[dst + taken + ONE - mover] = W[src + taken + ONE - mover]

    return apply


def score_kernel(rules: Rules, state: State, cells: Cells) -> Kernel:
    """Return `score(W, at)`: the first player's points less the second's, without komi."""
    first, second = state.first, state.second
    whole, load, around = cells.whole, cells.load, cells.around
    prisoners = rules.prisoners
    taken = state.prisoners if prisoners else first

    @kernel(f"{SET}({SET}, {SET})")
    def reached(stones, empty):
        """The empty cells that are connected to stones through empty ones."""
        area = both(around(stones), empty)
        while True:
            more = either(area, both(around(area), empty))
            if same(more, area):
                return area
            area = more

    @kernel("i8(u8[::1], u8)")
    def score(W, at):
        black, white = load(W, at + first), load(W, at + second)
        empty = less(whole(), either(black, white))
        of_black, of_white = reached(black, empty), reached(white, empty)
        lead = size(less(of_black, of_white)) - size(less(of_white, of_black))
        if prisoners:
            return lead + np.int64(W[at + taken]) - np.int64(W[at + taken + ONE])
        return lead + size(black) - size(white)

    return score


def status_kernel(rules: Rules, state: State, score: Kernel) -> Kernel:
    """Return `status`: two passes end a game, and so does its last ply."""
    ply, passes, last, komi = state.ply, state.passes, U(rules.last), rules.komi

    @rule
    def status(W, at):
        if W[at + passes] < U(2) and W[at + ply] < last:
            return np.int64(0)
        lead = 2 * score(W, at) - komi
        return np.int64(1) if lead > 0 else np.int64(2) if lead < 0 else np.int64(3)

    return status


def key_kernel(rules: Rules, state: State, maps: Iterable[Map]) -> Kernel:
    """Return `key`: the board up to symmetry, with a forbidden cell; who moves, passes, prisoners."""
    first, second = state.first, state.second
    simple, prisoners = rules.ko == "simple", rules.prisoners
    passes = state.passes
    ko, taken = state.ko if simple else first, state.prisoners if prisoners else first

    @kernel("i8(u8[::1], u8, u8)")
    def content(W, at, cell):
        word, bit = cell >> U(6), cell & U(63)
        if (W[at + first + word] >> bit) & ONE:
            return np.int64(1)
        if (W[at + second + word] >> bit) & ONE:
            return np.int64(2)
        return np.int64(3) if simple and W[at + ko] == cell + ONE else np.int64(0)

    board = symmetric_key(content, maps, 4, state.ply)

    @rule
    def key(W, at):
        more = W[at + passes]
        if prisoners:
            more += (W[at + taken] - W[at + taken + ONE]) << U(2)
        return mix(board(W, at), more)

    return key
