"""The architecture of a network, defined once: torch runs it and ONNX files are written by it.

planes -> 3 x 3 convolution -> blocks (two 3 x 3 convolutions and a skip connection) -> policy and
value. Every convolution is followed by a batch normalisation and has no bias. Source: Silver et al.
2017, with heads of any width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import Shape, View
from joute.studies.learning.plan import NetPlan

Weights = Mapping[str, Singles]
NORM = ("scale", "shift", "mean", "variance")  # of a batch normalisation, one number a channel
LEARNT = ("weight", "bias", "scale", "shift")  # trained; mean and variance are running statistics


class Operations(Protocol):
    """The operations of a network; `name` selects the weights. Tensors are [N, channels, rows,
    columns], flat ones [N, numbers].
    """

    def conv(self, x: Any, name: str, size: int) -> Any:
        """A size x size convolution that keeps rows and columns, then its batch normalisation."""

    def relu(self, x: Any) -> Any:
        """max(x, 0)."""

    def add(self, x: Any, y: Any) -> Any:
        """x + y."""

    def flat(self, x: Any) -> Any:
        """[N, channels, rows, columns] as [N, numbers], channel after channel."""

    def mean(self, x: Any) -> Any:
        """[N, channels]: the mean of each channel over all cells."""

    def dense(self, x: Any, name: str) -> Any:
        """A flat x times a matrix, plus a bias."""

    def each(self, x: Any, name: str) -> Any:
        """`dense` for every cell by itself: a 1 x 1 convolution with a bias."""

    def join(self, x: Any, y: Any) -> Any:
        """Two flat tensors, concatenated."""

    def pick(self, x: Any, places: tuple[int, ...]) -> Any:
        """Some of the numbers of a flat x, in this order."""

    def tanh(self, x: Any) -> Any:
        """The hyperbolic tangent."""

    def balance(self, x: Any) -> Any:
        """[N, 1] of flat logits of win, draw and loss: the probability of a win less that of a loss."""


@dataclass(frozen=True)
class Architecture:
    """A network's plan with the shape of its view. `about`: the cells of the policy's entries
    (`View.cells`), for a convolutional policy.
    """

    plan: NetPlan
    shape: Shape
    about: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of cells of a plane."""
        return self.shape.rows * self.shape.columns

    @property
    def each(self) -> int:
        """Largest number of entries about one cell."""
        return max(Counter(cell for cell in self.about if cell >= 0).values())

    @property
    def rest(self) -> int:
        """Number of entries about no cell."""
        return self.about.count(-1)

    def places(self) -> tuple[int, ...]:
        """Return the index of each entry in the output of a convolutional policy: the first entries
        of all cells, the second ones, ..., then those about no cell.
        """
        seen, places = Counter[int](), []
        for cell in self.about:
            places.append(
                seen[cell] * self.size + cell if cell >= 0 else self.each * self.size + seen[-1]
            )
            seen[cell] += 1
        return tuple(places)

    @property
    def outcomes(self) -> bool:
        """Whether the value is made of the probabilities of win, draw and loss."""
        return self.plan.value_head == "wdl"

    def value(self, raw: Any, o: Operations) -> Any:
        """Return values [N, 1] in [-1, 1] of what `run` returns for them."""
        return o.balance(raw) if self.outcomes else o.tanh(raw)

    def run(self, planes: Any, o: Operations) -> tuple[Any, Any]:
        """Return logits [N, entries], and of the value what goes into `value`: [N, 1], or logits of
        win, draw and loss [N, 3].
        """
        plan = self.plan
        x = o.relu(o.conv(planes, "stem", 3))
        for i in range(plan.blocks):
            y = o.relu(o.conv(x, f"block{i}.one", 3))
            x = o.relu(o.add(x, o.conv(y, f"block{i}.two", 3)))
        value = o.flat(o.relu(o.conv(x, "value.conv", 1)))
        value = o.dense(o.relu(o.dense(value, "value.hidden")), "value.out")
        policy = o.relu(o.conv(x, "policy.conv", 1))
        if plan.policy_head == "dense":
            return o.dense(o.flat(policy), "policy.out"), value
        logits = o.flat(o.each(policy, "policy.each"))
        if self.rest:
            logits = o.join(logits, o.dense(o.mean(policy), "policy.rest"))
        return o.pick(logits, self.places()), value

    def sizes(self) -> dict[str, tuple[int, ...]]:
        """Return the sizes of all weights, by name."""
        plan, shape, sizes = self.plan, self.shape, dict[str, tuple[int, ...]]()

        def conv(name: str, to: int, of: int, size: int) -> None:
            sizes[f"{name}.weight"] = (to, of, size, size)
            sizes.update({f"{name}.{part}": (to,) for part in NORM})

        def dense(name: str, to: int, of: int, *more: int) -> None:
            sizes[f"{name}.weight"], sizes[f"{name}.bias"] = (to, of, *more), (to,)

        conv("stem", plan.filters, shape.planes, 3)
        for i in range(plan.blocks):
            conv(f"block{i}.one", plan.filters, plan.filters, 3)
            conv(f"block{i}.two", plan.filters, plan.filters, 3)
        conv("value.conv", plan.value_filters, plan.filters, 1)
        dense("value.hidden", plan.value_hidden, plan.value_filters * self.size)
        dense("value.out", 3 if self.outcomes else 1, plan.value_hidden)
        conv("policy.conv", plan.policy_filters, plan.filters, 1)
        if plan.policy_head == "dense":
            dense("policy.out", shape.policy, plan.policy_filters * self.size)
            return sizes
        dense("policy.each", self.each, plan.policy_filters, 1, 1)
        if self.rest:
            dense("policy.rest", self.rest, plan.policy_filters)
        return sizes

    def weights(self, seed: int) -> dict[str, Singles]:
        """Return initial weights: He normal, and a tenth of that in the last layers, so that a new
        network says next to nothing.
        """
        rng, weights = np.random.default_rng(seed), dict[str, Singles]()
        for name, size in self.sizes().items():
            part = name.rpartition(".")[2]
            if part == "weight":
                spread = np.sqrt(2 / np.prod(size[1:]))
                last = name in ("value.out.weight", "policy.out.weight", "policy.each.weight")
                drawn = rng.standard_normal(size) * spread * (0.1 if last else 1.0)
                weights[name] = drawn.astype(np.float32)
            else:
                weights[name] = np.full(size, part in ("scale", "variance"), np.float32)
        return weights


def architecture_of(plan: NetPlan, view: View, game: Game) -> Architecture:
    """Return the architecture for a view's shape; raise Refused where a convolutional policy has no
    entry about a cell.
    """
    if plan.policy_head == "dense":
        return Architecture(plan, view.shape(game))
    about = tuple(view.cells(game))
    if max(about) < 0:
        raise Refused(
            f"net.policy_head = 'convolutional': no entry of the view {view.label} is about a cell; "
            "allowed: 'dense'"
        )
    return Architecture(plan, view.shape(game), about)
