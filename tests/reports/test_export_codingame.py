"""`joute export --to codingame`: a file that plays whole games by lines, as the engine does."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine
from joute.engines.games.tron.codingame import TronDialogue
from joute.engines.position import Position
from joute.reports.export import fit
from joute.reports.export.bot_file import code
from joute.reports.export.export import ExportRequest, export
from joute.reports.export.targets.codingame import kind_of
from joute.reports.export.transcripts import game_of
from tests.support.exports import refusal
from tests.support.marks import dear, dear_case, slow

SHORT = {"CASES": 16, "REDUCED": 10, "TALKED": 4, "ENDING": 40}
FIELD = "tron[width=9,height=7,players={}]"
DUEL = FIELD.format(2) + "/uct:evaluation=zones,iterations=12,ending=fill,fill_nodes=200"


@pytest.fixture(autouse=True)
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, with a short proof."""
    monkeypatch.chdir(tmp_path)
    for name, number in SHORT.items():
        monkeypatch.setattr(fit, name, number)


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for two players."""
    with pytest.MonkeyPatch.context() as patch:
        for name, number in SHORT.items():
            patch.setattr(fit, name, number)
        path = tmp_path_factory.mktemp("codingame") / "bot.py"
        said: list[str] = []
        export(ExportRequest("codingame", engine=DUEL, path=path, language="python"), said.append)
    assert any("answers in whole games read line by line" in text for text in said)
    return path


@pytest.mark.slow
def test_the_code_is_of_pythons_own_numbers(duel: Path) -> None:
    """Without numba, numpy's numbers are several times slower."""
    text = duel.read_text()
    assert "numpy" not in text.partition('"""\n')[2] and "tolist" not in text


@pytest.mark.parametrize(
    "search",
    [
        "uct:evaluation=zones,iterations=9",
        "paranoid:evaluation=zones",
        "alphabeta:evaluation=zones",
    ],
)
def test_no_search_needs_numpys_numbers(search: str) -> None:
    engine = parse_engine(f"tron/{search}")
    assert "np." not in code(engine, kind_of(engine, 100.0))


class Bot:
    """The file in a process of its own, as the site runs it: numba is not there."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def turn(self, lines: list[str]) -> str:
        """Return the answer to the lines of a turn."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self) -> str:
        """End the game; return what was said to stderr."""
        _, said = self.process.communicate()
        assert self.process.returncode == 0
        return said


@pytest.mark.slow
def test_the_file_needs_python_alone(duel: Path) -> None:
    text = duel.read_text()
    tree = ast.parse(text)
    names = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert names <= set(sys.stdlib_module_names)
    assert len(text) < 100_000
    told = " ".join((ast.get_docstring(tree) or "").split())
    assert "After 75 ms the file answers with what it has" in told
    assert "Proved: the file's actions, values and nodes are the engine's in 16" in told


@pytest.mark.slow
def test_a_game_of_the_file_against_itself(duel: Path) -> None:
    """A referee of ours asks two processes; every answer is the engine's, and in time."""
    game = parse_engine(DUEL).game
    for seed in (7, 8):
        expected = [
            list(transcript.answers)
            for transcript in game_of(parse_engine(DUEL), TronDialogue, seed)
        ]
        position = Position(game, game.start_text(seed))
        bots = [Bot(duel) for _ in expected]
        told = [TronDialogue(game) for _ in bots]
        answers: list[list[str]] = [[] for _ in bots]
        longest = 0.0
        while not position.over:
            mover = position.to_move
            lines = told[mover].lines(position, mover).splitlines()
            begun = time.perf_counter()
            answer = bots[mover].turn(lines)
            if answers[mover]:
                longest = max(longest, time.perf_counter() - begun)
            answers[mover].append(answer)
            position.play(game.parse_action(answer))
        assert [bot.end() for bot in bots] == ["", ""]
        assert answers == expected
        assert sum(map(len, answers)) > 8
        assert longest < 0.1


@pytest.mark.parametrize(
    "text",
    [
        dear_case(FIELD.format(3) + "/maxn:evaluation=chambers,depth=2,ending=fill,fill_nodes=100"),
        dear_case(FIELD.format(4) + "/uct:evaluation=zones,chambers=on,corpse=0.2,iterations=8"),
        slow(FIELD.format(2) + "/alphabeta:evaluation=zones,depth=2,width=0.7,ending=fill"),
        pytest.param(FIELD.format(3) + "/uct:iterations=8", marks=dear),
    ],
)
def test_every_search_fits_and_plays_the_same(text: str) -> None:
    """The proof is the export's own."""
    done = export(ExportRequest("codingame", engine=text, path=Path("bot.py"), language="python"))
    assert done.size < 100_000


@pytest.mark.slow
@dear
def test_a_game_of_fewer_players_and_of_too_many() -> None:
    """A file for three plays games of two, and answers even what it cannot play."""
    text = FIELD.format(3) + "/uct:evaluation=zones,iterations=8"
    export(ExportRequest("codingame", engine=text, path=Path("bot.py"), language="python"))
    two = parse_engine(FIELD.format(2) + "/random").game
    position, bot = Position(two, two.start_text(3)), Bot(Path("bot.py"))
    told = TronDialogue(two)
    turns = 0
    while not position.over:
        if position.to_move == 0:
            answer = bot.turn(told.lines(position, 0).splitlines())
            action = two.parse_action(answer)
            legal = position.legal_actions()
            assert action in legal  # never into a wall where there is a way
            turns += 1
        else:
            action = position.legal_actions()[-1]
        position.play(action)
    assert turns > 3 and bot.end() == ""
    bot = Bot(Path("bot.py"))
    assert bot.turn(["4 1", *["1 1 1 1"] * 4]) in ("UP", "DOWN", "LEFT", "RIGHT")
    assert "any legal move" in bot.end()


@pytest.mark.slow
def test_nonsense_is_answered(duel: Path) -> None:
    bot = Bot(duel)
    assert bot.turn(["2 0", "1 1 1 1", "5 5 5 5"]) in ("UP", "DOWN", "LEFT", "RIGHT")
    assert bot.turn(["2 0", "1 1 x y", "5 5 5 5"]) in ("UP", "DOWN", "LEFT", "RIGHT")
    assert "playing any legal move" in bot.end()


@pytest.mark.slow
def test_the_clock_ends_the_ending_too() -> None:
    """An ending that would take minutes: a ragged room that no walk covers as the colours allow."""
    text = "tron/random:ending=fill,fill_nodes=9000000,fill_restarts=9"
    export(ExportRequest("codingame", engine=text, path=Path("bot.py"), language="python"))
    ragged = "/".join(["A5#5#4#4#4#2", "2#5#5#5#5#3", *["3#1#3#5#2#6#3#"] * 6, "#" * 30, "29B"])
    program = (
        "import sys, time; sys.path.insert(0, '.')\nimport bot\nbot.bot.ready()\n"
        f"for moves in ('', ' moves RIGHT LEFT'):\n    begun = time.perf_counter()\n"
        f"    choice = bot.bot.choose({ragged!r} + moves, 75)\n"
        "    print(choice.action, choice.nodes, (time.perf_counter() - begun) * 1e3)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert not done.stderr, done.stderr
    for line in done.stdout.splitlines():
        action, nodes, ms = line.split()
        assert int(action) in (1, 3) and int(nodes) > 30 and float(ms) < 100


@pytest.mark.usefixtures("toys")
def test_codingame_is_for_games_that_speak_it() -> None:
    assert refusal("--to", "codingame", "--engine", "race/random") == (
        "game = race[goal=10]: has no CodinGame protocol; --to codingame writes players of: tron"
    )


@pytest.mark.slow
def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.reports.export.targets.codingame.LARGEST", 9_000)
    said = refusal("--to", "codingame", "--language", "python", "--engine", DUEL)
    assert "characters; at most 9,000 are allowed" in said
