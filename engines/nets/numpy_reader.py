"""A network run with numpy alone: the usual layers of an ONNX file, read without any library.

For files that `joute export` writes; here onnxruntime is some ten times as fast. Sources: the
public specifications of the protobuf wire format and of ONNX's operators.
"""

from __future__ import annotations

import base64
import importlib
import lzma
from collections.abc import Iterator
from typing import Any

import numpy as np

Singles = np.ndarray[Any, np.dtype[np.float32]]
FLOAT, INT64, FLOAT16 = 1, 7, 10  # types of ONNX tensors


class WrittenNet:
    """A network inside a program: its file's bytes as text. `fast`: onnxruntime may run it if it is there."""

    def __init__(self, data: str, fast: bool = True) -> None:
        self.data, self.fast = data, fast
        self._answer: Any = None

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits [N, entries] and values [N] of positions [N, planes, rows, columns]."""
        if self._answer is None:
            content = lzma.decompress(base64.b85decode(self.data))
            library = answer_by_library(content) if self.fast else None
            self._answer = library or PlainNet(content).run
        policy, value = self._answer(planes)
        return policy, value


def written_net(content: bytes) -> WrittenNet:
    """Return the network of a file's bytes as one that can be written into a program."""
    return WrittenNet(base64.b85encode(lzma.compress(content)).decode("ascii"))


def answer_by_library(content: bytes) -> Any:
    """Return a function that runs the network with onnxruntime; None where that is not installed."""
    try:
        library = importlib.import_module("onnxruntime")
    except ImportError:
        return None
    options = library.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = library.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def run(planes: Singles) -> tuple[Singles, Singles]:
        policy, value = session.run(["policy", "value"], {"planes": planes})
        return policy, value.reshape(-1)

    return run


class PlainNet:
    """The graph of an ONNX file; raises ValueError for a layer that it does not know."""

    def __init__(self, content: bytes) -> None:
        graph = next(v for f, v in fields(content) if f == 7)
        self.nodes: list[tuple[str, list[str], list[str], dict[str, Any]]] = []
        self.weights: dict[str, Any] = {}
        for field, value in fields(graph):
            if field == 1:
                self.nodes.append(node_of(value))
            elif field == 5:
                name, array = tensor_of(value)
                self.weights[name] = array
        for kind, _, _, _ in self.nodes:
            if kind not in LAYERS:
                raise ValueError(f"the network has a layer {kind}, which is not written here")

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits [N, entries] and values [N]."""
        known = {**self.weights, "planes": planes}
        for kind, inputs, outputs, settings in self.nodes:
            given = [known[name] for name in inputs if name]
            known[outputs[0]] = LAYERS[kind](given, settings)
        return known["policy"], known["value"].reshape(-1)


def fields(content: bytes | memoryview) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field of a message: bytes, or a number."""
    at = 0
    while at < len(content):
        key, at = number_at(content, at)
        if key % 8 == 0:
            value, at = number_at(content, at)
            yield key // 8, value
        else:
            size = {1: 8, 5: 4}.get(key % 8, 0)
            if key % 8 == 2:
                size, at = number_at(content, at)
            if (not size and key % 8 != 2) or at + size > len(content):
                raise ValueError("it is no ONNX file")
            yield key // 8, content[at : at + size]
            at += size


def number_at(content: bytes | memoryview, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where the next thing begins."""
    number, shift = 0, 0
    while content[at] >= 128:
        number |= (content[at] - 128) << shift
        at, shift = at + 1, shift + 7
    return number | content[at] << shift, at + 1


def numbers_of(value: Any) -> list[int]:
    """Return the whole numbers of a field, one or many in a row; those above 2**63 are negative."""
    numbers = []
    if isinstance(value, int):
        numbers.append(value)
    else:
        at = 0
        while at < len(value):
            one, at = number_at(value, at)
            numbers.append(one)
    return [n - 2**64 if n >= 2**63 else n for n in numbers]


def node_of(content: bytes) -> tuple[str, list[str], list[str], dict[str, Any]]:
    """Return a node's layer, inputs, outputs and settings."""
    kind, inputs, outputs, settings = "", [], [], {}
    for field, value in fields(content):
        if field == 1:
            inputs.append(value.decode())
        elif field == 2:
            outputs.append(value.decode())
        elif field == 4:
            kind = value.decode()
        elif field == 5:
            name, setting = setting_of(value)
            settings[name] = setting
    return kind, inputs, outputs, settings


def setting_of(content: bytes) -> tuple[str, Any]:
    """Return the name and the value of a node's setting."""
    name, many = "", []
    value: Any = None
    for field, given in fields(content):
        if field == 1:
            name = given.decode()
        elif field == 2:
            value = float(np.frombuffer(given, "<f4")[0])
        elif field == 3:
            value = numbers_of(given)[0]
        elif field == 5:
            value = tensor_of(given)[1]
        elif field == 8:
            many += numbers_of(given)
    return name, many or value


def tensor_of(content: bytes) -> tuple[str, Any]:
    """Return the name and the array of a tensor; numbers of 16 bits become 32."""
    name, kind, sizes, raw = "", 0, [], b""
    for field, value in fields(content):
        if field == 1:
            sizes += numbers_of(value)
        elif field == 2:
            kind = value
        elif field == 8:
            name = value.decode()
        elif field in (4, 9):
            raw += value
        elif field == 7:
            raw += np.array(numbers_of(value), "<i8").tobytes()
        elif field == 13 or (field == 14 and value):
            raise ValueError(f"the weights {name} of the network lie outside its file")
    types = {FLOAT: "<f4", INT64: "<i8", FLOAT16: "<f2"}
    if kind not in types:
        raise ValueError(f"the network has numbers of ONNX type {kind}")
    array = np.frombuffer(raw, types[kind]).reshape(sizes)
    return name, array.astype(np.int64 if kind == INT64 else np.float32)


def add(x: list[Any], settings: dict[str, Any]) -> Any:
    """x + y."""
    return x[0] + x[1]


def mul(x: list[Any], settings: dict[str, Any]) -> Any:
    """x * y."""
    return x[0] * x[1]


def matmul(x: list[Any], settings: dict[str, Any]) -> Any:
    """Matrices."""
    return x[0] @ x[1]


def identity(x: list[Any], settings: dict[str, Any]) -> Any:
    """x."""
    return x[0]


def constant(x: list[Any], settings: dict[str, Any]) -> Any:
    """A constant in the graph."""
    return settings["value"]


def relu(x: list[Any], settings: dict[str, Any]) -> Any:
    """max(x, 0)."""
    return np.maximum(x[0], np.float32(0))


def tanh(x: list[Any], settings: dict[str, Any]) -> Any:
    """The hyperbolic tangent."""
    return np.tanh(x[0])


def softmax(x: list[Any], settings: dict[str, Any]) -> Any:
    """Probabilities of logits, along an axis."""
    axis = settings.get("axis", -1)
    powers = np.exp(x[0] - x[0].max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def flatten(x: list[Any], settings: dict[str, Any]) -> Any:
    """A row for each position."""
    return x[0].reshape(len(x[0]), -1)


def reshape(x: list[Any], settings: dict[str, Any]) -> Any:
    """Another shape; 0 is as before."""
    sizes = [x[0].shape[i] if s == 0 else int(s) for i, s in enumerate(x[1])]
    return x[0].reshape(sizes)


def transpose(x: list[Any], settings: dict[str, Any]) -> Any:
    """Axes in another order."""
    return np.ascontiguousarray(np.transpose(x[0], settings["perm"]))


def concat(x: list[Any], settings: dict[str, Any]) -> Any:
    """One behind the other."""
    return np.concatenate(x, axis=settings["axis"])


def gather(x: list[Any], settings: dict[str, Any]) -> Any:
    """Some of the parts along an axis."""
    return np.take(x[0], x[1], axis=settings.get("axis", 0))


def average(x: list[Any], settings: dict[str, Any]) -> Any:
    """The mean of each channel."""
    return x[0].mean(axis=(2, 3), keepdims=True)


def gemm(x: list[Any], settings: dict[str, Any]) -> Any:
    """A matrix and a bias."""
    if settings.get("alpha", 1.0) != 1.0 or settings.get("beta", 1.0) != 1.0:
        raise ValueError("the network has a layer Gemm with factors")
    a = x[0].T if settings.get("transA") else x[0]
    y = a @ (x[1].T if settings.get("transB") else x[1])
    return y + x[2] if len(x) > 2 else y


def normalized(x: list[Any], settings: dict[str, Any]) -> Any:
    """Each channel shifted and scaled."""
    scale = x[1] / np.sqrt(x[4] + np.float32(settings.get("epsilon", 1e-5)))
    shift = x[2] - x[3] * scale
    return x[0] * scale[:, None, None] + shift[:, None, None]


def conv(x: list[Any], settings: dict[str, Any]) -> Any:
    """A convolution with steps of 1: the cells around each cell, times the weights."""
    plain = {"strides": [1, 1], "dilations": [1, 1], "group": 1}
    if any(settings.get(name, usual) != usual for name, usual in plain.items()):
        raise ValueError("the network has a layer Conv with steps, gaps or groups")
    planes, weights = x[0], x[1]
    n, channels, rows, columns = planes.shape
    filters, _, high, wide = weights.shape
    top, left, bottom, right = settings.get("pads", [0, 0, 0, 0])
    if top or left or bottom or right:
        framed = np.zeros((n, channels, rows + top + bottom, columns + left + right), np.float32)
        framed[:, :, top : top + rows, left : left + columns] = planes
        planes = framed
    rows, columns = rows + top + bottom - high + 1, columns + left + right - wide + 1
    parts = np.empty((n, channels, high * wide, rows, columns), np.float32)
    for i in range(high):
        for j in range(wide):
            parts[:, :, i * wide + j] = planes[:, :, i : i + rows, j : j + columns]
    flat = parts.reshape(n, channels * high * wide, rows * columns)
    y = np.matmul(weights.reshape(filters, -1), flat).reshape(n, filters, rows, columns)
    return y + x[2][:, None, None] if len(x) > 2 else y


LAYERS = {
    "Add": add,
    "BatchNormalization": normalized,
    "Concat": concat,
    "Constant": constant,
    "Conv": conv,
    "Flatten": flatten,
    "Gather": gather,
    "Gemm": gemm,
    "GlobalAveragePool": average,
    "Identity": identity,
    "MatMul": matmul,
    "Mul": mul,
    "Relu": relu,
    "Reshape": reshape,
    "Softmax": softmax,
    "Tanh": tanh,
    "Transpose": transpose,
}
