"""docs/tuning.md: its examples run as they are; docs/measured/tuning.md: it names real options."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "tuning.md").read_text()
MEASURED = (ROOT / "docs" / "measured" / "tuning.md").read_text()
PLAIN, OPTUNA = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def printed(code: str, folder: Path) -> list[str]:
    """What a program prints, in a folder of its own."""
    (folder / "example.py").write_text(code)
    asked = [sys.executable, "-W", "error::RuntimeWarning", "example.py"]
    done = subprocess.run(
        asked,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_the_example_in_plain_python(tmp_path: Path) -> None:
    verdict, score, *rest = printed(PLAIN, tmp_path)
    effects = rest[-4:]  # the last rows of the table
    assert verdict.startswith("better {'width': ")
    assert re.fullmatch(r"it scores .*%, with 95 % probability from .*% to .*%", score)
    assert [line.split()[1] for line in effects] == ["width", "depth", "order", "decay"]
    assert (tmp_path / "width.png").is_file()


@pytest.mark.slow
def test_the_example_with_optuna(tmp_path: Path) -> None:
    answer = printed(OPTUNA, tmp_path)[-1]
    width, depth, low, mean, high = map(float, re.findall(r"\d+\.?\d*", answer))
    assert abs(width - 0.5) < 0.3 and depth >= 3
    assert 0.4 < low < mean < high < 0.95


def test_the_commands_of_the_benchmark_are_known() -> None:
    pytest.importorskip("benchmarks.tuners.__main__")
    from click.testing import CliRunner

    from benchmarks import engines
    from benchmarks.tuners.__main__ import main

    known = "".join(CliRunner().invoke(one, ["--help"]).output for one in (main, engines.main))
    options = set(re.findall(r"--[a-z]+", MEASURED))
    assert {"--quick", "--show"} <= options
    assert all(option in known for option in options)
