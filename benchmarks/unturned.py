"""A plugin: Vamperouge's fault. Its search shows the network a leaf in one of eight symmetries, and reads
the policy as if nothing had been turned (`unturned`; `puct` turns it back). The view `turned` has all
eight symmetries of the 16 x 16 cells, as Vamperouge had: a smaller map then lies in any corner.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from joute.engines.game import Game
from joute.engines.games.vampires.units import Units, symmetry
from joute.engines.games.vampires.vampires import ROOM
from joute.engines.search import Setup
from joute.engines.searches.puct import Puct
from joute.engines.view import Symmetry


class Turned(Units):
    """`units` in all eight symmetries of its 16 x 16 cells, whatever the map's size."""

    name = "turned"

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return all eight."""
        return [symmetry(ROOM, ROOM, *how) for how in product((False, True), repeat=3)]


class Unturned(Puct):
    """`puct` with the fault: planes are turned, the policy is not turned back."""

    name = "unturned"

    def memory(self, setup: Setup) -> dict[str, Any]:
        """Return what a tree is made with, the symmetries of the policy undone."""
        memory = super().memory(setup)
        shape = memory["shape"]
        cells, size = shape.rows * shape.columns, shape.rows * shape.columns + shape.policy
        maps = list(memory["maps"])
        for first in range(0, len(maps), size):
            maps[first + cells : first + size] = range(shape.policy)
        return {**memory, "maps": tuple(maps)}
