"""An inference server: one process of this machine has the network, and all workers hand it their leaves.

Batches are then filled by all workers together, and one device serves them all. Each batch has the same size,
padded with zeros, so that an answer depends neither on the company of a position nor on who asked first.
`inference_server.py` is the process; here are its parent's side and the workers'.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Client
from pathlib import Path
from shutil import rmtree
from typing import Any, NamedTuple

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.nets.numpy_reader import Singles
from joute.engines.programs.folders import new_folder
from joute.engines.view import Shape
from joute.harness.child_process import ChildProcess, Died, ending

FAMILY = "AF_UNIX"
SOCKET = "socket"
FAILED = struct.Struct("<i")  # before each answer: 0, or 1 before a text
PATIENCE = 600.0  # seconds in which a network is loaded
LOOK = 0.5


class NetOrder(NamedTuple):
    """A network to serve: its file, its game with the plugins that know it, its view, its plan (the
    study's [net]), the size of all batches, and the device, "cpu" or "cuda".
    """

    net: str
    game: str
    plugins: tuple[str, ...]
    view: str
    settings: dict[str, Any]
    plan: dict[str, Any]
    batch: int
    device: str


class InferenceServer:
    """The parent's side of the process; it ends with its parent."""

    def __init__(self) -> None:
        self._folder = new_folder()
        self.address = str(Path(self._folder) / SOCKET)
        self._child = ChildProcess("joute.studies.kinds.train.inference_server", self.address)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._child.pid

    def load(self, order: NetOrder) -> None:
        """Serve another network from now on; raise JouteError if it cannot be run there."""
        self._child.send(order)
        waited = 0.0
        try:
            while not self._child.ready(LOOK):
                waited += LOOK
                if waited > PATIENCE:
                    raise JouteError(f"the inference server is silent for {PATIENCE:.0f} s")
        except Died as died:
            raise JouteError(f"the inference server has ended: {ending(died.status)}") from None
        if fault := self._child.received():
            raise JouteError(f"the inference server: {fault}")

    def close(self) -> None:
        """End it, and leave nothing of it behind."""
        self._child.end()
        rmtree(self._folder, ignore_errors=True)


@contextmanager
def serving(order: NetOrder) -> Iterator[str]:
    """Serve a network for the time of the context; yield the address."""
    server = InferenceServer()
    try:
        server.load(order)
        yield server.address
    finally:
        server.close()


class InferenceClient:
    """A worker's side: a network that is asked at an address; a context manager."""

    def __init__(self, address: str, shape: Shape) -> None:
        self._shape = shape
        try:
            self._connection = Client(address, FAMILY)
        except OSError as error:
            raise JouteError(f"the inference server is not there: {error.strerror}") from None

    def __enter__(self) -> InferenceClient:
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError):
            self._connection.close()

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits [N, entries] and values [N] of positions [N, planes, rows, columns]."""
        try:
            self._connection.send_bytes(
                np.ascontiguousarray(planes).reshape(-1).view(np.uint8).data
            )
            answer = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise JouteError("the inference server has ended") from None
        if FAILED.unpack_from(answer)[0]:
            raise JouteError(f"the inference server: {answer[FAILED.size :].decode()}")
        numbers = np.frombuffer(answer, np.float32, offset=FAILED.size)
        end = len(planes) * self._shape.policy
        return numbers[:end].reshape(len(planes), self._shape.policy), numbers[end:]
