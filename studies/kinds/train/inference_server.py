"""The process of an inference server: ADDRESS of its socket. Orders come through stdin, leaves through the socket.

It answers as soon as a batch is full, or all who are connected wait, or nobody has come for a moment.
"""

from __future__ import annotations

import pickle
import sys
from multiprocessing.connection import Connection, Listener, wait
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.engine import parse_game
from joute.engines.errors import JouteError
from joute.engines.nets.batches import Ask, in_batches
from joute.engines.nets.net import Net
from joute.engines.nets.numpy_reader import Singles
from joute.engines.nets.session import fault_of
from joute.engines.registry import load_plugin
from joute.engines.view import Shape, view_of
from joute.harness.child_process import Pipes
from joute.studies.kinds.train.inference import FAILED, FAMILY, NetOrder
from joute.studies.learning.architecture import architecture_of
from joute.studies.learning.plan import NetPlan

ORDERS: Any = sys.stdin
MOMENT = 0.001  # seconds that a batch waits for more, once it has something


class Server:
    """Answers all who are connected, batch after batch."""

    def __init__(self, address: str) -> None:
        self._listener = Listener(address, FAMILY, backlog=1024)
        self._door: Any = self._listener._listener._socket  # type: ignore[attr-defined]
        self._pipes = Pipes()
        self._clients, self._waiting = list[Connection](), dict[Connection, Singles]()
        self._ask: Ask | None = None
        self._shape, self._batch = Shape(0, 0, 0, 0), 1

    def serve(self) -> None:
        """Serve until the parent sends no more."""
        while True:
            ready = wait([ORDERS, self._door, *self._idle()], self._patience())
            for one in ready:
                if one is ORDERS:
                    if (packed := self._pipes.packed()) is None:
                        return
                    self._pipes.send(pickle.dumps(self._loaded(pickle.loads(packed))))
                elif one is self._door:
                    self._clients.append(self._listener.accept())
                else:
                    self._take(one)
            if self._waiting and (not ready or self._patience() == 0.0):
                self._answer()

    def _idle(self) -> list[Connection]:
        return [one for one in self._clients if one not in self._waiting]

    def _patience(self) -> float | None:
        """How long to wait for more: not at all where nothing more can come, or a batch is full."""
        if not self._waiting:
            return None
        rows = sum(map(len, self._waiting.values()))
        return 0.0 if rows >= self._batch or not self._idle() else MOMENT

    def _take(self, client: Any) -> None:
        try:
            content = client.recv_bytes()
        except (EOFError, OSError):
            self._clients.remove(client)
            client.close()
            return
        planes, rows, columns, _ = self._shape
        self._waiting[client] = np.frombuffer(content, np.float32).reshape(
            -1, planes, rows, columns
        )

    def _answer(self) -> None:
        asked, self._waiting = self._waiting, {}
        fault, begin = "", 0
        try:
            assert self._ask is not None
            policy, value = self._ask(np.concatenate([*asked.values()]))
            fault = fault_of(policy, value)
        except JouteError as error:
            fault = str(error)
        for client, planes in asked.items():
            end = begin + len(planes)
            answer = (
                FAILED.pack(1) + fault.encode()
                if fault
                else FAILED.pack(0) + policy[begin:end].tobytes() + value[begin:end].tobytes()
            )
            begin = end
            try:
                client.send_bytes(answer)
            except OSError:  # its next reading finds it out
                continue

    def _loaded(self, order: NetOrder) -> str:
        """Load a network; return what is wrong with it, "" for nothing."""
        try:
            for plugin in order.plugins:
                load_plugin(Path(plugin))
            game = parse_game(order.game)
            view = view_of(game, order.view, order.settings)
            self._shape, self._batch = view.shape(game), order.batch
            if order.device == "cpu":
                self._ask = in_batches(Net(Path(order.net), game).run, order.batch)
            else:
                from joute.studies.learning.cuda import cuda_network

                made = architecture_of(NetPlan.model_validate(order.plan), view, game)
                ask = cuda_network(made, Path(order.net), order.batch)
                self._ask = in_batches(ask, order.batch)
        except JouteError as error:
            return str(error)
        return ""


def main() -> None:
    """Serve."""
    Server(sys.argv[1]).serve()


if __name__ == "__main__":
    main()
