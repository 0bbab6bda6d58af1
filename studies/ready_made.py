"""Files that come with Joute: studies, and suites of positions, by name."""

from __future__ import annotations

from pathlib import Path

STUDIES = Path(__file__).parent / "library"
SUITES = STUDIES / "suites"


def ready_made(folder: Path = STUDIES) -> list[str]:
    """Return the names of the ready-made studies, or of the files in another folder."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def summary_of(name: str, folder: Path = STUDIES) -> str:
    """Return the first comment line of a ready-made file."""
    first = (folder / f"{name}.toml").read_text("utf-8").splitlines()[0]
    return first.lstrip("# ").rstrip()
