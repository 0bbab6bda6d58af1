"""Shared by tests of `joute watch`: a server in this process, questions to it, a real browser."""

from __future__ import annotations

import html
import http.client
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from joute.reports.watch.live import Live
from joute.reports.watch.server import HOST, Server

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
with_browser = pytest.mark.skipif(
    not BROWSER, reason="no chromium here: Debian's package chromium has one"
)
QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=6000",
]


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """Serve the page of a run in this process."""
    with Server(Live(folder), 0) as server:
        server.live.first()
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Reply:
    """What came back."""

    def __init__(self, status: int, headers: dict[str, str], text: str) -> None:
        self.status, self.headers, self.text = status, headers, text

    @property
    def data(self) -> Any:
        return json.loads(self.text)


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> Reply:
    """Ask a server, with headers of one's own."""
    link = http.client.HTTPConnection(HOST, server.server_port, timeout=30)
    try:
        link.request(method, path, headers=headers)
        answer = link.getresponse()
        return Reply(answer.status, dict(answer.getheaders()), answer.read().decode())
    finally:
        link.close()


def now(server: Server) -> dict[str, Any]:
    """Return the state of a run as it is at this moment."""
    found: dict[str, Any] = ask(server, "/state?since=0&now=1").data
    return found


def browser(*options: str) -> str:
    """Run the browser to its end; return what it prints."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [BROWSER, *QUIET, f"--user-data-dir={profile}", *options],
            capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def shown(url: str, width: int = 1000, *options: str) -> str:
    """Return the page as the browser has it once its scripts have run."""
    return browser(f"--window-size={width},900", "--dump-dom", *options, url)


def measured(page: str, folder: Path, script: str, width: int = 400, *options: str) -> Any:
    """Return what a script says of a page in a window of that width: an expression, as JSON."""
    file = folder / "measured.html"
    tail = (
        f"<script>setTimeout(() => parent.postMessage(JSON.stringify({script}), '*'), 800)</script>"
    )
    inner = html.escape(page.replace("</body>", f"{tail}</body>"))
    file.write_text(
        f'<!doctype html><iframe width="{width}" height="800" style="border: 0" srcdoc="{inner}"></iframe>'
        "<p id=said></p><script>addEventListener('message', event => {"
        "document.getElementById('said').textContent = event.data; })</script>",
        "utf-8",
    )
    dom = shown(file.as_uri(), width + 100, *options)
    return json.loads(html.unescape(dom.split('<p id="said">')[1].split("</p>")[0]))
