"""Plugins that are named once, and runs that say which plugins they used."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import joute
from joute.engines import engine
from tests.support.plugins import plugged
from tests.support.runs import ROOT, here

SPEC = "tiny-pawn/plain-uct:iterations=2"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to be in, with the file of a plugin that nobody has loaded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("joute.reports.plots.write.plots", list)
    text = (ROOT / "examples" / "hexapawn.py").read_text()
    (tmp_path / "tiny.py").write_text(text.replace('"hexapawn"', '"tiny-pawn"'))
    with plugged():
        yield tmp_path
    forget()


def forget() -> None:
    """Be as a new process: engines that a plugin made are not remembered."""
    engine.parse_game.cache_clear()
    engine._parsed.cache_clear()


def refusal(*words: object) -> str:
    with plugged():
        done = here(*words)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    [line] = done.stderr.splitlines()
    return line.removeprefix("joute: ")


@pytest.mark.parametrize("first", [b"\xef\xbb\xbf", b"# -*- coding: latin-1 -*-\n# \xe9\n"])
def test_a_file_may_say_its_encoding(folder: Path, first: bytes) -> None:
    file = folder / "tiny.py"
    file.write_bytes(first + file.read_bytes())
    with plugged():
        done = here("--plugin", "tiny.py", "perft", "tiny-pawn", 2)
    assert done.exit_code == 0, done.output


def test_plugins_are_named_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal("perft", "tiny-pawn", 1).startswith("unknown game 'tiny-pawn'")
    (folder / "joute.toml").write_text('plugins = ["tiny.py"]\n')
    with plugged():
        assert here("perft", "tiny-pawn", 1).stdout == "3\n"
    (folder / "joute.toml").unlink()
    forget()
    monkeypatch.setenv("JOUTE_PLUGINS", "tiny.py")
    with plugged():
        assert here("perft", "tiny-pawn", 1).stdout == "3\n"
    monkeypatch.setenv("JOUTE_PLUGINS", os.pathsep.join(["tiny.py", "tina.py"]))
    assert refusal("list") == "JOUTE_PLUGINS: plugin tina.py: no such Python file"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('plugin = ["tiny.py"]', "joute.toml: plugin: unknown key; did you mean 'plugins'?"),
        ('plugins = "tiny.py"', 'joute.toml: plugins: allowed: a list of paths, ["mygame.py"]'),
        ("plugins = [", "joute.toml: is not TOML: Invalid value (at end of document)"),
        ('plugins = ["a.py"]', "joute.toml: plugin a.py: no such Python file"),
    ],
)
def test_a_wrong_joute_toml_is_one_line(folder: Path, text: str, said: str) -> None:
    (folder / "joute.toml").write_text(text)
    assert refusal("list") == said


def test_a_run_says_which_plugin_it_used(folder: Path) -> None:
    match = ("match", SPEC, "random", "--blocks", 2, "-j", 1, "--out", "run")
    with plugged():
        assert here("--plugin", "tiny.py", *match).exit_code == 0
    page = (folder / "run" / "report.html").read_text()
    assert "joute --plugin tiny.py export run --to toml --anyway" in page
    assert "joute --plugin tiny.py run study.toml --out again" in page
    forget()
    words = ("export", "run", "--to", "toml", "--anyway", "-o", "w.toml")
    assert refusal(*words).endswith(
        "this run used tiny.py: add --plugin tiny.py before the command's name"
    )
    with pytest.raises(joute.Refused) as refused:
        joute.load("run").export("toml", "w.toml", anyway=True)
    said = 'this run used tiny.py: joute.load(folder, plugins=["tiny.py"])'
    assert str(refused.value).endswith(said)
    with plugged():
        done = here("--plugin", "tiny.py", *words)
    assert "joute --plugin tiny.py match w.toml OTHER" in done.stdout
    assert tomllib.loads((folder / "w.toml").read_text())["plugins"] == ["tiny.py"]
    forget()
    assert refusal("play", "w.toml", "random").endswith("it needs tiny.py: add --plugin tiny.py")
    with pytest.raises(joute.Refused, match=r'it needs tiny.py: add plugins=\["tiny.py"\]$'):
        joute.engine("w.toml")
