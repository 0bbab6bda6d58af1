"""A network in torch: weights by name, run by the architecture that also writes the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.engines.nets.numpy_reader import Singles
from joute.studies.learning.architecture import LEARNT, Architecture
from joute.studies.learning.onnx_file import EPSILON

MISSING = "training needs torch: pip install torch onnx onnxruntime"
MOMENTUM = 0.1  # weight of a batch in the running mean and variance


def needed(device: str = "cpu", key: str = "learn.device", allowed: str = "'cpu'") -> Any:
    """Return torch; raise Refused if it is missing or has no such device, which `key` asks for."""
    try:
        import torch
    except ImportError:
        raise Refused(MISSING) from None
    if device == "cuda" and not torch.cuda.is_available():
        raise Refused(
            f"{key} = 'cuda': this torch ({torch.__version__}) finds no CUDA device; allowed here: "
            f"{allowed}"
        )
    return torch


@contextmanager
def settled(threads: int) -> Iterator[None]:
    """Make torch deterministic, on so many threads, within the context."""
    torch = needed()
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


class TorchOperations:
    """The operations in torch; while learning, a batch is normalised by its own statistics."""

    def __init__(
        self, weights: Mapping[str, Any], learning: bool, indices: dict[tuple[int, ...], Any]
    ) -> None:
        torch = needed()
        self._indices = indices
        self._torch, self._f = torch, torch.nn.functional
        self._w, self._learning = weights, learning

    def conv(self, x: Any, name: str, size: int) -> Any:
        """Convolution and batch normalisation."""
        w = self._w
        y = self._f.conv2d(x, w[f"{name}.weight"], padding=size // 2)
        return self._f.batch_norm(
            *(y, w[f"{name}.mean"], w[f"{name}.variance"], w[f"{name}.scale"], w[f"{name}.shift"]),
            *(self._learning, MOMENTUM, EPSILON),
        )

    def relu(self, x: Any) -> Any:
        """max(x, 0)."""
        return self._f.relu(x)

    def add(self, x: Any, y: Any) -> Any:
        """x + y."""
        return x + y

    def flat(self, x: Any) -> Any:
        """Flat numbers."""
        return x.flatten(1)

    def mean(self, x: Any) -> Any:
        """The mean of each channel."""
        return x.mean((2, 3))

    def dense(self, x: Any, name: str) -> Any:
        """A matrix and a bias."""
        return self._f.linear(x, self._w[f"{name}.weight"], self._w[f"{name}.bias"])

    def each(self, x: Any, name: str) -> Any:
        """The same for every cell."""
        return self._f.conv2d(x, self._w[f"{name}.weight"], self._w[f"{name}.bias"])

    def join(self, x: Any, y: Any) -> Any:
        """Two as one."""
        return self._torch.cat([x, y], 1)

    def pick(self, x: Any, places: tuple[int, ...]) -> Any:
        """Some of them."""
        if places not in self._indices:  # on the device once: a recorded graph cannot copy it there
            self._indices[places] = self._torch.tensor(places, device=x.device)
        return x[:, self._indices[places]]

    def tanh(self, x: Any) -> Any:
        """The hyperbolic tangent."""
        return self._torch.tanh(x)

    def balance(self, x: Any) -> Any:
        """The probability of a win less that of a loss."""
        shares = self._torch.softmax(x, 1)
        return shares[:, :1] - shares[:, 2:]


class Network:
    """A network that can learn. `tensors`: all its weights, by name; `learnt`: those that an optimiser
    updates.
    """

    def __init__(
        self, made: Architecture, weights: Mapping[str, Singles], device: str = "cpu"
    ) -> None:
        torch = needed(device)
        self.made, self.device = made, device
        self._indices = dict[tuple[int, ...], Any]()
        self.tensors = {n: torch.from_numpy(np.array(weights[n])).to(device) for n in made.sizes()}
        self.learnt = {
            name: tensor.requires_grad_(True)
            for name, tensor in self.tensors.items()
            if name.rpartition(".")[2] in LEARNT
        }

    def run(self, planes: Any, learning: bool = False) -> tuple[Any, Any, Any]:
        """Return logits [N, entries], values [N], and what the values were made of, of planes
        [N, planes, rows, columns], as tensors.
        """
        operations = TorchOperations(self.tensors, learning, self._indices)
        logits, raw = self.made.run(planes, operations)
        return logits, self.made.value(raw, operations).flatten(), raw

    def answer(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return the same as arrays, without learning."""
        torch = needed()
        with torch.no_grad():
            logits, value, _ = self.run(torch.from_numpy(planes).to(self.device))
        return logits.cpu().numpy(), value.cpu().numpy()

    def on_cpu(self) -> Network:
        """Return the same network on the CPU: a CUDA device rounds numbers to ten bits in convolutions."""
        return self if self.device == "cpu" else Network(self.made, self.weights())

    def weights(self) -> dict[str, Singles]:
        """Return all weights, by name."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.tensors.items()}
