"""A clock of a game: what time each player has, and what is left of it.

A text such as `10+0.1` (seconds and increment) or `40/1:30+0.6` (40 moves in 90 seconds, then the same
again) says it, as chess tools write it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from joute.engines.errors import Refused, cut

TEXT = re.compile(
    r"(?:(?P<moves>\d{1,4})/)?(?:(?P<minutes>\d{1,4}):)?(?P<seconds>\d{1,7}(?:\.\d{1,6})?)"
    r"(?:\+(?P<increment>\d{1,5}(?:\.\d{1,6})?))?"
)
ALLOWED = "SECONDS+INCREMENT or MOVES/MINUTES:SECONDS+INCREMENT, such as 10+0.1 or 40/1:30"

MOVES_LEFT = 30.0  # that the rest of a clock is shared among, where nobody says
SHARE_OF_INCREMENT, MOST_OF_CLOCK = 0.8, 0.5  # that one move may use
KEPT_MS, LEAST_MS = 20.0, 1.0  # kept for the way to and fro; the time of any move


@dataclass(frozen=True)
class TimeControl:
    """`base_ms` for the game, or for every `moves` moves if that is not 0; `increment_ms` are added
    after each move.
    """

    base_ms: float
    increment_ms: float = 0.0
    moves: int = 0

    @property
    def text(self) -> str:
        """The text that `time_control` reads."""
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{seconds(self.increment_ms)}" if self.increment_ms else ""
        return f"{moves}{seconds(self.base_ms)}{increment}"


def seconds(ms: float) -> str:
    """Return milliseconds as seconds, exactly."""
    return f"{ms / 1e3:.6f}".rstrip("0").rstrip(".")


def time_control(text: str) -> TimeControl:
    """Return the time control of a text; raise Refused."""
    match = TEXT.fullmatch(text.strip())
    if match is None:
        raise Refused(f"{cut(repr(text), 40)} is no clock; allowed: {ALLOWED}")
    base = 60e3 * int(match["minutes"] or 0) + 1e3 * float(match["seconds"])
    if base <= 0:
        raise Refused(f"{cut(repr(text), 40)} leaves no time; allowed: {ALLOWED}")
    if match["moves"] is not None and int(match["moves"]) == 0:
        raise Refused(f"{cut(repr(text), 40)} has 0 moves; allowed: {ALLOWED}")
    return TimeControl(base, 1e3 * float(match["increment"] or 0), int(match["moves"] or 0))


class Clocks:
    """The clocks of all seats in one game; both players may read them.

    `left_ms`: what each seat has, below 0 where it used a little more than it had; a flag falls at
    less than minus `margin_ms`. `to_go`: its moves up to the next session; 0 where there are none.
    """

    def __init__(self, control: TimeControl, players: int, margin_ms: float = 0.0) -> None:
        self.control, self.margin_ms = control, margin_ms
        self.left_ms = [control.base_ms] * players
        self.to_go = [control.moves] * players

    def charge(self, seat: int, used_ms: float) -> float:
        """Take a move's time off, and return what is left before anything is added."""
        self.left_ms[seat] -= used_ms
        return self.left_ms[seat]

    def add(self, seat: int) -> None:
        """Add what a move in time earns: the increment, and the time of the next session."""
        self.left_ms[seat] += self.control.increment_ms
        if self.control.moves:
            self.to_go[seat] -= 1
            if not self.to_go[seat]:
                self.left_ms[seat] += self.control.base_ms
                self.to_go[seat] = self.control.moves

    def share_ms(self, seat: int, moves: float = MOVES_LEFT) -> float:
        """Return the time that one move of a seat may use (`share_of`)."""
        return share_of(self.left_ms[seat], self.control.increment_ms, self.to_go[seat], moves)


def told(clocks: Sequence[float]) -> list[int]:
    """Return what is left as programs are told it: whole milliseconds, at least 1."""
    return [max(1, int(ms)) for ms in clocks]


def share_of(left_ms: float, increment_ms: float, to_go: int, moves: float = MOVES_LEFT) -> float:
    """Return the milliseconds that one move may use.

    What is left is shared among `moves` moves, or those up to the next session if they are fewer; of
    the increment most is used; never more than half of what is left; some is kept for the way.
    """
    share = left_ms / (min(to_go, moves) if to_go else moves) + SHARE_OF_INCREMENT * increment_ms
    return max(LEAST_MS, min(share, MOST_OF_CLOCK * left_ms) - min(KEPT_MS, left_ms / 4))
