"""Syzygy's tables of four men and less, as `make .venv/all` brings them with python-chess's sources."""

from __future__ import annotations

from pathlib import Path

import pytest

TABLES = Path(__file__).parents[2] / ".venv" / "syzygy"
needs_tables = pytest.mark.skipif(
    not (TABLES / "KQvK.rtbw").is_file(), reason="needs tablebases: make .venv/all"
)
