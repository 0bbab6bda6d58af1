"""`joute`: our tuner, made for games: few games at many points, read together by one model."""

from __future__ import annotations

from joute.studies.search.sampler import Proposer, Sampler
from joute.studies.search.trial import Trial
from joute.studies.tuner.domain import Domain, Point
from joute.studies.tuner.results import scores_of_pairs
from joute.studies.tuner.tuner import Tuner


class Joute(Sampler):
    """Our tuner: few games at many points, read together by one model of the log-odds."""

    name = "joute"
    summary = "made for games: a few at each of many points, read by one model; takes every space"
    sizes = True

    def proposer(self, space: Domain, seed: int, first: Point | None, games: int) -> Proposer:
        """Return the tuner as a proposer of trials."""
        return TunerProposer(Tuner(space, seed, default=first, block=games))


class TunerProposer:
    """A tuner that is asked for one trial at a time."""

    def __init__(self, tuner: Tuner) -> None:
        self.tuner = tuner

    def ask(self, number: int) -> Trial:
        """Return the next trial, with as many blocks as the tuner asks for."""
        point, games = self.tuner.ask_one()
        return Trial(number, point, blocks=games // self.tuner.block)

    def tell(self, trial: Trial) -> None:
        """Take a finished trial, by block if it says so."""
        size = trial.block_games
        if size is None:
            self.tuner.tell(trial.point, *trial.results)
        elif size == 2 and (pairs := scores_of_pairs(trial.values)) is not None:
            self.tuner.tell(trial.point, pairs=pairs)
        else:
            self.tuner.tell(trial.point, blocks=trial.values, size=size)
