"""Games by their rules: positions, legal actions, text and returns."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from joute.door import door
from joute.engines.errors import Refused, shown, whole
from joute.plugging import plug

if TYPE_CHECKING:
    from joute.engines.game import Game
    from joute.engines.position import Position


@door
def game(name: str, plugins: Sequence[str | Path] = ()) -> GameRules:
    """Return the rules of a game, written with its options: "connect4[columns=12,rows=6]"."""
    from joute.engines.engine import parse_game

    plug(plugins)
    if not isinstance(name, str):
        raise Refused(f"game = {shown(name)}; allowed: the text of a game, NAME[option=value]")
    return GameRules(parse_game(name))


class GameRules:
    """A game's rules: its start, and the positions of texts."""

    def __init__(self, rules: Game) -> None:
        self.rules = rules

    @property
    def name(self) -> str:
        """The game with all its options."""
        return self.rules.label

    @property
    def players(self) -> int:
        """How many play: 2 to 4."""
        return self.rules.players

    def position(self, text: str = "startpos") -> GamePosition:
        """Return the position of a text: startpos or the game's one line, then optionally: moves a b c.

        Raise Refused, with the ply and the reason, if a move is illegal.
        """
        from joute.engines.position import parse_position

        if not isinstance(text, str):
            raise Refused(f"position = {shown(text)}; allowed: a text, as startpos moves 4 4")
        return GamePosition(parse_position(self.rules, text))

    def opening(self, seed: int, plies: int | None = None) -> GamePosition:
        """Return a position after random legal plies (by default as many as a study plays)."""
        from joute.engines.kernels.random import seed_of, stream
        from joute.engines.position import Position

        seed = whole(seed, "seed")
        count = self.rules.opening_plies if plies is None else whole(plies, "plies", 0)
        position = Position(self.rules, self.rules.start_text(seed))
        position.wander(stream(seed_of("opening", seed)), count)
        return GamePosition(position)

    def __repr__(self) -> str:
        return f"<game {self.name}: {self.players} players>"


class GamePosition:
    """A position of a game. It never changes: `play` returns the next one. Actions are texts, as in
    protocols and CSV files; players are 0, 1, ... in the order in which they first move. Two are equal
    if everything that can follow is the same: in games that look back (chess, Go) earlier positions count.
    """

    def __init__(self, position: Position) -> None:
        self.state = position

    @property
    def game(self) -> GameRules:
        """The rules that it belongs to."""
        return GameRules(self.state.game)

    @property
    def to_move(self) -> int:
        """The player to move."""
        return self.state.to_move

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.over

    @property
    def moves(self) -> list[str]:
        """The actions played since `position` set it up."""
        return [self.state.game.action_text(action) for action in self.state.moves]

    def legal_actions(self) -> list[str]:
        """Return the legal actions, none when the game is over.

        Raise Refused where they are too many to list (`is_legal` and `random_action` work there).
        """
        if not self.state.game.listed:
            raise Refused(f"{self.state.game.label}: it has too many actions to list")
        return [self.state.game.action_text(action) for action in self.state.legal_actions()]

    def is_legal(self, action: str) -> bool:
        """Whether the player to move may play an action; False for a text that is no action, Refused for
        what is no text.
        """
        self._need_text(action)
        try:
            return self.state.is_legal(self.state.game.action_of(action))
        except Refused:
            return False

    def random_action(self, seed: int) -> str:
        """Return a legal action, each as likely as others, by a seed."""
        from joute.engines.kernels.random import stream

        seed = whole(seed, "seed")
        if self.over:
            raise Refused("the game is over, so there is no action")
        return self.state.game.action_text(self.state.sample_action(stream(seed)))

    def play(self, action: str, seed: int = 0) -> GamePosition:
        """Return the position after a legal action; `seed` decides chance that follows it.

        Raise Refused, with the reason, if it is not legal.
        """
        self._need_text(action)
        seed = whole(seed, "seed")
        number = self.state.game.action_of(action)
        if self.over:
            raise Refused(f"{action}: the game is over")
        if not self.state.is_legal(number):
            raise Refused(f"{action} is not legal here; {self.state.why_illegal(number)}")
        after = self.state.copy()
        after.play(number, self.state.draw_outcome(number, seed))
        return GamePosition(after)

    def _need_text(self, action: object) -> None:
        """Raise Refused for an action that is no text, such as its number."""
        if not isinstance(action, str):
            such = "" if self.over else f", such as {self.random_action(0)!r} here"
            raise Refused(f"{shown(action)} is no action: actions are texts{such}")

    def returns(self) -> list[float]:
        """Return one number in [0, 1] per player, of a finished game: win 1, draw 1/2, loss 0; of
        more than two players (n - rank) / (n - 1), ties averaged.
        """
        if not self.over:
            raise Refused("the game is not over: it has no returns yet")
        return self.state.returns()

    @property
    def key(self) -> int:
        """A number that is equal for positions which a symmetry maps on each other."""
        return self.state.key()

    @property
    def text(self) -> str:
        """The text that `position` reads: the position in one line where the game has one, else the
        start and the moves.
        """
        return self.state.text() or self.state.line()

    @property
    def line(self) -> str:
        """The start, then the moves: startpos moves 4 4 3."""
        return self.state.line()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GamePosition):
            return NotImplemented
        return self.state.decides() == other.state.decides()

    def __hash__(self) -> int:
        return hash(self.state.decides())

    def __str__(self) -> str:
        from joute.engines.colours import plain

        return plain(self.state.draw())

    def __repr__(self) -> str:
        return f"<{self.state.game.label}: {self.line}>\n{self}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
