"""The examples work as their texts say: bots in three languages, a referee, a bot to be tuned."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from joute.engines.engine import parse_game
from joute.engines.position import Position
from joute.engines.python_game import PythonGame
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study
from tests.support.plugins import plugged
from tests.support.runs import JOUTE, ROOT, here, rows

JSON_LINES = ROOT / "examples" / "json_lines"
TRON = ROOT / "examples" / "tron_cpp" / "bot.cpp"
needs_cpp = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler here")


def compiled(source: Path, folder: Path) -> Path:
    """Compile a bot as its text says."""
    bot = folder / "bot"
    subprocess.run(["g++", "-O2", "-std=c++17", "-o", bot, source], check=True)
    return bot


def command_of(language: str, folder: Path) -> str:
    """Return the command of a bot of examples/json_lines; skip where its language is missing."""
    if language == "python":
        return f"{sys.executable} -S {JSON_LINES}/bot.py"
    tool = {"node": "node", "cpp": "g++"}[language]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    return (
        f"node {JSON_LINES}/bot.js"
        if tool == "node"
        else str(compiled(JSON_LINES / "bot.cpp", folder))
    )


@pytest.mark.parametrize("language", ["python", "cpp", "node"])
def test_a_bot_by_json_lines_conforms_and_obeys_its_parameter(
    language: str, tmp_path: Path
) -> None:
    command = f"{command_of(language, tmp_path)} --first {{first}}"
    done = here("check", f'connect4/process:command="{command}",first=0.4', "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 0, done.output
    assert "fixed work is reproducible: yes" in [c["rule"] for c in found]
    done = here("play", f'connect4/process:command="{command}",first=1', "random", "--json")
    moves = [move["action"] for move in json.loads(done.stdout)["moves"]]
    assert moves[0] == "4"  # the first action of the list is the middle


def test_the_referee_plays_a_game_between_two_bots() -> None:
    ours = f"{JOUTE[0]} {JOUTE[1]} bot connect4/random --protocol json-lines"
    bot = f"{sys.executable} -S {JSON_LINES}/bot.py"
    asked = [sys.executable, str(JSON_LINES / "referee.py"), "connect4", bot, ours]
    done = subprocess.run(
        asked, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1]) in ([1, 0], [0, 1], [0.5, 0.5])


@pytest.mark.slow
@needs_cpp
def test_the_tron_bot_wins_and_its_study_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = compiled(TRON, tmp_path)
    spec = f'tron/process:command="{bot} --k {{k}} --iterations {{n}}",k=0.3,n=30'
    done = here("play", spec, "random", "--json")
    assert json.loads(done.stdout)["returns"] == [1.0, 0.0]
    folder = tmp_path / "tron_cpp"
    folder.mkdir()
    bot.rename(folder / "bot")
    monkeypatch.chdir(tmp_path)  # the study's command is seen from where joute is started
    small = [
        "game=tron[width=30,height=20]",
        "kind=scan",
        "budget=6 games",
        "space={k={from=0.1,to=1}}",
    ]
    study = load_study("tron-own-bot", [*small, "engine.iterations=10"])
    outcome = run_study(study, tmp_path / "run", 2)
    assert (outcome.played, outcome.failures) == (6, 0)
    assert len(set(rows(tmp_path / "run", "SELECT DISTINCT engine FROM seats"))) >= 4


def test_the_examples_are_as_short_as_they_say() -> None:
    for name in ("bot.py", "bot.cpp", "bot.js", "referee.py"):
        assert len((JSON_LINES / name).read_text().splitlines()) <= 40


def test_examples_are_told_and_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    listed = json.loads(here("examples", "--json").stdout)
    assert set(listed) == {p.name for p in (ROOT / "examples").iterdir() if p.name[0] not in "_."}
    assert all(len(summary) > 20 for summary in listed.values())
    plugins = {"corners.toml": ["othello.py", "corners.py"], "planted.toml": ["planted.py"]}
    for name in listed:
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert here("examples", name).stdout.split() == [name, *plugins.get(name, [])]
        place = folder / name
        copied = place / "README.md" if place.is_dir() else place
        text = (ROOT / "examples" / copied.relative_to(folder)).read_text("utf-8")
        if place.is_dir():  # a link must not lead to a page that is not beside the copy
            for link in re.findall(r"\]\(([^)]+)\)", copied.read_text("utf-8")):
                assert "://" in link or (place / link).exists(), link
            text = re.sub(r"\[docs/([a-z-]+).md\]\([^)]*\)", r"`docs/\1.md` of Joute", text)
            link = "[tutorial](../../docs/tutorial.md)"
            text = text.replace(link, "tutorial (`docs/tutorial.md` of Joute)")
        assert copied.read_text("utf-8") == text
        again = here("examples", name)
        assert again.exit_code == 2 and "exists already" in again.stderr
    assert "did you mean 'planted.py'" in here("examples", "plantd.py").stderr


def test_an_example_brings_its_plugins_and_replaces_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here("examples", "corners.toml")
    with plugged():
        load_study(tmp_path / "corners.toml")
    (tmp_path / "corners.toml").unlink()
    (tmp_path / "othello.py").write_text("mine")
    done = here("examples", "corners.toml")
    said = "othello.py exists already, and is not the one that corners.toml needs; copy it to"
    assert done.exit_code == 2 and said in done.stderr
    assert not (tmp_path / "corners.toml").exists()
    assert (tmp_path / "othello.py").read_text() == "mine"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "depth", "count"),
    [("tictactoe", 9, 127_872), ("othello", 6, 8_200), ("hex[side=3]", 9, 120_960), ("dash", 0, 1)],
)
def test_the_games_of_the_page_count_as_known(game: str, depth: int, count: int) -> None:
    """Othello's from the start, passes counted: 4, 12, 56, 244, 1,396, 8,200 (well known)."""
    plugin = ROOT / "examples" / f"{game.partition('[')[0]}.py"
    if depth:
        assert here("--plugin", plugin, "perft", game, depth).stdout == f"{count}\n"
    done = here("--plugin", plugin, "check", game)
    assert done.exit_code == 0 and "FAULT" not in done.output, done.output


HEX_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def joins(stones: set[tuple[int, int]], axis: int, side: int) -> bool:
    """Whether stones at (x, y) lead from 0 to side - 1 along an axis."""
    left = [cell for cell in stones if cell[axis] == 0]
    seen = set(left)
    while left:
        x, y = left.pop()
        near = {(x + dx, y + dy) for dx, dy in HEX_STEPS} & stones - seen
        seen |= near
        left += near
    return any(cell[axis] == side - 1 for cell in seen)


@pytest.mark.slow
@pytest.mark.parametrize("side", [2, 5, 8])
def test_hex_ends_when_a_chain_joins_the_sides(side: int) -> None:
    with plugged(ROOT / "examples" / "hex.py"):
        game = parse_game(f"hex[side={side}]")
        rng = random.Random(side)
        for _ in range(40):
            position, stones = Position(game), (set[tuple[int, int]](), set[tuple[int, int]]())
            cells = [(c % side, c // side) for c in range(side * side)]
            rng.shuffle(cells)
            for ply, (x, y) in enumerate(cells):
                assert not position.over
                position.play(y * side + x, 0)
                stones[ply % 2].add((x, y))
                if joins(stones[ply % 2], 1 - ply % 2, side):  # X from top to bottom
                    break
            assert position.over and position.status == 1 + ply % 2


@pytest.mark.slow
def test_a_false_symmetry_of_hex_is_told(tmp_path: Path) -> None:
    text = (ROOT / "examples" / "hex.py").read_text()
    for name, symmetry, said in (
        ("mirrored", '"mirror"', "no symmetry 'mirror': a rhombus only has the symmetry 'half'"),
        ("skewed", '"half"', "its symmetries hold"),
    ):
        changed = text.replace('("half",)', f"({symmetry},)").replace('"hex"', f'"{name}"')
        if name == "skewed":  # X may join top and left: that has no half-turn
            changed = changed.replace("U(top << n * (n - 1))", "U(top << n * (n - 1) | left)")
        (tmp_path / f"{name}.py").write_text(changed)
        done = here("--plugin", tmp_path / f"{name}.py", "check", f"{name}[side=4]")
        assert done.exit_code == 1 and re.search(f"FAULT.*{said}", done.output), done.output


@pytest.mark.slow
def test_dash_draws_what_it_lists() -> None:
    with plugged(ROOT / "examples" / "dash.py"):
        game = parse_game("dash")
        position = Position(game)
        step, roll = 0, 1
        assert {position.draw_outcome(step, seed) for seed in range(20)} == {3}
        drawn = Counter(position.draw_outcome(roll, seed) for seed in range(6000))
        assert {*drawn} == {1, 2, 3, 4, 5, 6} and all(900 < n < 1100 for n in drawn.values())
        kernel, codes, chances = game.rules.outcomes, np.zeros(6, np.int64), np.zeros(6)
        assert kernel is not None
        W = game.room(game.words)
        assert kernel(W, 0, roll, codes, 0, chances, 0) == 6
        assert sorted(codes.tolist()) == [1, 2, 3, 4, 5, 6] and chances.sum() == pytest.approx(1)
        for action, outcome in ((roll, 6), (step, 3), (roll, 1), (roll, 5), (roll, 4)):
            position.play(action, outcome)
        assert position.draw().splitlines()[0].startswith("X 4, O 8 of 20")


def test_the_page_shows_the_examples_as_they_are() -> None:
    page = (ROOT / "docs" / "your-game.md").read_text()
    examples = ["".join(path.read_text().split()) for path in (ROOT / "examples").glob("*.py")]
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 6
    for code in blocks:  # the page has them without their indents
        assert any("".join(code.split()) in example for example in examples), code
    plain = next(code for code in blocks if "PythonGame)" in code)
    for name in PythonGame.__abstractmethods__:  # what is shown is a whole game, and listed
        assert f"    def {name}(self" in plain and f"| `{name}(" in page, name


YOUR_BOT = (ROOT / "docs" / "your-bot.md").read_text()


def test_the_bots_of_the_page_are_the_examples() -> None:
    shown = re.findall(r"```(python|cpp)\n(.*?)```", YOUR_BOT, re.DOTALL)
    assert [language for language, _ in shown] == ["python", "python", "cpp"]
    for language, code in shown:
        name = {"python": "bot.py", "cpp": "bot.cpp"}[language]
        assert code in (ROOT / "examples" / "your_bot" / name).read_text(), code


@pytest.mark.slow
@needs_cpp
@pytest.mark.parametrize("language", ["python", "cpp"])
def test_the_bots_of_the_page_take_their_parameters_every_way(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot whose middle weighs -9 begins at the edge."""
    monkeypatch.chdir(tmp_path)
    folder = ROOT / "examples" / "your_bot"
    told = "parameters=middle:float,middle=-9"
    ways = ['command="{bot} --middle {middle}",middle=-9']
    if language == "python":
        shutil.copy(folder / "bot.py", tmp_path)
        bot = f"{sys.executable} bot.py"
        ways += [
            'command="{bot}",env="MIDDLE={middle}",middle=-9',
            f'command="{{bot}}",file="params.json",{told}',
            f'command="{{bot}} --file {{file}}",file="other.json",{told}',
            'command="{bot}",first_line="middle {middle}",middle=-9',
            f'command="{{bot}}",{told}',
        ]
    else:
        compiled(folder / "bot.cpp", tmp_path)
        bot, ways = "./bot", [*ways, f'command="{{bot}}",file=params.txt,{told}']
    for way in [*ways, 'command="{bot}"']:
        spec = f"connect4/process:{way.replace('{bot}', bot)}"
        done = here("play", spec, "random", "--json")
        first = json.loads(done.stdout)["moves"][0]["action"]
        assert first in ("17" if way in ways else "4"), way


PIG = ROOT / "examples" / "pig"
TAKEN = {  # words that a bot takes
    "first_bot/bot.cpp": "--k 1 --heed 0.5",
    "json_lines/bot.cpp": "--first 1",
    "json_lines/bot.js": "--first 1",
    "json_lines/bot.py": "--first 1",
    "tron_cpp/bot.cpp": "--k 1 --edges 0 --iterations 3",
    "your_bot/bot.cpp": "--middle 1 --line 0",
    "your_bot/bot.py": "--middle 1 --line 0",
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_bot_refuses_a_flag_that_it_does_not_know(name: str, tmp_path: Path) -> None:
    source = ROOT / "examples" / name
    tool = {".py": sys.executable, ".js": "node", ".cpp": "g++"}[source.suffix]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} here")
    command = [compiled(source, tmp_path)] if tool == "g++" else [tool, source]
    flag = TAKEN[name].split()[0]
    for words, status in ((TAKEN[name], 0), (f"{flag}s 1", 2), (flag, 2)):
        done = subprocess.run(
            [*command, *words.split()], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            cwd=tmp_path, timeout=30,
        )  # fmt: skip
        assert done.returncode == status, (words, done.stderr)
        assert not status or f"{words.split()[0]}: allowed " in done.stderr
        assert len(done.stderr.splitlines()) == (status == 2)


PIG_GAME = 'referee[command="./referee {seed} {log} {bots}"]'


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler here")
def test_the_referee_of_pig_keeps_its_rules_and_a_bad_bot_loses_to_a_good_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("referee", "bot"):
        subprocess.run(["gcc", "-O2", "-o", tmp_path / name, PIG / f"{name}.c"], check=True)
    shutil.copy(PIG / "pace.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    bot = 'bot:command="./bot {hold} {rush}",hold=20,rush=100'
    done = here("check", f"{PIG_GAME}/{bot}")
    assert done.exit_code == 0 and "all 5 checks passed; 1 note" in done.stdout, done.stdout
    weak = f'bot:command="{sys.executable} -S pace.py"'
    asked = ("match", f"{PIG_GAME}/{bot.replace('20', '80')}", weak, "--blocks", 10)
    done = here(*asked, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.stderr
    ends = rows(tmp_path / "run", "SELECT seat, returns FROM seats s ORDER BY game, seat")
    assert len(ends) == 40
    done = here("replay", tmp_path / "run", 1)
    assert re.search(r"^bot 1 rolls [1-6], turn \d+$", done.stdout, re.M)
    words = ["./bot {hold=12} {rush=100}", "-o", "pig.toml"]
    done = here("init", "--referee", "./referee {seed} {log} {bots}", "--bot", *words)
    assert done.exit_code == 0 and "hold = 12; whole numbers from 1 to 24" in done.stdout


def test_the_compiled_search_conforms_and_leaves_as_python(tmp_path: Path) -> None:
    plugin = ROOT / "examples" / "one_ply.py"
    with plugged():
        for engine in (
            "connect4/one-ply:evaluation=lines,noise=1",
            "dodo/one-ply:evaluation=steps",
        ):
            done = here("--plugin", plugin, "check", engine)
            assert done.exit_code == 0 and "all 10 checks passed" in done.stdout, done.output
        bot = tmp_path / "bot.py"
        words = ["export", "--to", "python", "--engine", "connect4/one-ply:evaluation=lines"]
        done = here("--plugin", plugin, *words, "-o", bot)
        assert done.exit_code == 0 and "Proved: the file's actions" in done.stderr, done.stderr
        assert 'bot.py "startpos moves 4" prints the action' in done.stdout
        done = here("--plugin", plugin, *words[:2], "cpp", *words[3:], "-o", tmp_path / "bot.cpp")
        assert done.exit_code == 2 and "search = one-ply: C++ has no player of it" in done.stderr
        assert "one-ply, " not in done.stderr


def test_the_protocol_of_the_page_seats_and_serves() -> None:
    plugin = ROOT / "examples" / "plain_talk.py"
    command = " ".join(map(str, [*JOUTE, "--plugin", plugin, "bot", "dodo/uct:iterations=20"]))
    spec = f'dodo/process:protocol=plain-talk,command="{command} --protocol plain-talk"'
    with plugged():
        done = here("--plugin", plugin, "check", spec)
        assert done.exit_code == 0 and "all 5 checks passed" in done.stdout, done.output
        done = here("--plugin", plugin, "show", "plain-talk")
        assert "depth that a program is asked for" in done.stdout
