"""A program's parameters in a file of their own, written before each of its processes is started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.player import PlayerFailure
from joute.engines.position import Position
from joute.engines.programs import folders, workplace
from joute.engines.programs.parameter_file import ENDINGS, text_in, values_in
from joute.studies.load import StudyRefused, load_study
from tests.support.runs import ROOT, here, play, rows

PYTHON = f"{sys.executable} -S"
BOT = """
import json, os, sys
{code}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "new":
        new = message["parameters"]
    elif message["type"] == "turn":
        print(json.dumps({{"action": "4", "value": {value}}}), flush=True)
"""


def bot(folder: Path, value: str, code: str = "", name: str = "bot.py") -> Path:
    """Write a bot that thinks every position worth `value`."""
    path = folder / name
    path.write_text(BOT.format(code=code, value=value))
    return path


def engine(command: str, **more: object) -> Engine:
    settings = {"parameters": "k:float depth:int", "k": 2, "depth": 3, **more}
    return Engine(parse_game("connect4"), {"search": "process", "command": command, **settings})


def value_of(made: Engine) -> float | None:
    """Return what the bot thinks of the start position; no folder of ours is left afterwards."""
    player = made.player()
    player.new_game(1, 0)
    try:
        return player.choose(Position(made.game)).value
    finally:
        player.close()
        assert not folders_of(os.getpid())


def folders_of(pid: int | str) -> list[Path]:
    """Return the temporary folders of a process."""
    return [*Path(folders.tempfile.gettempdir()).glob(f"{folders.FOLDERS}{pid}-*")]


@pytest.fixture
def here_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, and temporary folders beside it."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_every_format_keeps_kinds_and_is_read_back(tmp_path: Path) -> None:
    values = {"k": 2.0, "depth": 3, "tiny": 1e-7, "style": 'a "b"'}
    assert (
        json.loads(text_in("p.json", values)) == values == tomllib.loads(text_in("p.toml", values))
    )
    for ending in ENDINGS:
        path = tmp_path / f"p{ending}"
        path.write_text(text_in(path.name, values))
        again = values_in(path)
        assert again == values and [*map(type, again.values())] == [*map(type, values.values())]
    assert text_in("p.ini", values).splitlines()[:3] == ["k = 2.0", "depth = 3", "tiny = 0.0000001"]


OPEN = {
    "json": "p = json.load(open('params.json'))",
    "toml": "import tomllib; p = tomllib.load(open('params.toml', 'rb'))",
    "txt": "p = {n.strip(): float(v) for n, v in (line.split('=') for line in open('params.txt'))}",
}


@pytest.mark.parametrize("ending", OPEN)
def test_a_bot_opens_the_file_by_its_name(here_is: Path, ending: str) -> None:
    bot(here_is, "p['k'] + p['depth']", OPEN[ending])
    (here_is / f"params.{ending}").write_text("what I play with at home")
    assert value_of(engine(f"{PYTHON} bot.py", file=f"params.{ending}")) == 5.0
    assert (here_is / f"params.{ending}").read_text() == "what I play with at home"


def test_a_bot_finds_its_own_files_too(here_is: Path) -> None:
    """Beside it, in a folder, above it; and the parameters where it thinks that it lies itself."""
    (here_is / "conf").mkdir()
    (here_is / "conf" / "other.txt").write_text("10")
    (here_is / "helper.py").write_text("weight = float(open('weight.txt').read())")
    (here_is / "weight.txt").write_text("100")
    code = (
        "import pathlib, helper\n"
        "p = json.load(open(pathlib.Path(__file__).resolve().parent / 'conf' / 'p.json'))\n"
        "value = p['k'] + float(open('conf/other.txt').read()) + helper.weight\n"
        "assert os.getcwd() == os.environ['PWD'] != '" + str(here_is) + "'\n"
        "open('log.txt', 'w').close()"
    )
    bot(here_is, "value", code)
    assert value_of(engine(f"{PYTHON} bot.py", file="conf/p.json")) == 112.0
    assert not (here_is / "log.txt").exists()
    bot(here_is.parent, "json.load(open('p.json'))['k']", name="above.py")
    assert value_of(engine(f"{PYTHON} ../above.py", file="p.json")) == 2.0


@pytest.mark.parametrize("how", [{}, {"env": "PARAMS={file}"}])
def test_a_bot_that_is_told_the_path_stays_where_it_is(here_is: Path, how: dict[str, str]) -> None:
    code = (
        "path = os.environ.get('PARAMS') or sys.argv[1]\n"
        "assert os.path.isabs(path) and os.getcwd() == '" + str(here_is) + "'\n"
        "p = json.load(open(path))"
    )
    bot(here_is, "p['k']", code)
    command = f"{PYTHON} bot.py" + ("" if how else " {file}")
    assert value_of(engine(command, file="params.json", **how)) == 2.0


def test_json_lines_tells_listed_parameters_with_their_kinds(here_is: Path) -> None:
    bot(here_is, "1.0 if repr(new) == \"{'k': 2.0, 'depth': 3}\" else 0.0")
    assert value_of(engine(f"{PYTHON} bot.py")) == 1.0


def test_a_failure_names_the_command_and_the_folder_is_gone(here_is: Path) -> None:
    bot(here_is, "0", "sys.exit(3)")
    for words in ("bot.py", "bot.py {file}"):
        with pytest.raises(PlayerFailure, match="ended with exit status 3") as failed:
            value_of(engine(f"{PYTHON} {words}", file="params.json"))
        assert f"{folders.FOLDERS}{os.getpid()}" not in failed.value.text
    with pytest.raises(PlayerFailure, match=r"\./gone: cannot be started: No such file"):
        value_of(engine("./gone", file="params.json"))


def test_a_folder_of_too_many_files_is_told(here_is: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workplace, "MOST", 3)
    for n in range(4):
        (here_is / f"{n}").touch()
    bot(here_is, "json.load(open(sys.argv[1]))['k']")
    with pytest.raises(PlayerFailure, match=r"more than 3 entries: write {file} in the command"):
        value_of(engine(f"{PYTHON} bot.py", file="params.json"))
    assert value_of(engine(f"{PYTHON} bot.py {{file}}", file="params.json")) == 2.0


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"file": "../p.json"}, "file = '../p.json' leaves the folder; allowed: a name like params.json"),
    ({"file": "/tmp/p.json"}, "file = '/tmp/p.json' leaves the folder"),
    ({"file": "p.yaml"}, "ends in '.yaml'; allowed: .json, .toml, .txt, .ini, .cfg; did you mean"),
    ({"file": "p"}, "file = 'p' ends in ''; allowed: .json, .toml, .txt, .ini, .cfg"),
    ({"file": "p.json", "parameters": "", "k": None, "depth": None}, "file: p.json would be empty"),
    ({"parameters": "k:flaot depth"}, "'k:flaot' has the kind 'flaot'; did you mean 'float'?"),
    ({"parameters": "k k depth"}, "'k' appears twice"),
    ({"parameters": "k, depth"}, "'k,' is not a name; allowed: k or k:float, between blanks"),
    ({"parameters": "k depth turn_ms"}, "'turn_ms' is a setting of process"),
    ({"parameters": "k:int depth", "k": 2.5}, "k = 2.5 is not a whole number"),
    ({"parameters": "k depth x"}, "{x} has no value; write x=..."),
    ({"env": "P={file}"}, 'env: {file} is a parameter file\'s path; say file="params.json"'),
    ({"file": "p.json", "first_line": "{file}"}, "first_line: {file} stands in command or env alone"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "line"), REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(more: dict[str, Any], line: str) -> None:
    settings = {"parameters": "k:float depth:int", "k": 2, "depth": 3, **more}
    settings = {name: value for name, value in settings.items() if value is not None}
    with pytest.raises(Refused) as refused:
        Engine(parse_game("connect4"), {"search": "process", "command": "./bot", **settings})
    assert line in str(refused.value) and "\n" not in str(refused.value)


def test_a_protocol_that_tells_no_parameters_says_so() -> None:
    with pytest.raises(Refused, match=r"codingame tells a program no k; write {k} in the command"):
        parse_engine('tron/process:command="./bot",protocol=codingame,parameters=k,k=1')
    for how in ('command="./bot {k}"', 'command="./bot",file="p.txt"'):
        made = parse_engine(f"tron/process:{how},protocol=codingame,parameters=k,k=1")
        assert parse_engine(made.text).text == made.text


def test_the_engines_identity_has_the_file() -> None:
    names = ["", "a.json", "b.json"]
    made = [engine("./bot", **({"file": name} if name else {})) for name in names]
    assert len({one.id for one in made}) == 3
    assert [parse_engine(one.text).text for one in made] == [one.text for one in made]


KILLED = """
import os, signal, sys
from joute.engines.engine import parse_engine
from joute.engines.position import Position
made = parse_engine(sys.argv[1])
player = made.player()
player.new_game(1, 0)
player.choose(Position(made.game))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_leaves_is_removed_by_the_next(here_is: Path) -> None:
    bot(here_is, "0")
    made = engine(f"{PYTHON} bot.py", file="params.json")
    command = [sys.executable, "-c", KILLED, made.text]
    path = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(here_is.parent / "tmp")}
    killed = subprocess.Popen(command, env=path)
    assert killed.wait() == -signal.SIGKILL
    [left] = folders_of(killed.pid)
    assert (left / "params.json").read_text() == '{\n  "k": 2.0,\n  "depth": 3\n}\n'
    workplace.sweep_once.cache_clear()
    assert value_of(made) == 0.0
    assert not left.exists() and (here_is / "bot.py").is_file()


STUDY = """
name = "own"
kind = "scan"
budget = "8 games"
game = "connect4[columns=4,rows=4]"
seed = 1
[engine]
search = "process"
command = "COMMAND"
file = "params.json"
[parameters]
k = { kind = "float", low = 0, high = 4, default = 1 }
depth = { kind = "int", low = 1, high = 9, default = 2 }
style = { kind = "choice", choices = ["a", "b"], default = "a" }
[space]
k = { from = 0, to = 4 }
[[opponents]]
name = "deep"
depth = 9
"""
CHECKS = """
p = json.load(open('params.json'))
assert [type(p[n]) for n in ('k', 'depth', 'style')] == [float, int, str]
"""


@pytest.mark.slow
def test_a_study_writes_what_it_declares(here_is: Path) -> None:
    bot(here_is, "p['k'] + p['depth']", CHECKS).write_text(
        (here_is / "bot.py").read_text().replace('"4"', 'message["actions"][0]')
    )
    (here_is / "s.toml").write_text(STUDY.replace("COMMAND", f"{PYTHON} bot.py"))
    study = load_study(here_is / "s.toml")
    outcome = play(study, here_is / "run")
    assert (outcome.played, outcome.failures) == (8, 0)
    specs = [spec for (spec,) in rows(here_is / "run", "SELECT spec FROM engines")]
    assert all('parameters="k:float depth:int style:text"' in spec for spec in specs)
    (here_is / "again.toml").write_text(study.resolved_toml())
    assert load_study(here_is / "again.toml") == study
    assert here("report", "run").exit_code == 0
    winner = json.loads((here_is / "run" / "winner.json").read_text())
    assert winner["parameters"]["file"] == "params.json"
    for name in ("w.toml", "w.json"):
        done = here("export", "run", "--to", name[2:], "--anyway", "-o", name)
        assert done.exit_code == 0, done.output
        done = here("play", name, "random", "--json")
        assert "crash" not in done.output and done.exit_code == 0, done.output
    for name, text in {"p.json": '{\n  "k": 1.0,', "p.txt": "k = 1.0\ndepth = 2\n"}.items():
        done = here("export", "run", "--to", "params", "--anyway", "-o", name)
        assert done.exit_code == 0 and Path(name).read_text().startswith(text), done.output
    assert tomllib.loads(exported("params", "p.toml"))["style"] == "a"
    assert "static const double K = 1.0;" in exported("header", "p.h")
    done = here("export", "run", "--to", "params", "--anyway", "-o", "p.yaml")
    assert done.exit_code == 2 and "by the file's ending; allowed: .json, .toml" in done.stderr


def exported(target: str, name: str) -> str:
    done = here("export", "run", "--to", target, "--anyway", "-o", name)
    assert done.exit_code == 0, done.output
    return Path(name).read_text()


def test_a_study_may_list_what_the_file_holds(here_is: Path) -> None:
    text = STUDY.replace("COMMAND", "./bot --k {k}").replace(
        'file = "params.json"', 'file = "params.json"\nparameters = "depth"'
    )
    (here_is / "s.toml").write_text(text)
    with pytest.raises(StudyRefused) as refused:
        load_study(here_is / "s.toml")
    assert refused.value.errors == [
        "parameters.style: no engine has it: {style} appears nowhere (nor is it passed by file or parameters)"
    ]
    (here_is / "s.toml").write_text(text.replace('"depth"', '"depth style"'))
    study = load_study(here_is / "s.toml")
    default = study.own.default.engine  # type: ignore[union-attr]
    assert default.values["parameters"] == "depth:int style:text" and default.values["k"] == 1.0


@pytest.mark.slow
def test_show_and_check_know_the_file(here_is: Path) -> None:
    assert "parameter file" in here("show", "process").stdout
    bot(here_is, "p['k']", "p = json.load(open('params.json'))").write_text(
        (here_is / "bot.py").read_text().replace('"4"', 'message["actions"][0]')
    )
    spec = f'connect4/process:command="{PYTHON} bot.py",file="params.json",parameters="k:float",k=1'
    done = here("check", spec)
    assert done.exit_code == 0 and "all 6 checks passed" in done.stdout, done.output
    assert "opens its parameter file" in done.stdout
    done = here("check", spec.replace("params.json", "other.json"))
    assert done.exit_code == 1 and "crash" in done.stdout
    text = Path("bot.py").read_text()
    Path("bot.py").write_text(text.replace("p = json.load(open('params.json'))", "p = {'k': 1}"))
    done = here("check", spec)
    if done.exit_code == 0:
        pytest.skip("this system does not note that a file was read")
    said = "opens its parameter file: did not open params.json: hand it the path, {file} in the"
    assert said in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [("k = " + "9" * 400, "is neither a number up to 1e"), ("k = " + "9" * 200_000, "digits")],
)
def test_a_number_of_very_many_digits_is_refused_at_once(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.txt"
    path.write_text(text)
    with pytest.raises(Refused, match=said):
        values_in(path)
    path.write_text(f"{text}x")  # a text: matched in one pass, not in as many as it has digits
    assert values_in(path) == {"k": f"{text}x".removeprefix("k = ")}
