"""A PostgreSQL server of its own for tests, in a temporary folder; as another user where we are root."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PASSWORD = "jousting-by-night"
WITHOUT = "needs PostgreSQL (initdb, pg_ctl): apt-get install postgresql"


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, if it is installed."""
    found = shutil.which("pg_ctl")
    places = [*([Path(found).resolve().parent] if found else [])]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "postgres").exists()), None)


class Server:
    """A server that can be stopped and started again; its user `joute` has a password."""

    def __init__(self, programs: Path, folder: Path, port: int, who: dict[str, Any]) -> None:
        self._programs, self._folder, self._who, self.port = programs, folder, who, port
        self.url = f"postgresql://joute:{PASSWORD}@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = f"-p {self.port} -k {self._folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._control("start", "-w", "-l", str(self._folder / "log"), "-o", settings)

    def stop(self) -> None:
        """End it at once, with all its connections."""
        self._control("stop", "-w", "-m", "immediate")

    def _control(self, *words: str) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), *words)

    def make(self) -> None:
        """Make its data."""
        secret = self._folder / "password"
        secret.write_text(PASSWORD)
        if self._who:
            os.chown(secret, self._who["user"], self._who["group"])
        self._run(
            *("initdb", "-D", str(self._folder / "data"), "-U", "joute", "-A", "scram-sha-256"),
            *("--pwfile", str(secret), "-E", "UTF8", "--locale", "C", "--no-sync"),
        )

    def _run(self, program: str, *words: str) -> None:
        # Its output goes to a file: a server that it leaves behind would hold a pipe open.
        with (self._folder / "said").open("a+") as said:
            done = subprocess.run(
                [str(self._programs / program), *words], cwd=self._folder, stdout=said, stderr=said,
                timeout=60, check=False, **self._who,
            )  # fmt: skip
            said.seek(0)
            assert done.returncode == 0, said.read()


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """Run a server for as long as it is needed."""
    where = programs()
    assert where is not None, WITHOUT
    root = os.getuid() == 0  # whom PostgreSQL refuses: then it is nobody's, in a folder for all
    folder = Path(tempfile.mkdtemp(prefix="joute-postgres-", dir="/tmp" if root else None))
    who: dict[str, Any] = {}
    if root:
        nobody = pwd.getpwnam("nobody")
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(where, folder, port, who)
    try:
        server.make()
        server.start()
        yield server
    finally:
        with contextlib.suppress(AssertionError, OSError, subprocess.SubprocessError):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
