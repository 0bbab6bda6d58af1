"""A program's own parameters in study files: declared, checked, searched, carried along."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.studies.file.template import Bot, write_study
from joute.studies.like import Model
from joute.studies.load import StudyRefused, load_study
from joute.studies.search.plan import ScanPlan, TunePlan
from tests.support.runs import ROOT, here, play, rows

BOT = f"{sys.executable} -S {ROOT}/examples/json_lines/bot.py"
HEAD = f"""
name = "own"
kind = "KIND"
game = "connect4"
seed = 1
[engine]
search = "process"
command = "{BOT} --first {{first}}"
env = "STYLE={{style}}"
[parameters]
first = {{ kind = "float", low = 0, high = 1, default = 0.5, meaning = "share of first moves" }}
style = {{ kind = "choice", choices = ["a", "b"], default = "a" }}
"""
POOL = '[[opponents]]\nname = "random"\nspec = "random"\n'


def study_file(tmp_path: Path, kind: str, more: str) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(HEAD.replace("KIND", kind) + more)
    return path


def faults(path: Path) -> list[str]:
    with pytest.raises(StudyRefused) as refused:
        load_study(path)
    return refused.value.errors


def test_defaults_are_filled_in_and_the_resolved_file_says_the_same(tmp_path: Path) -> None:
    space = 'budget = "20 games"\n[space]\nfirst = { from = 0.1, to = 0.9 }\nstyle = ["a", "b"]\n'
    path = study_file(tmp_path, "scan", space.partition("\n")[2] + POOL)
    study = load_study(path, ["budget=20 games"])
    assert isinstance(study.own, ScanPlan | TunePlan)
    default = study.own.default.engine
    assert (default.values["first"], default.values["style"]) == (0.5, "a")
    made = study.own.space.engine({"first": 0.3, "style": "b"})
    assert made.text == parse_engine(made.text).text and made.values["first"] == 0.3
    assert study.own.space.point_of(made) == {"first": 0.3, "style": "b"}
    again = tmp_path / "again.toml"
    again.write_text(study.resolved_toml())
    assert load_study(again) == study
    said = tomllib.loads(study.resolved_toml())["parameters"]
    assert said["first"] == {
        "kind": "float", "default": 0.5, "low": 0, "high": 1, "meaning": "share of first moves",
    }  # fmt: skip
    outcome = play(study, tmp_path / "run")
    assert (outcome.played, outcome.failures) == (20, 0)
    assert play(study, tmp_path / "run").played == 0


def test_a_match_like_a_run_declares_what_its_programs_have() -> None:
    row = {"kind": "float", "default": 0.5}
    model = Model(Path("run"), {}, 1, {}, {"k": row, "k1": row, "first": row})
    program = parse_engine(f'tron/process:command="{BOT} {{first}}",protocol=json-lines,first=0.3')
    ours = parse_engine(
        "tron/uct:k=1,evaluation=chambers,iterations=20"
    )  # with a k and a k1 of its own
    assert [*model.parameters_of(program, ours)] == ["first"]
    assert model.parameters_of(ours, ours) == {}


def test_a_grid_of_a_programs_own_parameters(tmp_path: Path) -> None:
    grid = '[grid]\nfirst = [0.0, 1.0]\nstyle = ["a", "b"]\n[schedule]\nblocks = 1\n'
    study = load_study(study_file(tmp_path, "tournament", grid))
    assert [e.name for e in study.entrants] == [
        "first=0,style=a", "first=0,style=b", "first=1,style=a", "first=1,style=b",
    ]  # fmt: skip
    play(study, tmp_path / "run")
    assert rows(tmp_path / "run", "SELECT COUNT(*) FROM games") == [(12,)]


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    more = (
        'unused = { kind = "int", default = 1 }\n'
        'wrong = { kind = "flaot", default = 1, hihg = 3 }\n'
        'odd = { kind = "int", default = 1.5 }\n'
        'empty = { kind = "int", low = 3, high = 2, default = 3 }\n'
        'numbers = { kind = "choice", choices = ["1", "2"], default = "1" }\n'
        "[space]\nfirst = { from = 0, to = 3 }\nstlye = ['a', 'b']\n"
        "[[opponents]]\nspec = 'process:command=\"bot {first}\",first=3'\n"
    )
    path = study_file(tmp_path, "scan", more)
    path.write_text(path.read_text().replace("game =", 'budget = "20 games"\ngame ='))
    text = "\n".join(faults(path))
    for part in (
        "parameters.wrong.kind: \"flaot\" is not 'float', 'int', 'choice' or 'text'; did you",
        "parameters.wrong.hihg: unknown key; did you mean 'high'?",
        "parameters.odd.default: odd = 1.5 is not a whole number",
        "parameters.empty: low = 3 is not below high = 2",
        'parameters.numbers.choices: "1" is a number; declare a float or an int',
        "space.stlye: unknown parameter 'stlye'; did you mean 'style'?",
        "opponents.0.spec, space.first.to: first = 3 is not a number from 0 to 1",
        "parameters.unused: no engine has it: {unused} appears nowhere",
    ):
        assert part in text, text
    assert "has no value" not in text


@pytest.mark.parametrize(
    ("declaration", "line"),
    [
        ('{ kind = "flaot", default = 1 }', "first.kind: \"flaot\" is not 'float', 'int', 'choice' or "
         "'text'; did you mean 'float'?"),
        ('{ kind = "float", low = 0, high = 1 }', "first.default: is missing; allowed: a value of "
         "that kind"),
        ('{ kind = "float", low = 0, high = 1, default = 5 }', "first.default: first = 5 is not "
         "a number from 0 to 1"),
        ('{ kind = "float", low = 1, high = 0, default = 0 }', "first: low = 1 is not below high = 0"),
        ('{ kind = "int", low = 0.5, high = 3, default = 1 }', "first.low: 0.5 is not a whole number"),
        ('{ kind = "int", low = 0, high = inf, default = 1 }', "first.high: Infinity is not a number"),
        ('{ kind = "choice", choices = ["1", "1"], default = "1" }', 'first.choices: "1" is a '
         "number; declare a float or an int"),
        ('{ kind = "choice", choices = ["x", "x"], default = "x" }', 'first.choices: ["x", "x"] '
         "lists a text twice"),
        ('{ kind = "choice", choices = ["x", []], default = "x" }', 'first.choices: ["x", []] is '
         "not a list of two or more texts"),
        ("3", "first: 3 is not a table with kind and default"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["scan", "tournament"])
def test_one_wrong_declaration_is_one_line(
    tmp_path: Path, kind: str, declaration: str, line: str
) -> None:
    more = POOL + "[space]\nfirst = { from = 0, to = 1 }\n"
    if kind == "tournament":
        more = "[grid]\nfirst = [0.0, 1.0]\n[schedule]\nblocks = 1\n"
    path = study_file(tmp_path, kind, more)
    text = re.sub("first = { kind.*", f"first = {declaration}", path.read_text())
    path.write_text(text.replace("game =", 'budget = "20 games"\ngame ='))
    assert faults(path) == [f"parameters.{line}"]


def test_a_misspelt_declaration_is_named_and_not_what_follows_from_it(tmp_path: Path) -> None:
    path = study_file(tmp_path, "scan", POOL + "[space]\nfirst = { from = 0, to = 1 }\n")
    text = path.read_text().replace("first = { kind", "fisrt = { kind")
    path.write_text(text.replace("game =", 'budget = "20 games"\ngame ='))
    assert faults(path) == ["parameters.fisrt: no engine has it; did you mean 'first'?"]


def test_values_of_the_engine_are_checked_and_undeclared_names_cannot_be_searched(
    tmp_path: Path,
) -> None:
    path = study_file(tmp_path, "scan", "[space]\nfirst = { from = 0, to = 1 }\n" + POOL)
    text = path.read_text().replace("game =", 'budget = "20 games"\ngame =')
    path.write_text(text.replace("[parameters]", "first = 7\nthrid = 3\n[parameters]"))
    found = faults(path)
    assert "engine: first = 7 is not a number from 0 to 1" in found
    assert any(f.startswith("engine: unknown parameter 'thrid'") for f in found)
    path.write_text(
        text.replace("{style}", "{style} {third}") + "[space.third]\nfrom = 0\nto = 1\n"
    )
    found = faults(path)
    assert any(f.startswith("engine: {third} has no value") for f in found)
    assert any(f.startswith("space.third: is no number; declare it") for f in found)


@pytest.mark.slow
def test_init_writes_a_study_that_can_be_loaded_and_never_overwrites(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = here("init", "--game", "tron", "--bot", "mybot --k {k} --depth {depth}")
    assert (
        done.exit_code == 2 and "mybot cannot be started: it is in no folder of PATH" in done.stderr
    )
    assert not (tmp_path / "study.toml").exists()
    (tmp_path / "mybot").write_text("#!/bin/sh\n")
    (tmp_path / "mybot").chmod(0o755)
    done = here("init", "--game", "tron", "--bot", "mybot --k {k} --depth {depth}")
    assert done.exit_code == 2 and "did you mean ./mybot?" in done.stderr
    done = here("init", "--game", "tron", "--bot", "./mybot --k {k} --depth {depth}")
    assert done.exit_code == 1 and "next: mend the bot, then this command again" in done.output
    assert not (tmp_path / "study.toml").exists()
    words = ("init", "--game", "tron", "--no-start", "--bot")
    done = here(*words, "./mybot --k {k} --depth {depth}")
    study = load_study(tmp_path / "study.toml")
    assert isinstance(study.own, ScanPlan | TunePlan)
    assert isinstance(study.own, TunePlan) and study.own.sampler == "joute"
    assert [axis.name for axis in study.own.space.axes] == ["k", "depth"]
    assert [*study.parameters] == ["k", "depth"] and len(study.own.pool) >= 2
    before = (tmp_path / "study.toml").read_text()
    other = "mine {k}"
    done = here(*words, other)
    free = "study.toml already exists; replace it (--force), or take another name: -o study-2.toml"
    assert done.exit_code == 2 and free in done.output
    assert (tmp_path / "study.toml").read_text() == before
    assert here(*words, other, "-o", "my-2.toml").exit_code == 0
    done = here(*words, other, "-o", "my-2.toml")
    assert done.exit_code == 2 and done.output.endswith("name: -o my-3.toml\n")
    assert here(*words, other, "--force").exit_code == 0
    replaced = (tmp_path / "study.toml").read_text()
    assert 'command = "mine {k}"' in replaced != before


def test_a_study_is_written_for_any_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = Bot('"my bot" {{x}} {k}', "connect4")
    assert write_study(bot, Path("b.toml"), start=False).parameters == {
        "k": "0.5; numbers from 0 to 1"
    }
    with pytest.raises(Refused, match="nothing to tune; name each parameter where its value goes"):
        write_study(Bot('"my bot" {{x}}', "connect4"), Path("c.toml"), start=False)
    assert load_study(tmp_path / "b.toml").game.name == "connect4"
    with pytest.raises(Refused, match="no lines for the protocol codingame"):
        write_study(Bot("bot", "connect4", "codingame"), Path("c.toml"))
    assert not (tmp_path / "c.toml").exists()


def test_a_program_may_be_tuned_by_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mybot").write_text("#!/bin/sh\n")
    Path("mybot").chmod(0o755)
    words = ("init", "--game", "tron", "--bot", "./mybot", "--env", "K={k} DEPTH={depth=4}")
    done = here(*words)
    assert done.exit_code == 1 and "tron by codingame: no answer: ./mybot: " in done.stderr
    done = here(*words, "--no-start")
    assert (
        done.exit_code == 0
        and "k = 0.5; numbers from 0 to 1\ndepth = 4; whole numbers from 1 to 8\n" in done.output
    )
    study = load_study(tmp_path / "study.toml")
    assert [*study.parameters] == ["k", "depth"]
    assert (study.parameters["depth"].kind, study.parameters["depth"].default) == ("int", 4)
    done = here("init", "--game", "tron", "--bot", "K={k} ./mybot", "-o", "s.toml")
    said = "the variable 'K={k}', and no shell is there to set it: write it as env=\"K={k}\""
    assert done.exit_code == 2 and said in done.stderr and not Path("s.toml").exists()


def test_a_program_may_be_tuned_by_its_first_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = ROOT / "examples" / "your_bot"
    words = ("init", "--game", "connect4", "--bot", f"{sys.executable} {folder / 'bot.py'}")
    done = here(*words, "--first-line", "middle {middle=-9.0} line {line=1.0}")
    assert done.exit_code == 0, done.stderr
    assert re.search(r"the program answered [17]\n", done.stderr)  # an edge: the line arrived
    study = load_study(tmp_path / "study.toml")
    assert [*study.parameters] == ["middle", "line"]
    written = tomllib.loads(Path("study.toml").read_text())
    assert written["engine"]["first_line"] == "middle {middle} line {line}"
    for line, said in {"middle {file}": "{file} stands in --bot or --env alone",
                       '{"k": {k}}': "--first-line: a lone '{' near"}.items():  # fmt: skip
        done = here(*words, "--first-line", line, "-o", "other.toml")
        assert done.exit_code == 2 and said in done.stderr and not Path("other.toml").exists()


def test_what_an_engine_by_uci_or_a_referee_does_not_take_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for option, value in {"--env": "K={k}", "--file": "p.json", "--parameters": "k",
                          "--first-line": "k {k}", "--players": "3", "--form": "x"}.items():  # fmt: skip
        done = here("init", "--uci", "engine", option, value)
        assert done.exit_code == 2 and f"{option} does not go with --uci" in done.stderr
    done = here("init", "--referee", "r", "--bot", "b {k}", "--first-line", "k {k}")
    assert done.exit_code == 2 and "--first-line: a referee knows the game" in done.stderr
    assert not [*tmp_path.iterdir()]


PLAYS = """
import json, sys
PARAMETERS = {announced}
{code}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        answer = {{"action": message["actions"][0], "parameters": PARAMETERS}}
        print(json.dumps(answer), flush=True)
"""
FILE = '{"k": 2.0, "depth": 3, "style": "wide"}'


def init(*words: str, announced: str = "{}", code: str = "") -> tuple[str, str, int]:
    """Write a bot and its study; return the study's tables, what was said, and the exit code."""
    Path("study.toml").unlink(missing_ok=True)
    Path("bot.py").write_text(PLAYS.format(announced=announced, code=code))
    bot = f"{sys.executable} -S bot.py"
    done = here("init", "--bot", " ".join([bot, *words[:1]]), *words[1:], "--game", "connect4")
    if done.exit_code:
        return "", done.stderr, done.exit_code
    text = Path("study.toml").read_text()
    load_study(Path("study.toml"))
    tables = re.findall(r"^(?:\w+ = [{[]|(?:env|file|parameters) =).*", text, re.MULTILINE)
    return "\n".join(tables), done.stderr, 0


FAULTY = {
    "crash": ("{python} -S -c 'import nothing' {{k}}", "ModuleNotFoundError"),
    "debug": ("echo debug {{k}}", "no answer: echo debug 0.5: "),
    "option": ("{python} -S --unknown {{k}}", "ended with exit status 2"),
}


@pytest.mark.parametrize("how", FAULTY)
def test_init_writes_no_study_of_a_bot_that_gives_no_answer_and_says_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command, fault = FAULTY[how]
    bot = command.format(python=sys.executable, k="{k}") if "{{" in command else command
    done = here("init", "--bot", bot, "--game", "connect4")
    assert done.exit_code == 1 and fault in done.stderr
    other = "it was sent json-lines of connect4: does it speak another protocol (--protocol), or is this"
    assert (other in done.stderr) is (how == "debug")
    told, next_ = done.stdout.splitlines()
    assert told == "study.toml is not written (it would be with --no-start)"
    asked = "next: mend the bot, then this command again; more says joute check "
    [spec] = shlex.split(next_.removeprefix(asked))
    assert next_.startswith(asked) and parse_engine(spec).values["command"] == bot
    assert not Path("study.toml").exists()
    done = here("init", "--bot", bot, "--game", "connect4", "--json", "-o", "s.toml")
    said = json.loads(done.stdout)
    assert done.exit_code == 1 and said["next"] == next_.removeprefix("next: ")
    assert said["path"] is None and not Path("s.toml").exists()
    done = here("init", "--bot", bot, "--game", "connect4", "--no-start", "-o", "t.toml")
    assert done.exit_code == 0 and done.stdout.endswith("next: joute run t.toml\n")


@pytest.mark.parametrize(
    ("referee", "mend"),
    [
        ("./nothing {seed} {bots}", "referee"),
        ("echo hello {seed} {bots}", "referee"),
        ("sh referee.sh {seed} {bots}", "bot"),
    ],
)
def test_init_says_whether_the_referee_or_the_bot_is_to_be_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, referee: str, mend: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = '{"scores": [0, 1], "failed": ["crash", null]}'
    Path("referee.sh").write_text(f"echo '{result}'\n")
    done = here("init", "--referee", referee, "--bot", "./mybot {k}")
    assert done.exit_code == 1
    then = "joute check " if mend == "bot" else "this command again; more says joute check "
    assert done.stdout.splitlines()[-1].startswith(f"next: mend the {mend}, then {then}")
    assert Path("study.toml").exists() is (mend == "bot")


def test_init_tries_the_program_and_takes_what_it_announces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    announced = '{"k": 0.25, "depth": {"default": 4, "low": 2, "high": 9}, "s": {"default": "a", "choices": ["a", "b"]}}'
    tables, said, _ = init("", announced=announced)
    assert "tried one turn of connect4 by json-lines: the program answered 4\n" in said
    assert "tried a game against itself: 19 turns, without a failure\n" in said
    assert tables.splitlines() == [
        'parameters = "k depth s"',
        'k = { kind = "float", default = 0.25 }',
        'depth = { kind = "int", default = 4, low = 2, high = 9 }',
        's = { kind = "choice", default = "a", choices = ["a", "b"] }',
        "k = { from = 0, to = 1.0 }",
        "depth = { from = 2, to = 9 }",
        's = ["a", "b"]',
    ]
    tables, said, _ = init("{k} {depth=6}", announced=announced)
    assert (
        'k = { kind = "float", default = 0.25 }\ndepth = { kind = "int", default = 6, low = 2, high = 9 }'
        in tables
    )
    assert "parameters =" not in tables
    tables, _, _ = init("", "--parameters", "k=-2 s", announced=announced)
    assert 'parameters = "k s"\nk = { kind = "int", default = -2 }' in tables
    assert "k = { from = -4, to = 0 }" in tables
    _, said, code = init("")
    assert code == 2 and "nothing to tune" in said and not Path("study.toml").exists()
    _, said, code = init("", announced='{"k": [1]}')
    assert code == 2 and "the program announces 'k' = [1]; allowed: a number, a text, or" in said
    _, said, code = init("", announced='{"k": {"default": 3, "hihg": 4}}')
    assert code == 2 and "parameters.k.hihg: unknown key; did you mean 'high'?" in said
    Path("old.toml").write_text("old")
    words = ("", "-o", "old.toml", "--force")
    assert init(*words, announced='{"k": {"default": 3, "hihg": 4}}')[2] == 2
    assert Path("old.toml").read_text() == "old"
    assert not Path("study.toml").exists()


@pytest.mark.parametrize(("reads", "told"), [("low", False), ("other", True)])
def test_init_names_a_parameter_that_changes_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: str, told: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    code = f"""
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--{reads}", type=float, default=0)
low = parser.parse_known_args()[0].{reads}
"""
    first = 'message["actions"][0]'
    plays = PLAYS.replace(first, f"{first[:-3]}[int(low) % len({first[:-3]})]")
    monkeypatch.setitem(globals(), "PLAYS", plays)
    _, said, exit_code = init("--low {low=1}", code=code)
    assert exit_code == 0
    note = (
        "low = 0 and 2 play the same moves in 8 early positions and a whole game of 19 turns: does the "
        "program read it? Or the range is too narrow to change a move there"
    )
    assert (note in said) is told, said


def test_init_says_nothing_of_a_parameter_that_matters_only_late_in_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "low = float(sys.argv[-1])"
    pieces = 'sum(c in "XO" for c in message["position"])'
    late = f'["actions"][int(low) * ({pieces} > 14) % len(message["actions"])]'
    monkeypatch.setitem(globals(), "PLAYS", PLAYS.replace('["actions"][0]', late))
    _, said, exit_code = init("--low {low=1}", code=code)
    assert exit_code == 0 and "play the same moves" not in said


def test_init_plays_a_game_and_tells_a_crash_in_its_middle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pieces = "sum(c in 'XO' for c in message['position'])"
    crash = f"sys.exit('out of memory') if {pieces} == 7 else message"
    monkeypatch.setitem(
        globals(), "PLAYS", PLAYS.replace('message["actions', f'({crash})["actions')
    )
    _, said, exit_code = init("--k {k=1}")
    assert exit_code == 1 and "the program answered 4\n" in said
    assert "tried a game against itself: failed at turn 8: crash: " in said
    assert "out of memory" in said and "the program fails at" not in said
    assert load_study(Path("study.toml")).parameters


def test_init_says_that_a_program_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, said, code = init("--k {k}", code="sys.exit('no engine today')")
    assert code == 1
    assert "no answer: " in said and said.splitlines()[1].endswith("no engine today")
    _, said, code = init("--k {k}", "--no-start", code="sys.exit(3)")
    assert code == 0 and "tried" not in said


def test_init_takes_names_and_defaults_from_the_parameter_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reads = "p = json.load(open('params.json')); assert p['k'] + 1"
    _, said, code = init("", "--file", "params.json", code=reads)
    assert code == 2 and "--file params.json: is not there, and would say names" in said
    Path("params.json").write_text(FILE)
    tables, said, _ = init("", "--file", "params.json", code=reads)
    assert "the program answered 4\n" in said
    assert tables.splitlines() == [
        'file = "params.json"',
        'k = { kind = "float", default = 2.0 }',
        'depth = { kind = "int", default = 3 }',
        'style = { kind = "text", default = "wide" }',
        "k = { from = 0, to = 8.0 }",
        "depth = { from = 1, to = 6 }",
    ]
    _, said, code = init("{file}")
    assert code == 2 and "{file} is the path of a parameter file: say --file params.json" in said
    tables, said, _ = init("", "--file", "params.json", "--parameters", "k", code="")
    assert "style" not in tables and "depth" not in tables
    if "did not open" not in said:
        pytest.skip("this system does not note that a file was read")
    assert "did not open params.json: hand it the path, {file} in the command" in said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"k": true}', "p.json: k = true is neither a number up to 1e+300 nor a text"),
        ('{"k": {"a": 1}}', 'p.json: k = {"a": 1} is neither a number up to 1e+300 nor a text'),
        ('{"a b": 1}', "p.json: 'a b' is not a name; allowed: letters, digits and '_'"),
        ("[1]", "p.json: holds no table; allowed: names with numbers and texts"),
        ("{", "p.json: cannot be read as json: "),
        ('{"style": "wide"}', "p.json: no parameter is a number that can be tuned, only texts"),
    ],
)
def test_a_parameter_file_that_init_cannot_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text(text)
    _, said, code = init("", "--file", "p.json", "--no-start")
    assert code == 2 and line in said and len(said.splitlines()) == 1


@pytest.mark.parametrize("game", ["tron", "tron[players=3]", "chess", "connect4"])
def test_a_new_study_keeps_even_openings_where_a_quick_search_tells_them(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(Bot("bot {k=0.3}", game), Path("s.toml"), start=False)
    rules = load_study("s.toml").openings
    assert (rules.balanced_by is not None) == (game in ("tron", "chess"))
    if rules.balanced_by is not None:
        assert rules.balanced_within == parse_game(game).balanced_within > 0
