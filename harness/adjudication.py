"""Games that the referee ends early because both engines agree on the result, by their values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Adjudication:
    """When a game of two players is ended. 0 moves: never.

    Values are an engine's own, in its units (centipawns in chess), from its own side. A draw: from
    move `draw_from` on (counted from the start position, one of each side) the last `draw_moves` of
    each player had a value within `draw_within` of 0. A loss: the last `resign_moves` of a player had
    a value of -`resign_beyond` or less, and those of its opponent `resign_beyond` or more, unless
    `resign_one_sided`.
    """

    draw_moves: int = 0
    draw_within: float = 0.0
    draw_from: int = 1
    resign_moves: int = 0
    resign_beyond: float = 0.0
    resign_one_sided: bool = False


class Adjudicator:
    """Follows one game."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules = rules
        self._even, self._lost, self._won = [0, 0], [0, 0], [0, 0]  # last moves of each player

    def after(self, seat: int, value: float | None, plies: int) -> str:
        """Take a move's value, after so many plies; return "draw", "loss" of this seat, "win", or "".

        A move without a value ends all counts of its player.
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
