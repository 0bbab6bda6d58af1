"""The answer of a tuner in full, as values and as a text to read."""

from __future__ import annotations

from dataclasses import dataclass

from joute.engines.parameter import rounded
from joute.results.quantity import percent, percent_ends, points
from joute.studies.tuner.answer import BETTER, KEEP, LATE, MOST_MORE, UNKNOWN, Effect, Gain, bar
from joute.studies.tuner.domain import Point

EARLY = (
    f"below {LATE:,.0f} games Joute asks for more than an interval above 0, because an early look may show "
    "luck"
)
SMALL = "it is not sure enough that the gain is above 5 Elo, less than which is not worth a change"
GOOD = "as defaults are mostly good already"  # before any game
MISFIT = 0.01  # chance of games that fit one strength a point worse, from which it is told


@dataclass(frozen=True)
class TunerReport:
    """The answer in full: the point, its score, regret expected to be left, each parameter.

    `point`: the one to play with, which `score` (lower end, mean and upper end of the 95 % interval)
    and `regret` are about. `best`: the best point found, which `effects`, `gain` and `verdict` are
    about; not `point` if it is not likely enough to beat the `default`. `games`: told so far.
    `pair_variance`: the variance of a pair at an even score, as a share of that of two free games;
    None if no pairs were told.
    `against`: see `Tuner.against`. `fit`: if duels were told, the chance of games that fit one
    strength a point worse than these do: below 0.01 something is wrong, say that A beats B, B beats C
    and C beats A, or that the pool likes what loses duels; None without duels. `print` shows it as
    a text.
    """

    point: Point
    best: Point
    default: Point | None
    score: tuple[float, float, float]
    regret: float
    games: float
    effects: list[Effect]
    gain: Gain | None
    verdict: str | None
    pair_variance: float | None = None
    against: str = "pool"
    fit: float | None = None

    def __str__(self) -> str:
        wide = max((len(effect.name) for effect in self.effects), default=0)
        table = [f"  {effect_line(effect, wide)}" for effect in self.effects]
        return "\n".join([*self.lines(), "best point so far:", *table])

    def lines(self) -> list[str]:
        """Return what to play with, its score, and what keeps a verdict back, as lines to read."""
        low, mean, high = self.score
        than = {"pool": "", "middle": " against the middle of the space"}.get(
            self.against, " against the default"
        )
        who = "the default" if self.keeps else "it"
        lines = [
            self.head(),
            f"{who} scores {percent(mean)} (95 %: {percent_ends(low, high)}){than}, from "
            f"{self.games:,.0f} games, and may lack {points(self.regret).removeprefix('+')} to the best",
        ]
        if self.gain is not None and self.gain.verdict == UNKNOWN and self.games:
            kept_back = doubt(self.gain, self.games), verdict_after(self.gain.more)
            lines.append("; ".join(filter(None, kept_back)))
        if self.fit is not None and self.fit < MISFIT:
            lines.append(
                "the games do not fit one strength a point: A beats B, B beats C, C beats A"
            )
        return lines

    @property
    def keeps(self) -> bool:
        """Whether the point to play with is the default."""
        return self.point == self.default

    def head(self) -> str:
        """Return the point to play with, and the gain of the best point over the default."""
        gain, best, kept = self.gain, told(self.best), f"keep {told(self.point)} (the default)"
        if gain is None:
            return told(self.point)
        size = (
            f"{points(gain.mean)} (95 %: {points(gain.low, False)} to {points(gain.high, False)})"
        )
        if gain.verdict == BETTER:
            return f"{best} is better than the default: {size}"
        if gain.verdict == KEEP:
            if self.keeps and self.best == self.default:
                return f"{kept}: no better point was found"
            if self.keeps:
                return f"{kept}: the best point found, {best}, is unlikely to gain 5 Elo, {GOOD}: {size}"
            return f"{best} is as good as the default, and unlikely to gain 5 Elo over it, {GOOD}: {size}"
        if not self.keeps:
            return f"{best} is likely to be better than the default, but not yet surely: {size}"
        if not self.games:
            return f"{kept} for now: no games were told"
        if self.keeps and self.best == self.default:
            return f"{kept} for now: no better point was found yet"
        may = "may gain" if gain.mean > 0 else "may be better or worse:"
        return f"{kept} for now: the best point found, {best}, {may} {size}"


def doubt(gain: Gain, games: float) -> str:
    """Say why an interval above 0 is not enough for a verdict; "" if it is not above 0."""
    if gain.low <= 0:
        return ""
    if gain.sure >= bar(games):
        return SMALL
    if games < LATE:
        return EARLY
    return "an interval just above 0 is not enough, because a default is often good already"


def verdict_after(games: int | None) -> str:
    """Say after how many more games a verdict is likely; None: after too many."""
    if games is None:
        return f"a verdict would probably take more than {MOST_MORE} times the games so far"
    return (
        f"after about {games:,} more games a verdict is likely (80 %): better, or keep the default"
    )


def told(point: Point) -> str:
    """Return a point as a text: width = 0.5, depth = 4."""
    return ", ".join(f"{name} = {rounded(value)}" for name, value in point.items())


def effect_line(effect: Effect, wide: int) -> str:
    """Return a parameter's line: its value, where the best may lie, whether it matters."""
    value = "-" if effect.value is None else rounded(effect.value)
    ends = ""
    if effect.low is not None and effect.high is not None:
        ends = f" ({rounded(effect.low)} to {rounded(effect.high)}, 80 %)"
    matters = "matters" if effect.detected else "no effect seen"
    edge = f"; the best may lie beyond the {effect.edge} end of its range" if effect.edge else ""
    return f"{effect.name:{wide}}  {value}{ends}: {matters}{edge}"
