"""Nothing that lies in the current folder is run unasked, by whatever process of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from joute.engines.programs import python_children
from tests.support.dask_hosts import dask_of, needs_dask
from tests.support.hostile import hostile_folder, was_run
from tests.support.runs import BAD, JOUTE, ROOT

GAME = "connect4[columns=4,rows=4]"
STUDY = f"""
name = "s"
kind = "tournament"
game = "{GAME}"
seed = 1
[[entrants]]
spec = "random"
[[entrants]]
spec = "process:command='''{sys.executable} main.py'''"
[schedule]
blocks = 2
"""
BOT = (ROOT / "examples" / "json_lines" / "bot.py").read_text()
SUITE = f"""
game = "{GAME}"
[[case]]
name = "one"
position = "startpos"
best = ["1", "2", "3", "4"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder full of hostile names, with a study, a suite and a bot of two files."""
    home = hostile_folder(tmp_path)
    (home / "s.toml").write_text(STUDY)
    (home / "t.toml").write_text(SUITE)
    bot = home / "bot"
    bot.mkdir()
    (bot / "second.py").write_text("second = 2\n")
    (bot / "main.py").write_text(f"import second\n{BOT}")
    return home


def asked(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    return subprocess.run(
        [*JOUTE, *words], cwd=folder, env={**environment, **variables}, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip


MATCH = ("match", f"{GAME}/random", "random", "--blocks", "3", "-j", "2", "--no-report")
CHECK = ("check", "connect4[columns=4,rows=4]/random")


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("elo", "60", "20", "40"),
        ("run", "s.toml", "--dry-run", "--no-start"),
        MATCH,
        pytest.param(CHECK, marks=pytest.mark.slow),
        pytest.param(("suite", "t.toml", "random", "-j", "2"), marks=pytest.mark.slow),
        pytest.param(
            ("--plugin", str(BAD), *MATCH[:2], "bad:how=segfault", *MATCH[3:]),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("run", "connect4-quick", "--set", "schedule.blocks=2", "-j", "2"),
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda words: words[0] if words[0] != "--plugin" else "a bot that kills its worker",
)
def test_nothing_of_the_folder_is_run(folder: Path, words: Sequence[str]) -> None:
    done = asked(folder, *words)
    assert done.returncode == ("bad:how=segfault" in words), done.stderr
    assert was_run(folder) == []


def test_a_program_of_two_files_finds_its_second_one(folder: Path) -> None:
    """The variable that keeps our processes safe would keep a bot in Python from its own folder."""
    spec = f'process:command="{sys.executable} bot/main.py"'
    for more, seen in ({}, "None"), ({"PYTHONSAFEPATH": "1"}, "1"):
        words = [*MATCH[:2], spec, *MATCH[3:], "--json", "--fresh"]
        done = asked(folder, *words, **more)
        if seen == "None":
            assert (done.returncode, was_run(folder)) == (0, []), done.stderr
        else:  # the user wants it so: then Python does not find it
            assert done.returncode == 1 and "No module named 'second'" in done.stderr


def test_list_reads_a_plugin_as_text_and_show_says_what_it_loads(folder: Path) -> None:
    mark = (folder / "evil.py").read_text().splitlines()[1]
    text = f"import os\n{mark}\nfrom joute import Game\nclass Odd(Game):\n    name = 'odd'\n"
    (folder / "evil.py").write_text(text)
    (folder / "joute.toml").write_text('plugins = ["evil.py"]\n')
    done = asked(folder, "list")
    assert (done.returncode, was_run(folder)) == (0, []) and "  odd" in done.stdout, done.stderr
    assert asked(folder, "show", "connect4").stderr == "" and was_run(folder) == []
    done = asked(folder, "show", "odd")
    assert was_run(folder) == ["evil"]
    assert done.stderr.splitlines()[0] == "joute: joute.toml: loads evil.py"


def test_joute_toml_is_read_by_what_plays_and_announced(folder: Path) -> None:
    (folder / "joute.toml").write_text('plugins = ["evil.py"]\n')
    for words in (
        ("elo", "60", "20", "40"),
        ("run", "--help"),
        ("list",),
        ("show", "connect4"),
        ("report", "nowhere"),
        (*CHECK, "--no-start"),
        ("run", "s.toml", "--dry-run", "--no-start"),
        ("--no-config", "perft", GAME, "2"),
    ):
        asked(folder, *words)
        assert was_run(folder) == [], words
    done = asked(folder, "perft", GAME, "2")
    assert done.returncode == 2 and was_run(folder) == ["evil"]
    assert done.stderr.splitlines()[0] == "joute: joute.toml: loads evil.py"
    assert "plugin evil.py cannot be loaded: ImportError('hostile')" in done.stderr


def test_workers_that_cannot_start_end_the_run(tmp_path: Path) -> None:
    """Three starts that bring nothing are enough: the run says what the workers said last."""
    plugin = tmp_path / "shy.py"
    plugin.write_text(
        "import os, sys\nfrom joute import Game\n"
        "if os.environ.get('FIRST') != str(os.getpid()):\n"
        "    print('no weights here', file=sys.stderr, flush=True)\n    os._exit(7)\n"
        "class Shy(Game):\n    name = 'shy'\n"
    )
    code = (
        "import os, sys\nos.environ['FIRST'] = str(os.getpid())\n"
        "from tests.support.runs import main\nmain(sys.argv[1:])"
    )
    words = ["--plugin", str(plugin), *MATCH]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words], cwd=tmp_path, text=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "joute: workers ended before they played anything, 3 times, by exit status 7: no weights here"
    )


@pytest.mark.slow
@needs_dask
def test_a_dask_worker_runs_nothing_of_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own process is started as docs/cluster.md says; ours below it need no help."""
    done = asked(folder, *MATCH, "--cluster", "local:2")
    assert (done.returncode, was_run(folder)) == (0, []), done.stderr
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    with dask_of(folder, workers=1) as cluster:
        done = asked(folder, *MATCH, "--fresh", "--cluster", cluster.address)
    assert (done.returncode, was_run(folder)) == (0, []), done.stderr


def test_another_joute_that_is_installed_does_not_play(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    checkout, installed = tmp_path / "checkout", tmp_path / "site"
    (installed / "joute").mkdir(parents=True)
    checkout.mkdir()
    monkeypatch.chdir(checkout)
    for name, value in (("HOME", str(checkout)), ("_STARTED_IN", str(checkout))):
        monkeypatch.setattr(python_children, name, value)
    monkeypatch.setattr("sys.path", ["", str(checkout), str(installed)])
    assert python_children.module_path() == [
        str(installed),
        str(checkout),
    ]  # a folder is no package
    (installed / "joute" / "__init__.py").write_text("")
    assert python_children.module_path() == [str(checkout), str(installed)]
