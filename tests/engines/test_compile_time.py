"""The line that announces compiling says how long it took the last time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KERNEL = """
import sys
from joute.engines import kept_lines
from pathlib import Path
kept_lines.BESIDE = Path(sys.argv[1])
from joute.engines.kernels import compile
compile.announce = print

@compile.kernel("int64(int64)", inline=False)
def twice(n):
    return n * {factor}

twice(2)
"""


def compiled(folder: Path, factor: int) -> str:
    """Compile a kernel in a new process; return what it announced."""
    code = folder / "own.py"
    code.write_text(KERNEL.format(factor=factor))
    command = [sys.executable, str(code), str(folder / "kept")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_compiling_says_how_long_it_took_the_last_time(tmp_path: Path) -> None:
    assert "(up to half a minute) ..." in compiled(tmp_path, 2)
    [line] = (tmp_path / "kept" / "compile_seconds.txt").read_text().splitlines()
    assert line.startswith("__main__.twice ") and int(line.split()[1]) >= 1
    (tmp_path / "kept" / "compile_seconds.txt").write_text("__main__.twice 14\n")
    assert "(the last time it took 14 s) ..." in compiled(tmp_path, 3)
    assert compiled(tmp_path, 3) == ""  # it comes from the disk
