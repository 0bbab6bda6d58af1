"""How many cores a game of a study uses, and so how many games are played at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from joute.engines.registry import make
from joute.studies.study import Study


def games_on(study: Study, cores: int) -> int:
    """Return how many games of a study are played at once on so many cores."""
    return max(1, cores // cores_of(study))


def games_at_once(study: Study, cores: int, say: Callable[[str], None]) -> int:
    """Return the same, and say so where it is another number."""
    games, each = games_on(study, cores), cores_of(study)
    if games != cores:
        enough = each * (games + 1) <= (os.cpu_count() or 1)
        more = f"; -j {each * (games + 1)} plays {games + 1}" if enough else ""
        say(f"games at once with -j {cores}: {games}, as one may use {each} cores{more}")
    return games


def cores_of(study: Study) -> int:
    """Return how many cores a game uses."""
    return max(study.game.cores, threads_of(study))


def threads_of(study: Study) -> int:
    """Return the most threads with which a search of ours thinks in a study, points of a space too."""
    engines = [*(entrant.engine for entrant in study.entrants), *study.later_engines]
    most = [engine.search.cores(engine.setup) for engine in engines]
    return max([*most, *searched(study)], default=1)


def searched(study: Study) -> Iterator[int]:
    """Yield the numbers of threads that a study searches."""
    kind = make("kind", study.kind)
    for entrant in study.entrants:
        if entrant.engine.search.starts:
            continue  # a program's threads are its own affair
        for reach in kind.reach(study, entrant):
            if reach.name == "threads":
                yield from map(int, reach.values)
