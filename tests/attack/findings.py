"""What an attack has done and found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tabulate import tabulate


@dataclass
class Findings:
    """One part of the attack: how often each thing was done, and each fault with what repeats it."""

    name: str
    done: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def fault(self, what: str, repeat: str) -> None:
        """Note a fault."""
        self.faults.append(f"{what}\n    to repeat: {repeat[:5000]}")

    def table(self) -> str:
        """Return what was done, and the faults."""
        rows = [[name, number] for name, number in sorted(self.done.items())]
        head = f"{self.name}: {len(self.faults)} faults, {self.seconds:.0f} s"
        return "\n".join([head, str(tabulate(rows)), *self.faults])
