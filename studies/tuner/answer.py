"""The answer of a search: the recommended point, its score, and whether it beats the default.

All of it is a function of the counts and the seed: sizes and lengths are fitted anew from their
priors, with care, because a lazy fit is overconfident.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner.clop import Weights
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.ends import Ends
from joute.studies.tuner.model.counts import ANCHOR, Counts
from joute.studies.tuner.model.gp import chance
from joute.studies.tuner.model.noise import Noise, as_noise
from joute.studies.tuner.model.team import (
    Team,
    normal_above,
    reduced,
)
from joute.studies.tuner.propose import candidates
from joute.studies.tuner.threads import each_alone

BETTER, KEEP, UNKNOWN = "better", "keep", "unknown"
SURE = 0.975  # chance of beating the default that makes it "better", after `LATE` games;
LATE = 1000.0  # games; before, more is asked, as early looks may be many
SURE_OF_WORTH = 0.9  # and chance of a gain that is worth a change
UNLIKELY = 0.1  # chance of such a gain up to which the default is kept,
RULED_OUT = 0.3  # and that of the same where no default is taken to be good already
LIKELY = 0.8  # chance of any gain from which a point is recommended in the default's place
DOUBTED = 6.0  # a default is often good already: prior weight of "no gain", beside an estimate's
WORTH = 0.0072  # score, about 5 Elo: the least gain worth a change
SETTLED = 0.8  # chance of either verdict that is wanted of further games
HOMING = 500.0  # games in which a search finds where games tell most
MOST_MORE, GROWS = 20, 1.1  # further games are tried up to so many times those so far, growing so
CAUTION = 2.0  # standard deviations taken off a place's mean
GAMES_AN_AXIS = 60  # games an axis at which the model's best place is half trusted
WALKERS = 600  # draws from CLOP's weights
BETTER_SHARE, OWN = 0.15, 30  # the best of them make the centre: share, and least number
AS_GOOD = 2.0  # standard deviations within which a middle is as good as the highest place
DOUBT = 2.0  # largest error of a recommended mean, in errors of the highest place
DRAWS, STEPS, TRIES = 256, 7, 100
DETECTED = 2.2  # standard deviations from which a parameter's effect is seen
KNOWN = 500  # places with games that the answer is read from; sizes and lengths from fewer
LOST = 0.002  # score that a recommended point may lose by being rounded
FINER = 8  # times that the intervals are halved for it
GRID = 25
MOST_NOTHING = 0.8  # most belief that nothing matters: no evidence for it rules out a small effect
EVEN = 0.5  # and after duels alone: they are for what differs by a few Elo
SEEN = 64  # draws of the top that duels are seen from
LONG = 1.0  # variance of the points of a record, from which they are near enough to normal
NEXT = 0.2  # distance from the end of a range, of 2 from end to end, that is next to it,
AT_ONCE = 0.005  # and score that is expected of an end from farther away
EDGE = 0.9  # share of the way from a range's middle to its end
END, AT_END = 0.98, 0.1  # and share of these draws that lie at the very end
LOW, HIGH = 0.1, 0.9


@dataclass(frozen=True)
class Gain:
    """The expected score that the best point gains over the default; the best other one, where it is that.

    `mean`, `low`, `high`: expectation and 95 % interval; `sure`: chance that it is above 0; `worth`:
    that it is above 5 Elo; both if it is six times as usual as in an estimate that nothing matters.
    `verdict`: "better" if it is, "keep" if hardly anything can be gained, else "unknown". `more`:
    games after which one of the first two is likely (80 %); None: more than 20 times those so far.
    """

    mean: float
    low: float
    high: float
    sure: float
    worth: float
    verdict: str
    more: int | None = None


@dataclass(frozen=True)
class Effect:
    """One parameter: recommended value, the 80 % interval of the best one with it (numbers), whether any
    effect is seen.

    `edge`: the end of its range, "low" or "high", at which its best value seems to lie, so that a
    wider range may do better; else "".
    """

    name: str
    value: Value | None
    low: float | None
    high: float | None
    detected: bool
    edge: str = ""


@each_alone
class TunerAnswer:
    """The answer to the counts of a search."""

    def __init__(
        self,
        domain: Domain,
        counts: Counts,
        noise: Noise | float,
        seed: int,
        kept: Floats | None = None,
        anchor: Floats | None = None,
    ) -> None:
        """Fit the model to counts of that noise, of which the part that blocks share is measured;
        `kept`: the default, which is never merged and, unless all are duels, has a value of its own; `anchor`:
        of duels alone, the place that all scores are against.
        """
        self.domain, self._raw = domain, counts.ordered()
        self.counts = reduced(counts, domain.shape, noise, kept)
        spread = as_noise(noise).spread
        if anchor is not None:
            self.counts = self.counts.anchored(anchor, spread)
        special = kept if counts.levelled else None
        self.team = Team(domain.shape, careful=True, special=special, default=kept)
        self.noise = self.team.learn_well(self.counts, noise)
        known = self._raw.copy()
        known.merge(self.team.metric, domain.shape.numbers, kept, KNOWN)
        if anchor is not None:
            known = known.anchored(anchor, spread)
        self.team.read(known, self.noise)
        self._known = known
        self.team.doubt_nothing(MOST_NOTHING if counts.levelled else EVEN)
        # where duels would show nothing, nothing is lost by a choice as if something mattered
        self._choosing = self.team.mattering() if known.duels.any() else self.team
        self._seed = seed

    @cached_property
    def tops(self) -> Floats:
        """Draws (256, columns) of where the top is; of duels, if something matters."""
        rng = np.random.default_rng([self._seed, 41])
        places = np.vstack(
            [
                self.counts.places,
                candidates(self.domain, self.counts, self._choosing, None, rng, 400),
            ]
        )
        for _ in range(2):
            belief = self._choosing.belief(places, DRAWS, rng)
            tops = places[belief.draws.argmax(0)]
            places = np.vstack(
                [
                    self.counts.places,
                    candidates(self.domain, self.counts, self._choosing, tops, rng, 400),
                ]
            )
        last: Floats = places[self._choosing.belief(places, DRAWS, rng).draws.argmax(0)]
        return last

    def cautious(self, X: Floats) -> Floats:
        """Return cautious log-odds at places X: their mean less some of their error."""
        mean, sd = self._marginal(X)
        bound: Floats = mean - CAUTION * sd
        return bound

    def _marginal(self, X: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the log-odds at places X.

        Duels are seen from draws of the top: seen from the anchor, where by definition nothing is
        unknown, any other place would look bold.
        """
        return self._choosing.marginal(X, self.tops[:SEEN] if self._known.duels.any() else None)

    @cached_property
    def best(self) -> Floats:
        """The recommended place: a middle of good places, unless the highest one is surely better.

        With one number the middle is the median of the draws of the top, as their mean slides to the
        gentle side of a lopsided hill. Else it is the centre of the places that the model and CLOP's
        weights both call good, which is safe on a ridge and with few games, where a maximum is lucky.
        Without duels, the more the counts look like a sum over the parameters, the more it moves to
        half way between the model's highest place and the mean of the draws of the top.
        """
        x, domain = self._highest, self.domain
        line, duels = domain.shape.axes == 1 and not domain.choices, self._known.duels.any()
        if line:
            middle = np.median(self.tops, axis=0)
        else:
            mean = made_like(x, self.tops, domain)
            middle = self._centre(x, mean)
            if not duels:
                played = float(self._raw.games.sum())
                trust = played / (played + GAMES_AN_AXIS * domain.shape.axes)
                trust *= self._choosing.simple
                middle = trust * (x + mean) / 2 + (1 - trust) * middle
            near = self._choosing.near
            middle = near * mean + (1 - near) * middle
        middle = domain.snapped(middle[None])[0]
        safe = (duels and not line) or self._safe(middle, x)
        chosen = self._at_ends(middle if safe and self._level(x, middle) else x)
        place: Floats = domain.places([domain.point(chosen)])[0]
        return place

    def _at_ends(self, place: Floats) -> Floats:
        """Return a place, each number at an end that duels have tried, if the model expects more there; if
        it is next to the end, unless the model loses by that: what is better off is so at the very end.
        """
        for end, j in np.argwhere(Ends(self.domain, self._raw, []).games.T > 0)[:, ::-1]:
            moved = place.copy()
            moved[j] = 2.0 * end - 1.0
            least = 0.0 if abs(moved[j] - place[j]) <= NEXT else AT_ONCE
            before, after = self._choosing.score(np.array([place, moved]))
            place = moved if after >= before + least else place
        return place

    @cached_property
    def point(self) -> Point:
        """The recommended point, with the digits that the draws of the top support."""
        return self.plain(self.domain.point(self.best))

    def plain(self, point: Point) -> Point:
        """Return a point with as few digits as the 80 % intervals of the best values support, unless
        the model loses by that: then the intervals are halved until it does not.

        A narrow window may lie within a wide interval.
        """
        exact, ends = self._score(point), self._ends
        for finer in range(FINER):
            rounded = self.domain.plain(point, ends)
            if exact - self._score(rounded) <= LOST:
                return rounded
            ends = self._around(point, 0.5 ** (finer + 1))
        return point

    def _score(self, point: Point) -> float:
        """Return approximately the expected score at a point."""
        return float(self._choosing.score(self.domain.places([point]))[0])

    def _around(self, point: Point, share: float) -> dict[str, tuple[Value, Value]]:
        """Return intervals about a point's numbers, so many times as wide as those of the best values."""
        ends: dict[str, tuple[Value, Value]] = {}
        for axis in self.domain.numbers:
            if axis.name in self._ends and axis.name in point:
                low, high = (axis.place(end) for end in self._ends[axis.name])
                middle, half = axis.place(point[axis.name]), share * (high - low) / 2
                low, high = max(0.0, middle - half), min(1.0, middle + half)
                ends[axis.name] = axis.value(low), axis.value(high)
        return ends

    @cached_property
    def _ends(self) -> dict[str, tuple[Value, Value]]:
        """The 80 % interval of the best value of each number."""
        ends: dict[str, tuple[Value, Value]] = {}
        for j, axis in enumerate(self.domain.numbers):
            own = self._active(axis.name)
            if own.any():
                low, high = np.quantile(self.tops[own, j], (LOW, HIGH))
                ends[axis.name] = axis.value((low + 1) / 2), axis.value((high + 1) / 2)
        return ends

    def _level(self, x: Floats, other: Floats) -> bool:
        """Whether x is not better than another place by two standard deviations."""
        gap = self._choosing.gap(x, other)
        return gap.mean < AS_GOOD * gap.sd

    def _safe(self, place: Floats, x: Floats) -> bool:
        """Whether a place is known about as well as x, so that an edge is unlikely."""
        _, sd = self._marginal(np.array([place, x]))
        return bool(sd[0] <= DOUBT * sd[1])

    @cached_property
    def _walked(self) -> Floats:
        """Draws from CLOP's weights."""
        rng = np.random.default_rng([self._seed, 49])
        return Weights(self.domain, self._raw).draw(WALKERS, rng)

    def _centre(self, x: Floats, otherwise: Floats) -> Floats:
        """Return the mean of those draws from CLOP's weights, with the choices of x, that are the
        best in draws of the model; if these are too few, another place.
        """
        d, C = self.domain.shape.numbers, self._walked
        C = C[np.all(C[:, d:] == x[d:], axis=1)]
        if len(C) < OWN:
            return otherwise
        draws = self._choosing.belief(C, DRAWS, np.random.default_rng([self._seed, 53])).draws
        best = np.argsort(-draws, axis=0, kind="stable")[: round(BETTER_SHARE * len(C))]
        return centre_of(C[best.ravel()], d)

    @cached_property
    def _highest(self) -> Floats:
        """The best place by a cautious expectation, found by climbing from the counts."""
        rng = np.random.default_rng([self._seed, 43])
        domain = self.domain
        C = np.vstack(
            [
                self.counts.places,
                candidates(domain, self.counts, self._choosing, self.tops, rng, 400),
            ]
        )
        C = domain.snapped(C)
        value = self.cautious(C)
        x, best, scale = C[value.argmax()], float(value.max()), 0.1
        for _ in range(STEPS):
            near = domain.moved(np.repeat(x[None], TRIES, 0), scale, rng)
            value = self.cautious(near)
            if value.max() > best:
                x, best = near[value.argmax()], float(value.max())
            scale *= 0.6
        highest: Floats = x
        return highest

    @cached_property
    def fit(self) -> float | None:
        """The chance of results that fit one log-odds a place worse than these; None without duels.

        Pearson's chi-square of all records that are long enough, by the member that predicts best.
        """
        if not self._known.duels.any():
            return None
        won, games = self.noise.thinned(self._known)
        p, share = self.team.members[int(self.team.weights.argmax())].at_scores()
        variance = games * p * (1 - p)
        long = (variance >= LONG) & (games < ANCHOR / 2)
        if not long.any():
            return None
        left = float((1 - share[long]).sum())
        squares = float(((won - games * p)[long] ** 2 / variance[long]).sum())
        return float(chdtrc(left, squares))

    def ranked(self) -> Floats:
        """Return many places of the space, best first by a cautious expectation."""
        rng = np.random.default_rng([self._seed, 45])
        C = candidates(self.domain, self.counts, self._choosing, self.tops, rng, 1500)
        C = np.vstack([self.domain.snapped(self.counts.places), C])
        ordered: Floats = C[np.argsort(-self.cautious(C), kind="stable")]
        return ordered

    def estimate(self, place: Floats) -> tuple[float, float, float]:
        """Return low end, mean and high end (95 %) of the expected score at a place."""
        mean, low, high = self.team.quantiles(place, (0.025, 0.975))
        return low, mean, high

    @cached_property
    def regret(self) -> float:
        """The expected score that the recommended point may lack to the best point."""
        return self.regret_of(self.best)

    def regret_of(self, place: Floats) -> float:
        """Return the expected score that a place may lack to the best place of the space."""
        rng = np.random.default_rng([self._seed, 47])
        C = np.vstack([place[None], self.tops, self.counts.places])
        draws = self.team.belief(C, DRAWS, rng).draws
        return float((chance(draws.max(0)) - chance(draws[0])).mean())

    def compare(self, place: Floats, default: Floats) -> Gain:
        """Return a place's gain in score over the default, and the verdict on it; of the default itself,
        that of the best other place.
        """
        if np.allclose(place, default):
            place = self._next_best(default)
        gap, doubted = self.team.gap(place, default), self.team.gap(place, default, DOUBTED)
        base = self.team.quantiles(default, ())[0]
        level = math.log(base / (1 - base))
        ends = np.array([gap.mean, gap.quantile(0.025), gap.quantile(0.975)])
        mean, low, high = (float(end) for end in chance(level + ends) - base)
        least = 1.0 - 1e-9 if base + WORTH >= 1 else base + WORTH
        worth = math.log(least / (1 - least)) - level
        played = float(self._raw.games.sum())
        sure, worthy = doubted.above(), doubted.above(worth)
        more: int | None = 0
        if sure >= bar(played) and worthy >= SURE_OF_WORTH:
            verdict = BETTER
        elif worthy <= UNLIKELY and gap.above(worth) <= RULED_OUT:
            verdict = KEEP
        else:
            verdict, more = UNKNOWN, further(doubted.mean, doubted.sd, worth, played)
        return Gain(mean, low, high, sure, worthy, verdict, more)

    def _next_best(self, place: Floats) -> Floats:
        """Return the place of the highest expected score besides one; that one, if there is no other."""
        others = np.vstack([self.tops, self.counts.places])
        others = others[~np.isclose(others, place).all(1)]
        if not len(others):
            return place
        return self.team.best_of(others)

    def beats(self, default: Floats) -> bool:
        """Whether the best place is likely to be better than the default."""
        return self.team.gap(self.best, default, DOUBTED).above() >= LIKELY

    def effects(self) -> list[Effect]:
        """Return the effect of each parameter, in the order of the domain."""
        effects = []
        for axis in self.domain.axes:
            low, high, seen, edge = None, None, self._seen(axis.name), ""
            value = self.point.get(axis.name)
            if axis.name in self._ends:
                j = self.domain.numbers.index(axis)
                edge = self._edge(self.tops[self._active(axis.name), j]) if seen else ""
                ends = self._ends[axis.name]
                plain = [float(axis.plain(end, *ends)) for end in ends]
                # Draws may all lie at the end of a range; the recommended value is no worse a guess.
                plain += [] if value is None else [float(value)]
                low, high = min(plain), max(plain)
            effects.append(Effect(axis.name, value, low, high, seen, edge))
        return effects

    def _edge(self, tops: Floats) -> str:
        """Return the end of a number's range where most draws of the top lie, some of them as far as it
        goes; "" if there is none.
        """
        for end, outward in (("low", -tops), ("high", tops)):
            if (outward > EDGE).mean() > 0.5 and (outward > END).mean() > AT_END:
                return end
        return ""

    def _active(self, name: str) -> NDArray[np.bool_]:
        """Which draws of the top have a parameter."""
        if not self.domain.sometimes:
            return np.ones(len(self.tops), bool)
        return np.array([name in self.domain.point(top) for top in self.tops])

    def _seen(self, name: str) -> bool:
        """Whether the score surely varies with a parameter, the others as recommended.

        Some value is surely worse than the recommended one, or the values have a trend or a bend.
        """
        domain = self.domain
        axis = next(axis for axis in domain.axes if axis.name == name)
        if name not in domain.point(self.best):
            return False
        block = np.repeat(self.best[None], GRID, 0)
        if axis.kind == "choice":
            columns = next(columns for other, columns in domain.blocks if other is axis)
            count = len(axis.choices)
            block = np.repeat(self.best[None], count, 0)
            block[:, columns] = np.eye(count)
        else:
            block[:, domain.numbers.index(axis)] = np.linspace(-1, 1, GRID)
        belief = self.team.belief(
            np.vstack([self.best[None], domain.snapped(block)]), 1, np.random.default_rng(1)
        )
        contrasts = np.hstack([np.ones((len(block), 1)), -np.eye(len(block))])
        if axis.kind != "choice":
            u = np.linspace(-1, 1, GRID)
            bends = np.array([u, u * u - (u * u).mean()])
            contrasts = np.vstack([contrasts, np.hstack([np.zeros((2, 1)), bends])])
        size = np.abs(contrasts @ belief.mean)
        error = np.einsum("ij,jk,ik->i", contrasts, belief.covariance, contrasts)
        return bool((size > DETECTED * np.sqrt(np.maximum(error, 1e-12))).any())


def bar(games: float) -> float:
    """Return the chance of a gain from which it is "better" after so many games."""
    return 1 - (1 - SURE) * min(1.0, games / LATE) ** 2


def homing(games: float) -> float:
    """Return the power of the games with which an error's square falls after so many: nearly 2 at first,
    while ever more of them go where they tell most, and 1 in the end.
    """
    return 1 + HOMING / (HOMING + games)


def further(mean: float, sd: float, worth: float, games: float) -> int | None:
    """Return the games after which a verdict has a chance of `SETTLED`, of a gain in log-odds that is
    known to be `mean` with an error of `sd` after so many `games`; None: too many.

    With the share k of the games so far, the square of the error falls by the power `homing` of 1 + k, and
    the mean will be drawn about the present one with what the error has lost.
    """
    games = max(games, 1.0)
    more, worthy, unlikely = games / 10, float(ndtri(SURE_OF_WORTH)), float(ndtri(1 - UNLIKELY))
    while more <= MOST_MORE * games:
        left = sd * (1 + more / games) ** (-homing(games) / 2)
        moved = sd * sd - left * left  # the variance of the mean to come
        needed = max(float(ndtri(bar(games + more))) * left, worth + worthy * left)
        keep = worth - unlikely * left
        if normal_above(mean - needed, moved) + normal_above(keep - mean, moved) >= SETTLED:
            return max(100, int(round(more, 1 - len(str(int(more))))))
        more *= GROWS
    return None


def made_like(x: Floats, tops: Floats, domain: Domain) -> Floats:
    """Return the mean of the draws of a top with the choices of x; x itself if there are none."""
    d = domain.shape.numbers
    own = np.all(tops[:, d:] == x[d:], axis=1)
    return centre_of(tops[own], d) if own.any() else x


def centre_of(places: Floats, numbers: int) -> Floats:
    """Return the mean of places; a number is at the end of its range where most of them have it there."""
    centre: Floats = places.mean(0)
    for end in (-1.0, 1.0):
        centre[:numbers][(places[:, :numbers] == end).mean(0) > 0.5] = end
    return centre
