"""`joute serve` and `joute bot`, as processes that talk over TCP."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.marks import slow
from tests.support.runs import ROOT, here, joute, kill_group, started, turns_of

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for ports in /proc")
TRAP = "vampires[map=thetrap]"
FIXED = f"{TRAP}/expectiminimax:evaluation=langorou,depth=2"
BAD = ROOT / "tests" / "support" / "bad_client.py"
Server = subprocess.Popen[str]


class Running:
    """A server that has told its address, and the clients that were sent to it."""

    def __init__(self, *words: object) -> None:
        self.process = started("serve", *words, "--port", 0)
        self.clients: list[subprocess.Popen[str]] = []
        self.first = self.line()
        found = re.search(r"at 127\.0\.0\.1:([0-9]+)", self.first)
        assert found, (self.first, self.process.stderr and self.process.stderr.read())
        self.port = int(found[1])

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def bot(self, spec: str, *words: object) -> subprocess.Popen[str]:
        asked = ("bot", spec, "--protocol", "vampires-tcp", "127.0.0.1", self.port, *words)
        return self.sent(started(*asked))

    def bad(self, how: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-S", str(BAD), how, "127.0.0.1", str(self.port)]
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "text": True}
        return self.sent(subprocess.Popen(words, start_new_session=True, **pipes))  # type: ignore[call-overload]

    def sent(self, client: subprocess.Popen[str]) -> subprocess.Popen[str]:
        self.clients.append(client)
        return client

    def ended(self) -> tuple[list[str], str, int]:
        """Return what the server printed, its stderr and its exit code."""
        out, err = self.process.communicate(timeout=60)
        return out.splitlines(), err, self.process.returncode

    def listens(self) -> bool:
        """Whether anybody listens at the port."""
        wanted = f":{self.port:04X} 00000000:0000 0A"
        return wanted in Path("/proc/net/tcp").read_text()


@pytest.fixture
def running(request: pytest.FixtureRequest) -> Iterator[Running]:
    """A server with the words of the test's parameter; nothing of it is left afterwards."""
    server = Running(*request.param)
    limit = signal.signal(signal.SIGALRM, lambda *_: kill_group(server.process))
    signal.alarm(100)  # whoever hangs
    try:
        yield server
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, limit)
        for process in (server.process, *server.clients):
            if process.poll() is None:
                kill_group(process)
            process.communicate()
    assert not server.listens()


@pytest.mark.slow
@pytest.mark.parametrize("running", [(TRAP, "--seed", 4)], indirect=True)
def test_two_of_our_bots_play_the_game_that_they_play_inside(running: Running) -> None:
    one = running.bot(FIXED, "--name", "one")
    assert running.line() == "one plays vampires\n"
    two = running.bot(FIXED, "--name", "two")
    lines, err, code = running.ended()
    assert code == 0 and "Traceback" not in err
    assert lines[0] == "two plays werewolves" and not running.listens()
    assert re.fullmatch(
        r" {2}1  vampires \(one\)  \(4,3\)>\(\d,\d\):4  vampires \d+, werewolves 4, humans \d"
        r"  \d+\.\d ms",
        lines[1],
    )
    assert re.fullmatch(r"(vampires \(one\)|werewolves \(two\)) wins, after \d+ turns", lines[-1])
    for client in (one, two):
        out, err = client.communicate(timeout=20)
        assert (client.returncode, out) == (0, "") and "Traceback" not in err
    inside = here("play", FIXED, FIXED, "--seed", 4, "--json")
    assert turns_of(lines) == [m["action"] for m in json.loads(inside.stdout)["moves"]]


@pytest.mark.slow
@pytest.mark.parametrize("running", [("vampires[plies=8]", "--games", 3)], indirect=True)
def test_a_series_is_played_by_the_same_clients(running: Running, tmp_path: Path) -> None:
    clients = [running.bot("vampires[plies=8]/random") for _ in range(2)]
    lines, _, code = running.ended()
    assert code == 0 and len([line for line in lines if ", after " in line]) == 3
    for client in clients:
        assert client.wait(20) == 0


@pytest.mark.parametrize(
    ("running", "how", "lost"),
    [
        (("vampires", "--turn-ms", 4000), "stays", "illegal: answered (5,3)>(5,3):3"),
        slow(("vampires", "--turn-ms", 4000), "leaves", "crash: closed the connection"),
        slow(("vampires", "--turn-ms", 4000), "empty", "illegal: sent MOV with n = 0"),
    ],
    indirect=["running"],
)
def test_who_cheats_or_leaves_loses_and_the_others_are_turned_away(
    running: Running, how: str, lost: str
) -> None:
    running.bad(how)
    assert running.line() == "bad plays vampires\n"
    running.bad("good")
    assert running.line() == "bad plays werewolves\n"
    deadline = time.monotonic() + 5
    while running.listens() and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(OSError, match=r"refused|reset"):
        socket.create_connection(("127.0.0.1", running.port), 5).recv(1)
    lines, err, code = running.ended()
    assert code == 1 and not err.replace("joute: compiling", "").count("Traceback")
    assert lines[-1].startswith("werewolves (bad) wins: vampires (bad) has lost (" + lost[:12])
    assert lost in lines[-1]


@pytest.mark.parametrize("running", [("vampires[plies=6]", "--turn-ms", 300)], indirect=True)
def test_who_is_silent_skips_its_turns(running: Running) -> None:
    running.bad("nothing")
    running.line()
    running.bad("good")
    lines, _, code = running.ended()
    assert code == 0 and lines[-1] == "werewolves (bad) wins, after 6 turns"
    assert [text == "skip" for text in turns_of(lines)] == [False, False, True, False, True, False]


@pytest.mark.parametrize("running", [("vampires[plies=2]",)], indirect=True)
def test_who_has_no_name_or_leaves_gets_no_seat(running: Running) -> None:
    running.bad("length_0")
    assert running.line() == "a client sent a name of 0 letters: it has no seat\n"
    leaver = running.bad("good")
    assert running.line() == "bad plays vampires\n"
    leaver.kill()
    assert running.line() == "a client has left: it has no seat\n"
    running.bad("good")
    assert running.line() == "bad plays vampires\n"
    running.bad("good")
    lines, _, code = running.ended()
    assert code == 0 and lines[-1] == "werewolves (bad) wins, after 2 turns"


@pytest.mark.parametrize("running", [("vampires",)], indirect=True)
def test_ctrl_c_ends_a_server_and_its_clients_are_told(running: Running) -> None:
    client = running.bot("vampires/random")
    running.line()
    os.kill(running.process.pid, signal.SIGINT)
    _, err, code = running.ended()
    assert code == 130 and err.splitlines()[-1] == "joute: stopped"
    assert client.wait(20) == 0  # BYE


@pytest.mark.slow
def test_what_a_server_prints_is_written_to_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = Running("vampires[plies=2]", "--log", log)
    for _ in range(2):
        server.bot("vampires/random")
    lines, _, code = server.ended()
    assert code == 0 and log.read_text().splitlines() == [server.first.rstrip(), *lines]
    for client in server.clients:
        client.communicate(timeout=20)


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["serve", "connect4"], 2, "has no protocol over TCP"),
        (["serve", "vampires", "--host", "no.such.host.invalid"], 2, "cannot listen at"),
        (["serve", "vampires", "--log", "/nonexistent/x"], 2, "is not a folder"),
        (["bot", "vampires/random", "--protocol", "vampires-tcp"], 2, "give HOST and PORT"),
        (["bot", "vampires/random", "--protocol", "vampires-tcp", "h"], 2, "HOST and PORT, not as"),
        (["bot", "vampires/random", "--protocol", "vampires-tcp", "h", "x"], 2, "port 'x'"),
        (
            ["bot", "vampires/random", "--protocol", "json-lines", "h", "1"],
            2,
            "on stdin and stdout",
        ),
        (["bot", "connect4/random", "--protocol", "vampires-tcp", "h", "1"], 2, "is for vampires"),
    ],
)
def test_requests_that_make_no_sense(words: list[str], code: int, text: str) -> None:
    done = here(*words)
    assert done.exit_code == code and text in done.stderr and done.stderr.count("\n") == 1


def test_a_server_that_leaves_is_one_line_and_exit_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
        client = started("bot", "vampires/random", "--protocol", "vampires-tcp", "127.0.0.1", port)
        door.settimeout(60)
        with door.accept()[0] as accepted:
            accepted.settimeout(10)
            assert accepted.recv(9) == b"NME\x05joute"
    _, err = client.communicate(timeout=20)
    lines = [line for line in err.splitlines() if "compiling" not in line]
    assert client.returncode == 1
    assert lines == ["joute: the server closed the connection before BYE"]


@pytest.mark.slow
def test_nobody_at_the_port_is_one_line_and_exit_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        port = door.getsockname()[1]
    done = joute("bot", "vampires/random", "--protocol", "vampires-tcp", "127.0.0.1", port)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"joute: cannot connect to 127.0.0.1:{port}")
