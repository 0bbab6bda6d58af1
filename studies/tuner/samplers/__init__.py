"""Samplers, one file each, found by scanning this folder; a file is named like its sampler.

A sampler gives `SUMMARY`; `refuse(space)`, why it cannot search that space, or ""; and
`make(space, seed, number)`, an Optuna sampler for one trial. It is made anew for every trial, so
what trial k tries follows from the study's seed and from the trials told before it, and from
nothing else. A sampler that cannot promise that says so in `PROMISE`. One that comes to an end
gives `most(space)`, its number of trials.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

from engines.errors import unknown
from engines.kernels.random import seed_of
from studies.tuner.space import Space

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Sampler(Protocol):
    """What a module in this folder offers."""

    SUMMARY: str
    PROMISE: bool

    def refuse(self, space: Space) -> str:
        """Return why this sampler cannot search the space, or ""."""

    def make(self, space: Space, seed: int, number: int) -> BaseSampler:
        """Return the Optuna sampler of a trial, by the study's seed and the trial's number."""


def samplers() -> list[str]:
    """Return the names of all samplers."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_sampler(name: str) -> Sampler:
    """Return a sampler; raise Refused with the nearest known name."""
    if name not in samplers():
        raise unknown("sampler", name, samplers())
    return cast(Sampler, importlib.import_module(f"{__name__}.{name}"))


def able(space: Space) -> list[str]:
    """Return the samplers that can search a space."""
    return [name for name in samplers() if not find_sampler(name).refuse(space)]


def anything(space: Space) -> str:
    """Refuse no space."""
    return ""


def trial_seed(seed: int, number: int) -> int:
    """Return the seed of one trial, a hash of the study's seed and the trial's number."""
    return seed_of("ask", seed, number) & 0x7FFFFFFF
