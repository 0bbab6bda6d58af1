"""Runs every benchmark: `make bench`. Ratios against a twin in the same run, medians."""

from __future__ import annotations

import importlib

NAMES = (
    "alphabeta",
    "solve",
    "uct",
    "loop",
    "pipes",
    "json_lines",
    "tron",
    "hexagons",
    "go",
    "chess",
    "scaling",
    "startup",
)

for name in NAMES:
    print(f"\n== {name} ==", flush=True)
    importlib.import_module(f"benchmarks.{name}").main()
