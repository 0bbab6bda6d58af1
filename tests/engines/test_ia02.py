"""The protocol of IA02: students' files good and bad, and the course's server over HTTP."""

from __future__ import annotations

import json
import random
import re
import socket
import struct
import subprocess
import sys
import textwrap
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import ProtocolError, Refused
from joute.engines.games.hexagons import HexagonGame
from joute.engines.player import RESIGNED, PlayerFailure
from joute.engines.position import Position
from joute.engines.protocol import GameServer
from joute.engines.protocols.ia02.client import Server, outcome, play
from joute.engines.protocols.ia02.ia02 import Ia02
from joute.engines.protocols.ia02.words import cells_of_action, followed, state_of, text_of_cells
from joute.harness.conformance.check import check_thing
from joute.harness.match import Failed, Rules, Tally, play_game
from joute.harness.serve import Series, all_played
from tests.support.marks import quick
from tests.support.processes import left_behind
from tests.support.runs import JOUTE, ROOT

GREEDY = ROOT / "examples" / "ia02_greedy.py"
GOOD = """
    def initialize(game, state, player, hex_size, total_time):
        assert sum(1 for _, holder in state if holder == player) == 8, "not the start"
        assert (game, hex_size, total_time) == ("dodo", 3, 60), (game, hex_size, total_time)
        return [state]

    def final_result(state, score, player):
        pass
"""
MOVE = """
    def strategy(env, state, player, time_left):
        assert not env or env.pop() == state, "initialize was told another state"
        holds, sign = dict(state), 1 if player == 1 else -1
        for (x, y), holder in state:
            for to in ((x + sign, y + sign), (x + sign, y), (x, y + sign)):
                if holder == player and holds.get(to) == 0:
                    return env, ((x, y), to)
"""


STRATEGY = "def strategy(env, state, player, time_left):\n    "


@pytest.mark.parametrize(
    "name",
    quick(
        ["dodo", "dodo[side=7]", "gopher", "gopher[side=3]"],
        lambda name: name in ("dodo", "gopher[side=3]"),
    ),
)
def test_states_and_actions_are_read_as_they_are_written(name: str) -> None:
    game, rng = parse_game(name), random.Random(name)
    position, lasts = Position(game), dict[int, Position]()
    while not position.over:
        seat = position.to_move
        last = lasts.get(seat)
        seen = followed(game, last, state_of(position), seat + 1)
        assert seen.key() == position.key() and seen.to_move == seat
        assert len(seen.moves) == (0 if last is None else len(last.moves) + 1)
        action = rng.choice(position.legal_actions())
        cells = cells_of_action(game, action)
        assert len(cells) == (2 if "dodo" in name else 1)
        assert game.action_of(text_of_cells(cells)) == action
        position.play(action)
        seen.play(action)
        lasts[seat] = seen
    with pytest.raises(Refused, match=r"has no cell \(9, 9\)"):
        followed(game, None, [((9, 9), 0)], 1)


def against_random(file: Path, seat: int = 0, opening: int = 2) -> tuple[Position, list[Failed]]:
    """Play a game of Dodo on side 3: the file in a seat, and a random player, after an opening."""
    spec = f"dodo[side=3]/process:command={file},clock_s=60"
    engines = [parse_engine(spec), parse_engine("dodo[side=3]/random")]
    engines = engines[::-1] if seat else engines
    players, position = [engine.player() for engine in engines], Position(engines[0].game)
    for ply in range(opening):
        position.play(position.legal_actions()[-ply])
    try:
        for seat, player in enumerate(players):
            player.new_game(seat, seat)
        tallies = [Tally(), Tally()]
        failures = play_game(position, players, lambda ply: 0, Rules(), tallies)
        for player in players:
            player.game_over(position)
    finally:
        for player in players:
            player.close()
    assert not left_behind(str(file))
    return position, failures


def written(folder: Path, *parts: str) -> Path:
    """Write a bot's file."""
    file = folder / "student.py"
    file.write_text("\n".join(textwrap.dedent(part) for part in parts))
    return file


@pytest.mark.parametrize(("seat", "opening"), [(0, 2), (1, 2), (1, 0)])
def test_initialize_is_told_the_state_of_the_first_turn(
    tmp_path: Path, seat: int, opening: int
) -> None:
    position, failures = against_random(written(tmp_path, GOOD, MOVE), seat, opening)
    assert position.over and not failures


@pytest.mark.parametrize(("seat", "opening", "said"), [(0, 2, True), (0, 0, False), (1, 0, False)])
def test_a_bot_with_a_fixed_first_move_is_told_of_plies_0(
    tmp_path: Path, seat: int, opening: int, said: bool
) -> None:
    fixed = STRATEGY + "return env, ((0, 0), (0, 0))"
    _, (failed,) = against_random(written(tmp_path, GOOD, fixed), seat, opening)
    assert "which is not legal; legal: (" in failed.text and failed.seat == seat
    hint = "; the game began with an opening, and a bot with a fixed first move needs --plies 0"
    assert failed.text.endswith(hint) is said


def test_the_hint_of_plies_0_is_for_the_first_move_alone(tmp_path: Path) -> None:
    later = MOVE.replace("return env, ((x, y), to)", "return None, ((x, y), to if env else (x, y))")
    later = later.replace("assert not env or env.pop() == state", "assert True")
    _, (failed,) = against_random(written(tmp_path, GOOD, later))
    assert "which is not legal; legal: (" in failed.text and "--plies" not in failed.text


@pytest.mark.parametrize(
    ("name", "action", "refused"),
    [
        ("gopher", "(0, 0)", ""),
        ("gopher", "[(0, 0)]", ""),
        ("gopher", "((0, 0),)", ""),
        ("gopher", "(None, (0, 0))", ""),
        ("gopher", "(0, 0, None)", ""),
        ("gopher", "(None, 0, 0)", "the action (None, 0, 0); an action is a cell, (x, y)"),
        ("gopher", "[[(0, 0)]]", "the action (((0, 0),),); an action is"),
        ("gopher", "((0, None, 0),)", "the action ((0, None, 0),); an action is"),
        ("gopher", "[]", "the action (); an action is"),
        ("gopher", "None", "the action None; an action is"),
        ("gopher", "((0, 0), (0, 1))", "the action ((0, 0), (0, 1)); an action is"),
        ("dodo", "((-1, 0), (0, 0), None)", ""),
        ("dodo", "(None, (-1, 0), (0, 0))", ""),
        ("dodo", "(-1, 0, 0, 0)", "the action (-1, 0, 0, 0); an action is two cells"),
        ("dodo", "((-1, 0), None)", "the action ((-1, 0), None); an action is two cells"),
        ("dodo", "[((-1, 0), (0, 0))]", "an action is two cells"),
    ],
)  # fmt: skip
def test_actions_are_taken_as_the_courses_client_takes_them(
    tmp_path: Path, name: str, action: str, refused: str
) -> None:
    lazy = "def initialize(*_):\n    pass\n\n\nfinal_result = initialize"
    file = written(tmp_path, lazy, STRATEGY + f"return env, {action}")
    player = parse_engine(f"{name}[side=3]/process:command={file},clock_s=60").player()
    position = Position(parse_game(f"{name}[side=3]"))
    player.new_game(0, 0)
    try:
        if refused:
            with pytest.raises(PlayerFailure) as failure:
                player.choose(position)
            assert failure.value.kind == "illegal" and refused in failure.value.text
        else:
            assert position.is_legal(player.choose(position).action)
    finally:
        player.close()


def test_the_end_of_a_game_is_never_taken_for_an_answer_in_the_next(tmp_path: Path) -> None:
    slow = "\ndef final_result(state, score, player):\n    import time; time.sleep(0.05); 1 / 0\n"
    file = written(tmp_path, GOOD, MOVE, slow)
    player = parse_engine(f"dodo[side=3]/process:command={file},clock_s=60").player()
    try:
        for seed in range(3):
            player.new_game(seed, 0)
            position = Position(parse_game("dodo[side=3]"))
            players = [player, parse_engine("dodo[side=3]/random").player()]
            assert not play_game(position, players, lambda ply: 0, Rules(), [Tally(), Tally()])
            player.game_over(position)
    finally:
        player.close()


def test_words_after_its_name_are_its_own(tmp_path: Path) -> None:
    file = written(tmp_path, "import sys\nassert sys.argv[1:] == ['0.5'], sys.argv", GOOD, MOVE)
    spec = f'dodo[side=3]/process:command="{file} 0.5",clock_s=60'
    player, position = parse_engine(spec).player(), Position(parse_game("dodo[side=3]"))
    player.new_game(0, 0)
    try:
        assert position.is_legal(player.choose(position).action)
    finally:
        player.close()


def test_what_it_prints_and_does_to_its_state_harms_nobody(tmp_path: Path) -> None:
    vandal = MOVE.replace("holds, sign", "print('thinking', flush=True)\n        holds, sign")
    vandal = vandal.replace("return env", "move = ((x, y), to); state.clear(); return env")
    vandal = vandal.replace("((x, y), to)\n", "move\n")
    position, failures = against_random(written(tmp_path, GOOD, vandal))
    assert position.over and not failures


@pytest.mark.parametrize(
    ("parts", "more", "kind", "said"),
    [
        ((GOOD, STRATEGY + "return env, ((0, 0), (5, 5))"), "", "illegal",
         "dodo[side=3,threshold=1] has no cell (5, 5)"),
        ((GOOD, STRATEGY + "return env, ((-2, -2), (-1, -1))"), "", "illegal",
         "strategy returned the action ((-2, -2), (-1, -1)), which is not legal; legal: ((-"),
        ((GOOD, STRATEGY + "return env, ((0, 0), (2, 2))"), "", "illegal", "which is not legal"),
        ((GOOD, STRATEGY + "return 'left'"), "", "illegal",
         "strategy returned 'left'; it returns (environment, action), and an action is two cells"),
        ((GOOD, STRATEGY + "return env, (0, 0)"), "", "illegal", "the action (0, 0); an action is two cells, ((x, y), (x, y))"),
        ((GOOD, STRATEGY + "return env, 'a1b1'"), "", "illegal", "the action 'a1b1'; an action is"),
        ((GOOD, STRATEGY + "return env, (((1 << 99), 0), (0, 0))"), "", "illegal", "has no cell (6338"),
        ((GOOD, STRATEGY + "raise KeyError('lost it')"), "", "crash",
         "strategy raised KeyError: 'lost it' (line 11 of student.py)"),
        ((GOOD, STRATEGY + "import sys; sys.exit(0)"), "", "crash", "SystemExit: 0 (line 11 of"),
        ((GOOD, STRATEGY + "import os; os._exit(3)"), "", "crash", "exit status 3"),
        ((GOOD, STRATEGY + "import time; time.sleep(9)"), ",clock_s=0.3", "timeout",
         "import, initialize and strategy gave no answer in 0.3 s, all that was left of the 0.3 s"),
        ((GOOD, STRATEGY + "print('p' * 5000, hex(0)); env.x"), "", "crash", "raised AttributeError"),
        ((GOOD, STRATEGY + "return env, ((10**5000, 0), (0, 0))"), "", "illegal", "too large a n"),
        ((GOOD, STRATEGY + "strategy(env, state, player, 0)"), "", "crash", "raised RecursionError"),
        ((GOOD, STRATEGY + "import os; os.close(2); env.x"), "", "crash", "raised AttributeError"),
        ((GOOD, STRATEGY + "return 'I resign'"), "", RESIGNED, "strategy returned 'I resign'"),
        (("import no_such_thing",), "", "crash",
         "raised ModuleNotFoundError: No module named 'no_such_thing' (line 1 of student.py)"),
        ((GOOD,), "", "crash", "has no function strategy"),
        (("def nonsense(:",), "", "crash", "raised SyntaxError: invalid syntax (line 1 of student.py)"),
    ],
)  # fmt: skip
def test_bad_files_lose_and_say_why(
    tmp_path: Path, parts: tuple[str, ...], more: str, kind: str, said: str
) -> None:
    if more:
        parts = (parts[0].replace("60)", "0)"), *parts[1:])
    file = written(tmp_path, *parts)
    spec = f"dodo[side=3]/process:command={file}{more or ',clock_s=60'}"
    player, position = parse_engine(spec).player(), Position(parse_game("dodo[side=3]"))
    player.new_game(0, 0)
    try:
        (failed,) = play_game(position, [player, player], lambda p: 0, Rules(), [Tally(), Tally()])
    finally:
        player.close()
    assert (failed.kind, failed.seat) == (kind, 0) and said in failed.text, failed.text
    assert failed.text.startswith(f"{file}: ") and "host.py" not in failed.text
    assert not left_behind(str(file))


@pytest.mark.slow
def test_a_check_gives_a_short_clock_and_asks_who_hangs_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Ia02.when_checked == {"clock_s": 60.0}
    monkeypatch.setattr(Ia02, "when_checked", {"clock_s": 1.0})
    lazy = "def initialize(*_):\n    pass\n\n\nfinal_result = initialize\n"
    hung = written(tmp_path, "import time\n" + lazy, STRATEGY + "time.sleep(99)")
    found = check_thing(f"dodo[side=3]/process:command={hung}")
    assert "clock_s=1" in found[0].thing
    assert [c.note for c in found if c.rule == "its times in this check"] == [
        "clock_s=1 instead of 360, unless you write clock_s="
    ]
    assert found[-1].fault.startswith(
        "2 turns of 2 games were late, the first: seat 0, ply 0: timeout"
    )
    assert "gave no answer in 1 s, all that was left of the 1 s for the game" in found[-1].fault
    assert not left_behind(str(hung))
    good = written(tmp_path, lazy, MOVE)
    found = check_thing(f"dodo[side=2]/process:command={good},clock_s=20")
    assert not any(c.fault for c in found) and "its times in this check" not in {
        c.rule for c in found
    }


def test_commands_that_name_no_file_are_refused() -> None:
    for command, said in (("./bot", "names no Python file"), ("no.py", "there is no file no.py")):
        with pytest.raises(Refused, match=said):
            parse_engine(f"dodo/process:command={command}")
    with pytest.raises(Refused, match="protocol ia02 is for dodo, gopher"):
        parse_engine(f"connect4/process:command={GREEDY},protocol=ia02")


@pytest.fixture
def table() -> Any:
    """A server on a free port, which is closed at the end."""
    made: list[GameServer] = []

    def make(game: str, clock_s: float) -> GameServer:
        made.append(Ia02().table(parse_game(game), "127.0.0.1", 0, 0.0, clock_s))
        return made[0]

    yield make
    for one in made:
        one.close()


def series(table: GameServer, game: str, games: int, told: list[str]) -> threading.Thread:
    """Serve some games in a thread."""
    run = threading.Thread(
        target=lambda: all_played(parse_game(game), table, Series(games, 1), told.append),
        daemon=True,
    )
    run.start()
    return run


def post(address: str, what: str, **said: Any) -> tuple[int, dict[str, Any]]:
    """Return the status and the answer of a request."""
    request = urllib.request.Request(f"{address}/{what}", json.dumps(said).encode(), method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dodo", "gopher[side=4]"])
def test_two_of_our_engines_meet_at_our_server(table: Any, name: str) -> None:
    told: list[str] = []
    searches = ("random", "alphabeta:evaluation=mobility,depth=2")
    engines = [parse_engine(f"{name}/{search}") for search in searches]
    for engine in engines:
        engine.ready()  # compiled before there are threads
    server = table(name, 60.0)
    run = series(server, name, 2, told)
    heard: list[str] = []
    for _ in range(2):
        guests = [
            threading.Thread(
                target=play, args=(engine, [server.address], "us", heard.append), daemon=True
            )
            for engine in engines
        ]
        for guest in guests:
            guest.start()
        for guest in guests:
            guest.join(60)
    run.join(60)
    assert heard.count("we have won") == 2
    assert sum(line.startswith("lost: player ") for line in heard) == 2
    assert sum("wins, after" in line for line in told) == 2


@pytest.mark.slow
def test_the_server_asks_again_after_an_illegal_action_and_ends_a_clock(table: Any) -> None:
    told: list[str] = []
    server = table("gopher[side=3]", 1.5)
    address = server.address
    assert post(address, "start", Token="wrong")[0] == 403
    assert post(address, "look")[0] == 404
    run = series(server, "gopher[side=3]", 1, told)
    token = post(address, "register", Members="a")[1]["Token"]
    other = post(address, "register", Members="b")[1]["Token"]
    assert post(address, "start", Token=token, PossibleGames=[1])[0] == 400
    first: list[tuple[int, dict[str, Any]]] = []
    red = threading.Thread(target=lambda: first.append(post(address, "start", Token=token)))
    red.start()
    while not server._seated:  # who comes first is red
        pass
    second: list[tuple[int, dict[str, Any]]] = []
    blue = threading.Thread(target=lambda: second.append(post(address, "start", Token=other)))
    blue.start()
    red.join(30)
    status, said = first[0]
    assert (status, said["Player"], said["Clocktime"], said["Finished"]) == (200, 1, 1, False)
    assert said["Grid"]["Size"] == 3 and set(said["Grid"]["Grid"].values()) == {0}
    for action in (["(7, 7)"], ["(0, 0)", "(0, 1)"], "(0, 0)", [], None):
        status, answer = post(address, "play", Token=token, Action=action)
        assert status == 310 and answer["Error"], action
    ended = post(address, "play", Token=token, Action=["(0, 0)"])[1]  # blue says nothing
    blue.join(30)
    run.join(30)
    assert second[0][1]["Grid"]["Grid"]["(0, 0)"] == 1
    assert (ended["Finished"], ended["Winner"], ended["FinalScore"]) == (True, 1, 1)
    assert "has lost (timeout: its 1.5 s are over)" in told[-1]


@pytest.mark.parametrize(("name", "number"), [("gopher[side=2]", 0), ("dodo[side=3]", 1)])
def test_the_server_names_the_game_by_its_number(
    table: Any, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    monkeypatch.setattr("joute.engines.protocols.ia02.server.HEARING", 0.05)
    server = table(name, 0.2)
    run = series(server, name, 1, [])
    tokens = [post(server.address, "register")[1]["Token"] for _ in range(2)]
    asked = [
        threading.Thread(
            target=lambda token=token: answers.append(post(server.address, "start", Token=token)),
            daemon=True,
        )
        for token in tokens
    ]
    answers: list[tuple[int, dict[str, Any]]] = []
    for one in asked:
        one.start()
    for one in [*asked, run]:
        one.join(30)
    # The course's client compares it with 1, and takes everything else for Gopher.
    assert [(status, said["Game"]) for status, said in answers] == [(200, number)] * 2


@pytest.mark.parametrize("said", ["gopher", 0])
def test_a_server_may_name_the_game_or_number_it(
    monkeypatch: pytest.MonkeyPatch, said: object
) -> None:
    answers = [{}, {**FIRST, "Game": said, "Finished": True, "Winner": 1}]
    monkeypatch.setattr(Server, "ask", lambda *_: answers.pop(0))
    told: list[str] = []
    play(parse_engine("gopher[side=2]/random"), ["http://x"], "us", told.append)
    assert told[-1] == "we have won"


def sent(address: str, data: bytes) -> socket.socket:
    """Return a connection that has sent some bytes."""
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=10)
    connection.sendall(data)
    return connection


def test_broken_connections_leave_no_trace(table: Any, capfd: pytest.CaptureFixture[str]) -> None:
    address = table("dodo", 5.0).address
    for length, status in (("9" * 5000, 413), ("", 411), ("-1", 411)):
        request = f"POST /register HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{{}}"
        with sent(address, request.encode()) as connection:
            assert connection.recv(99).startswith(f"HTTP/1.1 {status} ".encode())
    half = b"POST /register HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"
    for reset in (0, 1):
        connection = sent(address, half)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", reset, 0))
        connection.close()
    assert post(address, "register")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_who_leaves_before_the_game_has_no_seat_and_a_late_one_is_told(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.engines.protocols.ia02.server.HEARING", 0.05)
    told: list[str] = []
    server = table("gopher[side=2]", 0.2)
    run = series(server, "gopher[side=2]", 1, told)
    names = ("gh\x1bo\nst", "a", "b")
    tokens = [post(server.address, "register", Members=name)[1]["Token"] for name in names]
    body = json.dumps({"Token": tokens[0]})
    request = f"POST /start HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    with sent(server.address, request.encode()):
        while not told:
            time.sleep(0.01)
    answers: list[tuple[int, dict[str, Any]]] = []
    for token in (*tokens[1:], tokens[1]):
        threading.Thread(
            target=lambda token=token: answers.append(post(server.address, "start", Token=token)),
            daemon=True,
        ).start()
    run.join(30)
    server.close()
    assert told[:2] == ["gh?o?st plays red", "gh?o?st has left"]
    assert sorted(text.split()[0] for text in told[2:4]) == ["a", "b"]
    while len(answers) < 3:
        time.sleep(0.01)
    found = sorted(status for status, _ in answers)  # the second one of b may come at any time
    assert found in ([200, 200, 200], [200, 200, 409], [200, 200, 410])


class Lossy:
    """Stands between clients and a server, and loses some answers: a list of paths, the next first.

    `how`: "reset" breaks the connection, "half" sends a part of the answer.
    """

    def __init__(self, server: str, lost: list[str], how: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler) -> None:
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                asked.append(handler.path)
                if lost and handler.path == lost[0]:
                    lost.pop(0)
                    if how == "half":
                        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
                        return
                    linger = struct.pack("ii", 1, 0)
                    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    handler.connection.close()
                    return
                status, said = post(server, handler.path[1:], **json.loads(body))
                data = json.dumps(said).encode()
                handler.wfile.write(
                    b"HTTP/1.1 %d x\r\nContent-Length: %d\r\n\r\n%s" % (status, len(data), data)
                )

            def log_message(handler, *words: object) -> None:
                pass

        asked = self.asked = list[str]()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.mark.parametrize(
    ("lost", "how", "said"),
    [
        (["/register"] * 2 + ["/start"], "reset", "lost"),
        (["/start"], "half", r"start: the answer was lost \(it ends 98 bytes early\), asked again"),
        (["/register"] * 3, "reset", "register: the answer was lost 3 times"),
        (
            ["/play"],
            "reset",
            r"play: the answer was lost \(.*\) after \(.*\) had been sent; nobody can",
        ),
        (["/play"], "half", "so it is not sent again: this game ends here"),
    ],
)
def test_a_lost_answer_is_asked_for_again_where_nothing_was_played(
    table: Any, monkeypatch: pytest.MonkeyPatch, lost: list[str], how: str, said: str
) -> None:
    monkeypatch.setattr("joute.engines.protocols.ia02.server.HEARING", 0.05)
    server, told = table("gopher[side=2]", 1.0), list[str]()
    engine = parse_engine("gopher[side=2]/random")
    engine.ready()
    run, heard, wrong = series(server, "gopher[side=2]", 1, told), list[str](), list[str]()
    lossy = Lossy(server.address, lost, how)

    def guest(address: str) -> None:
        try:
            play(engine, [address], "us", heard.append)
        except ProtocolError as error:
            wrong.append(str(error))

    guests = [
        threading.Thread(target=guest, args=(address,), daemon=True)
        for address in (lossy.address, server.address)
    ]
    for one in guests:
        one.start()
    guests[0].join(30)
    lossy.close()
    assert not lost and re.search(said, "\n".join(heard + wrong)), heard + wrong
    if wrong:
        assert len(wrong) == 1 and "\n" not in wrong[0] and len(lossy.asked) <= 3
        if "register" in wrong[0]:  # nobody comes
            return
    run.join(30)
    guests[1].join(30)
    assert "wins, after" in told[-1] or "has lost (timeout" in told[-1]
    assert heard[-1].startswith(("we have won", "lost: player "))


def test_who_lost_an_answer_says_start_again_and_is_told_how_the_game_stands(table: Any) -> None:
    server, told = table("gopher[side=2]", 20.0), list[str]()
    run = series(server, "gopher[side=2]", 1, told)
    tokens = [post(server.address, "register", Members=name)[1]["Token"] for name in "ab"]
    answers: dict[int, tuple[int, dict[str, Any]]] = {}

    def start(number: int) -> threading.Thread:
        def ask() -> None:
            answers[number] = post(server.address, "start", Token=tokens[number])

        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        return thread

    red = start(0)
    while not server._seated:
        time.sleep(0.01)
    waiting = start(1)
    red.join(20)
    for _ in range(2):  # as often as it likes
        start(0).join(20)
        assert answers[0][1]["Player"] == 1 and set(answers[0][1]["Grid"]["Grid"].values()) == {0}
    playing = threading.Thread(
        target=lambda: post(server.address, "play", Token=tokens[0], Action=["(0, 0)"]), daemon=True
    )
    playing.start()
    waiting.join(20)
    start(1).join(20)
    assert answers[1][1]["Grid"]["Grid"]["(0, 0)"] == 1
    again = start(0)  # red takes back its place: it has lost the answer to play
    while server._guests[tokens[0]].requests.empty():
        time.sleep(0.01)
    post(server.address, "play", Token=tokens[1], Action=["(0, 1)"])
    playing.join(20)
    again.join(20)
    run.join(20)
    assert (
        answers[0][1]["Finished"] and answers[0][1]["Winner"] == 2 and told[-1].startswith("blue")
    )


@pytest.mark.parametrize(
    ("winner", "seat", "said"),
    [
        (1, 0, "we have won"),
        (1, 1, "lost: player 1 has won"),
        (None, 0, "the game is over, and the server names no winner: Winner is None"),
    ],
)
def test_who_has_won_is_told_in_words(winner: object, seat: int, said: str) -> None:
    assert outcome(winner, seat) == said


FIRST = {"Game": "gopher", "Player": 1, "Grid": {"Size": 2}, "Finished": False}


@pytest.mark.parametrize(
    ("cells", "more", "said"),
    [
        ({"(0, 0)": 1.0}, {}, "our turn"),
        ({"(0, 0)": []}, {}, "that holds"),
        ({"(0,0)": 0, "(1, 1)": None}, {}, "names a cell twice"),
        ({}, {"Clocktime": 10**400}, "calls .* illegal"),
        ({}, {"Player": "x" * 9999}, r"no seat: Player is .{,90}$"),
        ({}, {"Game": "x" * 9999}, r"the server plays .{,110}$"),
    ],
)
def test_what_a_server_may_not_say(
    monkeypatch: pytest.MonkeyPatch, cells: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    game = parse_game("gopher[side=2]")
    empty = {f"({x}, {y})": 0 for (x, y), _ in state_of(Position(game))}
    grid = {cell: held for cell, held in {**empty, **cells}.items() if held is not None}
    answers = [{}, {**FIRST, "Grid": {"Size": 2, "Grid": grid}, **more}, None]
    monkeypatch.setattr(Server, "ask", lambda *_: answers.pop(0))
    with pytest.raises(ProtocolError, match=said):
        play(parse_engine("gopher[side=2]/random"), ["http://x"], "us", str)


def test_what_is_no_request_is_refused(table: Any) -> None:
    server = table("dodo", 5.0)
    for body in (b"{", b"[1]", b"\xff", b"[" * 5000):
        request = urllib.request.Request(f"{server.address}/register", body, method="POST")
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(request, timeout=10)
        with error.value:
            assert error.value.code == 400
    with pytest.raises(Refused, match="cannot listen at"):
        Ia02().table(parse_game("dodo"), "127.0.0.1", int(server.address[-5:]), 0.0, None)


@pytest.mark.parametrize(
    ("where", "error", "said"),
    [
        (["127.0.0.1", "80"], Refused, "as its URL"),
        (["ftp://x"], Refused, "is no URL"),
        (["http://x:99999"], Refused, "Port out of range"),
        (["http://.."], ProtocolError, "register: "),
        (["http://127.0.0.1:1/é"], ProtocolError, "register: "),
        (["http://no.such.host.invalid"], ProtocolError, "register: "),
    ],
)
def test_a_server_that_is_none(where: list[str], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        play(parse_engine("dodo[side=3]/random"), where, "us", print)


def test_a_game_of_hexagons_is_needed() -> None:
    from joute.engines.protocols.ia02.words import hexagons

    assert isinstance(hexagons(parse_game("dodo")), HexagonGame)
    with pytest.raises(Refused, match="not for connect4"):
        hexagons(parse_game("connect4"))


@pytest.mark.slow
def test_the_commands_work_as_processes(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [*JOUTE, "serve", "dodo[side=3]", "--protocol", "ia02", "--port", "0", "--clock", "50"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    address = server.stdout.readline().split(" at ")[1].split(",")[0]
    bots = [
        subprocess.Popen([*JOUTE, "bot", "dodo[side=3]/random", address, "--protocol", "ia02"])
        for _ in range(2)
    ]
    assert [bot.wait(60) for bot in bots] == [0, 0]
    assert "wins, after" in server.stdout.read() and server.wait(30) == 0
    server.stdout.close()


@pytest.mark.slow
def test_an_exported_file_plays_as_the_engine_does(tmp_path: Path) -> None:
    spec = "dodo[side=3]/alphabeta:evaluation=steps,depth=3"
    file = tmp_path / "ours_ia02.py"
    subprocess.run(
        [*JOUTE, "export", "--engine", spec, "--to", "ia02", "-o", str(file)], check=True
    )
    inside = parse_engine(spec).player()
    code = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import ours_ia02 as bot\n"
        "state = [((x, y), p) for x, y, p in json.loads(sys.argv[2])]\n"
        "env = bot.initialize('dodo', state, 1, 3, 60)\n"
        "print(json.dumps(bot.strategy(env, state, 1, 60)[1]))"
    )
    position = Position(parse_game("dodo[side=3]"))
    state = json.dumps([(x, y, p) for (x, y), p in state_of(position)])
    found = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), state], check=True, capture_output=True
    )
    cells = json.loads(found.stdout)
    assert position.game.action_of(text_of_cells(cells)) == inside.choose(position).action
