"""A sampler: which point a search tries next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from engines.kernels.random import seed_of
from engines.registry import Member, every, make
from studies.tuner.space import Space

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Sampler(Member, ABC, kind="sampler"):
    """Makes an Optuna sampler for one trial.

    It is made anew for every trial, so what trial k tries follows from the study's seed and from the
    trials told before it, and from nothing else; one that cannot promise that is not `reproducible`.
    """

    reproducible: ClassVar[bool] = True

    def refuse(self, space: Space) -> str:
        """Return why this sampler cannot search the space, or ""."""
        return ""

    def most(self, space: Space) -> int | None:
        """Return the number of trials after which it has nothing to try; None if it never ends."""
        return None

    @abstractmethod
    def make(self, space: Space, seed: int, number: int) -> BaseSampler:
        """Return the Optuna sampler of a trial, by the study's seed and the trial's number."""


def find_sampler(name: str) -> Sampler:
    """Return a sampler; raise Refused with the nearest known name."""
    found: Sampler = make("sampler", name)
    return found


def able(space: Space) -> list[str]:
    """Return the names of the samplers that can search a space."""
    return [name for name, sampler in every("sampler").items() if not sampler().refuse(space)]


def numbers_only(space: Space) -> str:
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
