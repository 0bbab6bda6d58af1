"""Networks of one layer, written as files; and one that is no network at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joute.engines.nets.net import Note

BOARD = "connect4[columns=5,rows=4]"
NOTE = Note(BOARD, "discs").text()


def saved(graph: Any, path: Path, note: str | None) -> Path:
    """Write a graph of ONNX as a file, with a note of ours."""
    import onnx
    from onnx import helper

    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    if note is not None:
        held = model.metadata_props.add()
        held.key, held.value = "joute", note
    onnx.save(model, str(path))
    return path


def write_net(
    path: Path, note: str | None = NOTE, planes: int = 2, policy: int = 5, poison: float = 0.0,
    inputs: str = "planes", outputs: tuple[str, str] = ("policy", "value"), one_value: bool = True,
    size: tuple[int, int] = (4, 5), batch: int | str = "n",
) -> Path:  # fmt: skip
    """Write a network of one layer with random weights."""
    pytest.importorskip("onnx", reason="needs the extra train")
    from onnx import TensorProto, helper, numpy_helper

    drawn = np.random.default_rng(3)
    cells = planes * size[0] * size[1]
    weights = {
        "to_policy": drawn.normal(size=(cells, policy)).astype(np.float32),
        "to_value": drawn.normal(size=(cells, 1 if one_value else 2)).astype(np.float32),
        "bias": np.array([0.3 + poison], np.float32),
    }
    nodes = [
        helper.make_node("Flatten", [inputs], ["flat"]),
        helper.make_node("MatMul", ["flat", "to_policy"], [outputs[0]]),
        helper.make_node("MatMul", ["flat", "to_value"], ["product"]),
        helper.make_node("Add", ["product", "bias"], ["sum"]),
        helper.make_node("Tanh", ["sum"], [outputs[1]]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info(inputs, TensorProto.FLOAT, [batch, planes, *size])],
        [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, size])
            for name, size in zip(outputs, (policy, 1 if one_value else 2), strict=True)
        ],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return saved(graph, path, note)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    return write_net(tmp_path / "net.onnx")
