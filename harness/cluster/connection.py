"""A connection to a dask scheduler: its workers, and messages to one of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from importlib import import_module
from typing import Any

import dask
import distributed
from distributed import Client, LocalCluster, Security

from joute.engines.errors import JouteError, Refused
from joute.engines.programs.python_children import (
    forget_safe_start,
    safe_start,
    safe_variables,
    without_main,
)
from joute.harness.child_process import interrupt_ignored
from joute.harness.cluster.address import PROVIDERS, Address
from joute.harness.cluster.lost import ClusterLost

NANNY = "distributed.nanny.pre-spawn-environ"  # variables of the processes that nannies start
PATIENCE = 10.0  # seconds in which a scheduler is to answer at first
SILENCE = 30.0  # seconds in which it is to answer later


def entrance() -> Callable[[bytes], bytes]:
    """Return the function that runs on a worker.

    It travels as code, so that the scheduler needs nothing of ours. It returns its errors: dask
    cannot carry every exception, and one that it cannot carry would be lost.
    """

    def enter(packed: bytes) -> bytes:
        import pickle

        try:
            from joute.harness.cluster.host import serve
        except Exception as error:
            return pickle.dumps((False, f"Joute is not installed there ({error})"))
        return serve(packed)

    return enter


def registers() -> Callable[..., tuple[str, dict[str, tuple[str, int]]]]:
    """Return the function that runs on the scheduler; it returns dask's version and the workers."""

    def register(dask_scheduler: Any) -> tuple[str, dict[str, tuple[str, int]]]:
        import distributed

        workers = dask_scheduler.workers.values()
        running = {
            w.address: (w.server_id, w.nthreads) for w in workers if w.status.name == "running"
        }
        return distributed.__version__, running

    return register


def silence() -> None:
    """Let dask log nothing: what it has to say, our errors say in a line. Its loggers have levels each."""
    for name in ("distributed", *logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


class HostFailed(JouteError):
    """Our own code failed on a host; the message is its error."""


class Connection:
    """A scheduler, and the processes started to have one."""

    def __init__(self, address: Address) -> None:
        self.name = address.address or address.text
        self.patient = bool(address.provider)  # whether workers may take long to come
        silence()
        self._cluster: Any = None
        security = _security(address)
        with interrupt_ignored(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if address.local:
                self._cluster = _local(address.local)
            elif address.provider:
                self._cluster = _provided(address)
            try:
                self.client = Client(
                    self._cluster or address.address, security=security, timeout=PATIENCE
                )
            except (OSError, ValueError, TypeError) as error:
                why = "it requires certificates" if "tls" in str(error).lower() else _short(error)
                raise Refused(
                    f"--cluster {self.name}: no scheduler answers there ({why}); start one with: "
                    f"dask scheduler"
                ) from None
        self._enter, self._register = entrance(), registers()
        version, _ = self._registered()
        if version != distributed.__version__:
            self.close()
            raise Refused(
                f"the scheduler at {self.name} runs distributed {version}, this machine "
                f"{distributed.__version__}; install the same version"
            )

    def workers(self) -> dict[str, tuple[str, int]]:
        """Return the workers by address: a unique id and the number of threads. Raise ClusterLost."""
        return self._registered()[1]

    def _registered(self) -> tuple[str, dict[str, tuple[str, int]]]:
        gone = ClusterLost(f"the scheduler at {self.name} is gone")
        if self.client.status != "running":
            raise gone
        try:
            asked = self._soon(self.client._run_on_scheduler(self._register))
            registered: tuple[str, dict[str, tuple[str, int]]] = asked.result(SILENCE)
            return registered
        except (OSError, Late, RuntimeError, asyncio.CancelledError) as error:
            raise gone from error

    def send(self, worker: str, key: str, message: str, *arguments: Any) -> Future[Any]:
        """Send a message to a worker; return its answer to come. Cancelled, it is withdrawn there."""
        packed = pickle.dumps((message, *arguments), pickle.HIGHEST_PROTOCOL)
        future = self.client.submit(
            self._enter,
            packed,
            key=key,
            workers=[worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

        async def answered() -> Any:
            try:
                fine, content = pickle.loads(await future._result())
                if fine:
                    return content
                raise content if isinstance(content, Exception) else HostFailed(content)
            finally:
                future.release()

        return self._soon(answered())

    def _soon(self, coroutine: Any) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)

    def close(self) -> None:
        """Close the connection; end all that was started for this run."""
        with contextlib.suppress(Exception):  # of a scheduler that may be gone
            self.client.close(timeout=2)
        if self._cluster is not None:
            with contextlib.suppress(Exception):
                self._cluster.close(timeout=5)
            forget_safe_start()  # nannies leave their variables in this process


def _security(address: Address) -> Security | None:
    if address.tls:
        return Security(
            tls_ca_file=address.tls["ca"],
            tls_client_cert=address.tls["cert"],
            tls_client_key=address.tls["key"],
            require_encryption=True,
        )
    return Security(require_encryption=True) if address.address.startswith("tls://") else None


def _local(workers: int) -> Any:
    variables = {**dask.config.get(NANNY), **safe_variables()}
    try:
        with dask.config.set({NANNY: variables}), safe_start(), without_main():
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=0,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
    except (OSError, RuntimeError) as error:
        raise Refused(f"--cluster local:{workers}: cannot be started: {_short(error)}") from None


def _provided(address: Address) -> Any:
    """Return a cluster of workers started by a queueing system."""
    try:
        module = import_module(f"dask_jobqueue.{address.provider}")
    except ImportError:
        raise Refused(
            f"{address.text}: provider = {address.provider!r} needs dask-jobqueue: "
            "pip install dask-jobqueue"
        ) from None
    try:
        cluster = getattr(module, PROVIDERS[address.provider])(**address.options)
        cluster.scale(address.workers)
    except (TypeError, ValueError, OSError, RuntimeError) as error:
        raise Refused(f"{address.text}: {address.provider}: {_short(error)}") from None
    return cluster


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
