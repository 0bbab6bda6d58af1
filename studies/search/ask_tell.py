"""The trials of a search, asked and told in an order that makes a run a function of study and seed.

Trial k is asked for after exactly the trials 0 .. k-L have finished, in number order; L is the
study's `parallel_trials`, not the number of workers. So trials are the same for any number of
workers, and an interrupted run is restored by asking and telling again.
"""

from __future__ import annotations

from collections.abc import Sequence

from joute.results.gain import signed_rank
from joute.studies.search.sampler import find_sampler
from joute.studies.search.trial import COMPLETE, POOL, Trial
from joute.studies.tuner.domain import Domain, Point


class Trials:
    """Asks a sampler for points of a space, in turn, and tells it their scores.

    `first`: the default's point, if it is to be a trial; `games`: of a block; `against`: whom points
    play.
    """

    def __init__(
        self,
        space: Domain,
        sampler: str,
        seed: int,
        parallel: int,
        first: Point | None = None,
        games: int = 2,
        against: str = POOL,
    ) -> None:
        self.space, self.parallel = space, parallel
        self.finished: list[Trial] = []
        self._asked = 0
        chosen = find_sampler(sampler)
        self.most = chosen.most(space)
        self._proposer = chosen.proposer(space, seed, first, games, against)

    @property
    def due(self) -> int | None:
        """Number of the trial that must finish before the next is asked for; None: ask now."""
        return len(self.finished) if self._asked - len(self.finished) >= self.parallel else None

    def ask(self) -> Trial:
        """Return the next trial; the one that is `due` must have finished."""
        if self.due is not None:
            raise RuntimeError(f"trial {self.due} has not been told")
        trial = self._proposer.ask(self._asked)
        self._asked += 1
        return trial

    def tell(self, trial: Trial) -> None:
        """Take a finished trial; they come in number order."""
        if trial.number != len(self.finished):
            raise RuntimeError(f"trial {trial.number} told out of turn")
        self._proposer.tell(trial)
        self.finished.append(trial)

    def incumbent(self) -> Trial | None:
        """Return the best complete trial so far (of equals the first)."""
        complete = [trial for trial in self.finished if trial.state == COMPLETE]
        return max(complete, key=lambda trial: trial.score, default=None)


def hopeless(values: Sequence[float], best: Sequence[float] | None, risk: float) -> bool:
    """Whether a trial is surely worse than the best one on the openings that both have played.

    Wilcoxon's signed-rank test, one-sided at `risk`; values are the mean returns of blocks, at the
    same place the same opening and opponent.
    """
    if best is None:
        return False
    pairs = [(a, b) for a, b in zip(values, best, strict=False)]
    differences = [a - b for a, b in pairs]
    if sum(differences) >= 0 or len(pairs) < 2:
        return False
    return signed_rank(differences) < risk
