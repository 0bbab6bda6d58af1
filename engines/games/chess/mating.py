"""Who has the men to mate: for a flag that falls against too little."""

from __future__ import annotations

from collections.abc import Sequence

HEAVY = "PRQ"


def may_mate(men: Sequence[str], side: int) -> bool:
    """Whether a side (0: White) could mate if the other side helped; `men` by square, White's capital.

    A lone king cannot. A knight needs another man of its own, or a man of the other side beside a
    queen to stand in its king's way. Bishops of one colour need a knight, a pawn or a bishop of the
    other colour somewhere.
    """
    own, other = set[str](), set[str]()
    knights, shades = 0, set[int]()
    for square, man in enumerate(men):
        if not man:
            continue
        kind, mine = man.upper(), man.islower() == bool(side)
        (own if mine else other).add(kind)
        knights += mine and kind == "N"
        if kind == "B":
            shades.add((square + square // 8) % 2)
    if own & {*HEAVY}:
        return True
    if knights:
        return knights > 1 or "B" in own or bool(other & {*"PNBR"})
    if "B" in own:
        return len(shades) > 1 or bool((own | other) & {*"PN"})
    return False
