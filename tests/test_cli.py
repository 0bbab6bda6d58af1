"""The front door: what every command prints, and how it refuses."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from joute.cli import main
from joute.commands._terminal import slow
from joute.engines.record import WIN
from joute.engines.search import value_text
from joute.harness.match import MARGIN_MS
from joute.studies.adhoc import match_study
from tests.support.here import Here
from tests.support.runs import BAD, JOUTE, ROOT, here, rows, stored, study_text
from tests.support.searches import scan_text

WIDE = "connect4[columns=12,rows=6]"
SMALL = "connect4[columns=4,rows=4]"
WORKED = "startpos moves 6 6 7 8 5"
LINE = "startpos moves 1 2 1 2 1 2 1"


def out(*words: object) -> str:
    done = here(*words)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def data(*words: object) -> dict[str, object]:
    found: dict[str, object] = json.loads(out(*words, "--json"))
    return found


def refusal(*words: object) -> str:
    """Return the one line of a refusal."""
    done = here(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("joute: ")
    return line.removeprefix("joute: ")


def test_elo_of_games() -> None:
    assert out("elo", 10, 5, 3) == (
        "score  0.6944  [0.5011, 0.8878]  (18 games, 95 %, Student t)\n"
        "Elo    +142.62  [+0.8, +359.3]\n"
        "nElo   +178.81 +/- 177.78\n"
        "LOS    97.56 %\n"
        "only 18 games: the interval is rough\n"
    )
    turned = data("elo", 3, 5, 10)
    assert turned["elo"] == pytest.approx(-142.618929)
    assert turned["score"] == pytest.approx(1 - 12.5 / 18)


def test_elo_of_pairs_has_the_keys_that_machines_read() -> None:
    found = data("elo", "--pairs", 1, 2, 3, 4, 5)
    assert {"elo", "elo_error", "nelo", "nelo_error", "los", "score"} <= set(found)
    assert found["score"] == pytest.approx(2 / 3)
    assert found["elo"] == pytest.approx(120.411998)
    assert found["nelo"] == pytest.approx(131.318308)
    assert found["los"] == pytest.approx(0.967356)


def test_elo_without_spread_is_null() -> None:
    found = data("elo", 5, 0, 0)
    assert (found["elo"], found["nelo"], found["los"], found["score"]) == (None, None, None, 1.0)
    assert "all 5 games ended the same way" in str(found["note"])
    assert "Elo    at least +34.4\n" in out("elo", 5, 0, 0)
    assert "Elo    +0.00  [-20.2, +20.2]\n" in out("elo", "--pairs", 0, 0, 50, 0, 0)


def test_sprt() -> None:
    assert out("sprt", 0, 10, 30, 20, 20) == (
        "LLR 0.3628  [-2.9444, 2.9444]  cannot tell yet: play on\n"
    )
    found = data("sprt", 0, 10, "--pairs", 1, 20, 30, 40, 15)
    assert list(found) == ["llr", "lower", "upper", "verdict"]
    assert found["llr"] == pytest.approx(2.375727)
    assert (found["lower"], found["upper"]) == pytest.approx((-2.944439, 2.944439))
    assert found["verdict"] == "continue"
    normalized = data("sprt", 0, 10, "--pairs", 1, 20, 30, 40, 15, "--model", "normalized")
    assert normalized["llr"] == pytest.approx(1.7766, abs=1e-4)
    assert data("sprt", 0, 60, "--pairs", 0, 5, 20, 60, 40)["verdict"] == "H1"
    assert data("sprt", 0, 60, "--pairs", 40, 60, 20, 5, 0)["verdict"] == "H0"


def test_negative_elo_is_a_number() -> None:
    assert data("sprt", -5, 5, 30, 20, 20)["llr"] == pytest.approx(0.402933)
    assert data("sprt", "-10", "-2.5", 30, 20, 20)["verdict"] in ("continue", "H1")


CALCULATOR_REFUSALS = [
    (("elo",), "give either W D L or --pairs n0 n1 n2 n3 n4"),
    (("elo", 1, 2, 3, "--pairs", 1, 2, 3, 4, 5), "give either W D L or --pairs n0 n1 n2 n3 n4"),
    (("elo", 1, 2), "W D L are three counts, not 2"),
    (("elo", -1, 2, 3), "-1 is no count: counts are whole numbers from 0 to 1000000000000000"),
    (("elo", 1.5, 2, 3), "1.5 is no count: counts are whole numbers from 0 to 1000000000000000"),
    (("elo", 0, 0, 0), "no games: there is nothing to compute"),
    (("sprt", 10, 0, 1, 1, 1), "sprt: elo0 < elo1 is needed"),
    (("sprt", 0, 10, 1, 1, 1, "--alpha", 0.7), "sprt: alpha must lie strictly between 0 and 0.5"),
]


@pytest.mark.parametrize(("words", "line"), CALCULATOR_REFUSALS)
def test_calculators_refuse(words: tuple[object, ...], line: str) -> None:
    assert refusal(*words).startswith(line)


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("connect4", 0), 1),
        (("connect4", 4), 2401),
        ((WIDE, 4), 20736),
        (("connect4", 3, "--without", "4"), 216),
        (("connect4", 2, "--position", "startpos moves 1 1 1 1 1 1"), 36),
        (("connect4", 2, "startpos", "moves", 1, 1, 1, 1, 1, 1), 36),
        (("connect4", 3, "--position", LINE), 0),
    ],
)
def test_perft(words: tuple[object, ...], count: int) -> None:
    assert out("perft", *words) == f"{count}\n"


def test_perft_for_machines() -> None:
    assert data("perft", WIDE, 3) == {"game": WIDE, "depth": 3, "count": 1728}


@pytest.mark.parametrize(
    ("evaluation", "options", "value"),
    [
        ("static", (), 4),
        ("lines", (), 15.356313),
        ("lines", ("-p", "reading=A"), 15.166667),
        ("lines", ("-p", "reading=C"), 32.630556),
        ("lines", ("-p", "reading=C", "--for", 2), -32.630556),
    ],
)
def test_evaluate_the_worked_example(
    evaluation: str, options: tuple[object, ...], value: float
) -> None:
    words = ("evaluate", WIDE, evaluation, *options, *WORKED.split())
    assert float(out(*words)) == pytest.approx(value, abs=1e-6)
    assert data(*words)["value"] == pytest.approx(value, abs=1e-6)


def test_evaluate_a_finished_game_says_so() -> None:
    done = here("evaluate", WIDE, "lines", LINE)
    assert done.exit_code == 0
    assert done.stdout == "the game is over: player 1 won (returns 1, 0)\n"
    found = data("evaluate", WIDE, "lines", LINE, "--for", 2)
    assert found == {"value": None, "player": 2, "over": True, "returns": [1, 0]}
    full = "startpos moves 1 1 1 1 2 2 2 2 4 3 3 3 3 4 4 4"
    assert out("evaluate", SMALL, "lines", full) == "the game is over: a draw (returns 0.5, 0.5)\n"


def test_bestmove() -> None:
    spec = f"{WIDE}/alphabeta:evaluation=lines,depth=4"
    text = out("bestmove", spec, *WORKED.split())
    found = data("bestmove", spec, WORKED)
    assert list(found) == ["move", "value", "depth", "nodes", "time_ms"]
    assert (found["move"], found["depth"]) == ("4", 4)
    assert re.fullmatch(r"move 4  value -?\d+\.\d+  depth 4  nodes \d+  time_ms \d+\.\d+\n", text)
    wins = data("bestmove", "connect4/alphabeta:evaluation=static,depth=2", LINE[:-2])
    assert wins["move"] == "1" and float(str(wins["value"])) > 1e9
    said = out("bestmove", "connect4/alphabeta:evaluation=static,depth=2", *LINE[:-2].split())
    assert said.startswith("move 1  value win in 1 ply  depth ")
    assert [value_text(v) for v in (WIN - 3, 4 - WIN, 0.0, -3.90817, 1e13)] == [
        *("win in 3 plies", "loss in 4 plies", "0", "-3.908", "1e+13"),
    ]
    lots = [data("bestmove", "connect4/random", "--seed", seed)["move"] for seed in range(12)]
    assert len(set(lots)) > 2
    assert data("bestmove", "connect4/random", "--seed", 4)["move"] == lots[4]


REFUSALS = [
    (("bestmove", "connect4/random", "startpos moves 1 1 1 1 1 1 1"),
     "move 7 of the position, '1', is illegal; legal: 2 3 4 5 6 7"),
    (("bestmove", "connect4/random", "startpos moves 3 9"),
     "move 2 of the position: '9' is not a column; allowed: 1 to 7"),
    (("bestmove", "connect4/random", "startpos moves x"),
     "move 1 of the position: 'x' is not a column; allowed: 1 to 7"),
    (("bestmove", "connect4/random", LINE + " 3"),
     "move 8 of the position, '3': the game is already over"),
    (("bestmove", "connect4/random", LINE), "the game is over in this position"),
    (("bestmove", "connect4/random", "nonsense"), "position 'nonsense': 1 rows; the board has 6"),
    (("bestmove", "connect4"), "'connect4' is not an engine"),
    (("bestmove", "connect4/alphabeta:evaluation=lines,dpeth=3"),
     "connect4/alphabeta:evaluation=lines,dpeth=3: unknown parameter 'dpeth'; did you mean 'depth'"),
    (("bestmove", "connect4/alphabeta:depth=3"),
     "connect4/alphabeta:depth=3: alphabeta needs an evaluation"),
    (("bestmove", "connect4/alphabeta:evaluation=lines,depth=0"),
     "connect4/alphabeta:evaluation=lines,depth=0: depth = 0 is not a whole number"),
    (("bestmove", "connect4/uct"), "connect4/uct: uct needs a limit: iterations or milliseconds"),
    (("perft", "conect4", 2), "unknown game 'conect4'; did you mean 'connect4'?"),
    (("perft", "connect4", 2, "--without", "x"), "'x' is not a column; allowed: 1 to 7"),
    (("perft", "connect4[cols=7]", 2), "unknown option of connect4 'cols'"),
    (("evaluate", WIDE, "lines", "-p", "reading=D"), "-p: reading = 'D' is not one of A, B, C"),
    (("evaluate", WIDE, "lines", "-p", "x"), "-p: 'x' is not of the form name=value"),
    (("evaluate", WIDE, "lines", "--for", 3), "--for 3: connect4 has players 1 to 2"),
    (("evaluate", WIDE, "line"), "unknown evaluation 'line'; did you mean 'lines'?"),
    (("play", "random", "random"), "at least one SPEC must name the game"),
    (("play", "connect4/random"), "connect4[columns=7,rows=6] needs 2 players, not 1"),
    (("play", "connect4/random", f"{SMALL}/random"), f"{SMALL}/random plays another game than"),
    (("play", "connect4/random", "random", "--position", "startpos moves 8"),
     "move 1 of the position: '8' is not a column"),
    (("bestmove", "tron/random", "startpos UP"),
     "position 'startpos UP': before the moves comes the word moves, 'startpos moves UP'"),
    (("bestmove", "tron/random", "startpos moves 1"), "move 1 of the position: '1' is not an action; "
     "allowed: UP, DOWN, LEFT, RIGHT"),
    (("bestmove", "connect4/random", "8/8/8/8/8/8/8"), "position '8/8/8/8/8/8/8': 7 rows; the board "
     "has 6; connect4[columns=7,rows=7] has room for it"),
    (("perft", "connect4", 2, "startpos", "--position", "startpos"), "the position is given twice"),
    (("match", "connect4/random", "uct:iterations=9", "--names", "one,one", "--out", "nowhere/m"),
     "names: two engines have the same one: one, one"),
    (("show", "nothing-like-it"), "nothing is called 'nothing-like-it'; joute list names all; what a plugin adds needs"),
    (("check", "nonsense"), "unknown game, search, evaluation or view 'nonsense'"),
    (("replay", "no-run", "ab", "--html", "nowhere/x.html"), "nowhere/x.html: nowhere is not a folder"),
    (("suite", "no.toml", "random", "--csv", "nowhere/t.csv"), "nowhere/t.csv: nowhere is not a folder"),
    (("suite", "no/s.toml", "--from-game", "no-run", "ab", 3), "no/s.toml: no is not a folder"),
    (("suite", "no.toml", "random", "--csv", "/"), "/ is a folder, not a file"),
    (("init", "--bot", "./bot"), "--game: which game does it play? chess, connect4, dodo, go, "),
    (("init", "--game", "tron", "--bot", "./bot", "-o", "nowhere/s.toml"), "nowhere/s.toml: nowhere is not a folder"),
    (("run", "connect4-quik"), "connect4-quik: neither a file nor a ready-made study; did you mean 'connect4-qui"),
    (("run", "absent.toml"), "absent.toml: no such file"),
    (("report", "/nowhere"), "there is no run in /nowhere (no run.db)"),
    (("--plugin", "/nowhere.py", "list"), "plugin /nowhere.py: no such Python file"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), REFUSALS)
def test_a_wrong_request_is_one_line(words: tuple[object, ...], line: str) -> None:
    assert refusal(*words).startswith(line)


def test_play() -> None:
    text = out("play", f"{SMALL}/random", "random", "--quiet", "--seed", 3)
    moves = re.findall(r"^\d+\. (\d)$", text, re.M)
    found = data("play", f"{SMALL}/random", "random", "--seed", 3)
    assert [move["action"] for move in found["moves"]] == moves  # type: ignore[attr-defined]
    assert found["returns"] == [0.5, 0.5] and found["termination"] == "normal"
    assert text.endswith(f"0.5  {SMALL}/random\n0.5  {SMALL}/random\n") and len(moves) == 16
    shown = out("play", f"{SMALL}/random", "random", "--seed", 3)
    assert all(f"{i}. {move}" in shown for i, move in enumerate(moves, 1))
    assert shown.count("\n1 2 3 4\n") == 17  # with the boards
    other = out("play", f"{SMALL}/random", "random", "--quiet", "--seed", 4)
    assert other != text


def test_a_human_is_asked_until_the_move_is_legal() -> None:
    first = "alphabeta:evaluation=static,depth=1"
    words = ("play", f"{SMALL}/human", first, "--quiet", "--position", "startpos moves 1 1 1 1")
    done = here(*words, stdin="x\n1\n2\n")
    assert done.exit_code == 1
    assert done.stderr.count("your move (2 3 4): ") == 4
    assert "'x' is not a column; allowed: 1 to 4" in done.stderr
    assert "1 is not legal now" in done.stderr
    assert "5. 2" in done.stdout
    assert f"{SMALL}/human: crash at ply 6" in done.stdout
    assert "the person left (end of input)" in done.stderr
    assert f"0  {SMALL}/human\n1  {SMALL}/alphabeta" in done.stdout


def test_play_names_a_bad_engine() -> None:
    done = here("--plugin", BAD, "play", f"{SMALL}/bad:how=illegal,after=1", "random", "--quiet")
    assert done.exit_code == 1
    assert f"{SMALL}/bad:how=illegal,after=1: illegal at ply 2" in done.stdout
    assert "played '100', which is not legal" in done.stderr


def test_an_engine_may_meet_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.reports.plots.write.plots", list)
    words = ("match", f"{SMALL}/random", "random", "--blocks", 4, "--out", tmp_path / "m")
    assert out(*words).startswith("Cannot tell random from random again: random scores")
    assert rows(tmp_path / "m", "SELECT COUNT(*), COUNT(DISTINCT id) FROM engines") == [(2, 2)]
    seats = "SELECT COUNT(*) FROM seats GROUP BY engine"
    assert rows(tmp_path / "m", seats) == [(8,), (8,)]
    assert "Both engines are the same" in (tmp_path / "m" / "report.html").read_text()
    listed = out("replay", tmp_path / "m")
    assert len(listed.splitlines()) == 10 and "random again, random" in listed
    assert data("replay", tmp_path / "m")["total"] == 8


def test_match(tmp_path: Path) -> None:
    strong, weak = "alphabeta:evaluation=static,depth=3", "random"
    words = ("match", f"connect4/{strong}", weak, "--blocks", 8, "-j", 1, "--out", tmp_path / "m")
    found = data(*words)
    assert (found["played"], found["failures"], found["stopped"]) == (16, 0, "")
    assert 0 <= found["seconds"] < 600  # type: ignore[operator]
    assert found["seconds_expected"] is None  # it was over before that could be known
    [name] = rows(tmp_path / "m", "SELECT name FROM engines WHERE spec LIKE '%alphabeta%'")
    assert found["winner"] == name[0]
    again = out(*words)  # plays nothing, says the same
    assert again.splitlines()[:1] == found["answer"][:1]  # type: ignore[index]
    assert f"report: {tmp_path / 'm' / 'report.html'}" in again
    assert rows(tmp_path / "m", "SELECT COUNT(*) FROM games") == [(16,)]
    report = here("report", tmp_path / "m")
    assert report.exit_code == 0 and report.stdout == again


def test_a_match_after_an_edit_is_a_new_one_and_the_old_games_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("joute.reports.plots.write.plots", list)
    bot = shutil.copy(ROOT / "examples" / "json_lines" / "bot.py", tmp_path)
    mine = f'{SMALL}/process:command="{sys.executable} {bot}"'

    def play(*more: object) -> Path:
        return Path(str(data("match", mine, "random", "--blocks", 1, *more)["folder"]))

    first = play()
    assert play() == first  # goes on
    Path(bot).write_text(Path(bot).read_text() + "# edited\n")
    second = play()
    assert second.name == f"{first.name}-2" and play() == second
    assert play("--fresh").name == f"{first.name}-3"
    assert [p.name for p in Path("runs").iterdir() if stored(p) == 2] and stored(first) == 2
    Path(bot).write_text(Path(bot).read_text() + "# edited again\n")
    said = refusal("match", mine, "random", "--blocks", 1, "--out", first)
    assert "take another folder (--out), or start over (--fresh)" in said
    assert play("--out", first, "--fresh") == first


def test_list_and_show_keep_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    from joute.commands import _describe, _terminal

    line = "  name  " + "some words " * 30
    assert _terminal.fitted(line, 8) == line
    monkeypatch.setattr(_terminal, "terminal_width", lambda: 80)
    monkeypatch.setattr(_describe, "terminal_width", lambda: 80)
    first, *others = _terminal.fitted(line, 8).splitlines()
    assert len(first) <= 80 and others
    assert all(len(one) <= 80 and len(one) - len(one.lstrip()) == 8 for one in others)
    table = _describe.describe("connect4").text.partition("name ")[2]
    assert max(map(len, table.splitlines())) <= 80


def test_list_and_show_name_every_member() -> None:
    text, found = out("list"), data("list")
    first = ["game", "search", "evaluation", "generator", "ending", "protocol", "study", "suite"]
    assert list(found) == [
        *first,
        "form",
        "kind",
        "sampler",
        "script",
        "target",
        "transcript",
        "view",
        "plot",
        "dialogue",
        "telling",
    ]
    for kind, members in found.items():
        assert isinstance(members, dict) and members
        for name, summary in members.items():
            assert name in text and summary
            assert name in out("show", name), kind
    shown = data("show", "alphabeta")
    assert "width" in json.dumps(
        shown
    ) and "the report in docs/measured/seeds.md tried 0.40 to 0.70" in json.dumps(shown)
    assert "width of the board" in out("show", "connect4")
    assert re.search(r"^reading +choice +B +A \| B \| C", out("show", "lines"), re.M)
    assert "\nplayers: 2\n" in out("show", "connect4")
    assert "\nfor example: startpos moves 4\n" in out("show", "connect4")
    assert "\nplayers: 2 to 4\n" in out("show", "tron[players=3]")
    assert re.search(r"^generators: .*all", out("show", "tron"), re.M)
    assert re.search(r"^generators: .*langorou", out("show", "vampires"), re.M)
    assert data("show", "tron[players=3]")["players"] == 3
    assert "langorou" in data("show", "vampires")["generators"]


def test_one_kind_of_members_may_be_listed() -> None:
    studies = out("list", "studies")
    assert studies.startswith("studies\n  ") and "\n  tron-own-bot " in studies
    assert "searches" not in studies.splitlines()
    assert [*data("list", "searches")] == [*data("list", "search")] == ["search"]
    assert out("list", "kinds").startswith("kinds of study\n")
    assert "unknown kind of members 'serches'; did you mean 'searches'?" in refusal(
        "list", "serches"
    )


def test_plugins_are_members_like_any_other() -> None:
    assert "misbehaves (a plugin of the tests)" in out("--plugin", BAD, "list")
    assert "own moves before that" in out("--plugin", BAD, "show", "bad")


def test_what_takes_longer_says_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with slow("this is quick", 60.0):
        pass
    with slow("drawing takes seconds", 0.01):
        time.sleep(0.2)
    assert capsys.readouterr().err == "joute: drawing takes seconds ...\n"


def test_check() -> None:
    text = out("check", SMALL, f"{SMALL}/random")
    assert text.splitlines()[:2] == [SMALL, "  ok    its rules can be made"]
    assert text.count(f"{SMALL}\n") == 1 and text.count(f"{SMALL}/") == 1  # each thing once
    assert re.search(r"\d random playouts per second of \d+ plies, on one core\n$", text)
    made = "  ok    its rules can be made\n  ok    its player can be made\n"
    assert f"{SMALL}/random\n{made}  ok    plays whole games legally\n" in text
    assert "FAULT" not in text and "NOTE" not in text
    bad = here("--plugin", BAD, "check", f"{SMALL}/bad:how=illegal", "--json")
    assert bad.exit_code == 1
    faults = {c["rule"]: c["fault"] for c in json.loads(bad.stdout)}
    assert "illegal: played '100', which is not legal" in faults["plays whole games legally"]


@pytest.mark.parametrize("kind", ["tournament", "scan"])
def test_a_dry_run_tells_of_a_program_that_cannot_be_started(tmp_path: Path, kind: str) -> None:
    command = "./nowhere --k {k}"
    study = scan_text() if kind == "scan" else study_text(["random"], 3, SMALL)
    if kind == "scan":
        study = re.sub(r"(?s)\[engine\].*", f"[engine]\nsearch = 'process'\ncommand = '{command}'\n"
                       "[parameters]\nk = { kind = 'float', default = 1 }\n[space]\n"
                       "k = { from = 1, to = 2 }\n[[opponents]]\nspec = 'random'\n", study)  # fmt: skip
    else:
        own = f"[[entrants]]\nname = 'mine'\nsearch = 'process'\ncommand = '{command}'\nk = 1\n"
        study = study.replace("[schedule]", f"{own}[schedule]")
    (tmp_path / "s.toml").write_text(study)
    said = out("run", tmp_path / "s.toml", "--dry-run").splitlines()[-1]
    name = {"scan": "the engine at a point of the space", "tournament": "mine"}[kind]
    assert said.startswith(
        f"{name} failed in the games played for this estimate: crash: ./nowhere --k 1"
    )
    assert said.endswith("cannot be started: No such file or directory")
    assert data("run", tmp_path / "s.toml", "--dry-run")["failing"] == [said]


def test_a_dry_run_measures_with_the_workers_that_will_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def executor(workers: int) -> Here:
        asked.append(workers)
        return Here()

    monkeypatch.setattr("joute.harness.runner.local", executor)
    monkeypatch.setattr("joute.studies.play.estimate.SAMPLE_SECONDS", 0.1)
    (tmp_path / "s.toml").write_text(study_text(["random", "uct:iterations=2"], 500, SMALL))
    done = CliRunner().invoke(main, ["run", str(tmp_path / "s.toml"), "--dry-run", "-j", "3"])
    assert asked == [3] and "on 3 workers; " in done.stdout
    assert "measured with these workers while the machine's load was " in done.stdout


def test_an_interrupt_while_the_door_is_imported_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    done = subprocess.run(
        [*JOUTE, "list"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "joute: stopped\n")


def test_it_is_joute_however_it_is_started() -> None:
    done = subprocess.run([*JOUTE, "nonsense"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("Usage: joute [OPTIONS] COMMAND")


def test_the_help_of_export_names_every_target() -> None:
    said = " ".join(out("export", "--help").split())
    targets = list(data("list")["target"])  # type: ignore[call-overload]
    assert len(targets) >= 6 and f"Target: {', '.join(targets)}." in said


def test_dry_run_plays_and_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    specs = ["random", "alphabeta:evaluation=static,depth=1", "alphabeta:evaluation=static"]
    Path("s.toml").write_text(
        study_text(specs, 50, SMALL) + '[[stage]]\nentrants = "best:2"\nblocks = 200\n'
    )
    *said, measured = out("run", "s.toml", "--dry-run", "-j", 2).splitlines(keepends=True)
    text = "".join(said)
    pattern = r"measured with these workers while the machine's load was [\d.]+ on \d+ cores(; an idle .*|; time spent .*)?\n"
    assert re.fullmatch(pattern, measured)
    assert re.sub(
        r"about [\d.e-]+ [mµ]s each here: [\d.]+ \w+ of", "about N ms each here: T of", text
    ) == (
        "main: 300 games (3 pairings x 50 blocks x 2)\n"
        "  resolves about 100 Elo between two entrants from their own blocks, "
        "70 Elo of one entrant against the field\n"
        "stage-2: 400 games if nobody ties (1 pairings x 200 blocks x 2)\n"
        "  resolves about 49 Elo between two entrants from their own blocks\n"
        "700 games in all, about N ms each here: T of play on 2 workers; starting, compiling and the "
        "report (10 s to a minute) come on top\n"
        "4.8 % of random openings are decided within 3 plies and left out (openings.forced_ends)\n"
    )
    found = data("run", "s.toml", "--dry-run", "-j", 2)
    assert (found["games"], found["workers"]) == (700, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


def test_a_dry_run_refuses_a_folder_of_another_study_as_the_run_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(study_text(["random", "alphabeta:evaluation=static"], 1, SMALL))
    assert here("run", "s.toml", "-j", 1, "--no-report", "--out", "run").exit_code == 0
    into = ("run", "s.toml", "--out", "run")
    done = here(*into, "--dry-run", "--set", "schedule.blocks=2")
    assert done.exit_code == 0
    assert done.stdout.endswith("2 games are stored in run already, and not played again\n")
    told = json.loads(here(*into, "--dry-run", "--json").stdout)
    assert told["stored"] == 2 and "stored" not in data("run", "s.toml", "--dry-run")
    other = (*into, "--set", "seed=7")
    said = refusal(*other)
    assert said.startswith("run holds a run of another study: take another folder (--out)")
    assert refusal(*other, "--dry-run") == refusal(*other, "--dry-run", "--no-start") == said
    assert here(*other, "--dry-run", "--fresh").exit_code == 0


def test_a_match_may_be_lenient_about_time(tmp_path: Path) -> None:
    asked = ("match", f"{SMALL}/random", "random", "--blocks", 1, "--no-report", "-j", 1)
    folder = tmp_path / "run"
    assert here(*asked, "--out", folder, "--margin-ms", 700).exit_code == 0
    assert here(*asked, "--out", folder, "--margin-ms", 700).exit_code == 0  # goes on
    said = refusal(*asked, "--out", folder)
    assert "time.margin_ms: was 700" in said and "is now none" in said
    assert match_study(f"{SMALL}/random", "random", margin_ms=0).time.margin_ms == 0
    assert f"(default {MARGIN_MS:g})" in " ".join(here("match", "--help").output.split())
    for wrong in ("-1", "nan", "inf", "x"):
        assert here(*asked, "--margin-ms", wrong).exit_code == 2


def test_a_test_ends_after_so_many_blocks_and_its_sides_have_names(tmp_path: Path) -> None:
    asked = ("match", f"{SMALL}/random", "uct:iterations=2", "--sprt", 0, 5, "--blocks", 3, "-j", 1)
    folder = tmp_path / "m"
    done = here(*asked, "--names", "new,old one", "--out", folder, "--no-report")
    assert done.exit_code == 0
    assert "new" in done.stdout and "old one" in done.stdout
    assert "undecided after 3 blocks" in done.stdout and "sprt.max_blocks = 3" in done.stdout
    assert stored(folder) == 6
    plan = match_study(f"{SMALL}/random", "uct:iterations=2", 3, (0, 5), names=("new", "old one"))
    assert plan.name.startswith("connect4-new-vs-oldone-sprt-0-5-")


@pytest.mark.parametrize(("how", "games"), [((), 6), (("--gauntlet",), 4)])
def test_a_match_of_three_is_a_tournament(how: tuple[str, ...], games: int, tmp_path: Path) -> None:
    asked = ("match", f"{SMALL}/uct:iterations=30", "random", "uct:iterations=2", "--blocks", 1)
    done = here(*asked, *how, "-j", 1, "--out", tmp_path / "m", "--no-report")
    assert done.exit_code == 0 and stored(tmp_path / "m") == games
    assert (" against random" in done.stdout) == bool(how)
    assert done.stdout.split()[:4] == ["engine", "score", "Elo", "games"]  # the ranking comes first
    again = here(*asked, *how, "-j", 1, "--out", tmp_path / "m", "--no-report", "--json")
    told = json.loads(again.stdout)
    assert told["played"] == 0 and told["winner"] is None  # so few games tell nobody apart
    assert [row["rank"] for row in told["standings"]] == [1, 2, 3]
    assert all(row["score_low"] <= row["score"] <= row["score_high"] for row in told["standings"])


def test_names_of_a_match_of_three(tmp_path: Path) -> None:
    asked = ("match", f"{SMALL}/uct:iterations=30", "random", "uct:iterations=2", "--blocks", 1)
    named = (*asked, "--names", "new, old,older", "-j", 1, "--out", tmp_path / "m", "--no-report")
    told = json.loads(here(*named, "--json").stdout)
    assert {row["engine"] for row in told["standings"]} == {"new", "old", "older"}
    assert "is how the tables call a game that nobody won" in refusal(*asked, "--names", "a,b,draw")


def test_what_a_match_of_three_is_not() -> None:
    two = ("match", f"{SMALL}/random", "random")
    assert "a gauntlet needs three engines or more" in refusal(*two, "--gauntlet")
    said = refusal(*two, "uct:iterations=2", "--sprt", 0, 5)
    assert "sprt: a test is between two engines, and here are 3" in said
    assert "names: 2 names for 3 engines: a, b" in refusal(*two, "random", "--names", "a,b")


def test_a_match_without_a_report_says_its_answer_and_writes_nothing_more(tmp_path: Path) -> None:
    asked = ("match", "connect4/random", "random", "--blocks", 2, "--out", tmp_path / "run")
    done = here(*asked, "--no-report")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Cannot tell ")
    assert lines[-1] == f"tables, plots and report: joute report {tmp_path / 'run'}"
    assert {path.suffix for path in (tmp_path / "run").iterdir()} <= {
        *(".db", ".db-wal", ".db-shm", ".toml", ".lock", ".json", ""),
    }
    told = json.loads(here(*asked, "--no-report", "--json").stdout)
    assert told["report"] is None and told["played"] == 0
    done = here(*asked)
    assert done.stdout.splitlines()[:-1] == lines[:-1]
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.parametrize("own", [None, "3"])
def test_linear_algebra_has_one_thread_unless_somebody_says_more(own: str | None) -> None:
    name = "OPENBLAS_NUM_THREADS"
    environment = {k: v for k, v in os.environ.items() if k != name}
    environment |= {} if own is None else {name: own}
    said = subprocess.run(
        [sys.executable, "-c", f"import os, joute.cli; print(os.environ['{name}'])"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == (own or "1")


@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_help_is_the_doors_own_and_imports_no_library(asked: str) -> None:
    script = (
        f"import sys; sys.argv = ['joute', {asked!r}]\nfrom joute.entry import main\nmain()\n"
        "sys.stderr.write(str('click' in sys.modules))"
    )
    wide = {**os.environ, "COLUMNS": "80"}
    said = subprocess.run([sys.executable, "-c", script], env=wide, capture_output=True, text=True)
    door = [sys.executable, "-c", "from joute.cli import main; main(prog_name='joute')", asked]
    assert said.stdout == subprocess.run(door, env=wide, capture_output=True, text=True).stdout
    assert said.stderr == "False"
    narrow = {**os.environ, "COLUMNS": "50"}
    said = subprocess.run(
        [sys.executable, "-c", script], env=narrow, capture_output=True, text=True
    )
    assert max(map(len, said.stdout.splitlines())) <= 50


def test_perft_divides_and_tells_its_speed() -> None:
    lines = here("perft", "connect4", "3", "--divide").output.splitlines()
    assert lines[-1] == "343" and sorted(lines[:7]) == [f"{column}: 49" for column in range(1, 8)]
    table = json.loads(here("perft", "connect4", "4", "--table", "--json").output)["table"]
    assert [row["count"] for row in table] == [7, 49, 343, 2401] and table[-1]["per second"] > 0


def test_a_plugins_syntax_error_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("from joute import Game\nclass A(Game:\n    pass\n")
    said = here("--plugin", tmp_path / "x.py", "list").stderr
    assert f"{tmp_path / 'x.py'}, line 2, `class A(Game:`" in said


@pytest.mark.parametrize(
    "words",
    [
        [str(ROOT / "cli.py"), "list"],
        [str(ROOT / "cli.py"), "bestmove", "connect4/random", "startpos"],
        ["-c", "import joute; joute.engine('connect4/random')"],
        ["-c", "import joute; joute.match('connect4/random', 'random')"],
    ],
)
def test_python_without_docstrings_is_refused_in_a_line(words: list[str], tmp_path: Path) -> None:
    """Every engine would have another digest."""
    given = {"capture_output": True, "text": True, "cwd": tmp_path, "timeout": 60}
    done = subprocess.run([sys.executable, "-OO", *words], check=False, **given)  # type: ignore[call-overload]
    assert "runs with -OO" in done.stderr.splitlines()[-1] and not done.stdout
    if words[0] != "-c":
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_a_foreign_file_steers_no_terminal(tmp_path: Path) -> None:
    """What a refusal cites of it has ? for escapes and for signs that nobody sees."""
    for text in ("\x1b[31muct", "\u202euct", "uc\ufefft"):
        path = tmp_path / "e.json"
        path.write_text(json.dumps({"engine": f"connect4/{text}", "joute": "1"}), "utf-8")
        done = here("bestmove", path, "startpos", color=True)
        assert done.exit_code == 2 and "?" in done.stderr
        assert done.stderr.removesuffix("\n").isprintable(), ascii(done.stderr)


def test_an_interruption_that_a_module_in_c_calls_a_failed_import_is_one(tmp_path: Path) -> None:
    plugin = tmp_path / "hurt.py"
    plugin.write_text(
        "try:\n    raise KeyboardInterrupt\n"
        "except KeyboardInterrupt as stop:\n    raise ImportError('initialization failed') from stop\n"
    )
    done = here("--plugin", plugin, "list")
    assert (done.exit_code, done.stderr) == (130, "joute: stopped\n")
    plugin.write_text("raise ImportError('initialization failed')\n")
    done = here("--plugin", plugin, "list")
    assert done.exit_code == 2 and "initialization failed" in done.stderr


@pytest.mark.parametrize(
    "word, hint", [("rnu", "did you mean 'run'"), ("tune", "joute run plays a study")]
)
def test_an_unknown_command_is_told_what_may_be_meant(word: str, hint: str) -> None:
    done = here(word, "study.toml")
    assert (
        done.exit_code == 2 and f"No such command '{word}'" in done.stderr and hint in done.stderr
    )


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "joute", "show", "connect4"],
        stdout=write, stderr=subprocess.PIPE, check=False, text=True,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["bot {}/random --protocol json-lines", "bestmove {}/random"])
def test_a_stream_may_be_closed(words: str, closed: str) -> None:
    joute = shlex.join([sys.executable, "-m", "joute"])
    command = f"{joute} {words.format(shlex.quote(SMALL))} {closed}"
    done = subprocess.run(
        command, shell=True, input="", capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    if words.startswith("bestmove") and ">&-" not in closed.replace("2>&-", ""):
        assert done.stdout


@pytest.mark.slow
def test_the_report_is_written_though_the_reader_of_the_answer_leaves(tmp_path: Path) -> None:
    command = f"{shlex.join(JOUTE)} match {SMALL}/random random --blocks 2 -j 1 --out run | head -1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert len(done.stdout.splitlines()) == 1 and "Broken pipe" not in done.stderr
    assert (tmp_path / "run" / "report.html").exists() and (tmp_path / "run" / "games.csv").exists()
