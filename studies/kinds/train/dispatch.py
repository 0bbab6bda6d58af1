"""Dispatches an iteration's self-play: missing games are played and stored task by task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.engines.errors import JouteError
from joute.engines.kernels.random import seed_of
from joute.engines.view import Shape
from joute.studies.kinds.train.selfplay_task import Lost, SelfPlayWork
from joute.studies.learning.plan import SelfPlayPlan
from joute.studies.learning.sample_file import SampleWriter, join_files, read_about
from joute.studies.learning.selfplay import Selfplayed

if TYPE_CHECKING:
    from joute.studies.play.study_run import StudyRun


class SelfPlayGames:
    """The games of an iteration: `NNNN.npz` once all are played; until then `NNNN-FIRST.npz` for
    each task.
    """

    def __init__(self, folder: Path, iteration: int, plan: SelfPlayPlan, shape: Shape) -> None:
        self.file = folder / f"{iteration:04}.npz"
        self._folder, self._iteration, self._plan, self._shape = folder, iteration, plan, shape

    def play(self, run: StudyRun, engine: str, server: str = "") -> bool:
        """Play the missing games, with the network at the address of a server if there is one; return
        whether all are there.
        """
        if self.file.exists():
            return True
        done = {game["number"] for part in self.parts() for game in read_about(part)}
        missing = [number for number in range(self._plan.games) if number not in done]
        run.progress.begin(f"iteration {self._iteration}: self-play", self._plan.games, len(done))
        seed = seed_of("self-play", run.study.seed, run.study.game.label, self._iteration)
        works = [
            SelfPlayWork(i, numbers, engine, self._plan, seed, server)
            for i, numbers in enumerate(self._shares(missing, run.workers))
        ]
        with run.interruptible(run.runner):
            for games in run.runner.play(works):
                self._keep(games)
                run.outcome.played += len(games)
                run.progress.advance(len(games))
                missing = missing[len(games) :]
        run.progress.end()
        if missing:
            run.outcome.missing = len(missing)
            return False
        self._join()
        return True

    def _shares(self, missing: Sequence[int], workers: int) -> list[tuple[int, ...]]:
        alone = self._plan.inference == "worker"
        return shares(missing, self._plan.together, workers, self._plan.batch if alone else 1)

    def parts(self) -> list[Path]:
        """Return the files of finished tasks."""
        return sorted(self._folder.glob(f"{self._iteration:04}-*.npz"))

    def _keep(self, games: Sequence[Selfplayed | Lost]) -> None:
        for game in games:
            if isinstance(game, Lost):
                raise JouteError(
                    f"iteration {self._iteration}: the process that played self-play game "
                    f"{game.number} {game.text}"
                )
        played = [game for game in games if isinstance(game, Selfplayed)]
        path = self._folder / f"{self._iteration:04}-{played[0].number:06}.npz"
        writer = SampleWriter(path, self._shape)
        for game in played:
            writer.add(game.samples)
        writer.write([about(game) for game in played])

    def _join(self) -> None:
        parts = self.parts()
        join_files(self.file, parts)
        for part in parts:
            part.unlink()


def about(game: Selfplayed) -> dict[str, Any]:
    """Return what is stored of a game besides its samples."""
    facts = game._asdict()
    del facts["samples"]
    return facts


REFILLS = 4  # games of a task that follow one another


def shares(
    numbers: Sequence[int], together: int, workers: int, batch: int
) -> list[tuple[int, ...]]:
    """Return the games of each task: at most some times `together`, as the last games of a task leave their
    batches empty, and equally many tasks for every worker; but no more tasks than can fill their
    batches: a batch of few rows takes as long as a full one.
    """
    if not numbers:
        return []
    rounds = -(-len(numbers) // (REFILLS * together * workers))
    filled = -(-len(numbers) // min(batch, together))
    count = min(filled, rounds * workers)
    ends = [round(len(numbers) * i / count) for i in range(count + 1)]
    return [tuple(numbers[a:b]) for a, b in pairwise(ends) if b > a]
