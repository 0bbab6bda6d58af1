"""`joute`: our tuner, made for games: few games at many points, read together by one model."""

from __future__ import annotations

from joute.studies.search.sampler import Proposer, Sampler
from joute.studies.search.trial import BOTH, ITSELF, POOL, Trial
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.results import scores_of_pairs
from joute.studies.tuner.tuner import Tuner

PAIR = 2  # games of a block between two points


class Joute(Sampler):
    """Our tuner: few games at many points, read together by one model of the log-odds."""

    name = "joute"
    summary = "made for games: a few at each of many points, read by one model; takes every space"
    sizes = True
    duels = True

    def proposer(
        self, space: Domain, seed: int, first: Point | None, games: int, against: str = POOL
    ) -> Proposer:
        """Return the tuner as a proposer of trials."""
        block = PAIR if against == ITSELF else games
        return TunerProposer(Tuner(space, seed, default=first, block=block), against)


class TunerProposer:
    """A tuner that is asked for one trial at a time, against the pool or between two points: if
    against both, for one and the other in turn.
    """

    def __init__(self, tuner: Tuner, against: str = POOL) -> None:
        self.tuner, self.against = tuner, against

    def ask(self, number: int) -> Trial:
        """Return the next trial, with as many blocks as the tuner asks for."""
        if self.against == ITSELF or (self.against == BOTH and number % 2):
            point, other, games = self.tuner.ask_one_duel()
            return Trial(number, point, blocks=games // PAIR, other=other)
        point, games = self.tuner.ask_one()
        return Trial(number, point, blocks=games // self.tuner.block)

    def tell(self, trial: Trial) -> None:
        """Take a finished trial, by block if it says so; of pairs also the results, as draws are guessed
        from pairs alone.
        """
        size = trial.block_games
        pairs = scores_of_pairs(trial.values) if size == PAIR else None
        results = trial.results if any(trial.results) else ()
        if trial.other is not None:
            if pairs is not None:
                self.tuner.tell_duel(trial.point, trial.other, *results, pairs=pairs)
            else:
                self.tuner.tell_duel(trial.point, trial.other, *trial.results)
        elif size is None:
            self.tuner.tell(trial.point, *trial.results)
        elif pairs is not None:
            self.tuner.tell(trial.point, *results, pairs=pairs)
        else:
            self.tuner.tell(trial.point, blocks=trial.values, size=size)
