"""Games that the referee ends early: because both engines agree on the result, by their values, or
because tablebases have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from joute.engines.game import Game
from joute.engines.position import Position
from joute.engines.tablebases import Tablebases

WORDS = {0.0: "loss", 0.5: "draw", 1.0: "win"}  # by a seat's return


@dataclass(frozen=True)
class Adjudication:
    """When a game of two players is ended. 0 moves: never.

    Values are an engine's own, in its units (centipawns in chess), from its own side. A draw: from
    move `draw_from` on (counted from the start position, one of each side) the last `draw_moves` of
    each player had a value within `draw_within` of 0. A loss: the last `resign_moves` of a player had
    a value of -`resign_beyond` or less, and those of its opponent `resign_beyond` or more, unless
    `resign_one_sided`. `tablebases`: the folders of files that know the result of endings.
    """

    draw_moves: int = 0
    draw_within: float = 0.0
    draw_from: int = 1
    resign_moves: int = 0
    resign_beyond: float = 0.0
    resign_one_sided: bool = False
    tablebases: tuple[str, ...] = ()


class Adjudicator:
    """Follows one game."""

    def __init__(self, rules: Adjudication, game: Game) -> None:
        self._rules = rules
        self._tables = opened(game, rules.tablebases) if rules.tablebases else None
        self._even, self._lost, self._won = [0, 0], [0, 0], [0, 0]  # last moves of each player

    def after(self, seat: int, value: float | None, position: Position) -> str:
        """Take a move's value, and the position that it led to; return "draw", "loss" of this seat, "win",
        or "".
        """
        return self._known(seat, position) or self._agreed(seat, value, len(position.moves))

    def _known(self, seat: int, position: Position) -> str:
        """Return what tablebases say."""
        returns = None if self._tables is None else self._tables.returns(position.W, position.at)
        return "" if returns is None else WORDS[returns[seat]]

    def _agreed(self, seat: int, value: float | None, plies: int) -> str:
        """Return what the values say after so many plies. A move without one ends all counts of its
        player.
        """
        rules = self._rules
        known = value is not None
        number = 0.0 if value is None else value
        even = known and abs(number) <= rules.draw_within
        self._even[seat] = self._even[seat] + 1 if even else 0
        self._lost[seat] = self._lost[seat] + 1 if known and number <= -rules.resign_beyond else 0
        self._won[seat] = self._won[seat] + 1 if known and number >= rules.resign_beyond else 0
        if rules.resign_moves:
            for loser, word in ((seat, "loss"), (1 - seat, "win")):
                agreed = rules.resign_one_sided or self._won[1 - loser] >= rules.resign_moves
                if self._lost[loser] >= rules.resign_moves and agreed:
                    return word
        late = plies >= 2 * rules.draw_from
        if rules.draw_moves and late and min(self._even) >= rules.draw_moves:
            return "draw"
        return ""


@cache
def opened(game: Game, folders: tuple[str, ...]) -> Tablebases:
    """Return the tables of some folders, opened once a process."""
    return game.tablebases([Path(folder) for folder in folders])
