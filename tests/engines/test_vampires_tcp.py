"""The course's protocol over real sockets: its bytes, its referee, and programs that misuse it."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import ProtocolError, Refused
from joute.engines.games.vampires.tcp import wire
from joute.engines.games.vampires.tcp.seat import ClientSeat
from joute.engines.games.vampires.tcp.wire import (
    Connection,
    Gone,
    Late,
    Listener,
    Malformed,
    WireCell,
    clock,
)
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position
from joute.engines.programs.process import Trouble
from joute.harness.match import Failed, Rules, Tally, play_game
from tests.support.processes import left_behind, nobody_left
from tests.support.tcp import BOT, FIELD, FIRST, MARK, exactly

pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc"),
    pytest.mark.usefixtures("nothing_hangs_or_stays"),
]


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection of ours, and the other end."""
    door = Listener()
    with socket.create_connection((door.host, door.port), 5) as other:
        ours = door.accept(soon())
        door.close()
        with closing(ours):
            yield ours, other


def soon(seconds: float = 5.0) -> float:
    return clock() + seconds


# Bytes

CELLS = st.lists(st.tuples(*[st.integers(0, 255)] * 5), max_size=255)


@given(CELLS)
def test_lists_read_back(cells: list[tuple[int, int, int, int, int]]) -> None:
    door = Listener()
    other = Connection(socket.create_connection((door.host, door.port), 5))
    ours = door.accept(soon())
    with closing(door), closing(ours), closing(other):
        ours.send(wire.mov(cells), soon())
        assert other.order(soon()) == "MOV" and other.fives(soon()) == cells
        assert not other.waiting()


def test_orders_are_the_courses_bytes() -> None:
    assert wire.nme("joute") == b"NME\x05joute"
    assert wire.set_(5, 6) == b"SET\x05\x06"
    assert wire.hum([(2, 2), (4, 4)]) == b"HUM\x02\x02\x02\x04\x04"
    assert wire.hme(5, 4) == b"HME\x05\x04"
    assert wire.map_([WireCell(2, 2, 1, 0, 0)]) == b"MAP\x01\x02\x02\x01\x00\x00"
    assert wire.upd([]) == b"UPD\x00"
    for name in ("", "é", "a\n", "x" * 256):
        with pytest.raises(Refused, match="name"):
            wire.nme(name)
    with pytest.raises(Refused, match="256 cells"):
        wire.upd([WireCell(0, 0, 0, 0, 0)] * 256)


def test_short_reads_are_put_together(ends: tuple[Connection, socket.socket]) -> None:
    ours, other = ends

    def one_by_one() -> None:
        for byte in b"NME\x03abc" + FIRST:
            other.sendall(bytes([byte]))
            time.sleep(0.002)

    thread = threading.Thread(target=one_by_one)
    thread.start()
    assert ours.name(soon()) == "abc"
    assert ours.moves(soon()) == [(5, 4, 3, 5, 3)]
    thread.join()


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (b"NME\x00", Malformed, "a name of 0 letters"),
        (b"NME\x02\xff\xff", Malformed, "printable ASCII"),
        (b"NME\x09abc", Late, "only 3 of 9 bytes"),
        (b"ATK\x03abc", Malformed, "the order ATK; NME was due"),
        (b"nme\x03abc", Malformed, "b'nme', which is no order"),
        (b"\xff\xfe\xfd", Malformed, "no order"),
        (b"NM", Late, "only 2 of 3 bytes"),
        (b"", Late, "in time"),
    ],
)
def test_names_that_are_none(
    ends: tuple[Connection, socket.socket], said: bytes, kind: type[ProtocolError], text: str
) -> None:
    ours, other = ends
    other.sendall(said)
    begun = time.monotonic()
    with pytest.raises(kind, match=text):
        ours.name(soon(0.1))
    assert time.monotonic() - begun < 1


def test_the_end_of_a_connection_is_told(ends: tuple[Connection, socket.socket]) -> None:
    ours, other = ends
    assert not ours.broken() and not ours.waiting()
    other.sendall(b"MOV\x02\x01")
    other.close()
    with pytest.raises(Gone, match="within an order"):
        ours.moves(soon())
    assert ours.broken() and ours.waiting()
    with pytest.raises(Gone):
        ours.order(soon())


def test_floods_are_thrown_away_up_to_a_limit(ends: tuple[Connection, socket.socket]) -> None:
    ours, other = ends
    other.settimeout(0.2)
    with suppress(TimeoutError):
        other.sendall(b"x" * (1 << 22))  # as much as the sockets take
    with suppress(Malformed):
        ours.discard()
    flooding = True

    def flood() -> None:
        with suppress(OSError):
            while flooding:
                other.send(b"x" * (1 << 18))

    thread = threading.Thread(target=flood)
    thread.start()
    begun = time.monotonic()
    with suppress(Malformed):  # "does not end", unless we were faster than the flood
        for _ in range(50):
            ours.discard()
    assert time.monotonic() - begun < 5
    flooding = False
    ours.close()
    thread.join()


def test_a_door_closes(ends: tuple[Connection, socket.socket]) -> None:
    door = Listener()
    with pytest.raises(Late, match="nobody connected"):
        door.accept(soon(0.05))
    with pytest.raises(Refused, match=f"cannot listen at 127.0.0.1:{door.port}: Address already"):
        Listener(port=door.port)
    door.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((door.host, door.port), 1)


# The referee


def referee(
    ends: tuple[Connection, socket.socket], seat: int
) -> tuple[ClientSeat, Position, bytes]:
    """Return a client that knows where testmap starts, the position, and what it was sent."""
    ours, other = ends
    other.settimeout(5)
    other.sendall(wire.nme("test"))
    game = parse_game(FIELD)
    assert isinstance(game, Vampires)
    client, position = ClientSeat(ours, soon()), Position(game)
    client.begin(game, position, seat, soon())
    return client, position, other.recv(1000)


START = (
    b"SET\x05\x06HUM\x02\x02\x02\x04\x04HME%b"
    b"MAP\x04\x02\x02\x01\x00\x00\x02\x03\x00\x00\x03\x04\x04\x01\x00\x00\x05\x04\x00\x03\x00"
)


def test_the_first_players_game_is_told_as_the_facts_say(
    ends: tuple[Connection, socket.socket],
) -> None:
    client, position, said = referee(ends, 0)
    assert said == START % b"\x05\x04" and client.name == "test"
    other = ends[1]
    other.sendall(b"leftover")  # lies there when the turn begins: thrown away
    answers = [FIRST + FIRST, FIRST]  # a second order is no answer to the next question

    def answer() -> None:
        assert exactly(other, 4) == b"UPD\x00"
        other.sendall(answers[0])

    thread = threading.Thread(target=answer)
    thread.start()
    choice = client.turn(position, soon())
    thread.join()
    assert position.game.action_text(choice.action) == "(5,4)>(5,3):3"
    position.play(choice.action)
    position.play(position.game.parse_action("(2,3)>(3,3):3"))
    said = b""

    def next_answer() -> None:
        nonlocal said
        said = exactly(other, 24)
        other.sendall(b"MOV\x01\x05\x03\x03\x05\x02")

    thread = threading.Thread(target=next_answer)
    thread.start()
    choice = client.turn(position, soon())
    thread.join()
    # Own cells and the opponent's, each once, row by row.
    assert said == bytes.fromhex(
        "555044 04 02 03 00 00 00 03 03 00 00 03 05 03 00 03 00 05 04 00 00 00"
    )
    assert position.game.action_text(choice.action) == "(5,3)>(5,2):3"
    client.end()
    client.bye()
    assert exactly(other, 6) == b"ENDBYE" and other.recv(1) == b""


def test_the_second_player_is_told_of_the_first_turn_alone(
    ends: tuple[Connection, socket.socket],
) -> None:
    client, position, said = referee(ends, 1)
    assert said == START % b"\x02\x03"
    position.play(position.game.parse_action("(5,4)>(5,3):3"))
    with pytest.raises(Trouble):
        client.turn(position, soon(0.05))
    assert exactly(ends[1], 14) == bytes.fromhex("555044 02 05 03 00 03 00 05 04 00 00 00")


def test_a_cell_that_was_fought_for_is_told_though_nothing_changed(
    ends: tuple[Connection, socket.socket],
) -> None:
    """A client that trusts its own moves must hear that a battle was lost without a loss."""
    client, _, _ = referee(ends, 0)
    game = client and parse_game(FIELD)
    assert isinstance(game, Vampires)
    position = parse_position(game, "4x4 V4@0,0 W9@1,0 turn V")
    client.begin(game, position, 0, soon())
    action = game.parse_action("(0,0)>(1,0):1")
    lost = next(
        o for o in (position.draw_outcome(action, seed) for seed in range(999)) if o & 255 == 9
    )
    position.play(action, lost)
    position.play(game.on_failure["timeout"])
    exactly(ends[1], 3 + 2 + 4 + 5 + 4 + 10)
    with pytest.raises(Trouble):
        client.turn(position, soon(0.05))
    assert exactly(ends[1], 14) == bytes.fromhex("555044 02 00 00 00 03 00 01 00 00 00 09")


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        (b"", "timeout", "no turn in time"),
        (FIRST[:6], "timeout", "only 2 of 5 bytes"),
        (b"MOV\x00", "illegal", "MOV with n = 0"),
        (b"ATK" + FIRST[3:], "illegal", "the order ATK; MOV was due"),
        (bytes(range(100)), "illegal", "no order"),
        (b"MOV\x01\x05\x04\x04\x05\x03", "illegal", r"4 units leave \(5, 4\), which holds 3"),
        (b"MOV\x01\x05\x04\x03\x05\x05", "illegal", "off the board"),
        (b"MOV\x01\x05\x04\x03\x06\x04", "illegal", "off the board"),
        (b"MOV\x01\x05\x04\x03\x05\xff", "illegal", "no step"),
        (b"MOV\x01\x05\x04\x03\x05\x04", "illegal", "no step"),
        (b"MOV\x01\x05\x04\x00\x05\x03", "illegal", "moves 0 units"),
        (b"MOV\x01\x02\x03\x01\x02\x04", "illegal", "no group of the mover"),
        (b"MOV\x02" + 2 * FIRST[4:], "illegal", "6 units leave"),
        (b"MOV\xff" + 255 * b"\x05\x04\x01\x05\x03", "illegal", "255 units leave"),
    ],
)
def test_turns_that_are_none(
    ends: tuple[Connection, socket.socket], said: bytes, kind: str, text: str
) -> None:
    client, position, _ = referee(ends, 0)

    def answer() -> None:
        exactly(ends[1], 4)
        ends[1].sendall(said)

    thread = threading.Thread(target=answer)
    thread.start()
    with pytest.raises(Trouble, match=text) as trouble:
        client.turn(position, soon(0.2))
    thread.join()
    assert trouble.value.kind == kind and len(trouble.value.text) < 300


def test_who_leaves_before_its_turn_is_found_out_at_it(
    ends: tuple[Connection, socket.socket],
) -> None:
    client, position, _ = referee(ends, 0)
    ends[1].close()
    with pytest.raises(Trouble, match="closed the connection") as trouble:
        client.turn(position, soon())
    assert trouble.value.kind == "crash" and not client.alive
    client.end()
    client.bye()


# Programs

BAD = {  # what a program does, the kind of its failure, and a part of what is told of it
    "start": ("crash", "ended with exit status 1 before it connected; its stderr ends:\ncannot"),
    "never": ("crash", "before its first turn: nobody connected in time"),
    "silent": ("illegal", "before its first turn: nothing more came in time"),
    "leaves_early": ("illegal", "before its first turn: closed the connection"),
    "length_0": ("illegal", "a name of 0 letters"),
    "length_long": ("illegal", "only 3 of 9 bytes"),
    "order_early": ("illegal", "the order ATK; NME was due"),
    "flood_early": ("illegal", "no order"),
    "order": ("illegal", "the order ATK; MOV was due"),
    "rubbish": ("illegal", "no order"),
    "empty": ("illegal", "MOV with n = 0"),
    "too_many": ("illegal", "4 units leave"),
    "not_mine": ("illegal", "holds no group of the mover"),
    "off_board": ("illegal", "no step to a neighbouring cell"),
    "stays": ("illegal", "no step to a neighbouring cell"),
    "leaves": ("crash", "closed the connection; the program ended with exit status 7"),
    "after": ("crash", "closed the connection; the program ended with exit status 0"),
    "raises": ("crash", "ZeroDivisionError: the bot is wrong"),
    "forks": ("crash", "ended with exit status 6, and a child process of it is still running"),
}
SLOW = ("never", "silent", "length_long")  # these cost their whole time
FINE = ("good", "bytes", "two", "chatter")
SKIPS = {"late": 1, "half": 1, "nothing": 5}


def program(how: str, more: str = "") -> Engine:
    first = 600 if how in SLOW else 8000
    command = f"{sys.executable} -S {BOT} {{how}} {{host}} {{port}} {MARK}"
    turn = 300 if how in (*SKIPS, "forks") else 4000
    return parse_engine(
        f'{FIELD}/process:command="{command}",how={how},first_ms={first},turn_ms={turn}{more}'
    )


def against_pacing(how: str, more: str = "") -> tuple[Position, list[Failed]]:
    """Play twelve turns of a program, as vampires, against somebody who is never in its way."""
    game = parse_game("vampires[map=testmap,plies=12]")
    player, pacing = program(how, more).player(), Pacing(0.35 if how in SKIPS else 0)
    position = parse_position(game, "6x5 W3@0,0 V3@5,4 H1@2,2 turn V")
    with closing(player):
        try:
            player.new_game(1, 0)
            failures = play_game(
                position, [player, pacing], lambda ply: ply, Rules(), [Tally(), Tally()]
            )
        finally:
            player.game_over(position)
    return position, failures


class Pacing(Player):
    """Goes to and fro, so slowly that what is late comes before the next question."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, position: Position) -> Move:
        time.sleep(self.seconds)
        text = "(0,0)>(0,1):3" if position.ply % 4 == 1 else "(0,1)>(0,0):3"
        return Move(position.game.parse_action(text))


@pytest.mark.parametrize("how", BAD)
def test_a_bad_program_loses_and_its_text_says_why(how: str) -> None:
    kind, text = BAD[how]
    position, failures = against_pacing(how)
    assert [failed.kind for failed in failures] == [kind]
    assert text in failures[0].text and f" {how} 127.0.0.1 " in failures[0].text.partition(":")[0]
    assert position.ply == (4 if how == "after" else 2 * ("ends:\nturn 1" in failures[0].text))


@pytest.mark.parametrize("how", FINE)
def test_a_program_that_is_only_strange_plays_on(how: str) -> None:
    position, failures = against_pacing(how, ",pause_waiting=on" if how == "good" else "")
    assert not failures and position.ply == 12
    assert all(position.moves)


@pytest.mark.slow
@pytest.mark.parametrize("how", SKIPS)
def test_who_is_late_skips_a_turn_and_lives_on(how: str) -> None:
    position, failures = against_pacing(how)
    assert [failed.kind for failed in failures] == ["timeout"] * SKIPS[how]
    assert position.ply == 12 and position.moves.count(0) == SKIPS[how]
    assert position.moves[2] == 0
    assert "turn 1" in failures[0].text


def test_a_flood_neither_fills_our_memory_nor_stops_us() -> None:
    position, failures = against_pacing("flood")
    assert position.ply >= 4  # two turns were good
    assert [f.kind for f in failures] in ([], ["illegal"], ["crash"])


def test_one_game_after_the_other_and_memory_limits() -> None:
    player, game = program("good", ",memory_mb=2000").player(), parse_game(FIELD)
    with closing(player):
        for seed in range(2):
            player.new_game(seed, 0)
            assert player.choose(Position(game)).action
            assert len(left_behind(MARK)) == 1
            player.game_over(Position(game))
            assert nobody_left(MARK)


def test_commands_without_an_address_are_refused() -> None:
    for text, why in (
        ("vampires/process:command=bot", "vampires-tcp fills {host} {port}"),
        ('vampires/process:command="b {host} {port}",port=3', "unknown parameter 'port'"),
        ('vampires/process:command="b {host} {port}",keep=alive', "no second game"),
        (
            'connect4/process:command="b {port}",protocol=vampires-tcp',
            "is for vampires, not for connect4",
        ),
    ):
        with pytest.raises(Refused, match=why):
            parse_engine(text)
    made = parse_engine('vampires/process:command="b {host} {port} {k}",k=3')
    assert parse_engine(made.text).text == made.text and made.values["k"] == 3
    assert made.values["protocol"] == "vampires-tcp" and made.values["turn_ms"] == 2000
    assert len(made.digest) == 16


def test_a_study_is_written_for_a_client(tmp_path: Path) -> None:
    from joute.studies.file.template import Bot, write_study

    out = tmp_path / "study.toml"
    assert write_study(Bot("./player --k {k}", "vampires"), out, False).parameters.keys() == {"k"}
    assert 'command = "./player --k {k} {host} {port}"' in out.read_text()
    assert 'protocol = "vampires-tcp"' in out.read_text()
