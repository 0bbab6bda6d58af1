"""A folder full of files that must not be run: who runs one leaves a mark beside the folder."""

from __future__ import annotations

from pathlib import Path

PACKAGES = ("engines", "harness", "joute", "results", "studies", "reports", "commands")
MODULES = ("queue", "numba", "json", "psutil", "cli", "torch")
MARK = 'import os\nopen(os.path.join({folder!r}, "{name}.was-run"), "w")\nraise ImportError("hostile")\n'


def hostile_folder(parent: Path) -> Path:
    """Make such a folder; its names are those of modules of ours and of libraries."""
    home = parent / "hostile"
    home.mkdir()
    for name in (*PACKAGES, *MODULES, "evil"):
        text = MARK.format(folder=str(parent), name=name)
        if name in PACKAGES:
            (home / name).mkdir()
        (home / name / "__init__.py" if name in PACKAGES else home / f"{name}.py").write_text(text)
    return home


def was_run(folder: Path) -> list[str]:
    """Return which of its files have been run."""
    return sorted(path.stem for path in folder.parent.glob("*.was-run"))
