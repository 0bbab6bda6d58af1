"""Files that come with Joute: studies, and suites of positions, by name."""

from __future__ import annotations

from pathlib import Path

from joute.engines.errors import nearest, nearest_path, suggest

STUDIES = Path(__file__).parent / "library"
SUITES = STUDIES / "suites"


def ready_made(folder: Path = STUDIES) -> list[str]:
    """Return the names of the ready-made studies, or of the files in another folder."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def summary_of(name: str, folder: Path = STUDIES) -> str:
    """Return the first comment line of a ready-made file."""
    first = (folder / f"{name}.toml").read_text("utf-8").splitlines()[0]
    return first.lstrip("# ").rstrip()


def missing(source: str, kind: str, folder: Path = STUDIES) -> str:
    """Return why a text names no file and no ready-made one of a kind, with the nearest that there is: a
    file of its folder, or a ready-made one.
    """
    path, shipped = Path(source), ready_made(folder)
    if path.exists() and not path.is_file() and not path.is_dir():
        return "it is not a plain file"
    if path.suffix == ".toml" or len(path.parts) > 1:
        ours = nearest(path.stem, shipped) if len(path.parts) == 1 else ""
        near = nearest_path(path, path.parent.glob("*.toml")) or ours.replace(
            "mean", f"mean the ready-made {kind}", 1
        )
        return f"no such file{near}"
    near = nearest(source, shipped) or nearest_path(
        path.with_suffix(".toml"), path.parent.glob("*.toml")
    )
    return f"neither a file nor a ready-made {kind}{near or suggest(source, shipped)}"
