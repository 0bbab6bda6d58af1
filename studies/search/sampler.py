"""A sampler: chooses the next point of a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Protocol

from joute.engines.kernels.random import seed_of
from joute.engines.registry import Member, every, make
from joute.studies.search.trial import POOL, Trial
from joute.studies.tuner.domain import Domain, Point

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Proposer(Protocol):
    """Proposes the trials of one search in order, and learns their results in order."""

    def ask(self, number: int) -> Trial:
        """Return trial `number`; it depends on the seed and the results told, nothing else."""
        ...

    def tell(self, trial: Trial) -> None:
        """Take a finished trial; they come in number order."""
        ...


class Sampler(Member, ABC, kind="sampler"):
    """Makes the proposer of a search.

    Trial k depends on the study's seed and the trials told before it, and nothing else; otherwise
    the sampler is not `reproducible`. If it `sizes` its trials, it chooses the number of blocks of
    each, and no trial is given up early. If it can ask for `duels`, two points may play each other.
    """

    reproducible: ClassVar[bool] = True
    sizes: ClassVar[bool] = False
    duels: ClassVar[bool] = False

    def missing(self) -> str:
        """Return what it needs that is not installed, or ""."""
        return ""

    def refuse(self, space: Domain) -> str:
        """Return why this sampler cannot search the space, or ""."""
        return ""

    def most(self, space: Domain) -> int | None:
        """Return the number of trials after which nothing is left to try; None: never."""
        return None

    @abstractmethod
    def proposer(
        self, space: Domain, seed: int, first: Point | None, games: int, against: str = POOL
    ) -> Proposer:
        """Return a proposer for a search with blocks of so many games.

        `first`: the default's point, if it is to be a trial. `against`: whom points play; other than
        the pool only if it can ask for `duels`.
        """


class OptunaSampler(Sampler):
    """An Optuna sampler, made anew for every trial."""

    @abstractmethod
    def make(self, space: Domain, seed: int, number: int) -> BaseSampler:
        """Return the Optuna sampler of a trial, by the study's seed and the trial's number."""

    def proposer(
        self, space: Domain, seed: int, first: Point | None, games: int, against: str = POOL
    ) -> Proposer:
        """Return the proposer; a grid reaches every point anyway."""
        from joute.studies.search.optuna_proposer import OptunaProposer

        started = None if self.most(space) is not None else first
        return OptunaProposer(lambda number: self.make(space, seed, number), space, started)


def find_sampler(name: str) -> Sampler:
    """Return a sampler; raise Refused with the nearest known name."""
    sampler: Sampler = make("sampler", name)
    return sampler


def able(space: Domain) -> list[str]:
    """Return the names of the samplers that can search a space here."""
    made = {name: sampler() for name, sampler in every("sampler").items()}
    return [name for name, s in made.items() if not (s.missing() or s.refuse(space))]


def numbers_only(space: Domain) -> str:
    """Refuse choices and parameters that are not always active."""
    choices = [axis.name for axis in space.axes if axis.kind == "choice"]
    if choices:
        return f"takes no choices ({', '.join(choices)})"
    if space.conditional:
        return f"takes no parameter that is not always active ({', '.join(space.conditional)})"
    return ""


def trial_seed(seed: int, number: int) -> int:
    """Return the seed of one trial, a hash of the study's seed and the trial's number."""
    return seed_of("ask", seed, number) & 0x7FFFFFFF
