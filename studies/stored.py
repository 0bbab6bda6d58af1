"""The game of a stored run. The plugins that a run used are never loaded because it says so: who wants
them names them, in a study or with --plugin.
"""

from __future__ import annotations

import os
from pathlib import Path

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.results.meta import Meta


def game_of(meta: Meta) -> Game:
    """Return the game of a run; raise Refused with the plugins that it may need."""
    try:
        return parse_game(meta.game)
    except Refused as error:
        raise unknown_here(meta, error) from None


def unknown_here(meta: Meta, error: Refused) -> Refused:
    """Return a refusal that says which plugins to name, if the run used any, else the error itself."""
    used = [near(path) for path in meta.plugins]
    if not used:
        return error
    noun, them = ("plugin", "it") if len(used) == 1 else ("plugins", "them")
    options = " ".join(f"--plugin {path}" for path in used)
    return Refused(f"this run used the {noun} {', '.join(used)}: add {options} if you trust {them}")


def near(path: str) -> str:
    """Return a path as a person here would write it."""
    here = Path.cwd()
    full = Path(os.path.abspath(path))
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(full)
