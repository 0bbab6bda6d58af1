"""The files that are sent with a batch to a worker that lacks them: plugins, networks, maps, bots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.files import content

MOST = 256 << 20
"""Bytes of one file."""


def files_of(texts: Iterable[str], game: str, more: Iterable[str]) -> dict[str, str]:
    """Return the digests of the files that engines, a game and a run need, by absolute path."""
    named = [file for text in texts for file in _of_engine(text)]
    return {path: content(path) for path in (*named, *_of_game(game), *more)}


def carried(paths: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    """Return files with their modes; raise Refused for one that is too large."""
    files = {}
    for path in paths:
        size = os.stat(path).st_size
        if size > MOST:
            raise Refused(
                f"{path} has {size >> 20} MB; only files up to {MOST >> 20} MB are sent to "
                f"workers: put it on every host and give its absolute path (/...)"
            )
        files[path] = (os.stat(path).st_mode & 0o777, Path(path).read_bytes())
    return files


@lru_cache(maxsize=65536)
def _of_engine(text: str) -> tuple[str, ...]:
    return tuple(map(os.path.abspath, parse_engine(text).files))


@lru_cache
def _of_game(label: str) -> tuple[str, ...]:
    game = parse_game(label)
    named: Mapping[str, None] = dict.fromkeys(f for p in game.options for f in p.files(game.values))
    return tuple(os.path.abspath(file) for file in named if os.path.isfile(file))
