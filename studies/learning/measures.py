"""How good a network is on samples it has not learnt from: loss, accuracy and error, by phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joute.engines.nets.numpy_reader import Singles
from joute.studies.learning.samples import Samples, SampleSource, in_parts

Answer = Callable[[Singles], tuple[Singles, Singles]]
PHASES = ("opening", "middle", "end")  # thirds of a game's plies
AT_ONCE = 512  # positions
NONE = np.zeros(0, np.float32), np.zeros(0, bool), np.zeros(0, np.float32)


@dataclass(frozen=True)
class Measures:
    """Means over samples. `policy_loss`: - pi log p, in nats; `value_loss`: (z - v)^2, values from
    -1 to 1; `accuracy`: share of positions whose best entry is the target's best; `error`: |z - v|.
    The policy's are over the samples that teach it. `samples`: their number.
    """

    samples: int
    policy_loss: float
    value_loss: float
    accuracy: float
    error: float

    @property
    def loss(self) -> float:
        """The sum of both losses."""
        return self.policy_loss + self.value_loss

    def table(self) -> dict[str, Any]:
        """Return them as plain data."""
        return asdict(self)


def measure(answer: Answer, samples: SampleSource) -> dict[str, Measures]:
    """Return the measures over all samples, under "all", and by phase."""
    parts = in_parts(len(samples), AT_ONCE)
    each = [one_by_one(answer, samples.take(part)) for part in parts]
    policy_loss, same, off = map(np.concatenate, zip(*each, strict=True)) if each else NONE
    phase = np.minimum(3 * samples.ply // np.maximum(samples.plies, 1), 2)
    taught = samples.teaches > 0
    parts_of = {"all": np.ones(len(samples), bool)}
    parts_of |= {name: phase == i for i, name in enumerate(PHASES)}
    return {
        name: Measures(
            int(which.sum()),
            mean(policy_loss[which & taught]),
            mean(off[which] ** 2),
            mean(same[which & taught].astype(np.float64)),
            mean(np.abs(off[which])),
        )
        for name, which in parts_of.items()
    }


def one_by_one(answer: Answer, samples: Samples) -> tuple[Singles, NDArray[np.bool_], Singles]:
    """Return each sample's loss of the policy, whether the best entry is right, and z - v."""
    logits, values = answer(samples.planes)
    lower = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    log_p = lower - np.log(np.exp(lower).sum(axis=1, keepdims=True))
    same = logits.argmax(axis=1) == samples.policy.argmax(axis=1)
    return -(samples.policy * log_p).sum(axis=1), same, samples.value - values


def mean(numbers: NDArray[np.floating[Any]]) -> float:
    """Return the mean; 0 for no numbers."""
    return float(numbers.mean()) if len(numbers) else 0.0
