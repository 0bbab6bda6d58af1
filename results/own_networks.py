"""The networks of a run, wherever its folder is now: engines name them by a path from the folder in which
the run was begun.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joute.engines.parameter import written

NETWORKS = "nets"  # where a training keeps them, in the folder of its run


def at_home(
    text: str, parameters: Mapping[str, Any], folder: Path
) -> tuple[str, Mapping[str, Any]]:
    """Return an engine's text and parameters with its networks as files of a run's own folder, where they
    lie there and the given path leads elsewhere, or nowhere.
    """
    for name, value in parameters.items():
        if not isinstance(value, str) or Path(value).parent.name != NETWORKS:
            continue
        given, own = Path(value), folder / NETWORKS / Path(value).name
        if not own.is_file() or (given.exists() and given.samefile(own)):
            continue
        here = os.path.relpath(own)
        text = text.replace(f"{name}={written(value)}", f"{name}={written(here)}")
        parameters = {**parameters, name: here}
    return text, parameters
