"""The dry run of a final at another limit: its games, and their time by some that are played."""

from __future__ import annotations

from joute.engines.output import Output
from joute.results.meta import CONFIRMATION
from joute.results.quantity import duration
from joute.results.statistics import resolvable_elo
from joute.studies.play.estimate import counted_workers, timed
from joute.studies.search.estimate import points_tried
from joute.studies.search.plan import LongFinal
from joute.studies.study import Study


def cost_of(study: Study, long: LongFinal, workers: int, play: bool) -> Output:
    """Return the cost of the final; games are played for it if `play`."""
    games = 2 * long.blocks
    elo = resolvable_elo(long.blocks)
    blocks = f"{long.blocks:,} blocks ({games:,} games)"
    if long.sprt is not None:
        blocks = f"at most {blocks}, until SPRT({long.sprt.elo0:g}, {long.sprt.elo1:g}) decides"
    line = f"confirmation: the best point against the default at {long.label}, {blocks}"
    if long.sprt is None and elo:
        line += f"; can show a gain of {elo:.0f} Elo or more"
    data: dict[str, object] = {"confirmation_games": games, "further_seconds": None}
    if not play:
        return Output(data, line)
    tasks = points_tried(study, long.space, [long.default], CONFIRMATION)
    each, failing = timed(study, tasks, workers)
    seconds = games * each / workers
    data["further_seconds"] = seconds
    most = "at most " if long.sprt is not None else "about "
    line += f"; {most}{duration(seconds)} more on {counted_workers(workers)}"
    return Output(data, "\n".join([line, *failing]))
