"""A game without rules of ours: a referee plays it whole, and only its result is known."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from joute.engines.errors import Refused, cut
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel, Words
from joute.engines.kernels.contract import State
from joute.engines.referees.form import SEEDS, Result
from joute.engines.referees.game_folder import GameFolder

SEED = "seed "
Seated = Callable[[GameFolder], str]
"""A bot in a game: its command line in the folder of that game."""


class RefereedGame(Game):
    """Base of games that a referee plays. Whatever needs rules is refused, in one line."""

    refereed = True
    chance = True  # games of one start differ, as far as we know
    opening_plies = 0
    notation = "seed N: only the referee knows how the game begins and goes on"
    state = State("state")
    slots = 1

    @property
    @abstractmethod
    def seeded(self) -> bool:
        """Whether the referee plays the seed that it is told."""

    @abstractmethod
    def play_whole(
        self, start: str, bots: Sequence[Seated], look: Callable[[], None] | None = None
    ) -> Result:
        """Play a game from its `start`, `seed N`, to its end; `look` is called again and again.

        Raises NoResult, with the reason, where the referee gives no result, and Refused for one that
        can give none.
        """

    def start_text(self, seed: int) -> str:
        """Return `seed N`, N of 31 bits."""
        return f"{SEED}{seed % SEEDS}"

    @property
    def cores(self) -> int:
        """One for each bot, and one for the referee."""
        return self.players + 1

    def refuse(self) -> NoReturn:
        """Raise Refused: this needs rules."""
        raise Refused(
            f"{cut(self.label, 120)}: only its referee knows the rules, so there are no positions, "
            "moves or drawings here; it can be played in match, scan, tune and tournament"
        )

    def build(self, stride: int) -> Iterable[Kernel]:
        """Refuse."""
        self.refuse()

    def kernels(self, stride: int = 0) -> GameKernels:
        """Refuse."""
        self.refuse()

    def draw(self, W: Words, at: int) -> str:
        """Refuse."""
        self.refuse()
