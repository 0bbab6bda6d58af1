"""Benchmarks: ratios against a twin in C in the same process, and what a whole command takes."""

import sys
from pathlib import Path

JOUTE = (sys.executable, str(Path(__file__).resolve().parents[1] / "cli.py"))
"""The command `joute` of this tree, which need not be installed."""
