"""Tuners: ask for points to play, tell how they went, read the answer.

`from joute.studies.tuner import Tuner, Float, Int, Choice` is the tuner for any objective of yours;
`from joute.studies.tuner import JouteSampler` the same as a sampler for an Optuna study. See docs/tuning.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joute.studies.tuner.optuna_sampler import JouteSampler as JouteSampler
    from joute.studies.tuner.parameters import Choice as Choice
    from joute.studies.tuner.parameters import Float as Float
    from joute.studies.tuner.parameters import Int as Int
    from joute.studies.tuner.tuner import Tuner as Tuner

HOMES = {
    "Tuner": "tuner",
    "Float": "parameters",
    "Int": "parameters",
    "Choice": "parameters",
    "JouteSampler": "optuna_sampler",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for, and no more: a command that tunes nothing starts without it."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
