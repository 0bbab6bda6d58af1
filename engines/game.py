"""A game: rules plus options, and the contract of its kernels.

A state is some unsigned 64-bit words at an offset `at` of a flat array W owned by the caller; a game
names them (`state = State("stones", "ply")`) and gives kernels under `@rule`, whose types follow from
their names (`engines/kernels/contract.py`). Needed: nth (or actions), apply, status.

| kernel | meaning |
|---|---|
| start(W, at) | write the start position; by default every word is 0 |
| apply(W, src, dst, action, outcome) | write at dst what the action makes of the state at src; src is left alone. A word named `ply` counts by itself |
| status(W, at) | 0: goes on; p + 1: over, player p alone won, the others share the rest; players + 1: over, see returns. By default the word named `status` |
| nth(W, at, i) | action i < slots in canonical order, or -1 where that slot is not legal now |
| or actions(W, at, A, to) | write the legal actions at A[to..], at most `slots`, in canonical order; return how many |
| to_move(W, at) | the player who acts, 0..players-1; by default by turns, from the word `ply` |
| returns(W, at, R, to) | one number in [0, 1] per player, of a finished game; by default from the status, players + 1 is a draw |
| key(W, at) | the same for positions equal up to symmetry, in practice different for others; by default a mix of all words; a `BoardGame` has one by its `symmetries`, others may return `board.symmetric_key(...)` |
| is_legal(W, at, action), sample(W, at, A, to, S) | whether it is; one drawn uniformly with the stream S: by default from the list |
| playout(W, at, A, to, S) | optional: the action of a random playout, where uniform ones tell little; by default that of sample. A negative one, -status, ends the playout as if it had come to that |
| peek(W, at, action) | optional: the status after the action, without writing the state (worth 1.2x at the leaves of a search) |
| advance(W, src, dst, action) | optional, with peek: `apply` for an action after which the game goes on (worth 1.1x with width pruning) |
| outcome(W, at, action, S) | games of chance only: draw what follows the action, with the stream S |
| outcomes(W, at, action, O, to, F, from) | optional, games of chance: write what may follow at O[to..], its probabilities at F[from..]; return how many |
| assume(W, src, dst, action, outcome) | optional: `apply` for the outcomes of `outcomes`; by default it is apply |
| repeats(W, at) | games with `repeats` only: whether the position has occurred before in the line, or a count that the key does not hold has ended the game: a draw in the tree of an alpha-beta search |
| forcing(W, at, A, to) | optional, for quiescence: write the actions that change much (captures, promotions), likely good ones first; return how many; or, where the player to move must answer a threat, all actions, and minus their number. `actions` begins with the same |
| skip(W, src, dst) | optional, for null moves: write the state after the player to move has passed; False where that may be better than any action, or is nothing to try |

Kernels compute with unsigned words: a literal that meets one is wrapped, `U(1) << U(cell)`, and an
action or a count becomes one by `U(action)`. A kernel that computes with a signed and an unsigned
number is refused: numba would make a signed one of them. Indices into W are unsigned.

Canonical order puts likely good actions first: a search without ordering of its own tries them so.
A game whose rules look back (superko) sets `path_dependent`: then the caller keeps the whole line
of play, and the state k plies earlier lies at `at - k * stride`; such a state knows its own ply. Where
only the end of a game looks back (repetition in chess), while what is legal, the key, and evaluations do
not, it sets `repeats`, too: then a search may take values from a table.
`stride` is handed to `build()` because a search may keep words of its own behind each state.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from joute.engines.errors import JouteError, Refused, building, cut
from joute.engines.kernels.bits import mix
from joute.engines.kernels.compile import Ints, Kernel, U, Words, kernel, prepare
from joute.engines.kernels.contract import State, code_of, collect, rule
from joute.engines.kernels.random import below, next_word
from joute.engines.parameter import Parameter, Value, chosen, labelled
from joute.engines.pictures import Scene, composed
from joute.engines.record import KINDS
from joute.engines.registry import Member, entries
from joute.engines.tablebases import Tablebases

PLAYERS = (2, 4)
MOST = 1 << 31


def games_with_rules() -> list[str]:
    """Return the names of the games whose rules are known here: all but those of outside referees."""
    return [name for name, entry in entries("game").items() if not entry.facts.get("refereed")]


def rest_of(players: int) -> float:
    """Return the return of each other player when one player alone has won: they tie for second."""
    return (players - 2) / (2 * (players - 1))


@dataclass(frozen=True)
class GameKernels:
    """The compiled rules of a game; see this module's table. Both `nth` and `actions` are filled."""

    start: Kernel
    apply: Kernel
    to_move: Kernel
    status: Kernel
    returns: Kernel
    key: Kernel
    actions: Kernel
    sample: Kernel
    is_legal: Kernel
    nth: Kernel | None
    outcome: Kernel | None
    peek: Kernel | None
    advance: Kernel | None
    outcomes: Kernel | None = None
    assume: Kernel | None = None
    prepare: Kernel | None = None
    playout: Kernel | None = None
    guess: Kernel | None = None
    repeats: Kernel | None = None
    forcing: Kernel | None = None
    skip: Kernel | None = None


class Game(Member, ABC, kind="game"):
    """Rules with their options bound. Subclasses declare the class attributes and the kernels."""

    players: int = 2
    notation: ClassVar[str] = "startpos, then optionally: moves a b c"
    options: ClassVar[tuple[Parameter, ...]] = ()
    chance: ClassVar[bool] = False
    compiled: ClassVar[bool] = True  # has kernels; else see python_game.py
    refereed: ClassVar[bool] = False  # an outside referee plays it; see referees/refereed_game.py
    listed: ClassVar[bool] = True  # actions are few enough to list; else a search needs a generator
    path_dependent: bool = False
    repeats: bool = False  # path-dependent in its end alone, which looks at repetitions
    look_back: int | None = None  # most plies back that the rules look; None: any number
    forces: ClassVar[bool] = False  # whether it lists forcing actions, by the kernel `forcing`
    alternating: ClassVar[bool] = True  # the players act in turn, none twice in a row
    on_failure: ClassVar[Mapping[str, int]] = {}  # kind of failure -> the action played instead,
    # never legal otherwise; after other failures the player has lost
    opening_plies: ClassVar[int] = 6  # random plies of an opening; a study may change it
    balanced_by: ClassVar[str] = ""  # a quick engine that may judge openings even (`joute init`),
    balanced_within: ClassVar[float] = 0.0  # and how far from even its value may be
    # what the rules call the players, in the order in which they begin
    seats: ClassVar[tuple[str, ...]] = ("first", "second", "third", "fourth")
    played_at: ClassVar[Mapping[str, str]] = {}  # the game's name for a target of `joute export`

    state: State = State()  # the words by name; set here or in `setup`
    slots: int
    max_plies: int = 1000

    def __init__(self, **options: Any) -> None:
        self.values: dict[str, Value] = chosen(
            self.options, options, f"option of {self.name}", self.name
        )
        self._kernels: dict[int, GameKernels] = {}
        self.setup()
        self._check_declared()

    def setup(self) -> None:
        """Compute from `values` the attributes that depend on them: state, slots, max_plies, tables."""

    def _check_declared(self) -> None:
        """Raise TypeError naming the attribute that is no use to anybody."""
        whole = {"players": PLAYERS, "slots": (1, MOST), "max_plies": (1, MOST)}
        for attribute, (low, high) in whole.items():
            value = getattr(self, attribute, None)
            if type(value) is not int or not low <= value <= high:
                shown = "is missing" if value is None else f"= {value!r}"
                upper = "up" if high == MOST else f"to {high}"
                raise TypeError(f"{attribute} {shown}; allowed: a whole number from {low} {upper}")
        if not isinstance(self.state, State):
            raise TypeError(f'state = {self.state!r}; allowed: State("stones", "ply")')
        named = isinstance(self.seats, tuple | list) and {*map(type, self.seats)} == {str}
        if not named or len(self.seats) < self.players:
            raise TypeError(f'seats = {self.seats!r}; allowed: a name a player, ("White", "Black")')
        if wrong := sorted({*self.on_failure} - {*KINDS}):
            raise TypeError(f"on_failure has {wrong[0]!r}; allowed: {', '.join(KINDS)}")

    @cached_property
    def words(self) -> int:
        """The number of words of a state."""
        return self.state.size

    @property
    def label(self) -> str:
        """The canonical text of game and options, `connect4[columns=12,rows=6]`."""
        return labelled(self.name, self.values)

    @abstractmethod
    def build(self, stride: int) -> Iterable[Kernel]:
        """Return the kernels of the contract, for states `stride` words apart."""

    def kernels(self, stride: int = 0) -> GameKernels:
        """Return the compiled rules, with the defaults for those that the game leaves out."""
        stride = (stride or self.words) if self.path_dependent else self.words
        if stride not in self._kernels:
            with building(f"the kernels of {self.label}"):
                self._kernels[stride] = complete(collect("game", self.build(stride)), self)
        return self._kernels[stride]

    @cached_property
    def code(self) -> str:
        """The digest of the code of an action; "" if unknown."""
        return str(getattr(self.kernels().apply, "digest", ""))

    @cached_property
    def rules_code(self) -> str:
        """The digest of the code of all rules; "" if unknown, as where only a referee has them."""
        code = "" if self.refereed else code_of(self.kernels())
        return hashlib.sha256(code.encode()).hexdigest()[:16] if code else ""

    def check_playable(self) -> None:
        """Raise Refused for a game that can be described, but not played as it is."""

    @property
    def cores(self) -> int:
        """How many cores a game uses at once, besides what its engines' threads use."""
        return 1

    @cached_property
    def rules(self) -> GameKernels:
        """The compiled rules for states that lie close together, as positions hold them."""
        prepare(*self.first_kernels())
        return self.kernels()

    def first_kernels(self) -> list[Kernel | None]:
        """Return the kernels of the rules that positions call from the first move on."""
        rules = self.kernels()
        first = [rules.start, rules.to_move, rules.status, rules.is_legal, rules.actions]
        return [*first, rules.apply, rules.outcome]

    @cached_property
    def wander(self) -> Kernel | None:
        """`wander` over the compiled rules; None where chance enters, or nothing is compiled."""
        return None if self.chance or not self.compiled else wandering(self.rules, self)

    def default_key(self) -> Kernel:
        """Return `key` where `build` gives none: by default a mix of all words."""
        return key_from_words(self.state)

    def room(self, words: int) -> Any:
        """Return an array for so many words of states, zeros."""
        return np.zeros(words, np.uint64)

    def list_actions(self, W: Words, at: int) -> list[int]:
        """Return the legal actions of a state that goes on, in canonical order."""
        A = np.empty(self.slots, np.int64)
        n = self.rules.actions(W, at, A, 0)
        actions: list[int] = A[:n].tolist()
        return actions

    def start_text(self, seed: int) -> str:
        """Return the text of the start position of an opening: one of many where the rules draw it."""
        return "startpos"

    @cached_property
    def scene(self) -> Scene | None:
        """The board as pages draw it, with `marks`; by default none: then they show the drawing."""
        return None

    def marks(self, W: Words, at: int) -> list[str]:
        """Return the content of each cell of the scene, as SVG around 0, 0."""
        return []

    def caption(self, W: Words, at: int) -> str:
        """Return a page's caption of a position, below its scene; by default nothing."""
        return ""

    def picture(self, W: Words, at: int, before: Words | None = None) -> str:
        """Return the position as an SVG element, with the changes since the words `before` marked;
        "" for a game without a scene.
        """
        if self.scene is None:
            return ""
        was = None if before is None else self.marks(before, 0)
        return composed(self.scene, self.marks(W, at), was)

    def why_illegal(self, W: Words, at: int, action: int) -> str:
        """Return why an action is not legal; by default nothing: then the legal ones are listed."""
        return ""

    def fen(self, W: Words, at: int) -> str | None:
        """Return the text of a position as a start; it may lose the history."""
        return self.position_text(W, at)

    def can_win(self, W: Words, at: int, seat: int) -> bool:
        """Whether a seat could still win if all others helped; by default it could. Where it cannot,
        an opponent whose time is over draws.
        """
        return True

    def tablebases(self, folders: Sequence[Path]) -> Tablebases:
        """Return the tables of endings in some folders, by which a referee ends games early; raise
        Refused.
        """
        raise Refused(f"{self.name} has no tablebases")

    def returns_without(self, W: Words, at: int, conceded: Collection[str]) -> list[float]:
        """Return one number in [0, 1] per player, of a state that is over, without what all players
        have conceded (`Player.concede`), in texts of the game.
        """
        raise Refused(f"{self.name}: nothing can be conceded")

    def decode(self, W: Words, at: int, code: int) -> int:
        """Return the action of a generator's code in this state; by default the code itself."""
        return code

    def outside(self) -> dict[str, Kernel | int]:
        """Return the kernels and numbers that the game's file in another language reads, by their names
        there; by default none.
        """
        return {}

    def action_text(self, action: int) -> str:
        """Return the text of an action."""
        return str(action + 1)

    def action_of(self, text: str) -> int:
        """Return the action of a text from outside; raise Refused, whatever is wrong with it."""
        try:
            return self.parse_action(text)
        except JouteError:
            raise
        except Exception as error:
            problem = f"{cut(repr(text), 60)} is not an action of {self.name}"
            raise Refused(f"{problem}: {cut(str(error), 120)}") from None

    def parse_action(self, text: str) -> int:
        """Return the action of `text`; raise Refused with what is allowed."""
        try:
            return int(text) - 1
        except ValueError:
            raise Refused(f"{self.name}: {text!r} is not an action (a number from 1 up)") from None

    def write_position(self, text: str, W: Words, at: int) -> None:
        """Write the position that one line of text names at W[at]; raise Refused if there is none."""
        raise Refused(f"{self.name}: positions other than startpos have no text here: {text!r}")

    def with_room(self, **sizes: int) -> str:
        """Return '; NAME[...] has room for it' where options allow these sizes, else nothing."""
        ranges = {o.name: o for o in self.options}
        if any(
            n not in ranges or not ranges[n].low <= v <= ranges[n].high for n, v in sizes.items()
        ):
            return ""
        inside = ",".join(f"{name}={value}" for name, value in {**self.values, **sizes}.items())
        return f"; {self.name}[{inside}] has room for it"

    def position_text(self, W: Words, at: int) -> str | None:
        """Return the one-line text of a position, or None where the game has none."""
        return None

    def text_of_rows(self, rows: Sequence[Sequence[int]]) -> str:
        """Return the text of a board given as rows from the top: 0 is empty, 1 and up a player."""
        raise Refused(f"{self.name}: positions have no text made of rows")

    @abstractmethod
    def draw(self, W: Words, at: int) -> str:
        """Return a drawing of the position for a terminal."""


def complete(given: dict[str, Kernel], game: Game) -> GameKernels:
    """Fill in the kernels that follow from the others."""
    slots, state = game.slots, game.state
    nth = given.get("nth")
    actions = given.get("actions") or (
        actions_from(nth, slots) if game.listed else unlisted(game.name)
    )
    status = given.get("status") or status_from(state, game.name)
    apply = needed(given, "apply", game.name)
    return GameKernels(
        start=given.get("start") or start_from_zeros(state),
        apply=counting(apply, state) if "ply" in state else apply,
        to_move=given.get("to_move") or by_turns(state, game),
        status=status,
        returns=given.get("returns") or returns_from(status, game.players),
        key=given.get("key") or game.default_key(),
        actions=actions,
        sample=given.get("sample") or (sample_slot(nth, slots) if nth else sample_listed(actions)),
        is_legal=given.get("is_legal") or is_listed(actions, slots),
        nth=nth,
        outcome=given.get("outcome"),
        peek=given.get("peek"),
        advance=given.get("advance"),
        outcomes=given.get("outcomes"),
        assume=given.get("assume"),
        playout=given.get("playout"),
        repeats=given.get("repeats"),
        forcing=given.get("forcing"),
        skip=given.get("skip"),
    )


def needed(given: Mapping[str, Kernel], name: str, game: str) -> Kernel:
    """Return a kernel that nothing else implies; raise TypeError if it is missing."""
    if name not in given:
        raise TypeError(f"{game} must give the kernel {name}")
    return given[name]


def start_from_zeros(state: State) -> Kernel:
    """Return `start` for a game that begins with every word 0."""
    words = state.size

    @rule
    def start(W, at):
        for i in range(words):
            W[at + U(i)] = U(0)

    return start


def counting(play: Kernel, state: State) -> Kernel:
    """Return `apply` that counts the word `ply`, before the game's own is asked."""
    ply = state.ply

    @rule
    def apply(W, src, dst, action, outcome):
        W[dst + ply] = W[src + ply] + U(1)
        play(W, src, dst, action, outcome)

    return apply


def by_turns(state: State, game: Game) -> Kernel:
    """Return `to_move` for players who move in turn."""
    if "ply" not in state:
        raise TypeError(f"{game.name} must give the kernel to_move, or have a word named ply")
    ply, players = state.ply, U(game.players)

    @rule
    def to_move(W, at):
        return np.int64(W[at + ply] % players)

    return to_move


def status_from(state: State, name: str) -> Kernel:
    """Return `status` for a game that keeps it in a word of that name."""
    if "status" not in state:
        raise TypeError(f"{name} must give the kernel status, or have a word named status")
    kept = state.status

    @rule
    def status(W, at):
        return np.int64(W[at + kept])

    return status


def returns_from(status: Kernel, players: int) -> Kernel:
    """Return `returns` that follow from the status: one winner, or everybody tied."""
    rest = rest_of(players)

    @rule
    def returns(W, at, R, to):
        code = status(W, at)
        for p in range(players):
            R[to + U(p)] = 0.5 if code > players else (1.0 if code == p + 1 else rest)

    return returns


def key_from_words(state: State) -> Kernel:
    """Return `key` for a game without symmetries: a mix of all words."""
    words = state.size

    @rule
    def key(W, at):
        h = U(0)
        for i in range(words):
            h = mix(h, W[at + U(i)])
        return h

    return key


def unlisted(name: str) -> Kernel:
    """Return an `actions` that raises: for a game with too many actions to list."""

    def actions(W: Words, at: np.uint64, A: Ints, to: np.uint64) -> np.int64:
        raise Refused(f"the actions of {name} cannot be listed")

    return actions


def actions_from(nth: Kernel | None, slots: int) -> Kernel:
    """Return `actions` for a game that gives `nth`."""
    if nth is None:
        raise TypeError("a game must give the kernel nth or the kernel actions")

    @rule
    def actions(W, at, A, to):
        n = to
        for i in range(slots):
            action = nth(W, at, U(i))
            if action >= 0:
                A[n] = action
                n += U(1)
        return np.int64(n - to)

    return actions


def sample_slot(nth: Kernel, slots: int) -> Kernel:
    """Return `sample`: a legal action, uniformly, by trying slots at random. A is not used."""

    @rule
    def sample(W, at, A, to, S):
        while True:
            action = nth(W, at, below(S, U(slots)))
            if action >= 0:
                return action

    return sample


def sample_listed(actions: Kernel) -> Kernel:
    """Return `sample`: a legal action, uniformly, from the list written at A[to..]."""

    @rule
    def sample(W, at, A, to, S):
        n = actions(W, at, A, to)
        return A[to + below(S, U(n))]

    return sample


def wandering(k: GameKernels, game: Game) -> Kernel:
    """Return `wander(W, at, plies, A, S, M)`: play up to so many random actions and write them at M[0..];
    return how many. States lie as a `Position` has them, and the stream is used as it uses it.
    """
    sample, apply, status = k.sample, k.apply, k.status
    step, lasting = U(game.words), game.path_dependent

    @kernel("i8(u8[::1], u8, i8, i8[::1], u8[::1], i8[::1])", inline=False)
    def wander(W, at, plies, A, S, M):
        for i in range(plies):
            to = at + step
            if not lasting and at != U(0):
                to = U(0)
            M[U(i)] = sample(W, at, A, U(0), S)
            next_word(S)  # what chance would take
            apply(W, at, to, M[U(i)], np.int64(0))
            at = to
            if status(W, at) != 0:
                return np.int64(i + 1)
        return plies

    return wander


def is_listed(actions: Kernel, slots: int) -> Kernel:
    """Return `is_legal` for a game that lists its actions: plain Python, for the match loop."""

    def is_legal(W: Words, at: np.uint64, action: np.int64) -> bool:
        A = np.empty(slots, np.int64)
        return bool((A[: actions(W, at, A, U(0))] == action).any())

    return is_legal
