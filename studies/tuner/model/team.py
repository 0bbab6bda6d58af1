"""A team of Gaussian processes, weighted by what they predict: the model of a search.

An additive one with polynomials for simple landscapes, a Matern 5/2 that follows ridges, a rougher
one for kinks, one that expects a jump (rare: it is asked for little until the counts speak for it), two
that expect the top near a default, if there is one (`near.py`), an additive one that expects weak
effects, and one that believes that nothing matters: where that is so, it outweighs the others, and nobody
is promised anything. Each has priors of its own over its sizes and lengths. (Without the weak one, many parameters that matter little would all have to be unusual, and
"nothing matters" would win against what the games say.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotrf
from scipy.special import betainc

from joute.engines.kernels.compile import Floats
from joute.studies.tuner.model.counts import AFTER, MOST, Counts
from joute.studies.tuner.model.gp import Process, chance
from joute.studies.tuner.model.kernel import (
    ADDITIVE,
    MATERN32,
    MATERN52,
    OFF,
    SIZES,
    Covariance,
    KernelShape,
)
from joute.studies.tuner.model.near import AT_LEAST, near_process
from joute.studies.tuner.model.noise import Noise, as_noise
from joute.studies.tuner.model.records import Records
from joute.studies.tuner.threads import each_alone

TEMPER = 0.5  # power of the evidence in the weights: fitted hyper-parameters flatter it
LEAST = 0.02  # weight below which a member is not asked
ROUNDS, STEPS = 2, 12  # rounds and steps of a fit during the search
WELL_ROUNDS, WELL_STEPS = 3, 20  # rounds and steps before an answer
QUANTILES = 4000
CONTRADICTED = 1e-3  # chance, over all places, below which a record contradicts a member
NODES = 20  # of a quadrature over a normal number
WIDER = 1.2  # factor on a member's own error, which fitted sizes flatter; after more games than
SOON = 1000.0  # these `WIDENED` more for each tenfold, up to so many tenfolds:
WIDENED, TENFOLDS = 0.2, 2.0  # what no member can follow does not shrink with the games
FEW, MORE = 6, 6  # parameters from which answers keep more places; so many for each
GAMES_A_PLACE, MANY = 10, 500  # or one for so many games, if that is more; at most so many
NOTHING = 1e-4  # difference of log-odds that counts as 0
FAR, HALVED = 8.0, 40  # standard deviations searched for quantiles; number of halvings
PRIOR = {  # median and spread (of the logarithm) of each part's size
    "linear": (0.5, 1.0),
    "quadratic": (0.3, 1.0),
    "smooth": (0.25, 1.2),
    "choice": (0.4, 1.0),
    "bowl": (0.5, 1.0),
    "own_square": (0.3, 1.2),
    "own_cubic": (0.4, 1.2),
    "own_quartic": (1.0, 1.2),
    "rough": (0.05, 1.5),
    "rough_length": (1.0, 0.7),
    "jump": (1.5, 0.8),
}
LENGTH, TURN = (1.0, 0.8), 0.5
ROUGH_SMOOTH, ROUGH_LENGTH = 0.6, 0.6  # of the rough member, which is there for what is not smooth
POLYNOMIALS = ("linear", "quadratic", "bowl", "own_square", "own_cubic", "own_quartic")
SMOOTH_PARTS, ROUGH_PARTS, SHARP_PARTS = ("smooth",), ("smooth", "rough", "rough_length"), ("jump",)
MEMBERS = (
    (ADDITIVE, SMOOTH_PARTS),
    (MATERN52, SMOOTH_PARTS),
    (MATERN32, ROUGH_PARTS),
    (ADDITIVE, SHARP_PARTS),
)
SHARES = (4.0, 2.0, 1.0, 0.3)  # prior weights: simple landscapes are usual, jumps are rare,
NEAR = (2.0, 1.5)  # of a top near the default, where there is one, without and with a jump
LITTLE = 2.0  # and those where nothing matters, or little, are usual too
JUMPING = 4  # parameters up to which a sum with a jump counts as simple
WEAKER = 4.0  # factor by which the weak member expects smaller sizes


def process(
    shape: KernelShape,
    family: str,
    more: tuple[str, ...],
    weaker: float = 1.0,
    special: Floats | None = None,
) -> Process:
    """Return a member: polynomials and `more` parts, expected sizes so many times `weaker`; of a special
    place see `Covariance`.
    """
    rough = "rough" in more
    count = len(shape.names)
    centre, spread = np.full(count, OFF), np.zeros(count)
    d, parts = max(shape.numbers, 1), [*POLYNOMIALS, *more]
    parts += ["choice"] if shape.choices else []
    for name in parts:
        median, width = PRIOR[name]
        i = SIZES.index(name)
        if rough and name == "smooth":
            median = ROUGH_SMOOTH
        centre[i], spread[i] = math.log(median / weaker), width
        if name == "bowl" or name.startswith("own"):  # of a sum over the numbers
            centre[i] -= 0.5 * math.log(d)
    if not rough:
        centre[SIZES.index("rough_length")] = 0.0
    first = len(SIZES)
    length = ROUGH_LENGTH if rough else LENGTH[0]
    centre[first : first + shape.axes] = math.log(length) + 0.25 * math.log(shape.axes)
    if "smooth" in parts:  # else nothing depends on the lengths
        spread[first : first + shape.axes] = LENGTH[1]
    centre[first + shape.axes :] = 0.0
    if family != ADDITIVE:
        spread[first + shape.axes :] = TURN / math.sqrt(max(d - 1, 1))
    return Process(Covariance(shape, family, parts, special), centre, spread)


def begin(member: Process, records: Records, won: Floats, games: Floats) -> None:
    """Let a process read counts at the sizes and lengths that it expects before any."""
    member.theta = member.centre.copy()
    member.forget()
    member.settle(records, won, games)


def level(shape: KernelShape) -> Process:
    """Return the member that believes that nothing matters: a constant mean."""
    covariance = Covariance(shape, ADDITIVE, ())
    centre = np.zeros(len(shape.names))
    centre[: len(SIZES)] = OFF
    return Process(covariance, centre, np.zeros(len(centre)))


@dataclass(frozen=True)
class Belief:
    """The log-odds at some places: mean (n,), covariance (n, n), joint draws (n, count)."""

    mean: Floats
    covariance: Floats
    draws: Floats

    @property
    def variance(self) -> Floats:
        """The variance at each place."""
        variances: Floats = self.covariance.diagonal()
        return variances


@dataclass(frozen=True)
class Gap:
    """A difference of log-odds by the members: weight, mean and variance of each."""

    members: tuple[tuple[float, float, float], ...]

    @property
    def mean(self) -> float:
        """The expected difference."""
        return sum(w * mean for w, mean, _ in self.members)

    @property
    def sd(self) -> float:
        """Its standard deviation."""
        centre = self.mean
        return math.sqrt(sum(w * (v + (mean - centre) ** 2) for w, mean, v in self.members))

    def above(self, least: float = 0.0) -> float:
        """Return the chance that the difference is larger."""
        least = max(least, NOTHING)
        return sum(w * normal_above(mean - least, v) for w, mean, v in self.members)

    def quantile(self, level: float) -> float:
        """Return the value below which the difference lies with that chance."""
        low = min(mean - FAR * math.sqrt(v) for _, mean, v in self.members)
        high = max(mean + FAR * math.sqrt(v) for _, mean, v in self.members)
        for _ in range(HALVED):
            middle = (low + high) / 2
            below = sum(w * normal_above(middle - mean, v) for w, mean, v in self.members)
            low, high = (middle, high) if below < level else (low, middle)
        return (low + high) / 2


@each_alone
class Team:
    """The members and their weights; answers are joint.

    `careful`: with the weak member, for an answer, and for a search by duels, which is made for weak
    effects. A search in a pool goes on without it: with it, searches of all problems tried took a fifth
    more time and ended level. `special`: a default, which people have tuned: it may be better than what
    lies around it, as on a ridge that is narrower there, so its own games say more of it. `default`: the
    same place; two members expect the top near it, from two numbers up (else `default` is None).
    """

    def __init__(
        self,
        shape: KernelShape,
        careful: bool = False,
        special: Floats | None = None,
        default: Floats | None = None,
    ) -> None:
        little = [process(shape, ADDITIVE, SMOOTH_PARTS, WEAKER, special)] if careful else []
        little.append(level(shape))
        strong: list[Process] = [
            process(shape, kind, more, special=special) for kind, more in MEMBERS
        ]
        shares = list(SHARES)
        self.default = default if shape.numbers >= AT_LEAST else None
        if self.default is not None:
            place = self.default
            strong += [near_process(shape, place), near_process(shape, place, jump=True)]
            shares += NEAR
        self._strong = len(strong)
        self.members = strong + little
        self.shares: Floats = np.array([*shares, *[LITTLE / len(little)] * len(little)])
        self.weights: Floats = np.full(len(self.members), 1 / len(self.members))
        self._wider = WIDER

    def settle(self, counts: Counts, noise: Noise | float = 1.0) -> None:
        """Read the counts at the sizes and lengths as they are; `noise`: how much results vary, or
        its spread alone.
        """
        (won, games), records = as_noise(noise).thinned(counts), counts.records
        for member in self.members:
            member.settle(records, won, games)
        self._weigh()
        self._wider = wider(counts.played)

    def learn(self, counts: Counts, noise: Noise | float = 1.0, rounds: int = ROUNDS) -> Noise:
        """Fit sizes and lengths from where they are; return the noise that is left."""
        noise = as_noise(noise)
        (won, games), records = noise.thinned(counts), counts.records
        for member in self.members:
            member.settle(records, won, games)
            for _ in range(rounds):
                member.learn(STEPS)
                member.settle(records, won, games)
        self._weigh()
        return noise.measured(counts, self.asked())

    def learn_well(self, counts: Counts, noise: Noise | float = 1.0) -> Noise:
        """Fit sizes and lengths from their prior, and the noise of blocks beside them; return it: a
        function of the counts alone.
        """
        noise = as_noise(noise)
        (won, games), records = noise.thinned(counts), counts.records
        for member in self.members:
            begin(member, records, won, games)
        for _ in range(WELL_ROUNDS):
            for member in self.members:
                member.learn(WELL_STEPS)
                member.settle(records, won, games)
            self._weigh()
            noise = noise.measured(counts, self.asked())
            won, games = noise.thinned(counts)
        if counts.blocks:
            self.settle(counts, noise)
        return noise

    def read(self, counts: Counts, noise: Noise | float = 1.0) -> None:
        """Read other counts than those of the fit, at its sizes and lengths."""
        for member in self.members:
            member.forget()
        self.settle(counts, noise)
        self._doubt(counts, as_noise(noise))

    def _doubt(self, counts: Counts, noise: Noise) -> None:
        """Lower the weights of members that a place's own record contradicts."""
        if not len(counts):
            return
        won, games = noise.thinned(counts)
        doubtful = np.array([surprise(member, won, games) for member in self.members])
        trust = np.minimum(1.0, doubtful * len(counts) / CONTRADICTED)
        if trust.max() > 0:
            self.weights = self.weights * trust / (self.weights * trust).sum()

    def _weigh(self) -> None:
        evidence = np.array([member.evidence for member in self.members])
        most = evidence.max()
        weights = self.shares * np.exp(TEMPER * (evidence - most))
        # the member without anything fitted is not flattered: its evidence counts in full
        full = np.exp(evidence - most)
        nothing = self.shares[-1] * full[-1] / (self.shares * full).sum()
        weights *= (1 - nothing) / weights[:-1].sum()
        weights[-1] = nothing
        self.weights = weights

    def doubt_nothing(self, most: float) -> None:
        """Let no belief that nothing matters be stronger."""
        nothing = float(self.weights[-1])
        if nothing > most and self.weights[:-1].sum() > 0:
            self.weights = self.weights * (1 - most) / self.weights[:-1].sum()
            self.weights[-1] = most

    def mattering(self) -> Team:
        """Return the same members, if something matters: where nothing does, no game is wasted."""
        team = copy(self)
        team.weights = self.weights.copy()
        team.weights[-1] = 0.0
        total = team.weights.sum()
        team.weights = team.weights / total if total > 0 else self.shares.copy()
        return team

    @property
    def metric(self) -> Floats:
        """The metric of the member that predicts best, of those that have one."""
        measure = [member.covariance.stationary for member in self.members]
        best = self.members[int(np.argmax(self.weights * measure))]
        return best.covariance.metric(best.theta)

    @property
    def strong(self) -> float:
        """How likely it is that something matters much."""
        return float(self.weights[: self._strong].sum())

    @property
    def near(self) -> float:
        """How likely it is, if much matters, that the top is near the default."""
        if self.default is None:
            return 0.0
        return float(self.weights[self._strong - 2 : self._strong].sum()) / max(self.strong, 1e-9)

    @property
    def additive(self) -> float:
        """How far the counts look like a sum over the parameters, from 0 to 1, if much matters."""
        return self._sums(jump=True) / max(self.strong, 1e-9) + self.near

    @property
    def simple(self) -> float:
        """How likely it is that much matters, and the counts look like a sum over the parameters.

        With many of them a jump is not trusted: there it stands for one that is steep among the others.
        """
        return self._sums(jump=self.members[0].covariance.shape.axes <= JUMPING)

    def _sums(self, jump: bool) -> float:
        """Return the weight of the members that are sums, with or without that of a jump."""
        each = zip(self.weights, MEMBERS, strict=False)
        return sum(
            float(weight)
            for weight, (family, parts) in each
            if family == ADDITIVE and (jump or parts != SHARP_PARTS)
        )

    def asked(self) -> Iterator[tuple[Process, float]]:
        """Yield the members that count, with weights that sum to 1."""
        total = self.weights[self.weights >= LEAST].sum()
        for member, weight in zip(self.members, self.weights, strict=True):
            if weight >= LEAST:
                yield member, float(weight / total)

    def score(self, X: Floats) -> Floats:
        """Return approximately the expected score at places X."""
        scores: Floats = np.sum([w * chance(m.expected(X)) for m, w in self.asked()], axis=0)
        return scores

    def best_of(self, X: Floats) -> Floats:
        """Return the place of the highest expected score among places X (m, columns)."""
        best: Floats = X[int(self.score(X).argmax())]
        return best

    def marginal(self, X: Floats, others: Floats | None = None) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the log-odds at each of the places X; with `others`, of
        how far they exceed the mean of those there.
        """
        parts = [
            (w, *(m.predict(X) if others is None else m.beside(X, others))) for m, w in self.asked()
        ]
        mean: Floats = np.sum([w * mu for w, mu, _ in parts], axis=0)
        variance = np.sum([w * (v + (mu - mean) ** 2) for w, mu, v in parts], axis=0)
        return mean, np.sqrt(variance)

    def belief(self, X: Floats, count: int, rng: np.random.Generator) -> Belief:
        """Return the joint belief about places X, with `count` draws."""
        parts = [(w, *m.joint(X)) for m, w in self.asked()]
        mean: Floats = np.sum([w * mu for w, mu, _ in parts], axis=0)
        covariance: Floats = np.sum([w * S for w, _, S in parts], axis=0)
        for w, mu, _ in parts:
            covariance += w * np.outer(mu - mean, mu - mean)
        shares = [round(w * count) for w, _, _ in parts]
        shares[int(np.argmax([w for w, _, _ in parts]))] += count - sum(shares)
        draws = [
            mu[:, None] + root(S) @ rng.standard_normal((len(X), share))
            for (_, mu, S), share in zip(parts, shares, strict=True)
        ]
        return Belief(mean, covariance, np.hstack(draws))

    def quantiles(self, place: Floats, levels: tuple[float, ...]) -> list[float]:
        """Return the mean and quantiles of the expected score at one place."""
        z = np.random.default_rng(1).standard_normal(QUANTILES)
        parts = []
        for member, weight in self.asked():
            mean, variance = member.predict(place[None])
            sd = self._wider * math.sqrt(variance[0])
            parts.append(chance(mean[0] + sd * z[: round(QUANTILES * weight)]))
        scores = np.concatenate(parts)
        return [float(scores.mean()), *(float(np.quantile(scores, level)) for level in levels)]

    def gap(self, place: Floats, other: Floats, doubt: float = 1.0) -> Gap:
        """Return how far the log-odds at a place exceed those at another.

        `doubt`: how many times as usual as before it shall be that nothing matters.
        """
        pair, parts = np.array([place, other]), []
        for member, weight in self.asked():
            mean, S = member.joint(pair)
            variance = max(self._wider**2 * float(S[0, 0] + S[1, 1] - 2 * S[0, 1]), 1e-12)
            weight *= doubt if member is self.members[-1] else 1.0
            parts.append((weight, float(mean[0] - mean[1]), variance))
        total = sum(weight for weight, _, _ in parts)
        return Gap(tuple((weight / total, mean, variance) for weight, mean, variance in parts))


def reduced(
    counts: Counts, shape: KernelShape, noise: Noise | float = 1.0, kept: Floats | None = None
) -> Counts:
    """Return the counts for an answer, whatever the order in which they were told.

    Very many places are merged by the metric of a model fitted to them alone; `kept`: a place that
    never is. With many parameters more places are left: there the nearest ones are far apart, and
    their mean is like neither.
    """
    merged = counts.ordered()
    more = MORE * max(0, shape.axes - FEW)
    more = max(more, min(int(merged.played / GAMES_A_PLACE), MANY) - AFTER)
    if len(merged.places) > MOST + more:
        first = merged.copy()
        first.merge(np.eye(shape.columns), shape.numbers, kept)
        team = Team(shape)
        team.learn(first, noise)
        merged.merge(team.metric, shape.numbers, kept, AFTER + more)
    return merged


def surprise(member: Process, won: Floats, games: Floats) -> float:
    """Return the least chance, over places, of a record as far from what the others say as its own.

    What the others say is the posterior without the place's own site (Rasmussen and Williams 2006,
    chapter 3.6.3: the cavity); a record counts from both sides.
    """
    mean, variance, precision, target = member.at_places()
    left = np.maximum(1 / variance - precision, 1e-9)
    centre = (mean / variance - precision * target) / left
    z, weight = np.polynomial.hermite_e.hermegauss(NODES)
    p = np.clip(chance(centre[:, None] + z / np.sqrt(left)[:, None]), 1e-12, 1 - 1e-12)
    as_many = betainc(np.maximum(won, 1e-9)[:, None], (games - won + 1)[:, None], p)
    as_few = betainc(np.maximum(games - won, 1e-9)[:, None], (won + 1)[:, None], 1 - p)
    sides = [np.where(part > 0, chances @ (weight / weight.sum()), 1.0)
             for part, chances in ((won, as_many), (games - won, as_few))]  # fmt: skip
    return float(min(1.0, 2 * np.minimum(*sides).min()))


def wider(games: float) -> float:
    """Return the factor on a member's own error, of its intervals, after so many games."""
    return WIDER + WIDENED * min(max(math.log10(max(games, 1.0) / SOON), 0.0), TENFOLDS)


def normal_above(mean: float, variance: float) -> float:
    """Return the chance that a normal number is above 0."""
    return 0.5 * math.erfc(-mean / math.sqrt(2 * max(variance, 1e-12)))


def root(covariance: Floats) -> Floats:
    """Return a matrix L with L L' near a covariance, which rounding may have left not positive."""
    extra = 1e-7 * float(covariance.diagonal().max()) + 1e-9
    for _ in range(10):
        tried = covariance.copy()
        tried.flat[:: len(tried) + 1] += extra
        L, info = dpotrf(tried, lower=1, clean=1, overwrite_a=1)
        if not info:
            lower: Floats = L
            return lower
        extra *= 10
    return np.diag(np.sqrt(np.maximum(covariance.diagonal(), 0.0)))
