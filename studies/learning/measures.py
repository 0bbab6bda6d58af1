"""How good a network is on samples it has not learnt from: loss, accuracy and error, by phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from joute.engines.nets.numpy_reader import Singles
from joute.studies.learning.samples import Samples

Answer = Callable[[Singles], tuple[Singles, Singles]]
PHASES = ("opening", "middle", "end")  # thirds of a game's plies
AT_ONCE = 512  # positions


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


def measure(answer: Answer, samples: Samples) -> dict[str, Measures]:
    """Return the measures over all samples, under "all", and by phase."""
    parts = range(0, len(samples), AT_ONCE)
    answers = [answer(samples.planes[i : i + AT_ONCE]) for i in parts]
    logits = np.concatenate([a[0] for a in answers] or [np.zeros_like(samples.policy)])
    values = np.concatenate([a[1] for a in answers] or [np.zeros_like(samples.value)])
    phase = np.minimum(3 * samples.ply // np.maximum(samples.plies, 1), 2)
    measures = {"all": over(samples, logits, values, np.ones(len(samples), bool))}
    for i, name in enumerate(PHASES):
        measures[name] = over(samples, logits, values, phase == i)
    return measures


def over(samples: Samples, logits: Singles, values: Singles, which: NDArray[np.bool_]) -> Measures:
    """Return the measures over some of the samples."""
    taught = which & (samples.teaches > 0)
    lower = logits[taught] - logits[taught].max(axis=1, keepdims=True, initial=-np.inf)
    log_p = lower - np.log(np.exp(lower).sum(axis=1, keepdims=True))
    target = samples.policy[taught]
    same = logits[taught].argmax(axis=1) == target.argmax(axis=1)
    off = samples.value[which] - values[which]
    return Measures(
        int(which.sum()),
        mean(-(target * log_p).sum(axis=1)),
        mean(off**2),
        mean(same.astype(np.float64)),
        mean(np.abs(off)),
    )


def mean(numbers: NDArray[np.floating[Any]]) -> float:
    """Return the mean; 0 for no numbers."""
    return float(numbers.mean()) if len(numbers) else 0.0
