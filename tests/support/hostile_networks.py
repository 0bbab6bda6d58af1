"""Networks that mean harm: numbers that are none, loops without end, much memory, weights elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.networks import NOTE, saved

CELLS, POLICY = (2, 4, 5), 5
ENDLESS = 1 << 62


def write_hostile(
    path: Path, value: float = 0.0, logit: float = 0.0, trips: int = 0, room: int = 0,
    where: str = "later", note: str | None = NOTE,
) -> Path:  # fmt: skip
    """Write a network that says 0 of everything; of boards with a stone on them (`where` = "later") or
    of all ("always") it says `value` and `logit`, loops `trips` times and asks for `room` numbers.
    """
    pytest.importorskip("onnx", reason="needs the extra train")
    from onnx import TensorProto, helper, numpy_helper

    def number(name: str, worth: Any, kind: Any) -> Any:
        return numpy_helper.from_array(np.array(worth, kind), name)

    def info(name: str, kind: int, *size: Any) -> Any:
        return helper.make_tensor_value_info(name, kind, size)

    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["on"]),
            helper.make_node("Add", ["sum", "one"], ["more"]),
        ],
        "body",
        [
            info("turn", TensorProto.INT64),
            info("go", TensorProto.BOOL),
            info("sum", TensorProto.FLOAT, 1),
        ],
        [info("on", TensorProto.BOOL), info("more", TensorProto.FLOAT, 1)],
    )
    nodes = [
        helper.make_node("ReduceMax", ["planes"], ["stones"], keepdims=0),
        helper.make_node("Greater", ["stones", "zero"], ["later"]),
        helper.make_node("Identity", ["later" if where == "later" else "yes"], ["bad"]),
        helper.make_node("Where", ["bad", "trips", "none"], ["count"]),
        helper.make_node("Loop", ["count", "yes", "start"], ["spent"], body=body),
        helper.make_node("Where", ["bad", "room", "none1"], ["size"]),
        helper.make_node("ConstantOfShape", ["size"], ["large"]),
        helper.make_node("ReduceSum", ["large"], ["weight"], keepdims=0),
        helper.make_node("Mul", ["spent", "zero"], ["idle"]),
        helper.make_node("Add", ["idle", "weight"], ["extra"]),
        helper.make_node("Where", ["bad", "value_of_it", "zero"], ["said"]),
        helper.make_node("Where", ["bad", "logit_of_it", "zero"], ["liked"]),
        helper.make_node("Flatten", ["planes"], ["flat"]),
        helper.make_node("MatMul", ["flat", "to_policy"], ["logits"]),
        helper.make_node("Add", ["logits", "liked"], ["policy"]),
        helper.make_node("MatMul", ["flat", "to_value"], ["nought"]),
        helper.make_node("Add", ["nought", "said"], ["sure"]),
        helper.make_node("Add", ["sure", "extra"], ["value"]),
    ]
    size = int(np.prod(CELLS))
    graph = helper.make_graph(
        nodes,
        "net",
        [info("planes", TensorProto.FLOAT, "n", *CELLS)],
        [info("policy", TensorProto.FLOAT, "n", POLICY), info("value", TensorProto.FLOAT, "n", 1)],
        [
            number("zero", 0, np.float32),
            number("one", [1], np.float32),
            number("start", [0], np.float32),
            number("yes", True, np.bool_),
            number("trips", trips, np.int64),
            number("none", 0, np.int64),
            number("room", [room], np.int64),
            number("none1", [0], np.int64),
            number("value_of_it", value, np.float32),
            number("logit_of_it", logit, np.float32),
            number("to_policy", np.zeros((size, POLICY)), np.float32),
            number("to_value", np.zeros((size, 1)), np.float32),
        ],
    )
    return saved(graph, path, note)


def write_elsewhere(net: Path, path: Path) -> Path:
    """Write a network again with its weights in a file beside it."""
    onnx = pytest.importorskip("onnx", reason="needs the extra train")
    onnx.save_model(
        onnx.load(str(net)),
        str(path),
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    return path
