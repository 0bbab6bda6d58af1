"""Tunes any objective that is won, drawn or lost: `joute.tune`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from joute.engines.errors import Refused

if TYPE_CHECKING:
    from joute.engines.parameter import Value
    from joute.studies.tuner.answer import Effect, Gain
    from joute.studies.tuner.parameters import Parameter
    from joute.studies.tuner.report import TunerReport
    from joute.studies.tuner.tuner import Tuner

Objective: TypeAlias = "Callable[[dict[str, Value], int], Sequence[float]]"

RESULTS, PAIRS = 3, 5  # numbers that an objective returns


@dataclass(frozen=True)
class Tuned:
    """Result of a search: the `point` to play with, its expected score in [0, 1] with a 95 %
    interval (`low`, `score`, `high`), how much more the best point of the space may score (`regret`),
    the `games` played; the `best` point found, each parameter's effect, its `gain` over the default
    and the `verdict` ("better", "keep", "unknown"; both None without a default). While `best` is not
    likely (80 %) to beat the default, `point` is the default. `print` shows the `report`, which holds
    all of it; `tuner` continues where it stopped.
    """

    point: dict[str, Value]
    best: dict[str, Value]
    low: float
    score: float
    high: float
    regret: float
    games: int
    effects: list[Effect]
    gain: Gain | None
    verdict: str | None
    report: TunerReport
    tuner: Tuner

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return str(self.report)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def tune(
    objective: Objective,
    space: Mapping[str, Parameter],
    games: int = 600,
    default: Mapping[str, Value] | None = None,
    seed: int = 0,
    block: int = 2,
    progress: bool = True,
) -> Tuned:
    """Search a space for the point of the highest expected score.

    `objective(point, games)` plays this many games at a point, a dict of parameters, and returns
    (wins, draws, losses); or five numbers, of pairs of games with 0, 1/2, 1, 3/2, 2 points. `space`:
    `Float`, `Int` and `Choice` by name. `games` in all, in whole blocks of `block` (2: seats
    exchanged), at least one. `default`: the point to beat. The points depend on
    the seed and the results only. To play many points in parallel, on threads or machines, use
    `Tuner`.
    """
    from joute.engines.errors import whole
    from joute.studies.tuner.tuner import Tuner

    games = whole(games, "games", whole(block, "block", 1))
    tuner = Tuner(space, seed, default, block=block)
    bar = _bar(games) if progress else None
    played = 0
    try:
        while played + tuner.block <= games:
            point, count = tuner.ask_one()
            results = _results(objective(dict(point), count), count)
            if len(results) == PAIRS:
                tuner.tell(point, pairs=results)
            else:
                tuner.tell(point, *results)
            played += count
            if bar is not None:
                bar.update(count)
    finally:
        if bar is not None:
            bar.close()
    report = tuner.report()
    low, score, high = report.score
    return Tuned(
        report.point, report.best, low, score, high, report.regret, played, report.effects,
        report.gain, report.verdict, report, tuner,
    )  # fmt: skip


def _bar(games: int) -> Any:
    from joute.progress_bar import bar_of

    return bar_of()(total=games, desc="tuning", unit="game", mininterval=0.5)


def _results(returned: Any, games: int) -> list[float]:
    """Return wins, draws and losses, or numbers of pairs; raise Refused if they are not so many games."""
    try:
        results = [float(number) for number in returned]
        if len(results) not in (RESULTS, PAIRS):
            raise ValueError
    except (TypeError, ValueError):
        raise Refused(
            f"the objective returned {returned!r}; allowed: (wins, draws, losses) of {games} games, or "
            "five numbers of pairs"
        ) from None
    size = 1 if len(results) == RESULTS else 2
    if min(results) < 0 or abs(size * sum(results) - games) > 1e-9 * games:
        what = "wins, draws and losses" if size == 1 else "pairs"
        raise Refused(
            f"the objective returned {returned!r}; allowed: {what} that make {games} games"
        )
    return results
