"""A network as an ONNX file, and back. The file holds every weight by name; nothing else is kept.

Needs `onnx` alone. A file is tested under another name first: if it fails, the old one stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import Refused, cut
from joute.engines.nets.net import KEY, Note
from joute.engines.nets.numpy_reader import Singles
from joute.results.tables import write_atomically
from joute.studies.learning.architecture import NORM, Architecture, Weights

OPSET, IR = 17, 8  # of 2022: any onnxruntime that runs here reads these
PLACES, SIGNS = "policy.places", "value.signs"
EPSILON = 1e-5  # of batch normalisation
MISSING = "training needs onnx: pip install torch onnx onnxruntime"


class OnnxOperations:
    """Collects the nodes of a graph; a tensor is represented by its name."""

    def __init__(self) -> None:
        from onnx import helper

        self._make = helper.make_node
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}

    def _node(self, kind: str, *inputs: str, **more: Any) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(self._make(kind, list(inputs), [name], **more))
        return name

    def conv(self, x: str, name: str, size: int) -> str:
        """Convolution and batch normalisation."""
        y = self._node("Conv", x, f"{name}.weight", kernel_shape=[size] * 2, pads=[size // 2] * 4)
        return self._node(
            "BatchNormalization", y, *(f"{name}.{part}" for part in NORM), epsilon=EPSILON
        )

    def relu(self, x: str) -> str:
        """max(x, 0)."""
        return self._node("Relu", x)

    def add(self, x: str, y: str) -> str:
        """x + y."""
        return self._node("Add", x, y)

    def flat(self, x: str, by_cell: bool = False) -> str:
        """Flat numbers."""
        return self._node(
            "Flatten", self._node("Transpose", x, perm=[0, 2, 3, 1]) if by_cell else x
        )

    def mean(self, x: str) -> str:
        """The mean of each channel."""
        return self._node("Flatten", self._node("GlobalAveragePool", x))

    def dense(self, x: str, name: str) -> str:
        """A matrix and a bias."""
        return self._node("Gemm", x, f"{name}.weight", f"{name}.bias", transB=1)

    def each(self, x: str, name: str) -> str:
        """The same for every cell."""
        return self._node("Conv", x, f"{name}.weight", f"{name}.bias", kernel_shape=[1, 1])

    def join(self, x: str, y: str) -> str:
        """Two as one."""
        return self._node("Concat", x, y, axis=1)

    def pick(self, x: str, places: tuple[int, ...]) -> str:
        """Some of them."""
        self.constants[PLACES] = np.array(places, np.int64)
        return self._node("Gather", x, PLACES, axis=1)

    def tanh(self, x: str) -> str:
        """The hyperbolic tangent."""
        return self._node("Tanh", x)

    def balance(self, x: str) -> str:
        """The probability of a win less that of a loss."""
        self.constants[SIGNS] = np.array([[1], [0], [-1]], np.float32)
        return self._node("MatMul", self._node("Softmax", x, axis=1), SIGNS)


def onnx_bytes(made: Architecture, weights: Weights, note: Note) -> bytes:
    """Return the content of the file: any number of positions at once, logits and values."""
    onnx = needed()
    from onnx import TensorProto, helper, numpy_helper

    o, shape = OnnxOperations(), made.shape
    logits, raw = made.run("planes", o)
    value = made.value(raw, o)
    for node in o.nodes:
        node.output[0] = {logits: "policy", value: "value"}.get(node.output[0], node.output[0])
    graph = helper.make_graph(
        o.nodes,
        "joute",
        [info(helper, TensorProto.FLOAT, "planes", shape.planes, shape.rows, shape.columns)],
        [
            info(helper, TensorProto.FLOAT, "policy", shape.policy),
            info(helper, TensorProto.FLOAT, "value", 1),
        ],
        [
            *(numpy_helper.from_array(weights[name], name) for name in made.sizes()),
            *(numpy_helper.from_array(array, name) for name, array in o.constants.items()),
        ],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR, producer_name="joute"
    )
    helper.set_model_props(model, {KEY: note.text()})
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def info(helper: Any, kind: int, name: str, *size: int) -> Any:
    """Return the description of a graph's input or output with any number of positions."""
    return helper.make_tensor_value_info(name, kind, ["N", *size])


def write_net(path: Path, made: Architecture, weights: Weights, note: Note) -> None:
    """Write a network's file; raise OSError, and keep the old file, if it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, onnx_bytes(made, weights, note))


def read_weights(path: Path, made: Architecture) -> dict[str, Singles]:
    """Return the weights in a file that `write_net` wrote; raise Refused if they are not those of this
    architecture.
    """
    onnx = needed()
    from onnx import numpy_helper

    try:
        graph = onnx.load_model_from_string(path.read_bytes()).graph
        arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    except Exception as error:
        raise Refused(f"network {path} cannot be read: {cut(str(error), 160)}") from None
    for name, size in made.sizes().items():
        if name not in arrays:
            raise Refused(f"network {path} cannot be trained here: it lacks {name}")
        if arrays[name].shape != size or arrays[name].dtype != np.float32:
            raise Refused(
                f"network {path}: {name} is {sized(arrays[name].shape)}, but the study's [net] has "
                f"{sized(size)}"
            )
        if not np.isfinite(arrays[name]).all():
            raise Refused(f"network {path}: {name} has NaN or infinite numbers")
    return {name: np.array(arrays[name]) for name in made.sizes()}


def sized(size: tuple[int, ...]) -> str:
    """Return sizes as `32 x 2 x 3 x 3`."""
    return " x ".join(map(str, size))


def needed() -> Any:
    """Return the library; raise Refused with what to install."""
    try:
        import onnx
    except ImportError:
        raise Refused(MISSING) from None
    return onnx
