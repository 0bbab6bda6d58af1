"""The optimiser: what a batch changes, the rate from step to step, the mean of the weights, and its state.

A state can be kept beside a network (`0007.optimizer.npz` beside `0007.onnx`): Adam's moments, or the momentum
of sgd, by the name of the weights.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import Refused, cut
from joute.results.tables import write_atomically
from joute.studies.learning.plan import LearnPlan
from joute.studies.learning.torch_net import Network, needed

State = Mapping[str, np.ndarray[Any, Any]]
"""Arrays under NAME/PART: of the weights NAME the optimiser keeps PART."""

PARTS = {"adam": ("exp_avg", "exp_avg_sq", "step"), "sgd": ("momentum_buffer",)}
FIRST_MEAN = 10  # of the first steps the mean keeps (1 + step) / (FIRST_MEAN + step) at most


class Optimizer:
    """Changes a network's weights by their gradients. `factor` multiplies the plan's rate."""

    def __init__(self, network: Network, plan: LearnPlan, factor: float = 1.0) -> None:
        torch = needed(plan.device)
        self._torch, self._network, self._plan = torch, network, plan
        self._top = plan.rate * factor
        weights = list(network.learnt.values())
        # Weight decay is the third part of the loss, c |theta|^2.
        self._own = (
            torch.optim.Adam(weights, lr=self._top, weight_decay=plan.decay)
            if plan.optimizer == "adam"
            else torch.optim.SGD(
                weights, lr=self._top, momentum=plan.momentum, weight_decay=plan.decay
            )
        )
        self._steps, self._done = 1, 0
        self._mean: dict[str, Any] = {}

    def begin(self, steps: int) -> None:
        """Begin so many steps of an iteration."""
        self._steps, self._done = steps, 0
        if self._plan.averaging:
            self._mean = {name: t.detach().clone() for name, t in self._network.tensors.items()}

    def step(self, loss: Any) -> None:
        """Change the weights by one batch's loss."""
        for group in self._own.param_groups:
            group["lr"] = self._top * share_of_rate(self._plan, self._done, self._steps)
        self._own.zero_grad()
        loss.backward()
        self._own.step()
        self._done += 1
        keep = min(self._plan.averaging, (1 + self._done) / (FIRST_MEAN + self._done))
        with self._torch.no_grad():
            for name, mean in self._mean.items():
                mean.lerp_(self._network.tensors[name], 1 - keep)

    def end(self) -> None:
        """Give the network its mean weights, where the plan wants them."""
        with self._torch.no_grad():
            for name, mean in self._mean.items():
                self._network.tensors[name].copy_(mean)
        self._mean = {}

    def state(self) -> State:
        """Return what the optimiser keeps of each weight; nothing before its first step."""
        return {
            f"{name}/{part}": kept.detach().cpu().numpy().copy()
            for name, tensor in self._network.learnt.items()
            for part, kept in sorted(self._own.state.get(tensor, {}).items())
            if kept is not None
        }

    def resume(self, state: State, where: str) -> None:
        """Go on from a state; raise Refused if it is of another optimiser or another network."""
        if not state:
            return
        for name, tensor in self._network.learnt.items():
            kept = dict[str, Any]()
            for part in PARTS[self._plan.optimizer]:
                array = state.get(f"{name}/{part}")
                wanted = () if part == "step" else tuple(tensor.shape)
                if array is None or array.shape != wanted or array.dtype != np.float32:
                    raise Refused(
                        f"{where} is no state of {self._plan.optimizer} for this network: {name}"
                    )
                if not np.isfinite(array).all():
                    raise Refused(f"{where}: the state of {name} has NaN or infinite numbers")
                own = self._torch.from_numpy(np.array(array))
                kept[part] = own if part == "step" else own.to(self._network.device)
            self._own.state[tensor] = kept


def share_of_rate(plan: LearnPlan, done: int, steps: int) -> float:
    """Return the rate of the step after `done` of `steps`, as a share of the iteration's highest."""
    if done < plan.warmup:
        return (done + 1) / (plan.warmup + 1)
    if plan.schedule == "constant":
        return 1.0
    way = (done - plan.warmup) / max(1, steps - plan.warmup - 1)
    fallen = way if plan.schedule == "linear" else (1 - math.cos(math.pi * way)) / 2
    return 1.0 + (plan.last_rate - 1.0) * fallen


def rate_factor(plan: LearnPlan, iteration: int) -> float:
    """Return what the rate of an iteration, from 1, is multiplied by."""
    return float(0.5 ** ((iteration - 1) / plan.half_life)) if plan.half_life else 1.0


def state_beside(net: Path) -> Path:
    """Return the file of the optimiser's state that belongs to a network's file."""
    return net.with_suffix(".optimizer.npz")


def write_state(path: Path, state: State) -> None:
    """Write a state; the same one gives the same bytes."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **dict(state))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, content.getvalue())


def read_state(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the state in a file; raise Refused if it cannot be read."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except Exception as error:
        raise Refused(
            f"state of the optimizer {path} cannot be read: {cut(str(error), 160)}"
        ) from None
