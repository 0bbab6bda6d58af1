"""What others send: a run loads nothing, and --no-start starts nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from joute.results.store import Store
from tests.support.runs import here, play, study_of

PLUGIN = """
from pathlib import Path
Path({mark!r}).touch()
from joute.engines.games.connect4.connect4 import Connect4


class Odd(Connect4):
    name = "odd"
"""
BOT = "#!/bin/sh\ntouch {mark}\n"


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a plugin or a program makes when it is run."""
    mark = tmp_path / "was-run"
    (tmp_path / "odd.py").write_text(PLUGIN.format(mark=str(mark)))
    bot = tmp_path / "bot.sh"
    bot.write_text(BOT.format(mark=mark))
    bot.chmod(0o755)
    return mark


def test_a_run_loads_no_plugin_because_it_says_so(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'name = "s"\nkind = "tournament"\ngame = "connect4[columns=4,rows=4]"\nseed = 1\n'
    text += '[[entrants]]\nspec = "random"\n[[entrants]]\nspec = "alphabeta:evaluation=static,depth=1"\n'
    play(study_of(tmp_path, text, "schedule.blocks=1"), tmp_path / "run")
    with Store.open(tmp_path / "run", write=True) as store:
        game = str(store.rows("SELECT MIN(id) FROM games")[0][0])
        study = f'plugins = ["{tmp_path / "odd.py"}"]\n'
        store.set_meta({"game": "odd[columns=4,rows=4]", "study": study})
    for words in (
        ["replay", "run", game],
        ["suite", "new.toml", "--from-game", "run", game, "1"],
    ):
        done = here(*words)
        said = "this run used the plugin odd.py: add --plugin odd.py if you trust it"
        assert (done.exit_code, done.stderr) == (2, f"joute: {said}\n")
        assert not mark.exists() and not Path("new.toml").exists()
    done = here("--plugin", "odd.py", "replay", "run", game, "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["game"].startswith("odd")
    assert mark.exists()


def test_no_start_starts_nothing(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = f'tron/process:command="{tmp_path / "bot.sh"}"'
    study = 'name = "s"\nkind = "tournament"\ngame = "tron"\nseed = 1\n'
    study += f"[[entrants]]\nspec = '{spec}'\n[[entrants]]\nspec = 'random'\n"
    Path("s.toml").write_text(study)
    found = here("run", "s.toml", "--dry-run", "--no-start", "--set", "schedule.blocks=3")
    assert found.exit_code == 0 and "nothing was played here" in found.stdout
    found = here("check", spec, "--no-start")
    assert found.exit_code == 0 and "it was not started" in found.stdout
    found = here("suite", "tron-situations", spec.removeprefix("tron/"), "--no-start")
    assert found.exit_code == 0 and "nothing was asked" in found.stdout
    assert here("run", "s.toml", "--no-start").exit_code == 2
    assert not mark.exists()


@pytest.mark.parametrize("command", ["run", "suite"])
def test_no_start_loads_no_plugin_of_a_file(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    study = 'name = "s"\nkind = "match"\nseed = 1\n' if command == "run" else ""
    Path("f.toml").write_text(f'plugins = ["odd.py"]\ngame = "connect4"\n{study}')
    found = here(command, "f.toml", "--no-start", *(["--dry-run"] if command == "run" else []))
    path = tmp_path / "odd.py"
    assert found.exit_code == 2
    assert f"plugin {path} is not loaded here; add --plugin {path} if you trust it" in found.stderr
    assert not mark.exists()
