"""The storage of Optuna's copy of the trials: a journal file, or a shared database."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, ProgrammingError

from joute.engines.errors import Refused, cut
from joute.engines.kernels.random import seed_of
from joute.studies.search.plan import JOURNAL
from joute.studies.search.url import shown

LOCK = "optuna.lock"
POSTGRES = re.compile(r"postgres(ql)?://")
MISSING = "PostgreSQL needs psycopg: pip install 'psycopg[binary]'"
PATIENCE = 10  # seconds that a server has to answer
WAIT = 30  # seconds to wait for another machine's turn
TRIES = 5  # attempts, as several machines may make the tables at once


class JournalLock:
    """The lock of a journal; it ends with its process. Optuna's own stays behind when that is killed,
    and with a path that is relative nobody ever gets it again.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = FileLock(folder / LOCK)

    def acquire(self) -> bool:
        """Wait until nobody else writes."""
        self._lock.acquire()
        return True

    def release(self) -> None:
        """Let others write."""
        self._lock.release()


def storage_of(folder: Path, url: str | None) -> BaseStorage:
    """Return the storage of a URL, or the journal file of a run folder; raise Refused."""
    if url is None:
        lock: Any = JournalLock(folder)  # Optuna asks for no more than these two methods
        backend = JournalFileBackend(str(folder / JOURNAL), lock)
        return JournalStorage(backend)
    try:
        return database(url)
    except Exception as error:
        raise unreachable(url, error) from None


def database(url: str) -> RDBStorage:
    """Return the database of a URL, creating Optuna's tables in it."""
    settings: dict[str, Any] = {}
    if POSTGRES.match(url):
        if importlib.util.find_spec("psycopg") is None:
            raise Refused(MISSING)
        url = POSTGRES.sub("postgresql+psycopg://", url, count=1)
        limits = {"connect_timeout": PATIENCE, "tcp_user_timeout": 1000 * PATIENCE}
        given = make_url(url).query
        own = {name: limit for name, limit in limits.items() if name not in given}
        settings = {"pool_pre_ping": True, "connect_args": own}
    for attempt in range(TRIES):
        try:
            return RDBStorage(url, settings)
        except (IntegrityError, ProgrammingError):  # another machine is making the same tables
            if attempt == TRIES - 1:
                raise
            time.sleep(0.1 * (attempt + 1))
    raise AssertionError


@contextmanager
def alone(storage: BaseStorage, study: str) -> Iterator[None]:
    """Lock a study in PostgreSQL against other writers within the context."""
    engine = getattr(storage, "engine", None)
    if engine is None or engine.dialect.name != "postgresql":
        yield
        return
    key = seed_of("optuna", study) >> 1
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"SET LOCAL statement_timeout = {1000 * WAIT}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {2000 * WAIT}; "  # of lost machines
            f"SELECT pg_advisory_xact_lock({key})"
        )
        yield


def unreachable(url: str, error: Exception) -> Refused:
    """Return a refusal of an unusable storage, in one line without its password."""
    return Refused(f"tune.storage: {shown(url)} cannot be reached: {said(error)}")


def said(error: Exception) -> str:
    """Return a database's error in one line."""
    cause = getattr(error, "orig", None) or error.__cause__ or error
    cause = getattr(cause, "orig", None) or cause
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):  # of several addresses: the first
        lines[0] = f"{lines[0]} {lines[1]}"
    return cut(shown(lines[0]) if lines else type(cause).__name__, 240)
