"""`tapered`: what most engines weigh, each weight a parameter, from the middle game over to the ending."""

from __future__ import annotations

import numpy as np

from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.chess.material import worths
from joute.engines.games.chess.moves import (
    BISHOPS,
    KING,
    KNIGHT,
    PAWNS,
    PLY,
    QUEENS,
    ROOKS,
    WHITE,
)
from joute.engines.games.chess.pawns import (
    beside,
    doubled,
    files_of,
    in_front,
    isolated,
    passed,
    ranks_of,
)
from joute.engines.games.chess.squares import (
    KINGS,
    KNIGHTS,
    ONE,
    diagonals,
    pawn_takes,
    straights,
)
from joute.engines.kernels.bits import lowest, popcount
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import places, rule
from joute.engines.parameter import Parameter

# The 4, 16 and 36 squares round the middle of the board: how near it a square is, in steps.
RINGS = tuple(
    U(sum(1 << 8 * y + x for y in range(k, 8 - k) for x in range(k, 8 - k))) for k in (3, 2, 1)
)
WHOLE = 24  # of the phase: a knight or bishop counts 1, a rook 2, a queen 4


def weight(
    name: str, usual: float, meaning: str, low: float = -100, high: float = 200
) -> Parameter:
    """Return a weight in centipawns."""
    return Parameter(name, "float", usual, low, high, meaning=meaning)


WEIGHTS = (
    weight("pawn_end", 130, "worth of a pawn in the ending", 0, 400),
    weight("pair", 35, "two bishops or more"),
    weight("mobility", 4, "each square a knight or bishop goes to that no own man holds and no pawn "
        "guards; half of it for rooks and queens, in the ending all for rooks", -20, 40),
    weight("centre", 5, "each step that a knight, bishop or pawn is nearer the middle; not bishops and pawns in the ending", -20, 40),
    weight("advance", 4, "each rank that a pawn has gone, in the ending", -20, 40),
    weight("passed", 4, "a passed pawn, times the square of the ranks it has gone; half of it in the middle game", -20, 40),
    weight("doubled", 12, "what a pawn behind another of its side costs"),
    weight("isolated", 12, "what a pawn without one beside it costs"),
    weight("open_file", 20, "a rook on a file without own pawns; half of it in the ending"),
    weight("shelter", 12, "each own pawn before the king, in the middle game"),
    weight("king_attack", 8, "each attack of a man on a square round the other king, in the middle game"),
    weight("king_centre", 12, "each step that the king is nearer the middle, in the ending; half as much against it in the middle game"),
    weight("tempo", 12, "being to move"),
)  # fmt: skip


class Tapered(Evaluation):
    """Own terms less the opponent's, in centipawns. Each term has a worth in the middle game and one in the
    ending; the men that are left say how much of either counts. Source of the taper: Fruit 2.1
    (Letouzey 2005); the terms are those of any textbook.

    Nothing is kept from move to move: the terms that a sum could hold (men and their squares) take less
    than a tenth of a search's time, and the sum would have to be kept up, too.
    """

    name = "tapered"
    summary = "men, squares, mobility, pawns, king's safety; from middle game to ending; every weight a parameter"
    games = ("chess",)
    scale = 250.0  # fitted by `python -m benchmarks.chess_scale 800`
    parameters = (*worths(), *WEIGHTS)

    def build(self, game: Game, base: int) -> list[Kernel]:
        """Return the kernels."""
        at_ = places(self.parameters, base)
        pawn, pair, mobility, centre = at_.pawn, at_.pair, at_.mobility, at_.centre
        pawn_end, advance, far, double = at_.pawn_end, at_.advance, at_.passed, at_.doubled
        alone, lines, shelter, attack = at_.isolated, at_.open_file, at_.shelter, at_.king_attack
        middle, tempo = at_.king_centre, at_.tempo
        inner, mid, outer = RINGS

        @kernel("f8(u8)")
        def nearness(men):
            # The steps that men are nearer the middle than the edge is, in all.
            return np.float64(popcount(men & inner) + popcount(men & mid) + popcount(men & outer))

        @kernel("Tuple((f8, f8))(u8[::1], u8, u8, f8[::1])")
        def pawn_terms(W, at, side, P):
            pawns = W[at + PAWNS]
            own, foe = pawns & W[at + WHITE + side], pawns & W[at + WHITE + ONE - side]
            count, squares = np.float64(popcount(own)), 0.0
            flaws = P[double] * np.float64(popcount(doubled(own, side)))
            flaws += P[alone] * np.float64(popcount(isolated(own)))
            free = passed(own, foe, side)
            while free:
                gone = np.float64((lowest(free) >> U(3)) ^ (U(7) if side else U(0))) - 1.0
                squares += gone * gone
                free &= free - ONE
            ranks = np.float64(ranks_of(own, side)) - count
            early = P[pawn] * count + P[centre] * nearness(own) + 0.5 * P[far] * squares - flaws
            return early, P[pawn_end] * count + P[advance] * ranks + P[far] * squares - flaws

        @kernel("Tuple((i8, i8))(u8, u8, u8, u8, u8)")
        def roaming(left, men, open_to, wanted, kind):
            # How many open squares, and wanted ones, these men of a kind go to, each counted for itself.
            # `kind` is a constant of the caller: nothing is left of the tests.
            goals, hits = np.int64(0), np.int64(0)
            while left:
                square, goes = lowest(left), U(0)
                left &= left - ONE
                if kind == KNIGHT:
                    goes = KNIGHTS[square]
                else:
                    if kind != ROOKS:
                        goes |= diagonals(men, square)
                    if kind != BISHOPS:
                        goes |= straights(men, square)
                goals += popcount(goes & open_to)
                hits += popcount(goes & wanted)
            return goals, hits

        @kernel("Tuple((f8, f8))(u8[::1], u8, u8, f8[::1])")
        def men_terms(W, at, side, P):
            own, foe = W[at + WHITE + side], W[at + WHITE + ONE - side]
            men, pawns, kings = own | foe, W[at + PAWNS], W[at + KING]
            knights, bishops = W[at + KNIGHT] & own, W[at + BISHOPS] & own
            rooks, queens, king = W[at + ROOKS] & own, W[at + QUEENS] & own, kings & own
            open_to = ~(own | pawn_takes(pawns & foe, ONE - side))
            round_it = KINGS[lowest(kings & foe)]
            small, attacks = roaming(knights, men, open_to, round_it, KNIGHT)
            slants, more = roaming(bishops, men, open_to, round_it, BISHOPS)
            large, hits = roaming(rooks, men, open_to, round_it, ROOKS)
            heavy, last = roaming(queens, men, open_to, round_it, QUEENS)
            small, attacks = small + slants, attacks + more + hits + last
            worth = 0.0
            for k in range(1, 5):
                worth += P[pawn + U(k)] * np.float64(popcount(W[at + PAWNS + U(k)] & own))
            if popcount(bishops) > 1:
                worth += P[pair]
            free = P[lines] * np.float64(popcount(rooks & ~files_of(pawns & own)))
            before = in_front(king, side)
            before |= beside(before)
            near = KINGS[lowest(king)]
            guarded = popcount(before & pawns & own & (near | (near << U(8)) | (near >> U(8))))
            early = P[mobility] * (np.float64(small) + 0.5 * np.float64(large + heavy))
            early += (
                P[centre] * nearness(knights | bishops) + free + P[shelter] * np.float64(guarded)
            )
            early += P[attack] * np.float64(attacks) - 0.5 * P[middle] * nearness(king)
            late = P[mobility] * (np.float64(small + large) + 0.5 * np.float64(heavy))
            late += P[centre] * nearness(knights) + 0.5 * free
            return worth + early, worth + late + P[middle] * nearness(king)

        @rule
        def value(W, at, P):
            side = W[at + PLY] & ONE
            left = popcount(W[at + KNIGHT]) + popcount(W[at + BISHOPS])
            left += 2 * popcount(W[at + ROOKS]) + 4 * popcount(W[at + QUEENS])
            share = np.float64(min(left, WHOLE)) / np.float64(WHOLE)
            own_early, own_late = pawn_terms(W, at, side, P)
            early, late = men_terms(W, at, side, P)
            other_early, other_late = pawn_terms(W, at, ONE - side, P)
            foe_early, foe_late = men_terms(W, at, ONE - side, P)
            early = own_early + early - other_early - foe_early
            late = own_late + late - other_late - foe_late
            return P[tempo] + share * early + (1.0 - share) * late

        return [value]
