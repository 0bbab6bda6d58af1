"""The answer of a tuner in full, as values and as a text to read."""

from __future__ import annotations

from dataclasses import dataclass

from joute.engines.parameter import rounded
from joute.results.quantity import percent, percent_ends, points
from joute.studies.tuner.answer import Effect, Gain
from joute.studies.tuner.domain import Point

WORDS = {"better": "better than the default", "keep": "keep the default", "unknown": "cannot tell"}
MISFIT = 0.01  # chance of games that fit one strength a point worse, from which it is told


@dataclass(frozen=True)
class TunerReport:
    """The answer in full: the point, its score, regret expected to be left, each parameter.

    `score`: lower end, mean and upper end of the 95 % interval. `pair_variance`: the variance of a
    pair at an even score, as a share of that of two free games; None if no pairs were told.
    `against`: see `Tuner.against`. `fit`: if duels were told, the chance of games that fit one
    strength a point worse than these do: below 0.01 something is wrong, say that A beats B, B beats C
    and C beats A, or that the pool likes what loses duels; None without duels. `print` shows it as
    a text.
    """

    point: Point
    score: tuple[float, float, float]
    regret: float
    effects: list[Effect]
    gain: Gain | None
    verdict: str | None
    pair_variance: float | None = None
    against: str = "pool"
    fit: float | None = None

    def __str__(self) -> str:
        low, mean, high = self.score
        chosen = ", ".join(f"{name} = {rounded(value)}" for name, value in self.point.items())
        than = {"pool": "", "middle": " against the middle of the space"}.get(
            self.against, " against the default"
        )
        lines = [
            f"{WORDS[self.verdict]}: {chosen}" if self.verdict else chosen,
            f"it scores {percent(mean)} ({percent_ends(low, high)}, 95 %){than}, and may lack "
            f"{points(self.regret).removeprefix('+')} to the best",
        ]
        if self.gain is not None:
            ends = f"{points(self.gain.low, False)} to {points(self.gain.high, False)}"
            more = f"; some {self.gain.more:,} more games may decide" if self.gain.more else ""
            lines.append(
                f"the best point gains {points(self.gain.mean)} over the default ({ends}){more}"
            )
        if self.fit is not None and self.fit < MISFIT:
            lines.append(
                "the games do not fit one strength a point: A beats B, B beats C, C beats A"
            )
        wide = max((len(effect.name) for effect in self.effects), default=0)
        return "\n".join([*lines, *(f"  {effect_line(effect, wide)}" for effect in self.effects)])


def effect_line(effect: Effect, wide: int) -> str:
    """Return a parameter's line: its value, where the best may lie, whether it matters."""
    value = "-" if effect.value is None else rounded(effect.value)
    ends = ""
    if effect.low is not None and effect.high is not None:
        ends = f" ({rounded(effect.low)} to {rounded(effect.high)}, 80 %)"
    matters = "matters" if effect.detected else "no effect seen"
    edge = f"; the best may lie beyond the {effect.edge} end of its range" if effect.edge else ""
    return f"{effect.name:{wide}}  {value}{ends}: {matters}{edge}"
