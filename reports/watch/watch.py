"""Serves the page of a run until it is stopped."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

from joute.engines.garbage import settle
from joute.reports.watch.live import Live
from joute.reports.watch.server import Server


def watch(folder: Path, port: int, say: Callable[[str], None]) -> None:
    """Serve the page of a run at a port (0: a free one); announce its address.

    Raises StoreError for a folder without a readable run, Refused for a port in use.
    """
    live = Live(folder)
    with Server(live, port) as server:
        live.first()
        settle()
        say(server.url)
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
