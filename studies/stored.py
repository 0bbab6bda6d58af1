"""The game of a stored run. A run's plugins are never loaded because it names them: a study or
--plugin must name them.
"""

from __future__ import annotations

import os
from pathlib import Path

from joute.engines.asking import plugins_of_run
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.results.meta import Meta


def game_of(meta: Meta) -> Game:
    """Return the game of a run; raise Refused naming the plugins that it may need."""
    try:
        return parse_game(meta.game)
    except Refused as error:
        raise unknown_here(meta, error) from None


def unknown_here(meta: Meta, error: Refused) -> Refused:
    """Return a refusal that names the run's plugins, if it used any, else the error itself."""
    used = [near(path) for path in meta.plugins]
    if not used:
        return error
    noun, them = ("plugin", "it") if len(used) == 1 else ("plugins", "them")
    given = plugins_of_run(used)
    return Refused(f"this run used the {noun} {', '.join(used)}: {given} if you trust {them}")


def near(path: str) -> str:
    """Return a path, relative to the current folder if it lies in it."""
    here = Path.cwd()
    full = Path(os.path.abspath(path))
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(full)
