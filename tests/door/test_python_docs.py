"""The examples of docs/python.md run as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.runs import ROOT

TEXT = (ROOT / "docs" / "python.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs(number: int, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(EXAMPLES[number])
    (tmp_path / "careful.py").symlink_to(ROOT / "examples" / "careful.py")
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and done.stdout, done.stderr
    assert number or (tmp_path / "strength.png").is_file()
    if "joute.tune" in EXAMPLES[number]:  # the last digits differ from processor to processor
        [shown] = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
        plain = [re.sub(r"\d[\d.,]*", "N", text) for text in (shown, done.stdout)]
        assert plain[1].startswith(plain[0])


def test_every_call_of_the_door_is_told() -> None:
    surface = (ROOT / "joute" / "__init__.pyi").read_text()
    door = surface.partition("# For who tunes")[0]
    for name in re.findall(r"import (\w+) as", door):
        if name[0].islower():
            assert f"joute.{name}(" in TEXT, name
