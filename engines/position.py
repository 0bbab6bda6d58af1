"""A position: a game's state with the line of play that led to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from joute.engines.errors import JouteError, Refused, cut
from joute.engines.game import Game, rest_of
from joute.engines.kernels.compile import Words
from joute.engines.kernels.random import next_word, stream


class Position:
    """The state of one game in progress; `play` moves it on. `moves` are the actions since `start`,
    which is `startpos` or the text of a position.

    `W[at : at + game.words]` is the state. Games whose rules look back keep every earlier state
    below it; others alternate between two slots.
    """

    __slots__ = ("W", "_k", "_step", "at", "game", "moves", "outcomes", "start", "status")

    def __init__(self, game: Game, text: str = "startpos") -> None:
        self.game, self.start = game, text
        self._k = game.rules
        slots = game.max_plies + 2 if game.path_dependent else 2
        self.W: Words = game.room(slots * game.words)
        self._step = game.words
        self.at = 0
        self.moves: list[int] = []
        self.outcomes: list[int] = []
        if text == "startpos":
            self._k.start(self.W, 0)
        else:
            game.write_position(text, self.W, 0)
        self.status = int(self._k.status(self.W, 0))

    def copy(self) -> Position:
        """Return an independent copy."""
        other = Position.__new__(Position)
        other.game, other._k, other._step = self.game, self._k, self._step
        other.start = self.start
        other.at, other.status = self.at, self.status
        if self.game.path_dependent:  # most of the room is still empty
            other.W, used = self.game.room(len(self.W)), self.at + self._step
            other.W[:used] = self.W[:used]
        else:
            other.W = self.W.copy()
        other.moves, other.outcomes = self.moves.copy(), self.outcomes.copy()
        return other

    @property
    def over(self) -> bool:
        """Whether the game has ended by its own rules."""
        return self.status != 0

    @property
    def to_move(self) -> int:
        """The player to move; 0 is the first."""
        return int(self._k.to_move(self.W, self.at))

    @property
    def ply(self) -> int:
        """How many actions were played since the position was set up."""
        return len(self.moves)

    def legal_actions(self) -> list[int]:
        """Return the legal actions in canonical order."""
        if self.status:
            return []
        return self.game.list_actions(self.W, self.at)

    def is_legal(self, action: int) -> bool:
        """Whether the player to move may play `action`."""
        return not self.status and bool(self._k.is_legal(self.W, self.at, action))

    def play(self, action: int, outcome: int = 0) -> None:
        """Apply a legal action (not checked here), with the chance outcome that follows it."""
        to = self.at + self._step
        if not self.game.path_dependent and self.at:
            to = 0
        self._k.apply(self.W, self.at, to, action, outcome)
        self.at = to
        self.status = int(self._k.status(self.W, to))
        self.moves.append(action)
        self.outcomes.append(outcome)

    def draw_outcome(self, action: int, seed: int) -> int:
        """Draw the chance outcome of `action` from a seed; 0 in games without chance."""
        if self._k.outcome is None:
            return 0
        return int(self._k.outcome(self.W, self.at, action, stream(seed)))

    def why_illegal(self, action: int) -> str:
        """Return the reason why an action is not legal here: the rule it breaks, or the legal ones."""
        why = self.game.why_illegal(self.W, self.at, action)
        if why or not self.game.listed:
            return why
        legal = sorted(self.legal_actions()) if self.game.compiled else self.legal_actions()
        return f"legal: {' '.join(self.game.action_text(a) for a in legal)}"

    def sample_action(self, S: Words) -> int:
        """Draw a legal action uniformly with the stream `S`."""
        A = np.empty(self.game.slots, np.int64)
        return int(self._k.sample(self.W, self.at, A, 0, S))

    def wander(self, S: Words, plies: int) -> None:
        """Play so many random legal actions with the stream `S`, fewer if the game ends before."""
        wander = None if self.status else self.game.wander
        if wander is None:
            for _ in range(plies):
                if self.status:
                    return
                action = self.sample_action(S)
                self.play(action, self.draw_outcome(action, int(next_word(S))))
            return
        M = np.empty(plies, np.int64)
        count = int(wander(self.W, self.at, plies, np.empty(self.game.slots, np.int64), S, M))
        if self.game.path_dependent:
            self.at += count * self._step
        elif count:
            self.at = self._step if (count % 2) ^ (self.at > 0) else 0
        self.status = int(self._k.status(self.W, self.at))
        self.moves += M[:count].tolist()
        self.outcomes += [0] * count

    def returns(self) -> list[float]:
        """Return one number in [0, 1] per player, of a finished game."""
        players = self.game.players
        if self.status <= players:
            rest = rest_of(players)
            return [1.0 if p + 1 == self.status else rest for p in range(players)]
        R = np.zeros(players, np.float64)
        self._k.returns(self.W, self.at, R, 0)
        return [float(r) for r in R]

    def key(self) -> int:
        """The canonical key: equal for positions that a symmetry maps on each other."""
        return int(self._k.key(self.W, self.at))

    def words(self) -> Words:
        """Return a copy of the state's own words."""
        return self.W[self.at : self.at + self._step].copy()

    def lay(self, W: Words, stride: int, begin: int = 0) -> int:
        """Copy the state into W for a search, from word `begin` on, and return its offset there.

        States are `stride` words apart; in games that look back the line of play comes first, as far
        as the rules look.
        """
        words, plies = self._step, self._looked_back
        for back in range(plies, -1, -1):
            to, at = begin + (plies - back) * stride, self.at - back * words
            W[to : to + words] = self.W[at : at + words]
        return begin + plies * stride

    @property
    def _looked_back(self) -> int:
        """How many earlier states the rules look at."""
        plies = self.at // self._step if self.game.path_dependent else 0
        return plies if self.game.look_back is None else min(plies, self.game.look_back)

    def decides(self) -> tuple[Hashable, ...]:
        """Return what decides all that can follow: the game, the state, and earlier states as far as the
        rules look back. Of a game in plain Python, whose states are any values, it is the line of play.
        """
        if not self.game.compiled:
            return self.game.label, self.start, *self.moves, *self.outcomes
        begin = self.at - self._looked_back * self._step
        return self.game.label, self.W[begin : self.at + self._step].tobytes()

    def line(self) -> str:
        """The start, then the moves so far: `startpos moves 4 4 3`; `parse_position` reads it."""
        moves = "".join(f" {self.game.action_text(action)}" for action in self.moves)
        return f"{self.start} moves{moves}" if moves else self.start

    def text(self) -> str | None:
        """The one-line text of the position, or None where the game has none."""
        return self.game.position_text(self.W, self.at)

    def draw(self) -> str:
        """A drawing for the terminal."""
        return self.game.draw(self.W, self.at)


def parse_position(
    game: Game, text: str, onward: Callable[[Position], Position] | None = None
) -> Position:
    """Return the position that `startpos` or a position text, then `moves a b c`, names.

    Raises Refused with the ply and the reason when a move is illegal. `onward` returns what takes the
    place of a position that is over, where moves follow it.
    """
    words = text.split()
    end = words.index("moves") if "moves" in words else len(words)
    start = " ".join(words[:end]) or "startpos"
    if start.startswith("startpos "):
        meant = f"startpos moves {start.removeprefix('startpos ')}"
        raise Refused(f"position {text!r}: before the moves comes the word moves, {meant!r}")
    try:
        position = Position(game, start)
    except (JouteError, MemoryError):
        raise
    except Exception as error:
        raise Refused(f"the position {cut(repr(start), 80)}: {cut(str(error), 120)}") from None
    seed = 0
    for ply, word in enumerate(words[end + 1 :], 1):
        try:
            action = game.action_of(word)
        except Refused as error:
            hint = "" if "allowed:" in str(error) else f"; as in: {example_of(game)}"
            raise Refused(f"move {ply} of the position: {error}{hint}") from None
        if position.over and onward is not None:
            position = onward(position)
        if position.over:
            raise Refused(f"move {ply} of the position, {word!r}: the game is already over")
        if not position.is_legal(action):
            why = position.why_illegal(action)
            raise Refused(f"move {ply} of the position, {word!r}, is illegal; {why}")
        position.play(action, position.draw_outcome(action, seed + ply))
    return position


def example_of(game: Game) -> str:
    """Return a position as a person writes it, `startpos moves UP`, in the notation of a game."""
    position = Position(game)
    action = position.legal_actions()[0] if game.listed else position.sample_action(stream(1))
    return f"startpos moves {game.action_text(action)}"
