"""Learning: batches of samples, each in a symmetry drawn at random, and the loss (z - v)^2 - pi log p
(of a value head "wdl" - z log v over win, draw and loss instead of the first part).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.kernels.random import seed_of
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Symmetry
from joute.studies.learning.measures import Measures
from joute.studies.learning.optimizer import Optimizer
from joute.studies.learning.plan import LearnPlan
from joute.studies.learning.samples import SampleSource
from joute.studies.learning.torch_net import Network, needed, settled

Step = tuple[int, float, float, float, float, float]
"""Of a batch: samples, losses of policy and value, accuracy, error, how many teach the policy."""

BLOWN = 1e6  # loss from which learning has failed: some thousand times that of an untrained network

Heard = Callable[[int, float], None]
"""Hears how many more samples were seen, and the loss lately."""


class Diverged(JouteError):
    """The loss became NaN, infinite or absurd: what was learnt is useless."""


class Mirrors:
    """The symmetries of a view, prepared for batches."""

    def __init__(self, symmetries: Sequence[Symmetry]) -> None:
        # A cell of the image gets its content from the cell that the symmetry takes there.
        self._cells = np.argsort(np.array([list(s.cells) for s in symmetries]), axis=1)
        self._entries = np.argsort(np.array([list(s.entries) for s in symmetries]), axis=1)

    def __len__(self) -> int:
        return len(self._cells)

    def turned(
        self, planes: Singles, policy: Singles, which: np.ndarray[Any, Any]
    ) -> tuple[Singles, Singles]:
        """Return each sample in the symmetry of its number, planes and policy together."""
        flat = planes.reshape(*planes.shape[:2], -1)
        seen = np.take_along_axis(flat, self._cells[which][:, None, :], axis=2)
        return seen.reshape(planes.shape), np.take_along_axis(policy, self._entries[which], axis=1)


def learn(
    network: Network,
    samples: SampleSource,
    symmetries: Sequence[Symmetry],
    plan: LearnPlan,
    seed: int,
    heard: Heard = lambda seen, loss: None,
    optimizer: Optimizer | None = None,
) -> Measures:
    """Train a network, by an optimiser that may go on from earlier; return the mean measures of the
    last epoch, taken while it learnt.

    The same samples, seed and state give the same network on the same machine. Raises Diverged.
    """
    if not len(samples):
        raise JouteError("no sample to learn from: the window is empty")
    if not samples.teaches.any():
        raise JouteError(
            f"of {len(samples)} samples none teaches the policy: no move of theirs was searched "
            f"in full "
            "(selfplay.full_share), or none is by records.players"
        )
    torch = needed(plan.device)
    mirrors = Mirrors(symmetries if plan.symmetries else symmetries[:1])
    optimizer = optimizer or Optimizer(network, plan)
    optimizer.begin(plan.epochs * steps_of(len(samples), plan.batch))
    seen = list[Step]()
    with settled(plan.threads):
        for epoch in range(plan.epochs):
            rng = np.random.default_rng([seed_of("learn", seed), epoch])
            seen = []
            for which in batches(rng, len(samples), plan.batch):
                some = samples.take(which)
                turns = rng.integers(len(mirrors), size=len(which))
                planes, policy = mirrors.turned(some.planes, some.policy, turns)
                sample = (planes, policy, some.value, some.teaches)
                seen.append(step(torch, network, optimizer, plan, *sample))
                heard(len(which), seen[-1][1] + seen[-1][2])
    optimizer.end()
    return summed(seen)


def batches(rng: np.random.Generator, count: int, size: int) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the numbers below `count` in random batches; never a single number, which a batch
    normalisation cannot learn from.
    """
    yield from np.split(rng.permutation(count), ends_of(count, size))


def ends_of(count: int, size: int) -> list[int]:
    """Return where the batches end, but for the last one."""
    return list(range(size, count - 1, size))


def steps_of(count: int, size: int) -> int:
    """Return the number of batches."""
    return len(ends_of(count, size)) + 1


def step(
    torch: Any,
    network: Network,
    optimizer: Optimizer,
    plan: LearnPlan,
    planes: Singles,
    policy: Singles,
    value: Singles,
    teaches: Singles,
) -> Step:
    """Learn from one batch; return its measures."""
    x, pi, z, w = (torch.from_numpy(a).to(network.device) for a in (planes, policy, value, teaches))
    logits, v, raw = network.run(x, learning=True)
    count = w.sum().clamp(min=1)
    policy_loss = -(w * (pi * torch.log_softmax(logits, 1)).sum(1)).sum() / count
    value_loss = ((z - v) ** 2).mean()
    taught = outcome_loss(torch, raw, z) if network.made.outcomes else value_loss
    loss = policy_loss + plan.value_weight * taught
    if not loss.item() < BLOWN:  # NaN is not
        raise Diverged(
            f"the loss became {loss.item():g} (policy {policy_loss.item():g}, value "
            f"{value_loss.item():g}); a smaller learn.rate than {plan.rate:g} may help"
        )
    optimizer.step(loss)
    same = ((logits.argmax(1) == pi.argmax(1)).float() * w).sum() / count
    error = (z - v).abs().mean()
    return (
        *(len(value), policy_loss.item(), value_loss.item(), same.item(), error.item()),
        w.sum().item(),
    )


def outcome_loss(torch: Any, raw: Any, z: Any) -> Any:
    """Return - sum of p log q over win, draw and loss; of values z between them p is the mixture with
    the fewest decided games that are not needed for it: max(z, 0), 1 - |z|, max(-z, 0).
    """
    win, loss = z.clamp(min=0), (-z).clamp(min=0)
    shares = torch.stack([win, 1 - win - loss, loss], 1)
    return -(shares * torch.log_softmax(raw, 1)).sum(1).mean()


def summed(steps: Sequence[Step]) -> Measures:
    """Return the means over batches, weighted by their samples."""
    table = np.array(steps)
    count, taught = table[:, 0], table[:, 5]

    def of(column: int, weights: np.ndarray[Any, Any]) -> float:
        total = weights.sum()
        return float(table[:, column] @ weights / total) if total else 0.0

    return Measures(int(count.sum()), of(1, taught), of(2, count), of(3, taught), of(4, count))
