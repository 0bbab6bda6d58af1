"""The server of the page: local, read-only, with the standard library.

It answers four addresses and serves no file. Requests under another name than this machine's are
refused, so that a foreign page cannot read it through the browser (DNS rebinding).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from joute.engines.errors import ANYTHING, JouteError, Refused, cut
from joute.reports.watch.live import Live

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
LONG = 200  # characters of an error
PATIENCE = 20.0  # seconds for a browser that says nothing more
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; connect-src "
    "'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server(ThreadingHTTPServer):
    """Serves the page of one run."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, live: Live, port: int) -> None:
        self.live = live
        try:
            super().__init__((HOST, port), Handler)
        except OSError as error:
            raise Refused(f"cannot listen on {HOST}:{port}: {error.strerror or error}") from None

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a browser that goes away."""


class Handler(BaseHTTPRequestHandler):
    """Answers one browser."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "joute", ""
    timeout = PATIENCE
    ROUTES: ClassVar[dict[str, str]] = {
        "/": "_page", "/state": "_state", "/games": "_games", "/game": "_game"
    }  # fmt: skip

    def do_GET(self) -> None:
        """Answer a request."""
        host = self.headers.get("Host", "")
        name, _, port = host.rpartition(":")
        if (
            len(self.headers.get_all("Host", [])) != 1
            or name not in NAMES
            or port != str(self.server.server_port)
        ):
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, f"this page is only at {self.server.url}")
            return
        try:
            asked = urlsplit(self.path)
            route = self.ROUTES.get(asked.path)
            query = {key: values[-1] for key, values in parse_qs(asked.query).items()}
        except ValueError:
            route, query = None, {}
        if route is None:
            self._refuse(HTTPStatus.NOT_FOUND, "no such page")
            return
        try:
            answer: Callable[[dict[str, str]], None] = getattr(self, route)
            answer(query)
        except (TimeoutError, ConnectionError):
            self.close_connection = True  # the browser has gone away
        except JouteError as error:
            self._refuse(HTTPStatus.CONFLICT, str(error))
        except ANYTHING as error:  # what is stored means nothing
            why = f"this cannot be shown: {cut(repr(error), LONG)}"
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, why)

    do_HEAD = do_GET

    def _page(self, query: dict[str, str]) -> None:
        nonce = secrets.token_urlsafe(16)
        page = self.server.live.page(nonce)
        policy = {"Content-Security-Policy": POLICY.format(nonce=nonce)}
        self._send(page.encode(), "text/html; charset=utf-8", more=policy)

    def _state(self, query: dict[str, str]) -> None:
        self._json(self.server.live.update(whole(query.get("since")), "now" in query))

    def _games(self, query: dict[str, str]) -> None:
        kind = query.get("kind", "latest")
        self._json(self.server.live.games(kind, whole(query.get("page"))))

    def _game(self, query: dict[str, str]) -> None:
        game = self.server.live.game(query.get("key", ""))
        if game is None:
            self._refuse(HTTPStatus.NOT_FOUND, "this run has no such game")
            return
        self._json(game)

    def _json(self, data: object) -> None:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        self._send(text.encode(errors="replace"), "application/json; charset=utf-8")

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(json.dumps({"error": why}).encode(), "application/json; charset=utf-8", status)

    def _send(
        self,
        body: bytes,
        kind: str,
        status: HTTPStatus = HTTPStatus.OK,
        more: dict[str, str] | None = None,
    ) -> None:
        try:
            self.send_response(status)
            for name, value in {**HEADERS, **(more or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except (TimeoutError, ConnectionError):
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing: the terminal is the user's."""


def whole(text: str | None) -> int:
    """Return a whole number from 0 up; 0 if it is invalid."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0
