"""`joute export --to python` of a game with a protocol over TCP: the file is a client as well."""

from __future__ import annotations

import ast
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.random import seed_of
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.harness.match import Rules, Tally, play_game
from joute.harness.serve import Series, serve
from joute.reports.export import fit
from joute.reports.export.bot_file import code
from joute.reports.export.targets.python import kind_of
from tests.support.runs import here, play, study_of, study_text, turns_of

TRAP = "vampires[map=thetrap,plies=40]"
DEEP = "expectiminimax:evaluation=langorou,depth={}"
TREE = "uct:iterations=16"
SEED = 4
BOARD = "5x5 V68@0,0 W3@4,4 turn V"

# What the file may import: nothing but the standard library and numpy.
ALONE = """
import sys

class Wall:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "numpy":
            raise ImportError(f"{name} is not there")

sys.meta_path.insert(0, Wall())
sys.argv.pop(0)
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"))
"""


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an engine."""
    return written(tmp_path_factory.mktemp("vampires") / "bot.py", f"{TRAP}/{DEEP.format(2)}")


@pytest.fixture(scope="module")
def winner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a run's winner, which prints its further use."""
    folder = tmp_path_factory.mktemp("vampires")
    text = study_text(["random", DEEP.format(2)], blocks=2, game=TRAP)
    play(study_of(folder, text), folder / "run")
    with pytest.MonkeyPatch.context() as patch:
        for name, number in {"CASES": 12, "REDUCED": 40}.items():
            patch.setattr(fit, name, number)
        words = ("--to", "python", "--anyway", "-o", folder / "bot.py")
        done = here("export", folder / "run", *words)
    assert done.exit_code == 0, done.stderr
    assert f"; python {folder / 'bot.py'} HOST PORT plays at a server\n" in done.stdout
    return folder / "bot.py"


def written(path: Path, spec: str, move_ms: float | None = None) -> Path:
    """Write the code of an engine's file, without the proof."""
    engine = parse_engine(spec)
    path.write_text(code(engine, kind_of(engine.game, move_ms)))
    return path


def started(bot: Path, *words: object) -> subprocess.Popen[str]:
    """Start a file in a process of its own, where neither numba nor anything of ours is."""
    return subprocess.Popen(
        [sys.executable, "-I", "-c", ALONE, str(bot), *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, list[str]]:
    """Return a process's exit code, and what it wrote."""
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    return process.returncode, out, err.splitlines()


def at_our_server(bot: Path) -> list[str]:
    """Return the turns of a game in which the file plays both sides."""
    lines: Queue[str] = Queue()
    series, played = Series(seed=SEED), list[str]()
    asked = (TRAP, None, "127.0.0.1", 0, 20_000.0, None, series, lines.put)
    server = threading.Thread(target=serve, args=asked, daemon=True)
    server.start()
    port = lines.get(timeout=30).partition(" at 127.0.0.1:")[2].partition(",")[0]
    clients = list[subprocess.Popen[str]]()
    for name in ("one", "two"):
        clients.append(started(bot, "127.0.0.1", port, "--turn-ms", 20_000, "--name", name))
        assert lines.get(timeout=30).startswith(f"{name} plays")
    server.join(50)
    assert not server.is_alive()
    assert [ended(client) for client in clients] == [(0, "", [])] * 2  # BYE
    while not lines.empty():
        played.append(lines.get())
    assert " wins, after " in played[-1]
    return turns_of(played)


class FromBoards(Player):
    """The engine inside, told what a server tells: the board at every turn, nothing of the past."""

    def __init__(self, spec: str) -> None:
        self._player = parse_engine(spec).player()

    def new_game(self, seed: int, seat: int) -> None:
        self._player.new_game(0, seat)

    def choose(self, position: Position) -> Move:
        told = position.game.board(position.W, position.at).text()  # type: ignore[attr-defined]
        return self._player.choose(Position(position.game, told))


def inside(players: list[Player]) -> list[str]:
    """Return the turns of the same game between engines here."""
    game = parse_game(TRAP)
    position = Position(game)
    for seat, player in enumerate(players):
        player.new_game(0, seat)
    tallies = [Tally(), Tally()]
    assert not play_game(position, players, lambda ply: seed_of(SEED, ply), Rules(), tallies)
    return [game.action_text(action) for action in position.moves]


@pytest.mark.slow
def test_a_file_plays_at_a_server_what_the_engine_plays_inside(bot: Path) -> None:
    engine = parse_engine(f"{TRAP}/{DEEP.format(2)}")
    turns = at_our_server(bot)
    assert len(turns) > 10 and turns == inside([engine.player(), engine.player()])


@pytest.mark.slow
def test_a_file_that_draws_by_chance_plays_at_a_server_what_the_engine_plays(
    tmp_path: Path,
) -> None:
    spec = f"{TRAP}/{TREE}"
    turns = at_our_server(written(tmp_path / "bot.py", spec))
    assert len(turns) > 10 and turns == inside([FromBoards(spec), FromBoards(spec)])


def test_the_file_answers_positions_as_before(bot: Path) -> None:
    code, out, said = ended(started(bot, BOARD))
    expected = here("bestmove", f"{TRAP}/{DEEP.format(2)}", BOARD, "--json").stdout
    assert (code, said) == (0, []) and f'"{out.strip()}"' in expected
    assert ended(started(bot, *BOARD.split())) == (code, out, said)


@pytest.mark.slow
def test_the_winners_file_says_how_it_plays_at_a_server(winner: Path) -> None:
    assert ended(started(winner, BOARD))[0] == 0
    text = winner.read_text()
    told = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    assert "python FILE HOST PORT plays at a server of the protocol vampires-tcp" in told
    assert "stops at 90 % of a turn's 2000 ms, or of --turn-ms" in told


@pytest.fixture
def door() -> Iterator[socket.socket]:
    """A listening socket."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        yield listening


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (b"", "the server closed the connection before BYE"),
        (b"SET\x05\x05HUM\x02\x01", "the server, in HUM: closed the connection within an order"),
        (
            b"SET\x05\x11",
            "the server, in SET: a map of 17 columns and 5 rows; this player has room for 16 and 16",
        ),
    ],
)
def test_a_server_that_is_none_is_one_line_and_exit_1(
    bot: Path, door: socket.socket, said: bytes, line: str
) -> None:
    client = started(bot, "127.0.0.1", door.getsockname()[1])
    with door.accept()[0] as accepted:
        accepted.settimeout(10)
        assert accepted.recv(9) == b"NME\x05joute"
        accepted.sendall(said)
    assert ended(client) == (1, "", [line])


@pytest.mark.slow
def test_a_search_is_called_off_in_time(tmp_path: Path, door: socket.socket) -> None:
    """Uncompiled, depth 20 would take days; a turn that is late is not sent."""
    deep = written(tmp_path / "bot.py", f"{TRAP}/{DEEP.format(20)}", move_ms=30_000)
    assert "turn_ms = 30000" in deep.read_text()
    client = started(deep, "127.0.0.1", door.getsockname()[1], "--turn-ms", 1000)
    with door.accept()[0] as accepted:
        accepted.settimeout(10)
        assert accepted.recv(9) == b"NME\x05joute"
        accepted.sendall(
            b"SET\x08\x08HUM\x02\x01\x02\x06\x05HME\x02\x02MAP\x04\x02\x02\x00\x09\x00"
            b"\x05\x05\x00\x00\x09\x01\x02\x07\x00\x00\x06\x05\x07\x00\x00"
        )
        accepted.sendall(b"UPD\x00")
        begun = time.monotonic()
        assert accepted.recv(100).startswith(b"MOV")
        assert 0.5 < time.monotonic() - begun < 2
        accepted.sendall(b"ENDBYE")
    assert ended(client) == (0, "", [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["127.0.0.1", "70000"], "argument PORT: '70000'; allowed: 1 to 65535"),
        (["127.0.0.1", "5", "--turn-ms", "0"], "--turn-ms: '0'; allowed: 1 ms or more"),
        (
            ["127.0.0.1", "5", "--turn-ms", "x"],
            "argument --turn-ms: invalid milliseconds value: 'x'",
        ),
        (["127.0.0.1", "5", "--name", "é"], "name 'é'; allowed: 1 to 255 characters of ASCII"),
        (["--turn-ms", "5"], "required: HOST, PORT"),
    ],
)
def test_requests_that_make_no_sense(bot: Path, words: list[str], said: str) -> None:
    code, out, lines = ended(started(bot, *words))
    assert (code, out) == (2, "") and said in lines[-1]
    assert not any("Traceback" in line for line in lines)


def test_games_without_a_server_get_no_client() -> None:
    engine = parse_engine("connect4[columns=5,rows=4]/random")
    kind = kind_of(engine.game, None)
    assert "HOST" not in kind.usage and "socket" not in code(engine, kind)
