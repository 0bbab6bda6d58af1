"""The package as it would be published: both files are built, and the wheel works beside hostile folders."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.hostile import hostile_folder, was_run
from tests.support.runs import ROOT

pytestmark = pytest.mark.slow
ROOMS = ("commands", "engines", "harness", "reports", "results", "studies", "examples")
ENDINGS = (".py", ".toml", ".xml", ".onnx", ".jinja")
SCRIPT = """
import joute

print(joute.__version__, joute.__file__)
run = joute.match("connect4[columns=5,rows=4]/uct:iterations=50", "random", blocks=3, workers=2,
                  progress=False, out="matched")
print(len(run.games), run.plots(), len(run.moves) > 0)
"""


class Installed(NamedTuple):
    """The two files that were built, the command and the Python of an environment, and a folder."""

    wheel: Path
    sdist: Path
    bin: Path
    folder: Path

    def run(self, *words: object, timeout: int = 300) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the hostile folder."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        command = [str(self.bin / str(words[0])), *map(str, words[1:])]
        return subprocess.run(
            command, cwd=self.folder, env=kept, capture_output=True, text=True, timeout=timeout
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build from a copy of the tree, and install the wheel into a fresh environment.

    The libraries are those of this environment (`libraries.pth`), so that nothing is downloaded; the
    checkout, which is installed here too, is not: the .pth files of a folder that a .pth names are not read.
    """
    work = tmp_path_factory.mktemp("wheel")
    tree = work / "tree"
    listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT)
    for name in listed.decode().splitlines():
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
    built = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", work / "dist", tree],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    [wheel], [sdist] = (work / "dist").glob("*.whl"), (work / "dist").glob("*.tar.gz")
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    bin = work / "venv" / "bin"
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = work / "venv" / "lib" / version / "site-packages"
    subprocess.run(
        [
            bin / "python",
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
            wheel,
        ],
        check=True,
    )
    (site / "libraries.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return Installed(wheel, sdist, bin, hostile_folder(work))


def test_the_wheel_holds_one_package_whole(installed: Installed) -> None:
    names = zipfile.ZipFile(installed.wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"joute"}
    wanted = {
        f"joute/{path.relative_to(ROOT).as_posix()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.suffix in ENDINGS and "__pycache__" not in path.parts
    }
    wanted |= {f"joute/{p.name}" for p in (ROOT / "joute").iterdir() if p.is_file()}
    assert len(wanted) > 500 and wanted <= {*names}, sorted(wanted - {*names})
    assert {
        "joute/py.typed",
        "joute/examples/first_steps.ipynb",
        "joute/examples/tron_cpp/bot.cpp",
        "joute/examples/your_bot/params.json",
    } <= {*names}


def test_the_source_archive_is_complete(installed: Installed) -> None:
    with tarfile.open(installed.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for room in ("docs", "tests", "benchmarks", *ROOMS):
        listed = subprocess.check_output(["git", "ls-files", room], cwd=ROOT, text=True).split()
        missing = {name for name in listed if (ROOT / name).is_file()} - names
        assert not missing, sorted(missing)[:5]
    pages = {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    assert pages | {"LICENSE", "Makefile", "requirements.lock"} <= names


def test_the_metadata_could_be_published(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        data = email.message_from_bytes(archive.read(name))
    assert data["Requires-Python"] == ">=3.11" and data["Name"] == "joute"
    classifiers = data.get_all("Classifier", [])
    assert "Typing :: Typed" in classifiers and not any("Private" in one for one in classifiers)
    assert data["Description-Content-Type"] == "text/markdown"


def test_it_works_beside_hostile_folders(installed: Installed) -> None:
    folder = installed.folder
    done = installed.run("joute", "list")
    assert done.returncode == 0 and "connect4" in done.stdout, done.stderr
    match = (
        "match",
        "connect4/alphabeta:evaluation=static,depth=2",
        "random",
        "--blocks",
        3,
        "-j",
        2,
    )
    assert installed.run("joute", *match).returncode == 0
    assert installed.run("joute", "check", "connect4[columns=4,rows=4]/random").returncode == 0
    tune = ("run", "connect4-tune", "--set", "budget=300 games", "-j", 2, "--out", "tuned")
    done = installed.run("joute", *tune)
    assert done.returncode == 0, done.stderr
    assert (folder / "tuned" / "report.html").is_file() and (
        folder / "tuned" / "winner.json"
    ).is_file()
    done = installed.run("joute", "export", "tuned", "--to", "python", "-o", "bot.py", "--anyway")
    assert done.returncode == 0 and (folder / "bot.py").is_file(), done.stderr
    done = installed.run("joute", "examples", "json_lines", "-o", "bots")
    assert done.returncode == 0 and (folder / "bots" / "bot.py").is_file()
    assert was_run(folder) == []


def test_the_door_opens(installed: Installed) -> None:
    """A script of one's own has its folder first on the path, as Python wants it; ours is not there."""
    home = installed.folder.parent / "mine"
    (home / "engines").mkdir(parents=True)
    (home / "engines" / "__init__.py").write_text("mine = True\n")
    (home / "results.py").write_text("mine = True\n")
    (home / "script.py").write_text(
        f"import engines, results\n{SCRIPT}print(engines.mine, results.mine)"
    )
    done = installed._replace(folder=home).run("python", "script.py")
    assert done.returncode == 0, done.stderr
    version, games, mine = done.stdout.splitlines()
    assert str(installed.bin.parent) in version and games.startswith("6 [") and mine == "True True"
    done = installed._replace(folder=home).run("python", "-m", "joute", "--version")
    assert done.returncode == 0 and "0." in done.stdout
