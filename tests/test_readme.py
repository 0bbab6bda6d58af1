"""The README's commands, run as they stand; their printed output must be as it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.marks import quick

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Every command of a console block with the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line:
            found[-1][1].append(line)
    return found


LONG = ("joute run", "joute export", "joute --plugin")  # studies, a proof, a game of its own


@pytest.mark.parametrize(
    "block",
    quick(
        BLOCKS,
        lambda block: not any(word in block for word in LONG),
        dear=lambda block: "joute run" in block,
    ),
    ids=lambda block: str(block)[2:42],
)
def test_readme_commands(block: str, tmp_path: Path) -> None:
    """The commands of a block, one after the other in one folder that has our examples."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, printed in commands(block):
        words = shlex.split(command)
        assert words[0] == "joute"
        ran = subprocess.run(
            [sys.executable, "-m", "joute", *words[1:]],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout.strip()
        rest = ran.stdout.splitlines()
        for line in printed:
            if line == "...":
                continue
            pattern = re.escape(line).replace(r"\.\.\.", ".*")
            assert any(re.fullmatch(pattern, out) for out in rest), (line, ran.stdout)


def test_the_study_of_the_readme_loads(tmp_path: Path) -> None:
    from joute.studies.load import load_study

    [text] = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    file = tmp_path / "my-widths.toml"
    file.write_text(text)
    study = load_study(file)
    assert len(study.entrants) == 8
    assert [stage.name for stage in study.stages] == ["main", "champions"]


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    [text] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "script.py").write_text(text)
    ran = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0 and ran.stdout, ran.stderr
    assert (tmp_path / "strength.png").is_file()
