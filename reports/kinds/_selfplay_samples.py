"""Some games of self-play beside a training run's report, each on its own page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joute.engines.errors import JouteError
from joute.reports.replay import replay
from joute.reports.replay_page import write_page
from joute.results.frames import Results
from joute.studies.kinds.train.archive import games_kept, iterations_kept, name_of

REPLAYS = "replays"


@dataclass(frozen=True)
class ShownSample:
    """A game of self-play: its name, its result, and its page relative to the report."""

    name: str
    said: str
    page: str


@dataclass(frozen=True)
class ShownSamples:
    """The games that a report shows, or the reason for none."""

    games: tuple[ShownSample, ...]
    fault: str = ""


def samples_of(results: Results) -> ShownSamples | None:
    """Write the pages of the first game of the first, the middle and the last iteration; None if
    nothing was played.
    """
    files_of = iterations_kept(results.folder) if results.training else {}
    if not files_of:
        return None
    try:
        return ShownSamples(
            tuple(_sample(results, k, files_of[k]) for k in chosen(sorted(files_of)))
        )
    except (
        JouteError,
        OSError,
    ) as error:  # files that are damaged, a game of a plugin: the rest is told
        return ShownSamples((), str(error))


def chosen(iterations: Sequence[int]) -> list[int]:
    """Return the first, the middle and the last."""
    last = len(iterations) - 1
    return [iterations[k] for k in sorted({0, last // 2, last})]


def _sample(results: Results, iteration: int, files: list[Path]) -> ShownSample:
    number = min(games_kept(files))
    game = replay(results.folder, name_of(iteration, number))
    page = f"{REPLAYS}/{iteration:04}-{number}.html"
    (results.folder / REPLAYS).mkdir(exist_ok=True)
    write_page(game, results.folder / page)
    return ShownSample(game.record.id, f"{game.names[0]}, {game.result()[0]}", page)
