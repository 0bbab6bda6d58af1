"""Tunes any objective that is won, drawn or lost: `joute.tune`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from joute.door import door
from joute.engines.errors import Refused, shown

if TYPE_CHECKING:
    from joute.engines.parameter import Value
    from joute.studies.tuner.answer import Effect, Gain
    from joute.studies.tuner.parameters import Parameter
    from joute.studies.tuner.report import TunerReport
    from joute.studies.tuner.tuner import Tuner

Objective: TypeAlias = "Callable[[dict[str, Value], int], Sequence[float]]"
Duel: TypeAlias = "Callable[[dict[str, Value], dict[str, Value], int], Sequence[float]]"

RESULTS, SCORES = 3, 5  # numbers that an objective returns: results, or pairs by their scores
EVERY = 1.0  # seconds between two times that a search is kept


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


@door
def tune(
    objective: Objective | None,
    space: Mapping[str, Parameter],
    games: int = 600,
    default: Mapping[str, Value] | None = None,
    seed: int = 0,
    block: int = 2,
    progress: bool = True,
    save: str | Path | None = None,
    duel: Duel | None = None,
) -> Tuned:
    """Search a space for the point of the highest expected score.

    `objective(point, games)` plays this many games at a point, a dict of parameters, and returns
    (wins, draws, losses); or five numbers, of pairs of games with 0, 1/2, 1, 3/2, 2 points.
    `duel(point, other, games)` plays two points against each other and returns the same of the first:
    with both functions they are asked in turn, which needs fewer games; with None for the objective
    all games are duels, and scores are against the default. `space`: `Float`, `Int` and `Choice` by
    name. `games` in all, in whole blocks of `block` (2: seats exchanged), at least one. `default`: the
    point to beat. The points depend on the seed and the results only. `save`: a file in which the
    search is kept, every second; the same call goes on from there, with more games too. To play many
    points in parallel, on threads or machines, use `Tuner`.

    Raises Refused for results that are no games, and for a file of another search.
    """
    from joute.engines.errors import whole
    from joute.studies.tuner.tuner import Tuner

    games = whole(games, "games", whole(block, "block", 1))
    if not callable(objective) and (objective is not None or duel is None):
        none = (
            ", or None beside duel, a function of two points and games" if objective is None else ""
        )
        raise Refused(
            f"objective = {shown(objective)}; allowed: a function of a point and games{none}"
        )
    if not callable(duel) and duel is not None:
        raise Refused(f"duel = {shown(duel)}; allowed: a function of two points and games")
    kept = Kept(Path(save)) if save is not None else None
    tuner = Tuner(space, seed, default, block=block)
    if kept is not None:
        tuner = kept.load(tuner)
    bar = _bar(games) if progress else None
    played = int(tuner.told)
    if bar is not None:
        bar.update(played)
    try:
        while played + tuner.block <= games:
            most, odd = games - played, tuner.tellings % 2
            if objective is not None and (duel is None or not odd):
                count = _play(objective, tuner.ask_one(most), tuner.tell, "the objective")
            else:
                assert duel is not None
                count = _play(duel, tuner.ask_one_duel(most), tuner.tell_duel, "the duel")
            played += count
            if bar is not None:
                bar.update(count)
            if kept is not None and kept.due():
                kept.save(tuner)
        if kept is not None:
            kept.save(tuner)
    finally:
        if bar is not None:
            bar.close()
    report = tuner.report()
    low, score, high = report.score
    return Tuned(
        report.point, report.best, low, score, high, report.regret, played, report.effects,
        report.gain, report.verdict, report, tuner,
    )  # fmt: skip


def _play(
    play: Callable[..., Sequence[float]],
    asked: tuple[Any, ...],
    tell: Callable[..., None],
    what: str,
) -> int:
    """Play the games that were asked for, at a point or between two, and tell them; return how many."""
    *points, games = asked
    results = _results(play(*map(dict, points), games), games, what)
    if len(results) == SCORES:
        tell(*points, pairs=results)
    else:
        tell(*points, *results)
    return int(games)


class Kept:
    """A search in a file: as JSON, whole at any moment."""

    def __init__(self, path: Path) -> None:
        from joute.results.tables import check_place

        check_place(path)
        self._path, self._last = path, time.monotonic()

    def due(self) -> bool:
        """Whether the file is older than a second."""
        return time.monotonic() - self._last > EVERY

    def save(self, tuner: Tuner) -> None:
        """Write the search."""
        from joute.results.tables import write_atomically

        write_atomically(self._path, json.dumps(tuner.save()))
        self._last = time.monotonic()

    def load(self, fresh: Tuner) -> Tuner:
        """Return the search that the file holds, or the fresh one if there is no file."""
        from joute.engines.data import loose_json

        try:
            state = loose_json(self._path.read_text())
        except FileNotFoundError:
            return fresh
        except (OSError, ValueError) as error:
            raise Refused(f"save = {self._path}: no stored search: {error}") from None
        try:
            stored = type(fresh).load(fresh.domain, state)
        except Refused as refused:
            raise Refused(f"save = {self._path}: {refused}") from None
        for name in ("seed", "default", "block"):
            was, now = getattr(stored, name), getattr(fresh, name)
            if was != now:
                raise Refused(
                    f"save = {self._path}: its search has {name} = {was}, this one {now}; allowed: "
                    "the same, or another file"
                )
        return stored


def _bar(games: int) -> Any:
    from joute.progress_bar import bar_of

    return bar_of()(total=games, desc="tuning", unit="game", mininterval=0.5)


def _results(returned: Any, games: int, what: str) -> list[float]:
    """Return wins, draws and losses, or numbers of pairs; raise Refused if they are not so many games."""
    try:
        results = [float(number) for number in returned]
        if len(results) not in (RESULTS, SCORES):
            raise ValueError
    except (TypeError, ValueError):
        raise Refused(
            f"{what} returned {returned!r}; allowed: (wins, draws, losses) of {games} games, or five "
            "numbers of pairs"
        ) from None
    size = 1 if len(results) == RESULTS else 2
    right = min(results) >= 0 and abs(size * sum(results) - games) <= 1e-9 * games
    if not right:  # nor is NaN
        kind = "wins, draws and losses" if size == 1 else "pairs"
        raise Refused(f"{what} returned {returned!r}; allowed: {kind} that make {games} games")
    return results
