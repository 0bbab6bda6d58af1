"""Our engine as a client of the course's protocol, at servers good and bad."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import ProtocolError
from joute.engines.games.vampires.tcp import client
from joute.engines.games.vampires.tcp.wire import Listener
from joute.engines.kernels.random import seed_of
from joute.engines.position import Position
from joute.harness.match import Rules, Tally, play_game
from tests.support.runs import JOUTE
from tests.support.tcp import FIELD, FIXED, MARK, TRAP, exactly

pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc"),
    pytest.mark.usefixtures("nothing_hangs_or_stays"),
]


def ours(spec: str) -> str:
    return " ".join([*JOUTE, "bot", spec, "--protocol vampires-tcp {host} {port} --name", MARK])


@pytest.mark.parametrize("seat", [0, 1])
def test_our_bot_over_tcp_plays_the_game_that_it_plays_inside(seat: int) -> None:
    game = parse_game(TRAP)
    lines = []
    for over_tcp in (True, False):
        specs = [FIXED, FIXED]
        if over_tcp:
            specs[seat] = f'{TRAP}/process:command="{ours(FIXED)}",first_ms=50000,turn_ms=20000'
        players, position = [parse_engine(spec).player() for spec in specs], Position(game)
        try:
            for number, player in enumerate(players):
                player.new_game(number, number)
            tallies = [Tally(), Tally()]
            failures = play_game(position, players, lambda ply: seed_of(3, ply), Rules(), tallies)
        finally:
            for player in players:
                player.close()
        assert not failures
        lines.append(position.line())
    assert lines[0] == lines[1] and lines[0].count(">") > 20


Script = Callable[[socket.socket], None]


def at_a_server(script: Script, spec: str = f"{FIELD}/random", turn_ms: float = 2000) -> list[str]:
    """Play at a server that follows a script; return what our side told."""
    door = socket.create_server(("127.0.0.1", 0))
    door.settimeout(10)
    errors: list[BaseException] = []

    def serve() -> None:
        try:
            with door, door.accept()[0] as client:
                client.settimeout(10)
                script(client)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    told: list[str] = []
    try:
        client.join(
            parse_engine(spec), "127.0.0.1", door.getsockname()[1], "me", turn_ms, told.append
        )
    finally:
        thread.join()
        assert not errors, errors
    return told


MAP = b"MAP\x02\x00\x00\x00\x03\x00\x02\x02\x00\x00\x03"  # 3 vampires, 3 werewolves
BOARD = b"SET\x03\x03HUM\x00HME\x02\x02" + MAP


def answered(client: socket.socket) -> bytes:
    """Return the one move of a turn."""
    head = exactly(client, 4)
    assert head == b"MOV\x01"
    return exactly(client, 5)


def test_our_side_learns_its_race_and_plays_on_after_end() -> None:
    def script(client: socket.socket) -> None:
        assert exactly(client, 6) == b"NME\x02me"
        for byte in BOARD + b"UPD\x00":
            client.sendall(bytes([byte]))
        assert answered(client)[:2] == b"\x02\x02"  # the werewolves
        client.sendall(b"UPD\x01\x00\x00\x00\x00\x00")  # the vampires have vanished
        assert answered(client)[:2] == b"\x02\x02"
        client.sendall(b"UPD\x01\x02\x02\x00\x00\x00")  # and so have we: nothing to answer
        client.sendall(b"END")
        other = b"SET\x04\x05HUM\x01\x01\x01HME\x00\x00" + MAP
        client.sendall(other + b"UPD\x01\x01\x01\x06\x00\x00")
        assert answered(client)[:2] == b"\x00\x00"  # the vampires now
        client.sendall(b"ENDBYE")

    assert at_a_server(script) == ["we have no legal turn"]


def test_a_larger_map_than_the_engines_is_played_on() -> None:
    def script(client: socket.socket) -> None:
        exactly(client, 6)
        client.sendall(b"SET\x20\x20HUM\x00HME\x1f\x1f")
        client.sendall(b"MAP\x02\x1f\x1f\x00\x03\x00\x00\x00\x00\x00\x03UPD\x00")
        assert answered(client)[:2] == b"\x1f\x1f"
        client.sendall(b"BYE")

    at_a_server(script)


SLEEPY = """\
import time
from joute.engines.search import Recipe, Search
from joute.engines.searches.random import RandomPlayer
from joute.engines.parameter import Parameter

class SleepyPlayer(RandomPlayer):
    turns = 0
    def choose(self, position):
        self.turns += 1
        time.sleep(0.5 if self.turns == 1 else 0)
        return super().choose(position)

class DozingSearch(Search):
    name = "dozing"
    summary = "sleeps through its first turn"
    def recipe(self, engine):
        return Recipe(SleepyPlayer, {})
"""


def test_a_late_reply_is_dropped_and_the_game_goes_on(tmp_path: Path) -> None:
    from joute.engines.registry import load_plugin

    plugin = tmp_path / "dozing.py"
    plugin.write_text(SLEEPY)
    load_plugin(plugin)

    def script(client: socket.socket) -> None:
        exactly(client, 6)
        client.sendall(BOARD + b"UPD\x00")
        client.settimeout(0.8)
        with pytest.raises(TimeoutError):  # it took 500 of 300 ms
            client.recv(1)
        client.settimeout(10)
        client.sendall(b"UPD\x02\x00\x00\x00\x00\x00\x01\x01\x00\x03\x00")
        answered(client)
        client.sendall(b"ENDBYE")

    told = at_a_server(script, f"{FIELD}/dozing", turn_ms=300)
    assert len(told) == 1 and told[0].endswith("the turn is not sent")


def test_of_two_questions_the_last_is_answered(tmp_path: Path) -> None:
    """A server that gave us less time than we think has asked again before we answered."""
    from joute.engines.registry import load_plugin

    plugin = tmp_path / "dozing2.py"
    plugin.write_text(SLEEPY.replace('"dozing"', '"dozing2"'))
    load_plugin(plugin)

    def script(client: socket.socket) -> None:
        exactly(client, 6)
        client.sendall(BOARD + b"UPD\x00")
        time.sleep(0.2)
        client.sendall(b"UPD\x02\x02\x02\x00\x00\x00\x01\x02\x00\x00\x03")
        assert answered(client)[:2] == b"\x01\x02"
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.sendall(b"BYE")

    told = at_a_server(script, f"{FIELD}/dozing2", turn_ms=2000)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (b"", "the server closed the connection before BYE"),
        (b"SET\x03\x03HU", "closed the connection"),
        (b"SET\x21\x03", "3 columns and 33 rows; allowed: 1 to 32"),
        (b"SET\x00\x03", "3 columns and 0 rows"),
        (b"HELLO WORLD", "in HEL: an order that servers do not give"),
        (b"\x00\x01\x02\x03", "no order"),
        (b"SET\x03\x03UPD\x00", "before it told where our home is"),
        (MAP, "cells before the size of the board"),
        (b"SET\x02\x02HUM\x00HME\x00\x00" + MAP, "the cell 2,2 is off the board"),
        (b"SET\x03\x03HUM\x00HME\x01\x01" + MAP + b"UPD\x00", "nobody stands in our home"),
        (b"SET\x03\x03HUM\x00HME\x00\x00MAP\x01\x00\x00\x01\x01\x00", "two species in the cell"),
        (BOARD + b"UPD\x03\x00", "closed the connection within an order"),
    ],
)
def test_servers_that_make_no_sense(said: bytes, text: str) -> None:
    def script(client: socket.socket) -> None:
        exactly(client, 6)
        client.sendall(said)
        with suppress(OSError):
            client.shutdown(socket.SHUT_WR)
            while client.recv(100):
                pass

    with pytest.raises(ProtocolError, match=text) as error:
        at_a_server(script)
    assert "\n" not in str(error.value)


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.3)
    door = Listener()
    door.close()
    with pytest.raises(ProtocolError, match=f"cannot connect to 127.0.0.1:{door.port}: Connection"):
        client.connected("127.0.0.1", door.port)
