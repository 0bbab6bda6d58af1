"""Benchmarks: ratios against a twin in C in the same process, and what a whole command takes."""

import subprocess
import sys
from pathlib import Path

JOUTE = (sys.executable, str(Path(__file__).resolve().parents[1] / "cli.py"))
"""The command `joute` of this tree, which need not be installed."""


def joute(*words: str) -> None:
    """Run the command to its end; exit with its output if it fails."""
    done = subprocess.run([*JOUTE, *words], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"joute {' '.join(words)}: {done.stderr}")
