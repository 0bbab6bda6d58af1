"""Joute tunes the parameters of game engines by making them play.

To write games, searches and other members: `from joute import Game, Parameter, rule`. To play and
read runs: `joute.run`, `joute.match`, `joute.load` (docs/python.md). `__init__.pyi` lists all names
with their types; each is imported on first use.
"""

from __future__ import annotations

import os as _os

_here = _os.path.dirname(_os.path.realpath(__file__))
# In a checkout the rooms lie beside this folder, not in it.
if not _os.path.isdir(_os.path.join(_here, "engines")):
    __path__.append(_os.path.dirname(_here))

_known: dict[str, str] = {}


def _homes() -> dict[str, str]:
    """Return the module of each name of the surface, by the name."""
    if not _known:
        import ast

        with open(_os.path.join(_here, "__init__.pyi"), encoding="utf-8") as file:
            surface = ast.parse(file.read())
        imports = [node for node in surface.body if isinstance(node, ast.ImportFrom)]
        _known.update({name.name: str(node.module) for node in imports for name in node.names})
    return _known


def __getattr__(name: str) -> object:
    """Return a name of the surface, importing where it lives."""
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("joute")
    if name == "__all__":
        return sorted(_homes())
    homes = {} if name.startswith("__") else _homes()
    if name not in homes:
        from joute.engines.errors import nearest

        near = nearest(name, homes) or "; dir(joute) lists its names"
        raise AttributeError(f"joute has no {name!r}{near}")
    value = globals()[name] = getattr(importlib.import_module(homes[name]), name)
    return value


def __dir__() -> list[str]:
    return [*sorted(_homes()), "__version__"]
