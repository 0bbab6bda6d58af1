"""A slow twin for small positions: what the player to move is sure of, whatever the others do."""

from __future__ import annotations

import numpy as np

from joute.engines.position import Position


def ensured(position: Position) -> dict[str, float]:
    """Return, for every listed action, the return that it ensures: all lines are played to the end,
    the others always choosing what is worst for the player to move now.
    """
    game, me = position.game, position.to_move
    rules, words = game.rules, game.words
    W = np.zeros((game.max_plies + 2) * words, np.uint64)
    A = np.zeros((game.max_plies + 2) * game.slots, np.int64)
    R = np.zeros(game.players)
    known: dict[bytes, float] = {}

    def value(depth: int) -> float:
        at = depth * words
        if rules.status(W, at):
            rules.returns(W, at, R, 0)
            return float(R[me])
        key = W[at : at + words].tobytes()
        if key not in known:
            mine, first = rules.to_move(W, at) == me, depth * game.slots
            count = rules.actions(W, at, A, first)
            best = -1.0 if mine else 2.0
            for action in A[first : first + count].tolist():
                rules.apply(W, at, at + words, action, 0)
                best = max(best, value(depth + 1)) if mine else min(best, value(depth + 1))
                if best == float(mine):
                    break
            known[key] = best
        return known[key]

    found = {}
    for action in position.legal_actions():
        W[:words] = position.words()
        rules.apply(W, 0, words, action, 0)
        found[game.action_text(action)] = value(1)
    return found
