"""A plugin: Vamperouge's fault. Its search shows the network a leaf in one of eight symmetries, and reads
the policy as if nothing had been turned (`unturned`; `puct` turns it back).
"""

from __future__ import annotations

from typing import Any

from joute.engines.search import Setup
from joute.engines.searches.puct import Puct


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
