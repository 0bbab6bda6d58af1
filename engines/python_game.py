"""Games whose rules are plain Python: a class with a handful of methods over any values.

They are games like all others, for programs, people, matches, studies, suites and replays; only the
compiled searches need kernels. The searches that say `plain` play them, some hundred times slower.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import traceback
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from joute.engines.errors import JouteError, Refused, RulesError, shown
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game, GameKernels
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import State
from joute.engines.kernels.random import below, next_word, seed_of
from joute.engines.parameter import Value
from joute.engines.source_digest import source_digest

LONGEST = 200  # characters of an action


class PythonGame(Game):
    """A game as plain methods. A state is any value that can be hashed, and is never changed.

    Actions are texts. `apply` gets the outcome of chance where `chance` is set: one of those that
    `outcomes` lists with their weights. `returns` gives None while the game goes on.
    """

    compiled = False
    state: State = State("state")
    slots = 1

    @abstractmethod
    def initial(self) -> Hashable:
        """Return the state at the start."""

    @abstractmethod
    def legal_actions(self, state: Any) -> Sequence[str]:
        """Return the legal actions of a state that goes on, likely good ones first."""

    @abstractmethod
    def apply(self, state: Any, action: str, outcome: int = 0) -> Hashable:
        """Return the state after a legal action (and its chance outcome)."""

    @abstractmethod
    def to_move(self, state: Any) -> int:
        """Return the player to move; 0 is the first."""

    @abstractmethod
    def returns(self, state: Any) -> Sequence[float] | None:
        """Return one number in [0, 1] per player, their sum players / 2; None while it goes on."""

    @abstractmethod
    def text(self, state: Any) -> str:
        """Return a drawing of the state."""

    def parse(self, text: str) -> Hashable:
        """Return the state of a one-line text; raise ValueError if there is none.

        A game that has this has `line`, too.
        """
        raise ValueError("positions other than startpos have no text here")

    def line(self, state: Any) -> str | None:
        """Return the one-line text that `parse` reads, or None where the game has none."""
        return None

    def outcomes(self, state: Any, action: str) -> Sequence[tuple[int, float]]:
        """Return the chance outcomes of an action, each with its weight."""
        return [(0, 1.0)]

    def canonical(self, state: Any) -> Hashable:
        """Return the same for states that symmetries map on each other."""
        return state

    # --- as the rooms see it: kernels in plain Python over an array that holds the states ----------

    @property
    def digest(self) -> str:
        """Digest of the file that holds the rules, and of the options."""
        source = inspect.getsource(inspect.getmodule(type(self)) or type(self))
        return hashlib.sha256(f"{self.label}\n{source}".encode()).hexdigest()[:24]

    def room(self, words: int) -> Any:
        """Return an array for so many states."""
        return np.empty(words, object)

    def build(self, stride: int) -> Iterable[Kernel]:
        """Return nothing: `kernels` is given whole."""
        return ()

    def kernels(self, stride: int = 0) -> GameKernels:
        """Return the rules as plain functions with the contract's arguments."""
        if 1 not in self._kernels:
            self._kernels[1] = plain_kernels(self)
        return self._kernels[1]

    def list_actions(self, W: Any, at: int) -> list[int]:
        """Return the legal actions of a state that goes on."""
        return [code_of(text) for text in choices_of(self, W[at])]

    def action_text(self, action: int) -> str:
        """Return the text of an action."""
        return text_of_code(action)

    def parse_action(self, text: str) -> int:
        """Return the action of a text."""
        if len(text) > LONGEST:
            raise Refused(f"{self.name}: {text[:40]!r} ... is not an action")
        return code_of(text)

    def position_text(self, W: Any, at: int) -> str | None:
        """Return the one-line text, where the game has one."""
        return self.line(W[at])

    def write_position(self, text: str, W: Any, at: int) -> None:
        """Set up the state of a one-line text."""
        try:
            W[at] = self.parse(text)
        except ValueError as error:
            raise Refused(f"{self.name}: position {text!r}: {error}") from None

    def draw(self, W: Any, at: int) -> str:
        """Return the drawing."""
        return self.text(W[at])


def asked(game: PythonGame, method: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a rule; turn its exceptions into RulesError with game, method and place."""
    try:
        return method(*arguments)
    except JouteError:
        raise
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        raise RulesError(
            f"the rules of {game.label} failed: {method.__name__}: {type(error).__name__}: {error} "
            f"({at.filename}, line {at.lineno})"
        ) from error


def actions_of(game: PythonGame, state: Any) -> Sequence[str]:
    """Return the texts of the legal actions of a state; RulesError for what is no list of texts."""
    listed: Sequence[str] = asked(game, game.legal_actions, state)
    if not isinstance(listed, Sequence) or not all(isinstance(text, str) for text in listed):
        raise wrong(game, game.legal_actions, listed, "a list of texts")
    return listed


def choices_of(game: PythonGame, state: Any) -> Sequence[str]:
    """Return the same of a state that goes on, where there is at least one."""
    listed = actions_of(game, state)
    if not listed:
        raise wrong(game, game.legal_actions, listed, "one text or more while the game goes on")
    return listed


def mover_of(game: PythonGame, state: Any) -> int:
    """Return the player to move; RulesError for nobody while the game goes on."""
    mover = asked(game, game.to_move, state)
    if mover not in range(game.players) and asked(game, game.returns, state) is None:
        raise wrong(game, game.to_move, mover, f"a player, 0 to {game.players - 1}")
    return mover


def shares_of(game: PythonGame, state: Any) -> Sequence[float]:
    """Return what each player gets at the end; RulesError unless these are numbers from 0 to 1."""
    shares = asked(game, game.returns, state)
    try:
        fit = len(shares) == game.players and all(0 <= share <= 1 for share in shares)
    except TypeError:
        fit = False
    if not fit:
        raise wrong(game, game.returns, shares, f"{game.players} numbers from 0 to 1, or None")
    return shares


def wrong(game: PythonGame, method: Callable[..., Any], given: object, allowed: str) -> RulesError:
    """Return the error of a method that has returned what is not allowed."""
    return RulesError(
        f"the rules of {game.label} failed: {method.__name__} returned {shown(given)}; allowed: {allowed}"
    )


def code_of(text: str) -> int:
    """Return the code of an action's text, the same in every process."""
    return int.from_bytes(b"\x01" + text.encode("utf-8", "surrogatepass"), "big")


def text_of_code(code: int) -> str:
    """Return the text of a code; for an unknown code, its digits."""
    raw = code.to_bytes((max(code, 0).bit_length() + 7) // 8 or 1, "big") if code > 0 else b""
    try:
        return raw[1:].decode("utf-8", "surrogatepass") if raw[:1] == b"\x01" else str(code)
    except UnicodeDecodeError:
        return str(code)


def plain_kernels(game: PythonGame) -> GameKernels:
    """Return the rules of a game as functions with the arguments of the contract of kernels."""

    def start(W: Any, at: int) -> None:
        W[at] = asked(game, game.initial)

    def apply(W: Any, src: int, dst: int, action: int, outcome: int) -> None:
        text = game.action_text(action)
        more = (outcome,) if game.chance else ()
        W[dst] = asked(game, game.apply, W[src], text, *more)

    def status(W: Any, at: int) -> int:
        return 0 if asked(game, game.returns, W[at]) is None else game.players + 1

    def returns(W: Any, at: int, R: Any, to: int) -> None:
        R[to : to + game.players] = shares_of(game, W[at])

    def is_legal(W: Any, at: int, action: int) -> bool:
        return action >= 0 and game.action_text(action) in actions_of(game, W[at])

    def sample(W: Any, at: int, A: Any, to: int, S: Any) -> int:
        listed = choices_of(game, W[at])
        return code_of(listed[int(below(S, np.uint64(len(listed))))])

    def outcome(W: Any, at: int, action: int, S: Any) -> int:
        listed = asked(game, game.outcomes, W[at], game.action_text(action))
        drawn = int(next_word(S)) / 2.0**64 * sum(weight for _, weight in listed)
        for drawn_outcome, weight in listed:
            drawn -= weight
            if drawn < 0:
                return drawn_outcome
        return listed[-1][0]

    def actions(W: Any, at: int, A: Any, to: int) -> int:
        raise Refused(f"{game.name} is plain Python: it has no kernels")

    apply.digest = game.digest  # type: ignore[attr-defined]
    return GameKernels(
        start=start,
        apply=apply,
        to_move=lambda W, at: mover_of(game, W[at]),
        status=status,
        returns=returns,
        key=lambda W, at: seed_of("key", repr(asked(game, game.canonical, W[at]))),
        actions=actions,
        sample=sample,
        is_legal=is_legal,
        nth=None,
        outcome=outcome if game.chance else None,
        peek=None,
        advance=None,
    )


class PythonEvaluation(Evaluation):
    """An evaluation of plain Python games, in plain Python."""

    compiled = False

    @abstractmethod
    def worth(self, game: Any, state: Any, player: int, values: Mapping[str, Value]) -> float:
        """Return the value of a state for a player, the more the better; `values` by parameter."""

    def code(self, game: Game, base: int) -> str:
        """Return the digest of its file."""
        return source_digest(sys.modules[type(self).__module__])

    def build(self, game: Game, base: int) -> Iterable[Kernel]:
        """Refuse: there are none."""
        raise Refused(f"evaluation {self.name} is plain Python: it has no kernels")
