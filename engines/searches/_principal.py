"""The line of play that a search with a transposition table expects, read from its table."""

from __future__ import annotations

from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position
from joute.engines.searches._table import BOUND, CHECK, EXACT, HINT, pairs_of
from joute.engines.searches._tabled import TabledPlayer

MASK = (1 << 64) - 1


def principal_line(player: Player, position: Position, move: Move, megabytes: int) -> list[int]:
    """Return the actions that a player's table holds after its move, the move first.

    The line ends where the table has no exact value, at the depth of the search, or where a position
    comes again. An entry has only the low bits of its best action: where two legal ones share them the
    line ends, too.
    """
    line = [move.action]
    if not isinstance(player, TabledPlayer) or not megabytes:
        return line
    text = position.text()
    after = parse_position(position.game, position.line() if text is None else text)
    after.play(move.action)
    seen = {position.key()}
    while len(line) < move.depth and not after.over and after.key() not in seen:
        seen.add(after.key())
        wanted = hint_in(player, after.key() & MASK, megabytes)
        found = [a for a in after.legal_actions() if a & int(HINT) == wanted]
        if len(found) != 1:
            break
        line.append(found[0])
        after.play(found[0])
    return line


def hint_in(player: TabledPlayer, key: int, megabytes: int) -> int:
    """Return the low bits of the best action of an entry with an exact value; -1 if there is none.

    The table stands at the end of the player's integers.
    """
    pairs = int(pairs_of(float(megabytes)))
    table = player._A[len(player._A) - 2 * pairs :]
    entry = 2 * ((key ^ (key >> 32)) & (pairs - 1))
    for place in (entry, entry + 1):
        word = int(table[place]) & MASK
        if word >> int(CHECK) == key >> int(CHECK) and word >> int(BOUND) & 3 == int(EXACT):
            return word & int(HINT)
    return -1
