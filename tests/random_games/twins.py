"""Games played once more along with the slow twins of their rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from joute.engines.position import Position
from tests.engines import slow_go, slow_hexagons

Same = Callable[[str, object, object, Position], None]
LOOKS = 12  # at the legal moves of a game of Go, which its twin finds slowly


def along_with_the_twin(game: Any, moves: Sequence[int], same: Same) -> None:
    """Play a game once more, beside the twin of its rules, and compare."""
    (beside_go if game.name == "go" else beside_hexagons)(game, moves, same)


def beside_hexagons(game: Any, moves: Sequence[int], same: Same) -> None:
    """Dodo and Gopher: the legal actions of every ply, and who has won."""
    position, twin = Position(game), slow_hexagons.twin(game)
    for action in moves:
        listed = {slow_hexagons.meant(game, a) for a in position.legal_actions()}
        same("legal, by the slow twin", listed, twin.moves(), position)
        position.play(action)
        twin.play(slow_hexagons.meant(game, action))
    won = [float(twin.winner == player) for player in (0, 1)]
    same("returns, by the slow twin", position.returns(), won, position)


def beside_go(game: Any, moves: Sequence[int], same: Same) -> None:
    """Go: the board after every ply, the legal moves of some, and the score."""
    position, twin = Position(game), slow_go.twin(game)
    every = max(1, len(moves) // LOOKS)
    for action in moves:
        if position.ply % every == 0:
            listed = {slow_go.meant(game, a) for a in position.legal_actions()}
            same("legal, by the slow twin", listed, twin.moves(), position)
        position.play(action)
        twin.play(slow_go.meant(game, action))
        stones = slow_go.place(game, game.cells(position.W, position.at))
        known = {cell: player + 1 for cell, player in twin.stones.items()}
        same("stones, by the slow twin", stones, known, position)
    same("its end, by the slow twin", twin.over or len(moves) == game.max_plies, True, position)
    lead = twin.lead()
    won = (lead > 0) + 0.5 * (lead == 0)
    same("returns, by the slow twin", position.returns(), [won, 1 - won], position)
