"""`zones`: the cells that each Tron player reaches first, weighted, capped and compared.

The evaluation of the bot of docs/tron.md: zones by a flood from all heads at once; cells weighted
by how open they are; no walk covers more cells of one colour of the chequerboard than of the other
plus one; a bonus for those in contact with the ribbon of somebody whose prospects are worse; of the
rooms of a zone that lie behind doors only the best way through counts.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.tron.rooms import Scratch, best_walk_kernel
from joute.engines.games.tron.territory import (
    DARK,
    Boards,
    beside,
    count,
    flood_kernel,
    kinds_kernel,
    pick,
    returns_kernel,
    walk_from,
)
from joute.engines.games.tron.tron import NOWHERE, ONE, Tron
from joute.engines.kernels.arithmetic import logistic
from joute.engines.kernels.bits import popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places, rule
from joute.engines.parameter import Parameter, Values

SWITCH = ("off", "on")
TIE = 1e-6  # areas closer than this are equal


def by_difference(values: Values) -> bool:
    """Whether the score is a difference of areas."""
    return values.get("score") == "difference"


def without_chambers(values: Values) -> bool:
    """Whether zones are taken as a whole."""
    return values.get("chambers", "off") == "off"


def weight(name: str, default: float, many: str) -> Parameter:
    """Return the parameter of a cell's weight."""
    meaning = f"value of a cell with {many} of its four neighbours free"
    return Parameter(
        name, "float", default, 0.0, 5.0, meaning=meaning, source="the bot of docs/tron.md"
    )


class Zones(Evaluation):
    """Areas by a flood from all heads, as a share of the whole or as a difference."""

    name = "zones"
    summary = "Tron: cells reached first, weighted by openness, parity, chambers, future corpses"
    games = ("tron",)
    parameters = (
        weight("cell1", 0.3, "at most one"),
        weight("cell2", 0.8, "two"),
        weight("cell3", 1.2, "three"),
        weight("cell4", 1.3, "all"),
        Parameter(
            "parity",
            "choice",
            "off",
            choices=SWITCH,
            meaning="cap a zone at what a walk that alternates colours can cover",
            source="the bot of docs/tron.md",
        ),
        Parameter(
            "corpse",
            "float",
            0.1,
            0.0,
            2.0,
            meaning="bonus for each ribbon cell of a worse placed player that the zone touches, "
            "shared by all players that touch it",
            source="the bot of docs/tron.md: 0.1",
        ),
        Parameter(
            "chambers",
            "choice",
            "off",
            choices=SWITCH,
            meaning="among the rooms behind doors (articulation points), count only the best path",
            source="the bot of docs/tron.md; articulation points as in a1k0n's",
        ),
        Parameter(
            "eyes",
            "choice",
            "two",
            choices=("two", "one"),
            active=without_chambers,
            meaning="one: of two opposite directions from the head, count only the cells of the "
            "better one, and those straight ahead",
            source="the bot of docs/tron.md: tenth instead of fifth",
        ),
        Parameter(
            "score",
            "choice",
            "share",
            choices=("share", "difference"),
            meaning="own area divided by both areas, or own area minus the other's",
            source="the bot of docs/tron.md: share",
        ),
        Parameter(
            "spread",
            "float",
            40.0,
            1.0,
            1000.0,
            log=True,
            active=by_difference,
            meaning="lead in cells that a search counts as a return of 0.73",
        ),
    )
    scale = 0.5

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        assert isinstance(game, Tron)
        at, boards = places(self.parameters, base), Boards.of(game)
        area = area_kernel(game, boards, Scratch.of(game, boards.end), at)
        expected = returns_kernel(game, area, outlives_kernel(at))
        return [value_kernel(game, area, at), values_kernel(game, area, at), expected]

    def scratch(self, game: Game) -> int:
        """Return the room for zones and for walks through them."""
        assert isinstance(game, Tron)
        return Scratch.of(game, Boards.of(game).end).end


def area_kernel(game: Tron, boards: Boards, scratch: Scratch, at: Offsets) -> Kernel:
    """Return `areas(W, at, P)`: the weighted area of each of four players, -1 for who is not alive."""
    players, parts, size = game.players, game.parts, U(game.parts)
    heads, meta = game.state.heads, game.state.meta
    zones, kinds_at, fronts = U(boards.zones), U(boards.kinds), U(boards.fronts)
    flood, kinds = flood_kernel(game, boards), kinds_kernel(game, boards)
    best_walk = best_walk_kernel(game, boards, scratch)
    one_eye = one_eye_kernel(game, boards)
    cell1, cell2, cell3, cell4 = at.cell1, at.cell2, at.cell3, at.cell4
    parity, corpse, chambers, eyes = at.parity, at.corpse, at.chambers, at.eyes

    @kernel("f8(u8[::1], u8, u8, f8[::1])")
    def weighed(W, zone, head, P):
        # The worth of the cells of a zone, as a walk from the head could cover them.
        total, dark = np.int64(0), np.int64(0)
        tight, two, three = np.int64(0), np.int64(0), np.int64(0)
        for k in range(parts):
            word = W[zone + U(k)]
            total += popcount(word)
            dark += popcount(word & DARK)
            tight += popcount(word & W[kinds_at + U(k)])
            two += popcount(word & W[kinds_at + size + U(k)])
            three += popcount(word & W[kinds_at + size + size + U(k)])
        worth = P[cell1] * tight + P[cell2] * two + P[cell3] * three
        worth += P[cell4] * (total - tight - two - three)
        if P[parity] != 0.0 and total != 0:
            worth *= np.float64(walk_from(head, total, dark)) / np.float64(total)
        return worth

    @kernel("f8(u8[::1], u8, u8, f8[::1])")
    def base_area(W, at, p, P):
        # What a player's own zone is worth.
        if not (W[at + meta] >> (U(4) + p)) & ONE:
            return np.float64(-1.0)
        head = (W[at + heads] >> (U(16) * p)) & NOWHERE
        zone = zones + p * size
        if P[chambers] != 0.0:
            return best_walk(W, at, zone, head, P[parity], P[cell1], P[cell2], P[cell3], P[cell4])
        if P[eyes] != 0.0:
            halves = one_eye(W, zone, head)
            if halves:
                first = weighed(W, fronts, head, P)
                second = weighed(W, fronts + size, head, P)
                return max(first, second)
        return weighed(W, zone, head, P)

    @kernel("b1(u8[::1], u8, u8, u8)")
    def touches(W, at, p, other):
        # Whether a player's zone lies beside another's ribbon.
        ribbon, zone = at + size * (other + ONE), zones + p * size
        before, word = U(0), W[ribbon]
        for k in range(parts):
            after = W[ribbon + U(k) + ONE] if k + 1 < parts else U(0)
            if beside(before, word, after) & W[zone + U(k)]:
                return True
            before, word = word, after
        return False

    @kernel("Tuple((f8, f8, f8, f8))(u8[::1], u8, f8[::1])")
    def areas(W, at, P):
        flood(W, at)
        kinds(W, at)
        a, b = base_area(W, at, U(0), P), base_area(W, at, U(1), P)
        c = base_area(W, at, U(2), P) if players > 2 else -1.0
        d = base_area(W, at, U(3), P) if players > 3 else -1.0
        if P[corpse] == 0.0:
            return a, b, c, d
        more_a, more_b, more_c, more_d = 0.0, 0.0, 0.0, 0.0
        for j in range(players):
            theirs = pick(a, b, c, d, U(j))
            if theirs < 0.0:
                continue
            contacts, worth = U(0), U(0)
            for i in range(players):
                own = pick(a, b, c, d, U(i))
                if i != j and own >= 0.0 and touches(W, at, U(i), U(j)):
                    contacts += ONE
                    if own > theirs + TIE:
                        worth |= ONE << U(i)
            if worth:
                length = count(W, at + size * U(j + 1), parts)
                bonus = P[corpse] * np.float64(length) / np.float64(contacts)
                more_a += bonus if worth & ONE else 0.0
                more_b += bonus if worth & U(2) else 0.0
                more_c += bonus if worth & U(4) else 0.0
                more_d += bonus if worth & U(8) else 0.0
        return a + more_a, b + more_b, c + more_c, d + more_d

    return areas


def one_eye_kernel(game: Tron, boards: Boards) -> Kernel:
    """Return `split(W, zone, head) -> whether there are two opposite ways out of the head`.

    If so, boards 0 and 1 of the fronts get the cells of the zone nearer to the one way and to the
    other, both with the cells that lie in a straight line ahead, across those two ways.
    """
    parts, size = game.parts, U(game.parts)
    fronts, unclaimed = U(boards.fronts), U(boards.unclaimed)

    @kernel("b1(u8[::1], u8, u8)")
    def inside(W, zone, cell):
        if cell < 0 or cell >= 64 * parts:
            return False
        return ((W[zone + (U(cell) >> U(6))] >> (U(cell) & U(63))) & ONE) != U(0)

    @kernel("void(u8[::1], u8, i8)")
    def put(W, board, cell):
        W[board + (U(cell) >> U(6))] |= ONE << (U(cell) & U(63))

    @kernel("i8(u8[::1], u8, u8)")
    def split(W, zone, head):
        h = np.int64(head)
        across = np.int64(0)
        if inside(W, zone, h - 1) and inside(W, zone, h + 1):
            across = 1
        elif inside(W, zone, h - 32) and inside(W, zone, h + 32):
            across = 32
        if across == 0:
            return np.int64(0)
        along, one, other = 33 - across, fronts, fronts + size
        left = unclaimed
        for k in range(parts):
            W[one + U(k)], W[other + U(k)] = U(0), U(0)
            W[left + U(k)] = W[zone + U(k)]
        put(W, one, h - across)
        put(W, other, h + across)
        # The line ahead counts for both and belongs to neither flood.
        for side in range(2):
            step = along if side else -along
            c = h + step
            while inside(W, zone, c):
                W[left + (U(c) >> U(6))] &= ~(ONE << (U(c) & U(63)))
                c += step
        changed = True
        while changed:
            changed = False
            before, word = U(0), W[one]
            before2, word2 = U(0), W[other]
            for k in range(parts):
                after = W[one + U(k) + ONE] if k + 1 < parts else U(0)
                after2 = W[other + U(k) + ONE] if k + 1 < parts else U(0)
                free = W[left + U(k)] & ~(word | word2)
                new, new2 = (
                    beside(before, word, after) & free,
                    beside(before2, word2, after2) & free,
                )
                if new | new2:
                    changed = True
                W[one + U(k)] |= new
                W[other + U(k)] |= new2
                before, word, before2, word2 = word, after, word2, after2
        for side in range(2):
            step = along if side else -along
            c = h + step
            while inside(W, zone, c):
                put(W, one, c)
                put(W, other, c)
                c += step
        return np.int64(1)

    return split


def value_kernel(game: Tron, areas: Kernel, at: Offsets) -> Kernel:
    """Return `value`: the lead of the player to move over the next best."""
    players, meta = game.players, game.state.meta
    score = at.score

    @rule
    def value(W, at, P):
        a, b, c, d = areas(W, at, P)
        mover = W[at + meta] & U(15)
        own = pick(a, b, c, d, mover)
        rest = -1.0
        for i in range(players):
            if U(i) != mover:
                rest = max(rest, pick(a, b, c, d, U(i)))
        rest = max(rest, 0.0)
        if P[score] != 0.0:
            return own - rest
        both = own + rest
        return (own - rest) / both if both > 0.0 else np.float64(0.0)

    return value


def values_kernel(game: Tron, areas: Kernel, at: Offsets) -> Kernel:
    """Return `values`: the area of each player, or its share of all."""
    players, score = game.players, at.score

    @rule
    def values(W, at, P, R, to):
        a, b, c, d = areas(W, at, P)
        total = 0.0
        for i in range(players):
            own = max(pick(a, b, c, d, U(i)), 0.0)
            R[to + U(i)] = own
            total += own
        if P[score] == 0.0 and total > 0.0:
            for i in range(players):
                R[to + U(i)] /= total

    return values


def outlives_kernel(at: Offsets) -> Kernel:
    """Return `outlives(own, other, P)`: own area over both, or the logistic of the lead over `spread`.

    For two players that is the bot's share of the whole.
    """
    score, spread = at.score, at.spread

    @kernel("f8(f8, f8, f8[::1])")
    def outlives(own, other, P):
        if P[score] != 0.0:
            return logistic((own - other) / P[spread])
        both = own + other
        return own / both if both > 0.0 else np.float64(0.5)

    return outlives
