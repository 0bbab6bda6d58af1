"""`joute check` of a referee and a bot, and the study that `joute init --referee` writes."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine
from joute.engines.referees.form import NoResult, Result
from joute.engines.registry import make
from joute.harness.conformance.check import check_thing
from joute.harness.conformance.findings import Checked
from tests.support.plugins import plugged
from tests.support.runs import ROOT, here

REFEREE = Path(__file__).parents[1] / "support" / "referee.py"
BOT = 'bot:command="echo {k}",k=3'
RULES = {
    "result": "a game has a result",
    "again": "a seed played twice has one result",
    "exchanged": "copies that change seats have one result",
    "seats": "a bot that ends at once is last, wherever it sits",
    "seeds": "other seeds have other results",
}
SCRIPTS = {  # what a referee in Python does with its seed and its bots
    "points": "print(json.dumps({'scores': [len(b) + seed for b in bots]}))",
    "fair": "print(json.dumps({'scores': [(b != 'false') * (1 + seed % 3) for b in bots]}))",
    "reverses": "print(json.dumps({'scores': [(b != 'false') * (1 + seed % 3) for b in bots][::-1]}))",
    "random": "print(json.dumps({'scores': [os.getpid() * (b != 'false') for b in bots]}))",
    "own": "print(json.dumps({'scores': [(b != 'false') * 2 for b in bots], 'seed': 5}))",
    "fixed": "print(json.dumps({'ranks': [1 + (b == 'false') for b in bots]}))",
    "slot": "print(json.dumps({'scores': [len(bots[0]), 1]}))",
    "picky": "'false' in bots and sys.exit(4); print(json.dumps({'scores': [seed, 2]}))",
}


def checked(how: str, folder: Path, more: str = "") -> dict[str, Checked]:
    """Check a referee of a script with a bot; return what came of each rule."""
    script = folder / "script.py"
    script.write_text(
        f"import json, os, sys\nseed, bots = int(sys.argv[1]), sys.argv[2:]\n{SCRIPTS[how]}\n"
    )
    found = check_thing(
        f'referee[command="{sys.executable} -S {script} {{seed}} {{bots}}"{more}]/{BOT}'
    )
    return {name: one for name, rule in RULES.items() for one in found if one.rule == rule}


def test_a_good_referee_passes_and_its_cost_is_told(tmp_path: Path) -> None:
    found = checked("fair", tmp_path)
    assert not any(c.fault for c in found.values())
    assert found["result"].note.startswith("scores 2 2, in 0.")
    assert not any(found[name].note for name in ("again", "exchanged", "seats", "seeds"))


def test_a_table_of_four_is_checked_alike(tmp_path: Path) -> None:
    found = checked("fair", tmp_path, ",players=4")
    assert found["result"].note.startswith("scores 2 2 2 2, in ")
    assert not any(c.fault for c in found.values())


@pytest.mark.parametrize(
    ("how", "rule", "why"),
    [
        ("random", "again", "no: scores"),
        ("points", "exchanged", "no: scores"),
        ("fixed", "seeds", "not seen: 4 seeds have the same result"),
        ("picky", "seats", "not seen: where a bot ends at once there is no result"),
    ],
)
def test_what_weakens_a_study_is_noted(how: str, rule: str, why: str, tmp_path: Path) -> None:
    found = checked(how, tmp_path)
    assert not any(c.fault for c in found.values())
    assert found[rule].note.startswith(why)


def test_a_referee_that_draws_its_own_seeds_is_known_by_them(tmp_path: Path) -> None:
    found = checked("own", tmp_path)
    assert (
        "it played the seed 5, and was told 1; if it takes none, say seeded=no"
        in found["result"].fault
    )
    found = checked("own", tmp_path, ",seeded=no")
    assert not any(c.fault for c in found.values())
    assert found["again"].note.startswith("the referee draws its own seeds")


def test_exchanged_seats_are_a_fault(tmp_path: Path) -> None:
    found = checked("reverses", tmp_path)
    assert found["seats"].fault == "the bot in seat 1 ended at once, and was not last: scores 2 0"


def test_a_referee_without_a_result_is_a_fault_and_nothing_more_is_asked() -> None:
    [one] = check_thing(f'referee[command="false"]/{BOT}')
    assert one.fault == "no result of seed 1: ended with exit status 1"
    [one] = check_thing(f'referee[command="referee.py {{seed}} {{bots}}"]/{BOT}')
    assert one.fault == (
        "no result of seed 1: referee.py cannot be started: No such file or directory"
    )


def test_the_command_checks_a_bot_and_refuses_a_referee_alone() -> None:
    game = f'referee[command="{sys.executable} -S {REFEREE} dice {{seed}} {{bots}}"]'
    done = here("check", f"{game}/{BOT}")
    assert done.exit_code == 0, done.stdout
    assert "ok    a seed played twice has one result" in done.stdout
    assert "all 5 checks passed; 2 notes" in done.stdout  # its time, and a dead bot
    alone = here("check", game)
    assert alone.exit_code == 2 and "a referee needs bots" in alone.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a referee."""
    shutil.copy(REFEREE, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = f"{sys.executable} -S referee.py dice {{seed}} {{bots}}"


def test_init_writes_a_study_that_runs(folder: Path) -> None:
    done = here("init", "--referee", WORDS, "--bot", "echo {k=1.5}", "-o", "mine.toml")
    assert done.exit_code == 0, done.stderr
    assert "tried one game, seed 1, in" in done.stderr and "scores " in done.stderr
    assert "k = 1.5; numbers from 0 to 6" in done.stdout
    study = tomllib.loads((folder / "mine.toml").read_text())
    assert study["engine"] == {"search": "bot", "command": "echo {k}"}
    dry = here("run", "mine.toml", "--dry-run")
    assert dry.exit_code == 0, dry.stderr
    assert "4,000 games in all" in dry.stdout


def test_init_knows_files_variables_forms_and_players(folder: Path) -> None:
    (folder / "params.json").write_text('{"k": 2.0}')
    words = ("--bot", "cat {file}", "--file", "params.json", "--env", "D={d=3}", "--no-start")
    more = ("--referee", "g %ALL_PLAYERS%", "--form", "psyleague", "--players", 3)
    done = here("init", *words, *more, "-o", "mine.toml", "--json")
    assert done.exit_code == 0, done.stderr
    study = tomllib.loads((folder / "mine.toml").read_text())
    assert study["game"] == 'referee[command="g %ALL_PLAYERS%",form=psyleague,players=3]'
    assert study["parameters"]["k"] == {"kind": "float", "default": 2.0}
    assert {*study["space"]} == {"k", "d"}
    assert parse_engine(f"{study['game']}/{BOT}").game.players == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--referee", "r", "--bot", "b", "--game", "tron"), "--game: a referee knows the game"),
        (("--referee", "r", "--bot", "b", "--form", "brutal"), "did you mean 'brutaltester'"),
        (("--referee", "", "--bot", "b"), "referee needs a command"),
        (("--bot", "b", "--players", 3), "--players goes with --referee"),
        (("--referee", "r", "--bot", "b {file}"), 'say file="params.json"'),
    ],
)
def test_init_refuses_what_does_not_fit(words: tuple[str, ...], why: str, folder: Path) -> None:
    done = here("init", *words, "-o", "mine.toml")
    assert done.exit_code == 2
    assert why in done.stderr
    assert not (folder / "mine.toml").exists()


def test_the_form_of_the_docs_is_a_plugin_that_init_names(folder: Path) -> None:
    page = (ROOT / "docs" / "referees.md").read_text()
    [code] = re.findall(r"```python\n(import json\n.*?)```", page, re.DOTALL)
    (folder / "halite.py").write_text(code)
    with plugged(folder / "halite.py"):
        form = make("form", "halite")
        printed = '{"stats": {"0": {"rank": 2}, "1": {"rank": 1}}, "terminated": {"0": true}}'
        assert form.result(printed, 2, 1) == Result((-2.0, -1.0), ("crash", ""), ranked=True)
        with pytest.raises(NoResult, match="not Halite's JSON"):
            form.result("boom", 2, 1)
        words = ("--referee", "./halite", "--form", "halite", "--bot", "./b {k=1}", "--no-start")
        (folder / "studies").mkdir()
        done = here("init", *words, "-o", "studies/mine.toml")
        assert done.exit_code == 0, done.stderr
        study = tomllib.loads((folder / "studies" / "mine.toml").read_text())
        assert study["plugins"] == ["../halite.py"]
