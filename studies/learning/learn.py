"""Learning: batches of samples, each in a symmetry drawn at random, and the loss (z - v)^2 - pi log p."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.kernels.random import seed_of
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Symmetry
from joute.studies.learning.measures import Measures
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
) -> Measures:
    """Train a network; return the mean measures of the last epoch, taken while it learnt.

    The same samples and seed give the same network on the same machine. Raises Diverged.
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
    optimizer = optimizer_of(torch, network, plan)
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
    return summed(seen)


def batches(rng: np.random.Generator, count: int, size: int) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the numbers below `count` in random batches; never a single number, which a batch
    normalisation cannot learn from.
    """
    order = rng.permutation(count)
    ends = list(range(size, count - 1, size))
    yield from np.split(order, ends)


def optimizer_of(torch: Any, network: Network, plan: LearnPlan) -> Any:
    """Return the optimiser; weight decay is the third part of the loss, c |theta|^2."""
    if plan.optimizer == "adam":
        return torch.optim.Adam(network.learnt, lr=plan.rate, weight_decay=plan.decay)
    return torch.optim.SGD(
        network.learnt, lr=plan.rate, momentum=plan.momentum, weight_decay=plan.decay
    )


def step(
    torch: Any,
    network: Network,
    optimizer: Any,
    plan: LearnPlan,
    planes: Singles,
    policy: Singles,
    value: Singles,
    teaches: Singles,
) -> Step:
    """Learn from one batch; return its measures."""
    x, pi, z, w = (torch.from_numpy(a).to(network.device) for a in (planes, policy, value, teaches))
    logits, v = network.run(x, learning=True)
    count = w.sum().clamp(min=1)
    policy_loss = -(w * (pi * torch.log_softmax(logits, 1)).sum(1)).sum() / count
    value_loss = ((z - v) ** 2).mean()
    loss = policy_loss + plan.value_weight * value_loss
    if not loss.item() < BLOWN:  # NaN is not
        raise Diverged(
            f"the loss became {loss.item():g} (policy {policy_loss.item():g}, value "
            f"{value_loss.item():g}); a smaller learn.rate than {plan.rate:g} may help"
        )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    same = ((logits.argmax(1) == pi.argmax(1)).float() * w).sum() / count
    error = (z - v).abs().mean()
    return (
        *(len(value), policy_loss.item(), value_loss.item(), same.item(), error.item()),
        w.sum().item(),
    )


def summed(steps: Sequence[Step]) -> Measures:
    """Return the means over batches, weighted by their samples."""
    table = np.array(steps)
    count, taught = table[:, 0], table[:, 5]

    def of(column: int, weights: np.ndarray[Any, Any]) -> float:
        total = weights.sum()
        return float(table[:, column] @ weights / total) if total else 0.0

    return Measures(int(count.sum()), of(1, taught), of(2, count), of(3, taught), of(4, count))
