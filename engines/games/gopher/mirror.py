"""`mirror`: Steere's winning strategy of Gopher's first player on boards of odd side."""

from __future__ import annotations

from typing import Any

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.gopher.gopher import Gopher
from joute.engines.kernels.random import stream
from joute.engines.parameter import Parameter
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Recipe, Search, Setup


class Mirror(Search):
    """Opens in the centre or at a corner, and answers every stone c with 2c - a, where a is its
    only neighbour of ours. So it wins as first player from the empty board. In any other seat or
    after other moves there is nothing to mirror: it plays at random, as `random` does.
    """

    name = "mirror"
    summary = "wins Gopher as first player on odd sides; random where there is nothing to mirror"
    parameters = (
        Parameter("opening", "choice", "centre", choices=("centre", "corner"),
                  meaning="where the first stone goes", source="Mark Steere's rules of Gopher"),
    )  # fmt: skip

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse other games, and boards of even side."""
        super().check(game, evaluation)
        if not isinstance(game, Gopher):
            raise Refused(f"mirror is for gopher, not for {game.name}")
        if game.side % 2 == 0:
            raise Refused(f"mirror needs an odd side; {game.label} is even: take 3, 5 or 7")

    def recipe(self, setup: Setup) -> Recipe:
        """Return the recipe of a player."""
        game = setup.game
        assert isinstance(game, Gopher)
        place = (0, 0) if setup.values["opening"] == "centre" else (game.side - 1, game.side - 1)
        return Recipe(MirrorPlayer, {"first": game.cell_at[place]})


class MirrorPlayer(Player):
    """Reflects the opponent's last stone in the one that it touches."""

    def __init__(self, first: int) -> None:
        self.first, self.S = first, stream(0)

    def new_game(self, seed: int, seat: int) -> None:
        """Start the random numbers."""
        self.S = stream(seed)

    def choose(self, position: Position) -> Move:
        """Return the mirrored place."""
        if position.ply == 0 and position.is_legal(self.first):
            return Move(self.first)
        answer = mirrored(position)
        return Move(answer if answer >= 0 else position.sample_action(self.S))


def mirrored(position: Position) -> int:
    """Return 2c - a for the last stone c and the neighbour a of the player to move that it touches; -1 if
    there is none, or it cannot be played.
    """
    game: Any = position.game
    if not position.moves:
        return -1
    last, own = position.moves[-1], position.to_move + 1
    cells = game.cells(position.W, position.at)
    touched = [c for c in game.around(last) if cells[c] == own]
    if len(touched) != 1:
        return -1
    (x, y), (a, b) = game.board.places[last], game.board.places[touched[0]]
    answer = game.cell_at.get((2 * x - a, 2 * y - b), -1)
    return answer if answer >= 0 and position.is_legal(answer) else -1
