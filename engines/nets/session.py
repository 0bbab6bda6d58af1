"""A network's session in onnxruntime: opened, checked for its shapes, and asked within a limit of time."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import Refused, cut
from joute.engines.nets.numpy_reader import Singles

MOST = 1 + 1e-3  # of a value, with what rounding may add
CALL_SECONDS = 20.0  # of CPU that one call may take, and one more for each position
LOOK = 0.5  # seconds between two looks at the calls that run
PATIENCE = 5.0  # seconds of CPU that a call gets to end when it is told to
ENDLESS = 71  # exit code after a network that could not be stopped
MISSING = "networks need onnxruntime: pip install onnxruntime"


def library() -> Any:
    """Return onnxruntime; raise Refused where it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        raise Refused(MISSING) from None
    return onnxruntime


def session_of(content: bytes, file: Path) -> Any:
    """Return a session of onnxruntime on one thread; raise Refused with the fault of the file."""
    onnxruntime = library()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.add_session_config_entry("session.load_model_format", "ONNX")  # no other is looked into
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Refused(f"network {file} is no ONNX file: {in_line(error)}") from None


def check_session(
    session: Any, asked: Sequence[int], policy_size: int, where: str, seen: str
) -> None:
    """Raise Refused for a session that does not take planes of the sizes `asked` or does not give such
    a policy. `seen` is the board and its view, in words.
    """
    inputs = {i.name: i for i in session.get_inputs()}
    outputs = {o.name: o for o in session.get_outputs()}
    if list(inputs) != ["planes"] or not {"policy", "value"} <= outputs.keys():
        raise Refused(
            f"{where}: its inputs are {', '.join(inputs) or 'none'} and its outputs "
            f"{', '.join(outputs) or 'none'}; needed: planes, and policy, value"
        )
    for what, given, wanted in (
        ("planes", inputs["planes"].shape[1:], list(asked)),
        ("policy", outputs["policy"].shape[1:], [policy_size]),
    ):
        if any(isinstance(g, int) and g != w for g, w in zip(given, wanted, strict=False)) or (
            len(given) != len(wanted)
        ):
            raise Refused(
                f"{where}: its {what} are {size_text(given)}, but {seen} has {size_text(wanted)}"
            )
    if inputs["planes"].type != "tensor(float)":
        raise Refused(f"{where}: its planes are {inputs['planes'].type}, not float32")
    for count in (1, 2):  # and so any number of positions
        try:
            policy, value = session.run(
                ["policy", "value"], {"planes": np.zeros((count, *asked), np.float32)}
            )
        except Exception as error:
            raise Refused(f"{where} cannot be run on {count} at once: {in_line(error)}") from None
        value = value.reshape(-1)
        if policy.shape != (count, policy_size) or value.shape != (count,):
            raise Refused(
                f"{where}: of {count} at once it gives a policy {size_text(policy.shape)} and a value "
                f"{size_text(value.shape)}; needed: {count} x {policy_size} and {count}"
            )
        if fault := fault_of(policy, value):
            raise Refused(f"{where}: it answers {fault}")


def fault_of(policy: Singles, value: Singles) -> str:
    """Return in which impossible numbers a network answers; "" if they are logits and values."""
    low, high = np.minimum.reduce(value, axis=None), np.maximum.reduce(value, axis=None)
    # A sum that is finite has finite parts; others are looked at one by one.
    if math.isfinite(np.add.reduce(policy, axis=None)) and low >= -MOST and high <= MOST:
        return ""
    if not (np.isfinite(policy).all() and np.isfinite(value).all()):
        return "in numbers that are none (NaN or infinite)"
    if low < -MOST or high > MOST:
        return f"a value of {low if -low > high else high:.6g}, which is not from -1 to 1"
    return ""


class Endless(Exception):
    """A call that was ended; its text says after how long."""


_running: dict[
    int, tuple[Any, float]
] = {}  # calls: how they are told to end, and when, in CPU time
_looking = 0  # the process whose calls are looked at


def ask_within(session: Any, planes: Singles) -> list[Singles]:
    """Return a session's policies and values; raise Endless where that takes too long."""
    _look_at_calls()
    call, limit = library().RunOptions(), CALL_SECONDS + len(planes)
    _running[id(call)] = call, time.process_time() + limit
    try:
        answers: list[Singles] = session.run(["policy", "value"], {"planes": planes}, call)
    except Exception:
        if call.terminate:
            raise Endless(f"no answer within {limit:.0f} s of CPU time") from None
        raise
    finally:
        del _running[id(call)]
    return answers


def _look_at_calls() -> None:
    global _looking
    if _looking == os.getpid():
        return
    _looking = os.getpid()
    threading.Thread(target=_end_long_calls, daemon=True).start()


def _end_long_calls() -> None:
    """Tell calls that take too long to end; end this process where one does not."""
    while True:
        time.sleep(LOOK)
        now = time.process_time()
        for call, limit in list(_running.values()):
            if now > limit:
                call.terminate = True
            if now > limit + PATIENCE:
                sys.stderr.write("joute: a network cannot be stopped\n")
                sys.stderr.flush()
                os._exit(ENDLESS)


def in_line(error: Exception) -> str:
    """Return an error's text in one short line."""
    return cut(" ".join(str(error).split()), 160)


def size_text(sizes: Any) -> str:
    """Return sizes as `4 x 7 x 7`."""
    return " x ".join(str(s) for s in sizes) or "one number"
