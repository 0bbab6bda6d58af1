"""The registry: members of every kind from rooms, plugins and installed packages, known unimported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from joute.engines import registry
from joute.engines.errors import Refused
from joute.engines.registry import entries, find, load_plugin, names
from tests.support.plugins import plugged
from tests.support.runs import ROOT, play, study_of
from tests.support.searches import tune_text

MORE = '''
"""One file, a member of many kinds."""

from optuna.samplers import RandomSampler

from joute import Evaluation, OptunaSampler, Plot, Target, Written, rule
from joute.reports.plots.style import figure, title


class Dice(OptunaSampler):
    name = "dice"
    summary = "evenly at random, from a plugin"

    def make(self, space, seed, number):
        return RandomSampler(seed=seed + number)


class Games(Plot):
    name, summary, title, place = "games_a_round", "games a round", "Games a round", 99

    def wanted(self, results):
        return True

    def draw(self, results):
        made, axes = figure()
        numbers = results.games.groupby("round").size().reset_index(name="games")
        axes.plot(numbers["round"], numbers["games"])
        title(axes, self.title)
        return made, numbers


class Text(Target):
    name, summary, ending, use = "text", "the engine's text alone", ".txt", "read {path}"

    def write(self, order):
        return Written(order.engine.text + chr(10), order.engine)


class Nought(Evaluation):
    name, summary, games = "nought", "nothing is worth anything", ("connect4",)

    def build(self, game, base):
        @rule
        def value(W, at, P):
            return 0.0

        return [value]
'''


@pytest.fixture
def more(tmp_path: Path) -> Path:
    file = tmp_path / "more.py"
    file.write_text(MORE)
    return file


def fresh(code: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_is_known_without_importing_any() -> None:
    code = (
        "import sys\nfrom joute.engines.registry import entries, kinds\n"
        "found = {k: {n: e.fact('summary') for n, e in entries(k).items()} for k in kinds()}\n"
        "assert all(found.values()) and all(all(v.values()) for v in found.values()), found\n"
        "print([m for m in ('numba', 'numpy', 'optuna', 'matplotlib') if m in sys.modules])"
    )
    assert fresh(code) == "[]\n"


@pytest.mark.slow
def test_a_plugin_adds_members_of_every_kind(more: Path, tmp_path: Path) -> None:
    with plugged(more):
        assert {"dice"} <= set(names("sampler")) and "nought" in names("evaluation")
        text = tune_text("200 games").replace("seed = ", f'plugins = ["{more}"]\nseed = ', 1)
        study = study_of(tmp_path, text, "tune.sampler=dice")
        play(study, tmp_path / "run")
        words = [sys.executable, "cli.py", "--plugin", str(more)]
        done = subprocess.run(
            [*words, "report", str(tmp_path / "run")], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "run" / "plots" / "games_a_round.csv").is_file()
        out = tmp_path / "engine.txt"
        engine = "connect4/alphabeta:evaluation=nought,depth=2"
        asked = [*words, "export", "--engine", engine, "--to", "text", "-o", str(out)]
        done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0 and "evaluation=nought" in out.read_text(), done.stderr
    assert "dice" not in names("sampler")


def test_what_an_installed_package_offers(tmp_path: Path) -> None:
    offered = tmp_path / "offered-1.0.dist-info"
    offered.mkdir()
    (offered / "METADATA").write_text("Metadata-Version: 2.1\nName: offered\nVersion: 1.0\n")
    (offered / "entry_points.txt").write_text("[joute]\ngood = goodmember\nbad = badmember\n")
    member = (
        "from joute import Search\n\n\nclass {0}(Search):\n    name = '{1}'\n    summary = 's'\n"
    )
    (tmp_path / "goodmember.py").write_text(member.format("Good", "good-one"))
    (tmp_path / "badmember.py").write_text(
        "raise OSError('no')\n" + member.format("Bad", "bad-one")
    )
    code = (
        "import json\nfrom joute.engines.registry import find, names, every\n"
        "from joute.engines.errors import Refused\nfound = [n for n in names('search') if n in ('good-one', 'bad-one')]\n"
        "said = ''\ntry:\n    find('search', 'bad-one')\nexcept Refused as error:\n    said = str(error)\n"
        "print(json.dumps([found, said, find('search', 'good-one').name, len(every('search'))]))"
    )
    found, said, good, count = json.loads(fresh(code, PYTHONPATH=str(tmp_path)))
    assert found == ["bad-one", "good-one"] and good == "good-one"
    assert said.startswith("the search bad-one cannot be loaded from") and "OSError('no')" in said
    assert count == len(names("search")) + 1  # all but the bad one


def test_a_plugin_that_is_no_python_is_named(tmp_path: Path) -> None:
    for text, said in (("def", ".*line 1, `def`: "), ("import nonsense_x", "ModuleNotFoundError")):
        (tmp_path / "p.py").write_text(text)
        with pytest.raises(Refused, match=rf"p\.py cannot be loaded: {said}"):
            load_plugin(tmp_path / "p.py")
    with pytest.raises(Refused, match="no such Python file"):
        load_plugin(tmp_path / "q.py")


def test_a_member_is_found_again_without_looking_through_all_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A study of 100,000 entrants asks a million times."""
    asked = [("search", "random"), ("search", "uct"), ("game", "connect4")]
    before, every = [find(*one) for one in asked], names("generator")
    monkeypatch.setattr(registry, "_room_files", None)
    assert [find(*one) for one in asked] == before and names("generator") == every


def test_a_name_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused, match=r"unknown sampler 'tpee'; did you mean 'tpe'\?"):
        find("sampler", "tpee")
    assert entries("nothing") == {}
