"""`langorou`: units, chances of battles, and units in the past (four students' bot), for the searcher.

S = counts (nA - nE) + battles (bA - bE) + neutral_battles (hA - hE) + groups (gA - gE)
    + cum_score cum, for A, who searches, against E:
* n units, g groups;
* h sums max(0, P (c + k) - c) / d over own groups c and humans k at Chebyshev distance d;
* b sums (P (c1 + c2) - c2) / d over ordered pairs of opposing groups, to the side of c1, and
  (P' (c1 + c2) - c1) / d, P' the chance of c2's attack, to the side of c2: each pair counts twice;
* cum sums (1 - t / 1000) (nA - nE) over the plies t = 0, 1, ... of the line searched.
A side without units ends the line: win_score - cum_score cum, or the loss's share of it.

Source: the bot's repository; see docs/vampires.md.
"""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.vampires.field import lowest, probability
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import State, places, rule
from joute.engines.parameter import Parameter

ONE, BYTE = U(1), U(255)
THOUSAND = 1000


class Langorou(Evaluation):
    """A sum of seven terms, for the player who searches."""

    name = "langorou"
    summary = "units, chances against humans and enemies by distance, groups, units in the past"
    games = ("vampires",)
    scale = 8.0
    path_dependent = True
    parameters = (
        Parameter(
            "counts", "float", 1.0, -10.0, 10.0, meaning="value of a unit", source="Langorou: 1"
        ),
        Parameter(
            "battles",
            "float",
            0.02,
            0.0,
            2.0,
            meaning="expected gain in a battle, over the distance",
            source="Langorou: .02, entrants 0 to .5",
        ),
        Parameter(
            "neutral_battles",
            "float",
            0.03,
            0.0,
            2.0,
            meaning="expected gain among humans, over the distance",
            source="Langorou: .03, entrants 0 to .5",
        ),
        Parameter(
            "groups", "float", 0.0, -1.0, 1.0, meaning="value of a group", source="Langorou: 0"
        ),
        Parameter(
            "cum_score",
            "float",
            1e-4,
            0.0,
            1.0,
            meaning="the lead in units, summed over the line; earlier plies count more",
            source="Langorou: .0001",
        ),
        Parameter("win_score", "float", 1e10, 1.0, 1e12, log=True, meaning="value of a win"),
        Parameter(
            "lose_over_win_ratio",
            "float",
            1.0,
            0.0,
            10.0,
            meaning="value of a loss, as a share of win_score; below 1 takes more risk",
            source="Langorou: 1, shipped .8",
        ),
    )

    own = State("who", "total")

    def scratch(self, game: Game) -> int:
        """Return the room for lists of all groups and of the humans."""
        assert isinstance(game, Vampires)
        return 3 * 64 * game.layout.parts

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels; `who` is the searcher with the ply, `total` cum in thousandths."""
        assert isinstance(game, Vampires)
        lay, width, cells = game.layout, np.int64(game.layout.width), U(64 * game.layout.parts)
        parts, counts, meta = U(lay.parts), lay.state.counts, lay.state.meta
        own, weights = self.state(game).behind(game.words), places(self.parameters, base)
        units, who, total = lay.state.units, own.who, own.total
        w_counts, w_battles, w_neutral = weights.counts, weights.battles, weights.neutral_battles
        w_groups, w_cum = weights.groups, weights.cum_score
        w_win, w_ratio = weights.win_score, weights.lose_over_win_ratio

        @kernel("i8(u8[::1], u8, u8)")
        def lead(W, at, me):
            other = (W[at + units] >> ((ONE - me) << U(4))) & U(65535)
            return np.int64((W[at + units] >> (me << U(4))) & U(65535)) - np.int64(other)

        @rule
        def init(W, at, P):
            W[at + who] = W[at + meta] & ONE
            W[at + total] = U(0)

        @rule
        def update(W, src, dst, action, P):
            t = np.int64(W[src + who] >> ONE)
            W[dst + who] = W[src + who] + U(2)
            gained = (THOUSAND - t) * lead(W, src, W[src + who] & ONE)
            W[dst + total] = U(np.int64(W[src + total]) + gained)

        @kernel("u8(u8[::1], u8, u8, u8)")
        def listed(W, at, species, to):
            # Writes column, row and units of each group of a species at W[to..]; returns how many.
            n = to
            for part in range(parts):
                bits = W[at + species * parts + U(part)]
                while bits != U(0):
                    cell = np.int64(part) * 64 + lowest(bits)
                    bits &= bits - ONE
                    lane = (U(cell) & U(7)) << U(3)
                    there = (W[at + counts + (U(cell) >> U(3))] >> lane) & BYTE
                    y = cell // width
                    W[n] = U(cell - y * width) | U(y) << U(8) | there << U(16)
                    n += ONE
            return n - to

        @kernel("f8(u8, u8)")
        def distance(a, b):
            x = np.int64(a & BYTE) - np.int64(b & BYTE)
            y = np.int64((a >> U(8)) & BYTE) - np.int64((b >> U(8)) & BYTE)
            return np.float64(max(abs(x), abs(y)))

        @kernel("f8(u8[::1], u8, u8, u8, u8)")
        def gains(W, own, n, humans, k):
            # What n groups at W[own..] may gain of the humans at W[humans..].
            gain = np.float64(0.0)
            for i in range(n):
                a = W[own + U(i)]
                c = np.int64(a >> U(16))
                for j in range(k):
                    b = W[humans + U(j)]
                    h = np.int64(b >> U(16))
                    if c >= h:  # who is too weak for them expects no gain
                        gain += np.float64(h) / distance(a, b)
            return gain

        @kernel("f8(u8[::1], u8, f8[::1])")
        def early(W, at, P):
            # What the lead in the line so far is worth.
            return P[w_cum] * (np.float64(np.int64(W[at + total])) / np.float64(THOUSAND))

        @kernel("f8(u8[::1], u8, u8, f8[::1])")
        def score(W, at, me, P):
            mine, others, people = U(0), cells, cells + cells
            n, m = listed(W, at, me, mine), listed(W, at, ONE - me, others)
            total = P[w_counts] * np.float64(lead(W, at, me))
            if P[w_battles] != 0.0:
                for_me, for_others = np.float64(0.0), np.float64(0.0)
                for i in range(n):
                    a = W[mine + U(i)]
                    c = np.int64(a >> U(16))
                    for j in range(m):
                        b = W[others + U(j)]
                        e = np.int64(b >> U(16))
                        both, d = np.float64(c + e), distance(a, b)
                        for_me += 2.0 * (
                            (probability(c, e, np.int64(0)) * both - np.float64(e)) / d
                        )
                        for_others += 2.0 * (
                            (probability(e, c, np.int64(0)) * both - np.float64(c)) / d
                        )
                total += P[w_battles] * (for_me - for_others)
            if P[w_neutral] != 0.0:
                k = listed(W, at, U(2), people)
                total += P[w_neutral] * (
                    gains(W, mine, n, people, k) - gains(W, others, m, people, k)
                )
            total += P[w_groups] * np.float64(np.int64(n) - np.int64(m))
            return total + early(W, at, P)

        @rule
        def value(W, at, P):
            me = W[at + who] & ONE
            worth = score(W, at, me, P)
            return worth if W[at + meta] & ONE == me else -worth

        @rule
        def final(W, at, P):
            me = W[at + who] & ONE
            own = (W[at + units] >> (me << U(4))) & U(65535)
            other = (W[at + units] >> ((ONE - me) << U(4))) & U(65535)
            if own == U(0):
                worth = early(W, at, P) - P[w_win] * P[w_ratio]
            elif other == U(0):
                worth = P[w_win] - early(W, at, P)
            else:
                worth = score(W, at, me, P)
            return worth if W[at + meta] & ONE == me else -worth

        return [value, init, update, final]
