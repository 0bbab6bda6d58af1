"""Outside programs that misbehave: each loses its games, the run ends, and nobody is left behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import uuid
from pathlib import Path

import pytest

from joute.engines.engine_text import split_options
from joute.engines.errors import Refused
from joute.engines.programs.startable import check_startable
from joute.engines.record import FAILURES
from joute.reports.reading.caveats import failing
from joute.results.tables import load, standings
from tests.support.processes import left_behind, nobody_left
from tests.support.runs import ROOT, here, joute, played_by, rows, started, wait_for_games

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
BOT = ROOT / "tests" / "support" / "bad_bot.py"
KINDS = {  # what it does, its failure, and a part of the text that tells of it
    "start": ("crash", "ended with exit status 1; its stderr ends:\ncannot find my weights"),
    "exit0": ("crash", "ended with exit status 0"),
    "mid_game": ("crash", "ZeroDivisionError: the bot is wrong"),
    "segfault": ("crash", "died by SIGSEGV"),
    "nothing": ("timeout", "no answer in 200 ms (a program must flush its output after every"),
    "garbage": ("illegal", "answered 'hello': not JSON"),
    "not_legal": ("illegal", "99"),
    "number": ("illegal", '"action": 4 is a number; put it in quotes: "action"'),
    "two_lines": ("illegal", "wrote more than one line"),
    "megabyte": ("illegal", "bytes without the end of a line"),
    "no_newline": ("timeout", "without the end of a line"),
    "not_utf8": ("illegal", "which is not UTF-8"),
    "late": ("timeout", "no answer in 200 ms"),
    "closes_output": ("crash", "closed its output"),
    "ignores_term": ("timeout", "no answer in 200 ms"),
    "forks": ("crash", "ended with exit status 6, and a child process of it is still running"),
    "eats_memory": ("crash", "MemoryError"),
    "never_reads": ("timeout", "no answer in 700 ms"),
    "no_program": ("crash", "cannot be started: Exec format error"),
}
FINE = ("good", "chatter", "at_exit")
MORE = {"eats_memory": ",memory_mb=100", "never_reads": ",first_ms=700"}
SLOW = ("nothing", "no_newline", "late", "ignores_term", "forks")  # these cost their whole time


def spec(how: str, mark: str, tmp_path: Path, more: str = "") -> str:
    """Return the text of a bad bot's engine."""
    command = f"{sys.executable} -S {BOT} {{how}} {mark}"
    if how == "no_program":
        file = tmp_path / "no-program"
        file.write_bytes(b"\x01")
        file.chmod(0o755)
        command = f"{file} {{how}}"
    return f'process:command="{command}",how={how},turn_ms={200 if how in SLOW else 5000},keep=alive{more}'


def study(
    hows: tuple[str, ...], mark: str, tmp_path: Path, blocks: int = 1, plies: int = 2
) -> Path:
    """Write a gauntlet of bad bots against `random`."""
    entrants = "\n".join(
        f"[[entrants]]\nname = '{how}'\nspec = '{spec(how, mark, tmp_path, MORE.get(how, ''))}'"
        for how in hows
    )
    path = tmp_path / "bad.toml"
    path.write_text(
        'name = "bad"\nkind = "tournament"\ngame = "connect4"\nseed = 5\n'
        f'[[entrants]]\nname = "random"\nspec = "random"\n{entrants}\n'
        f'[schedule]\nblocks = {blocks}\ntype = "gauntlet"\nagainst = ["random"]\n'
        f"[openings]\nplies = {plies}\n"
    )
    return path


@pytest.fixture(scope="module")
def gauntlet(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int, str, str]:
    """Every bad bot against `random`: the run folder, the exit code, stdout, and the mark."""
    tmp_path, mark = tmp_path_factory.mktemp("bots"), uuid.uuid4().hex
    path = study((*KINDS, *FINE, "resigns"), mark, tmp_path)
    done = joute("run", path, "-j", 2, "--out", tmp_path / "out", "--json")
    return tmp_path / "out", done.returncode, done.stdout, mark


@pytest.mark.slow
def test_a_run_with_bad_bots_ends_with_exit_1_and_plays_every_game(
    gauntlet: tuple[Path, int, str, str],
) -> None:
    folder, code, out, mark = gauntlet
    assert code == 1
    assert rows(folder, "SELECT COUNT(*) FROM games") == [(2 * len((*KINDS, *FINE, "resigns")),)]
    assert json.loads(out)["failures"] == 2 * len(KINDS)
    assert nobody_left(mark)


@pytest.mark.parametrize("how", KINDS)
def test_a_bad_bot_fails_alone_and_its_text_says_why(
    gauntlet: tuple[Path, int, str, str], how: str
) -> None:
    kind, text = KINDS[how]
    found = played_by(gauntlet[0], how)
    assert len(found) == 2
    for game in found:
        assert (game.own.failure, game.own.returns) == (kind, 0.0)
        assert (game.other.failure, game.other.returns) == ("", 1.0)
        assert text in game.text and f" {how}" in game.text.partition(":")[0]


def test_the_console_says_what_failed_programs_said_last(
    gauntlet: tuple[Path, int, str, str],
) -> None:
    said = failing(load(gauntlet[0]))
    [start] = [line for line in said if line.startswith("start failed")]
    assert start.endswith("ended with exit status 1; its stderr ends: cannot find my weights")
    [wrong] = [line for line in said if line.startswith("mid_game failed")]
    assert wrong.endswith("its stderr ends: ZeroDivisionError: the bot is wrong")
    assert said[3:] == [f"and {len(KINDS) - 3} other engines failed"]


def test_who_resigns_has_lost_and_not_failed(gauntlet: tuple[Path, int, str, str]) -> None:
    for game in played_by(gauntlet[0], "resigns"):
        assert (game.own.failure, game.own.returns) == ("resigned", 0.0)
        assert game.termination == "resigned"
        assert game.text.endswith("answered 'I think that I resign'")
    results = load(gauntlet[0])
    assert not any("resigns" in line for line in failing(results))
    rows = standings(results).query("resigned > 0")
    assert list(rows["resigned"]) == [2] and not rows[list(FAILURES)].to_numpy().any()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("./no-such-bot --k 1", "./no-such-bot cannot be started: No such file or directory"),
        ("no-such-bot --k 1", "no-such-bot cannot be started: it is in no folder of PATH"),
        ("./bot --k 1", "./bot cannot be started: No such file or directory; bot.cpp lies there: is it "
         "compiled?"),
        ("./no-such-bot {file}\",file=\"p.json\",parameters=\"k:int\",k=\"3",
         "./no-such-bot cannot be started: No such file or directory"),
        ("./plain", "./plain cannot be started: Permission denied"),
        ("./folder", "./folder cannot be started: Permission denied"),
        ("./script", "./script cannot be started: its first line asks for /no/such/shell, which does "
         "not exist"),
        ("gone\",memory_mb=99,env=\"PATH=.", "gone cannot be started: it is in no folder of PATH"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["entrant", "opponent", "base", "match"])
def test_a_program_that_is_not_there_is_refused_before_any_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, why: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plain").write_text("#!/bin/sh\n")
    Path("bot.cpp").touch()
    Path("folder").mkdir()
    Path("script").write_text("#!/no/such/shell -x\n")
    Path("script").chmod(0o755)
    bot, head = f'process:command="{command}"', 'name = "s"\ngame = "connect4"\nseed = 1\n'
    search = f'{head}kind = "tune"\nbudget = "400 games"\n[space]\nk = {{ from = 0.1, to = 1 }}\n'
    table = "\n".join(engine_settings(bot))
    Path("s.toml").write_text(
        {
            "entrant": f'{head}kind = "tournament"\n[[entrants]]\nspec = "random"\n'
            f"[[entrants]]\nname = 'it'\nspec = '{bot}'\n[schedule]\nblocks = 1\n",
            "opponent": f"{search}[engine]\nsearch = 'uct'\niterations = 9\n"
            f"[[opponents]]\nname = 'it'\nspec = '{bot}'\n",
            "base": f"{search.partition('k =')[0]}turn_ms = {{ from = 5, to = 50 }}\n[engine]\n"
            f"{table}\n[[opponents]]\nspec = 'random'\n",
        }.get(place, "")
    )
    words = ("match", "connect4/random", bot) if place == "match" else ("run", "s.toml")
    done = here(*words, "--out", "out")
    name = {"base": "default", "match": ""}.get(place, "it")
    assert done.exit_code == 2 and not Path("out").exists()
    [line] = done.stderr.splitlines()
    assert line.startswith(f"joute: {why} (engine {name}")


def engine_settings(spec: str) -> list[str]:
    """Return the lines of [engine] that make the same engine as a text."""
    settings = split_options(spec.partition(":")[2], spec)
    numbers = ("memory_mb", "k")
    lines = [f"{n} = {v if n in numbers else repr(v)}" for n, v in settings.items()]
    return ["search = 'process'", *lines]


def test_a_program_that_is_there_may_be_started(tmp_path: Path) -> None:
    for word in ("sh", "/bin/sh", sys.executable):
        check_startable([word], {})
    (tmp_path / "own").write_text("#! /bin/sh\n")
    (tmp_path / "own").chmod(0o755)
    check_startable(["own"], {"PATH": str(tmp_path)})
    with pytest.raises(Refused, match="own cannot be started: it is in no folder of PATH"):
        check_startable(["own"], {})


@pytest.mark.parametrize("how", FINE)
def test_a_bot_that_talks_or_leaves_badly_plays_on(
    gauntlet: tuple[Path, int, str, str], how: str
) -> None:
    found = played_by(gauntlet[0], how)
    assert [(game.termination, game.own.failure) for game in found] == [("normal", "")] * 2


@pytest.mark.slow
def test_bots_die_with_a_run_that_is_killed(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex
    path = study(("good", "chatter"), mark, tmp_path, blocks=20_000, plies=8)
    run = started("run", path, "-j", 2, "--out", tmp_path / "out")
    wait_for_games(tmp_path / "out", 20, run)
    assert left_behind(mark)
    os.kill(run.pid, signal.SIGKILL)  # its workers notice, and their bots die with them
    run.communicate(timeout=10)
    assert nobody_left(mark)


def test_a_path_with_blanks_wants_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my bots").mkdir()
    bot = tmp_path / "my bots" / "bot"
    bot.write_text("#!/bin/sh\n")
    bot.chmod(0o755)
    check_startable(["./my bots/bot"], {})
    said = r"\./my cannot be started: .*; a path with blanks stands in quotes of its own: '\./my bots/bot'$"
    with pytest.raises(Refused, match=said):
        check_startable(["./my", "bots/bot", "--k", "1"], {})
