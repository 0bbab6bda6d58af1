"""The tuner: ask for points and games, tell how they went, read the answer.

It knows no engine and no store. Its questions are a function of its space, its seed and the order
of asking and telling; its answers, of the counts and the seed. See docs/tuning.md for how it works,
and for examples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import isfunction
from threading import RLock
from typing import Any, Literal, TypeVar, overload

import numpy as np

from joute.engines.errors import Refused, shown, whole
from joute.engines.kernels.compile import Floats
from joute.engines.parameter import Value
from joute.studies.tuner import saved
from joute.studies.tuner.answer import UNKNOWN, Gain, TunerAnswer
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.duels import propose_duels
from joute.studies.tuner.ends import Ends, Pair, with_ends
from joute.studies.tuner.parameters import Parameter, ParameterTable
from joute.studies.tuner.propose import propose
from joute.studies.tuner.report import TunerReport
from joute.studies.tuner.results import blocks_told, count, pairs_told, results_told
from joute.studies.tuner.state import DuelPlan, Plan, TunerState
from joute.studies.tuner.threads import one_thread

FIRST, FIRST_MANY, MANY = 16, 32, 3  # points of the start, by the number of axes
DEFAULT_SHARE = 0.06  # share of the games at the default
DEFAULT_DISPUTED = 0.2  # the same while it is open whether something is better
DISPUTED = (0.05, 0.999)  # by the chance that something is
DEFAULT_EARLY, DEFAULT_SOON = 0.15, 60  # larger share of the first games, until it has so many
MEETINGS = 0.08  # share of the games in which the best point meets the default, where all are duels
SURE, ENDS_OF_BEST = 300, 0.5  # games from which so many plans try ends of the best point
SCATTERED = 4  # points of a plan while next to nothing has been told

R = TypeVar("R")
C = TypeVar("C", bound=type)


def in_turn(method: Callable[..., R]) -> Callable[..., R]:
    """Make a method wait until no other thread is in one of its object."""

    @wraps(method)
    def alone(self: Tuner, *arguments: Any, **named: Any) -> R:
        with self._lock:
            return method(self, *arguments, **named)

    return alone


def each_in_turn(made: C) -> C:
    """Make threads call the public methods of a class one after the other."""
    for name, member in list(vars(made).items()):
        if isfunction(member) and not name.startswith("_"):
            setattr(made, name, in_turn(member))
    return made


@each_in_turn
class Tuner:
    """Searches a space for the point of the highest expected score, by games won, drawn and lost.

    `default`: the point to compare with, played from the start. `budget`: games in all, after which
    no point is proposed, one block at least, or None; `block`: games played together (2: seats
    exchanged). Threads may share one. Raises Refused with one line for invalid arguments.
    """

    def __init__(
        self,
        space: Mapping[str, Parameter] | Domain,
        seed: int = 0,
        default: Mapping[str, Value] | None = None,
        budget: int | None = None,
        block: int = 2,
    ) -> None:
        self.domain = space if isinstance(space, Domain) else ParameterTable(space)
        self.seed = whole(seed, "seed", 0)
        self.block = whole(block, "block", 1)
        self.budget = None if budget is None else whole(budget, "budget", self.block)
        self.default: Point | None = None
        self._default_place: Floats | None = None
        if default is not None:
            self.default = self.domain.checked(default, "the default")
            self._default_place = self.domain.places([self.default])[0]
        self._state = TunerState(self.domain, self._default_place, self._start())
        self._answer: TunerAnswer | None = None
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

    def __repr__(self) -> str:
        names = ", ".join(axis.name for axis in self.domain.axes)
        of = "" if self.budget is None else f" of {self.budget:,}"
        return f"<Tuner of {names}: {self.told:,g}{of} games told>"

    @property
    def told(self) -> float:
        """How many games were told."""
        return self._state.games

    @property
    def tellings(self) -> int:
        """How many times results were told."""
        return self._state.tellings

    # --- ask and tell ---------------------------------------------------------------------------

    def ask_one(self, most: int | None = None) -> tuple[Point, int]:
        """Return the next point and its number of games, `most` of them or fewer: a block at least.

        Raises Refused if the budget is spent.
        """
        if not self._state.queue:
            self._plan()
        games = self._state.queue[0][1]
        asked = self.ask(games if most is None else min(games, max(most, self.block)))
        if not asked:
            raise Refused(f"the budget of {self.budget} games is spent")
        return asked[0]

    def ask_one_duel(self, most: int | None = None) -> tuple[Point, Point, int]:
        """Return the next two points and the games that they are to play against each other, likewise.

        Raises Refused if the budget is spent.
        """
        if not self._state.duels:
            self._plan_duels()
        games = self._state.duels[0][2]
        asked = self.ask(games if most is None else min(games, max(most, self.block)), duels=True)
        if not asked:
            raise Refused(f"the budget of {self.budget} games is spent")
        return asked[0]

    @overload
    def ask(self, max_games: int, duels: Literal[False] = False) -> Plan: ...

    @overload
    def ask(self, max_games: int, duels: Literal[True]) -> DuelPlan: ...

    def ask(self, max_games: int, duels: bool = False) -> Plan | DuelPlan:
        """Return points to play and games at each, at most `max_games` in all, in whole blocks.

        `duels`: return two points and the games that they are to play against each other. Any number
        may be outstanding; with fewer games than a block no point is returned.
        """
        state, left = self._state, whole(max_games, "max_games", 0)
        if self.budget is not None:
            out = state.out.games + state.duels_out.games
            left = min(left, int(self.budget - state.games - out))
        return self._duels(left) if duels else self._points(left)

    def _points(self, left: int) -> Plan:
        state = self._state
        plan: Plan = []
        while left >= self.block:
            if not state.queue:
                self._plan()
            point, games = state.queue.pop(0)
            now = min(games, left) // self.block * self.block
            if games > now:
                state.queue.insert(0, (point, games - now))
            left -= now
            plan.append((dict(point), now))
            state.asked(dict(point), now)
        return plan

    def _duels(self, left: int) -> DuelPlan:
        state = self._state
        plan: DuelPlan = []
        while left >= self.block:
            if not state.duels:
                self._plan_duels()
            point, other, games = state.duels.pop(0)
            now = min(games, left) // self.block * self.block
            if games > now:
                state.duels.insert(0, (point, other, games - now))
            left -= now
            plan.append((dict(point), dict(other), now))
            state.asked_duel(dict(point), dict(other), now)
        return plan

    @one_thread
    def tell(
        self,
        point: Mapping[str, Value],
        wins: float | None = None,
        draws: float = 0,
        losses: float = 0,
        *,
        pairs: Sequence[float] | None = None,
        blocks: Sequence[float] | None = None,
        size: int | None = None,
    ) -> None:
        """Take results at a point, asked for or not, in any order: of single games; or, if they came in
        blocks of games that share an opening, by block, which says how much chance was in them.

        `pairs`: pairs of games with seats exchanged by the points of both, how many with 0, 1/2, 1,
        3/2 and 2. `blocks`: mean scores, in [0, 1], of blocks of `size` games (else the tuner's
        block). With either of them, wins, draws and losses are those of the same games: that draws
        were many is then known exactly.
        """
        own = self.domain.checked(point, "the point")
        results = results_told(wins, draws, losses)
        state = self._state
        if pairs is not None and blocks is not None:
            raise Refused("both pairs and blocks are given; allowed: one of them")
        if pairs is not None:
            told = pairs_told(pairs, results)
            if not sum(told):
                return
            place = state.told_pairs(own, told, results)
        elif blocks is not None:
            games = self.block if size is None else whole(size, "size", 1)
            means = blocks_told(blocks, games, results)
            if not means:
                return
            place = state.told_blocks(own, means, games, results)
        elif results:
            if not sum(results):
                return
            place = state.told(own, *results)
        else:
            raise Refused("no results; allowed: wins, draws and losses, or pairs, or blocks")
        state.learn(*place)
        self._answer = None

    @one_thread
    def tell_duel(
        self,
        point: Mapping[str, Value],
        other: Mapping[str, Value],
        wins: float | None = None,
        draws: float = 0,
        losses: float = 0,
        *,
        pairs: Sequence[float] | None = None,
    ) -> None:
        """Take results of games of a point against another one, from the view of the first; asked for
        or not, in any order. `pairs` as in `tell`.

        Duels tell how much better a point is than another. Without any game told by `tell` they fix no
        level: scores are then those against the default, or the middle of the space without one.
        """
        first, second = self._two(point, other)
        results = results_told(wins, draws, losses)
        state = self._state
        if pairs is not None:
            told = pairs_told(pairs, results)
            if not sum(told):
                return
            games = state.told_duel_pairs(first, second, told, results)
        elif results:
            if not sum(results):
                return
            wins, draws, losses = results
            games = state.told_duel(first, second, wins, draws, losses)
        else:
            raise Refused("no results; allowed: wins, draws and losses, or pairs")
        state.learn_duel(*games)
        self._answer = None

    def _two(self, point: Mapping[str, Value], other: Mapping[str, Value]) -> tuple[Point, Point]:
        """Return the points of a duel; raise Refused if one is invalid, or both are the same."""
        first = self.domain.checked(point, "the first point")
        second = self.domain.checked(other, "the second point")
        if first == second:
            raise Refused("a duel of a point with itself; allowed: two different points")
        return first, second

    def withdraw(
        self,
        point: Mapping[str, Value],
        games: float,
        against: Mapping[str, Value] | None = None,
    ) -> None:
        """Note that games which were asked for will not be played; `against`: of a duel, the other
        point.
        """
        state, wanted = self._state, count(games, "games")
        if against is None:
            own = self.domain.checked(point, "the point")
            out = state.out[own]
        else:
            own, other = self._two(point, against)
            out = state.duels_out.out(own, other)
        if wanted > out:
            raise Refused(
                f"games = {shown(games)}; allowed: at most the {out} that are outstanding"
            )
        if against is None:
            state.withdrawn(own, wanted)
        else:
            state.withdrawn_duel(own, other, wanted)

    def save(self) -> dict[str, Any]:
        """Return the tuner as a table that JSON can hold."""
        settings = {
            "seed": self.seed,
            "default": self.default,
            "budget": self.budget,
            "block": self.block,
        }
        return saved.packed(settings, self._state)

    @classmethod
    def load(cls, space: Mapping[str, Parameter] | Domain, state: Mapping[str, Any]) -> Tuner:
        """Return a tuner that continues exactly as the saved one would have.

        Raises Refused with one line if the state is damaged or belongs to another space.
        """
        domain = space if isinstance(space, Domain) else ParameterTable(space)
        data = saved.checked(state, domain)
        tuner = cls(domain, **data["settings"])
        saved.restore(tuner._state, data)
        return tuner

    def _start(self) -> Plan:
        """Return the first points: the default, and points that fill the space evenly."""
        points = [self.domain.point(place) for place in self.domain.scattered(self._evenly())]
        games = -(-2 // self.block) * self.block
        return [*([(self.default, games)] if self.default else []), *((p, games) for p in points)]

    def _evenly(self) -> Floats:
        """Return evenly spread numbers in [0, 1] for the first points, a row each."""
        axes = len(self.domain.axes)
        many = FIRST if axes <= MANY else FIRST_MANY
        from scipy.stats import qmc  # half a second of imports

        units: Floats = qmc.Sobol(axes, rng=np.random.default_rng([self.seed, 11])).random(many)
        return units

    @one_thread
    def _plan(self) -> None:
        state = self._state
        state.plans += 1
        rng = np.random.default_rng([self.seed, 31, state.plans])
        if not state.readable:  # fill the space
            units = rng.random((SCATTERED, len(self.domain.axes)))
            games = -(-2 // self.block) * self.block
            places = self.domain.scattered(units)
            state.queue = [(self.domain.point(place), games) for place in places]
            return
        state.team.settle(state.read, state.noise)
        out = state.out.places(state.team.metric)
        picks = propose(
            self.domain, state.counts, state.raw, state.team, out, state.tops, self.block, rng
        )
        state.tops = picks.tops
        state.queue = [(self.domain.point(place), picks.games) for place in picks.places]
        self._share_with_default(picks.games)

    @one_thread
    def _plan_duels(self) -> None:
        state = self._state
        state.plans += 1
        rng = np.random.default_rng([self.seed, 37, state.plans])
        axes = len(self.domain.axes)
        if not state.readable:  # the default against points that fill the space
            games = -(-2 // self.block) * self.block
            units = self._evenly()
            if state.duels_out.games:  # those are out already
                units = np.vstack([rng.random((SCATTERED, axes)), units])
            if state.team.default is not None:  # ends of its ranges take some of these games
                units = units[:FIRST]
            first = [(place, state.anchor) for place in self.domain.scattered(units)]
            self._queue_duels(self._with_ends(first, games, rng), games)
            state.duels = state.duels[:SCATTERED] if state.duels_out.games else state.duels
            return
        state.team.settle(state.read, state.noise)
        picks = propose_duels(
            self.domain,
            state.counts,
            state.raw,
            state.team,
            state.noise,
            state.duels_out.places(),
            state.tops,
            state.anchor,
            self.block,
            rng,
        )
        state.tops = picks.tops
        self._queue_duels(self._with_ends(picks.places, picks.games, rng), picks.games)
        self._meet_default(picks.games)

    def _queue_duels(self, pairs: Sequence[Pair], games: int) -> None:
        """Make pairs of places, `games` at each, the duels of a plan; a point does not duel itself."""
        self._state.duels = [
            (a, b, games)
            for a, b in ([self.domain.point(place) for place in pair] for pair in pairs)
            if a != b
        ]
        if not self._state.duels:
            raise Refused("the space has one point; allowed for duels: two or more")

    def _with_ends(
        self, pairs: Sequence[Pair], games: int, rng: np.random.Generator
    ) -> Sequence[Pair]:
        """Return the pairs of a plan, `games` at each, some of them replaced by the default, or the best
        point, with one number at an end of its range against itself as it is.
        """
        state = self._state
        if state.team.default is None:
            return pairs
        base = state.anchor
        if state.tops is not None and state.games > SURE and rng.random() < ENDS_OF_BEST:
            base = state.team.best_of(state.tops)
        ends = Ends(self.domain, state.raw, state.duels_out.places())
        duelled = float(state.raw.games[state.raw.duels].sum())
        return with_ends(ends, pairs, base, duelled, games, rng)

    def _meet_default(self, games: int) -> None:
        """Put duels of the best point with the default among those of a plan, as often as its share of
        the games requires, where all games are duels: only these say how far points are above it.
        """
        state = self._state
        if self.default is None or state.raw.levelled or state.tops is None:
            return
        best = self.domain.point(state.team.best_of(state.tops))
        if best == self.default:
            return
        wanted = MEETINGS * (state.games + games * len(state.duels)) - state.met(state.anchor)
        for i in range(min(max(0, math.ceil(wanted / games)), len(state.duels))):
            state.duels.insert(2 * i, (best, self.default, games))

    def _share_with_default(self, games: int) -> None:
        """Put the default among the picks of a plan as often as its share of the games requires."""
        if self.default is None:
            return
        queue = self._state.queue
        played = self._state.games + games * len(queue)
        share = DEFAULT_DISPUTED if self._disputed() else DEFAULT_SHARE
        wanted = max(share * played, min(DEFAULT_EARLY * played, DEFAULT_SOON))
        wanted -= self._state.at(self.default)
        for i in range(min(max(0, math.ceil(wanted / games)), len(queue))):
            queue.insert(2 * i, (self.default, games))

    def _disputed(self) -> bool:
        """Whether it is open, after the first games, that some place is better than the default."""
        state = self._state
        if state.tops is None or state.games < DEFAULT_SOON / DEFAULT_EARLY:
            return False
        best = state.team.best_of(state.tops)
        low, high = DISPUTED
        return low < state.team.gap(best, self._against()).above() < high

    # --- answers --------------------------------------------------------------------------------

    @one_thread
    def recommend(self) -> Point:
        """Return the point to play with, by all results; before any: the default or the middle.

        With a default: the best point only if it is likely (80 %) to be better.
        """
        if not len(self._state.counts):
            return dict(self.default or self.domain.point(np.zeros(self.domain.shape.columns)))
        read = self._read()
        if self.default is None or read.beats(self._against()):
            return read.point
        return dict(self.default)

    @property
    def against(self) -> str:
        """What scores are against: "pool", the opponents of the games that were told; or, if duels alone
        were told, "default" or (without one) "middle" of the space.
        """
        if self._state.raw.levelled:
            return "pool"
        return "middle" if self.default is None else "default"

    @one_thread
    def estimate(self, point: Mapping[str, Value]) -> tuple[float, float, float]:
        """Return low end, mean and high end of the expected score at a point, 95 %: that `against`
        the pool, or the default.
        """
        place = self.domain.places([self.domain.checked(point, "the point")])[0]
        return self._read().estimate(place)

    def verdict(self) -> str:
        """Return "better", "keep" or "unknown": of the best point against the default."""
        return self.gain().verdict

    @one_thread
    def gain(self) -> Gain:
        """Return what the best point gains over the default; where nothing is likely to be gained, that
        point is not recommended.
        """
        default, read = self._against(), self._read()
        gain = read.compare(read.best, default)
        return gain if self._state.games else replace(gain, verdict=UNKNOWN, more=None)

    @one_thread
    def report(self) -> TunerReport:
        """Return the whole answer; `print` shows it as a text."""
        read = self._read()
        gain = self.gain() if self.default is not None else None
        return TunerReport(
            self.recommend(),
            read.point,
            self.default and dict(self.default),
            read.estimate(self._best()),
            read.regret_of(self._best()),
            self._state.games,
            read.effects(),
            gain,
            gain.verdict if gain else None,
            read.noise.pair_variance,
            self.against,
            read.fit,
        )

    def _best(self) -> Floats:
        """Return the place of the recommended point."""
        place: Floats = self.domain.places([self.recommend()])[0]
        return place

    def _against(self) -> Floats:
        if self._default_place is None:
            raise Refused("no default was given, so there is nothing to compare with; allowed: "
                "Tuner(..., default={...})")  # fmt: skip
        return self._default_place

    def _read(self) -> TunerAnswer:
        if self._answer is None:
            state = self._state
            self._answer = TunerAnswer(
                self.domain, state.raw, state.free, self.seed, state.kept, state.anchor
            )
        return self._answer
