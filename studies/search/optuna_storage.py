"""Where Optuna's copy of the trials lies: a journal file in the run folder, or a database that many share."""

from __future__ import annotations

import importlib.util
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from optuna.storages import BaseStorage, JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError, ProgrammingError

from joute.engines.errors import Refused, cut
from joute.engines.kernels.random import seed_of
from joute.studies.search.url import shown

JOURNAL = "optuna.journal"
POSTGRES = re.compile(r"postgres(ql)?://")
MISSING = "PostgreSQL needs psycopg: pip install 'joute[postgres]'"
PATIENCE = 10  # seconds that a server has to answer
WAIT = 30  # seconds for the turn of another machine
TRIES = 5  # of several machines that make the tables of a new database at once


def storage_of(folder: Path, url: str | None) -> BaseStorage:
    """Return the storage of a URL, or the journal file of a run folder; raise Refused."""
    if url is None:
        return JournalStorage(JournalFileBackend(str(folder / JOURNAL)))
    try:
        return database(url)
    except Exception as error:
        raise unreachable(url, error) from None


def database(url: str) -> RDBStorage:
    """Return the database of a URL, with Optuna's tables in it."""
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
        except (IntegrityError, ProgrammingError):  # somebody else makes the same tables now
            if attempt == TRIES - 1:
                raise
            time.sleep(0.1 * (attempt + 1))
    raise AssertionError


@contextmanager
def alone(storage: BaseStorage, study: str) -> Iterator[None]:
    """Keep everybody else from adding to a study meanwhile, where the storage is a PostgreSQL."""
    engine = getattr(storage, "engine", None)
    if engine is None or engine.dialect.name != "postgresql":
        yield
        return
    key = seed_of("optuna", study) >> 1
    with engine.begin() as connection:
        connection.exec_driver_sql(
            f"SET LOCAL statement_timeout = {1000 * WAIT}; "
            f"SET LOCAL idle_in_transaction_session_timeout = {2000 * WAIT}; "  # of who vanishes
            f"SELECT pg_advisory_xact_lock({key})"
        )
        yield


def unreachable(url: str, error: Exception) -> Refused:
    """Return the refusal of a storage that cannot be used, in a line without its password."""
    return Refused(f"tune.storage: {shown(url)} cannot be reached: {said(error)}")


def said(error: Exception) -> str:
    """Return what a database's error says, in a line."""
    cause = getattr(error, "orig", None) or error.__cause__ or error
    cause = getattr(cause, "orig", None) or cause
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):  # of several addresses: the first
        lines[0] = f"{lines[0]} {lines[1]}"
    return cut(shown(lines[0]) if lines else type(cause).__name__, 240)
