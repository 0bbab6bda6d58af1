"""Rules for every view, checked in random games; symmetries in pairs of games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from joute.engines.game import Game, GameKernels
from joute.engines.generator import Generator
from joute.engines.kernels.compile import U, Words
from joute.engines.kernels.random import below, next_word, stream
from joute.engines.position import Position
from joute.engines.registry import make
from joute.engines.view import Shape, Symmetry, View
from joute.engines.view_text import seen_text

GAMES = 6
PAIRS = 16  # pairs of games, shared out among the symmetries
AROUND = 5  # numbers before and behind those of a position, and words behind a state
FRESH = np.nan


@dataclass(frozen=True)
class Seen:
    """A game that is seen by a view."""

    view: View
    game: Game

    @property
    def text(self) -> str:
        """Its text, `discs of connect4[columns=7,rows=6]`."""
        return seen_text(self.view, self.game)


class Line:
    """A game in the actions of a view's generator, all of its states behind each other."""

    def __init__(self, seen: Seen, text: str) -> None:
        self.game, self.view = seen.game, seen.view
        self.k: GameKernels = rules_of(seen)
        self.words = self.game.words
        position = Position(self.game, text)
        self.W: Words = np.zeros((self.game.max_plies + 2) * self.words, np.uint64)
        self.W[: self.words] = position.words()
        self.at = self.ply = 0
        self.A = np.zeros(self.game.slots, np.int64)
        if self.k.prepare is not None:
            generator: Generator = make("generator", self.view.generator)
            self.k.prepare(self.W, 0, np.array([p.default for p in generator.parameters], float))

    @property
    def status(self) -> int:
        """The status of the state."""
        return int(self.k.status(self.W, self.at))

    def over(self) -> bool:
        """Whether there is nothing more to do."""
        return self.status != 0 or self.ply >= self.game.max_plies or not self.actions()

    def actions(self) -> list[int]:
        """Return the actions that are listed."""
        actions: list[int] = self.A[: self.k.actions(self.W, self.at, self.A, 0)].tolist()
        return actions

    def outcome(self, action: int, seed: int) -> int:
        """Draw the outcome of an action."""
        if self.k.outcome is None:
            return 0
        return int(self.k.outcome(self.W, self.at, action, stream(seed)))

    def play(self, action: int, outcome: int) -> None:
        """Apply an action."""
        self.k.apply(self.W, self.at, self.at + self.words, action, outcome)
        self.at += self.words
        self.ply += 1

    def entries(self) -> list[int]:
        """Return the entry of each action that is listed."""
        entry = self.view.kernels(self.game).entry
        return [int(entry(self.W, self.at, action)) for action in self.actions()]

    def planes(self) -> Any:
        """Return the planes, [planes, cells]."""
        shape = self.view.shape(self.game)
        F = np.zeros(shape.numbers, np.float32)
        self.view.kernels(self.game).see(self.W, self.at, F, 0)
        return F.reshape(shape.planes, -1)

    def returns(self) -> list[float]:
        """Return the return of each player."""
        R = np.zeros(self.game.players)
        self.k.returns(self.W, self.at, R, 0)
        returns: list[float] = R.tolist()
        return returns


def rules_of(seen: Seen) -> GameKernels:
    """Return the rules of the game as the view's generator gives them."""
    generator: Generator = make("generator", seen.view.generator)
    generator.check(seen.game)
    return generator.kernels(seen.game, seen.game.words, 0)


def view_is_made(seen: Seen) -> str:
    """The view is for the game, its kernels compile, and so do those of its generator."""
    seen.view.check(seen.game)
    return "" if seen.view.kernels(seen.game) and rules_of(seen) else "there are none"


def sizes_are_whole(seen: Seen) -> str:
    """Planes and policy have sizes, and each symmetry is a map of the cells and one of the entries."""
    shape = seen.view.shape(seen.game)
    if not all(type(size) is int and size >= 1 for size in shape):
        return f"its sizes are {tuple(shape)}; allowed: whole numbers from 1 up"
    symmetries = seen.view.symmetries(seen.game)
    for number, one in enumerate(symmetries):
        for what, places, size in (
            ("cells", one.cells, shape.rows * shape.columns),
            ("entries", one.entries, shape.policy),
        ):
            if sorted(places) != list(range(size)):
                return f"symmetry {number} is no permutation of the {size} {what}"
    if not symmetries or any(list(part) != sorted(part) for part in symmetries[0]):
        return "the first symmetry must be the identity"
    return ""


def planes_are_written(seen: Seen) -> str:
    """`see` writes all numbers of a position and no other, each finite, and looks at no word but the
    game's own, of this state and of those before it in the line.
    """
    shape, game = seen.view.shape(seen.game), seen.game
    stride = game.words + AROUND if game.path_dependent else game.words
    for line in random_lines(seen):
        planes = []
        for fill in (0, (1 << 64) - 1):
            W, at = surrounded(line, stride, fill)
            before = W.copy()
            F = np.full(shape.numbers + 2 * AROUND, FRESH, np.float32)
            seen.view.kernels(game, stride).see(W, at, F, AROUND)
            inside = F[AROUND:-AROUND]
            if not np.array_equal(W, before):
                return f"ply {line.ply}: see changes the state"
            if not np.isnan([*F[:AROUND], *F[-AROUND:]]).all():
                return f"ply {line.ply}: see writes beyond its {shape.numbers} numbers"
            if not np.isfinite(inside).all():
                place = np.flatnonzero(~np.isfinite(inside))[0]
                return f"ply {line.ply}: {place_text(shape, place)} is not written, or not finite"
            planes.append(inside)
        if not np.array_equal(planes[0], planes[1]):
            return (
                f"ply {line.ply}: see looks at words beyond the state, or before the line of play"
            )
        if not np.array_equal(planes[0], line.planes().ravel()):
            return f"ply {line.ply}: see assumes that earlier states do not lie `stride` apart"
    return ""


def surrounded(line: Line, stride: int, fill: int) -> tuple[Words, int]:
    """Return a line's states, `stride` apart, among words never to be read; and the last one's
    offset.
    """
    words, behind = line.words, line.at if line.game.path_dependent else 0
    plies = behind // words
    begin = AROUND + AROUND * stride
    W = np.full(begin + (plies + 1) * stride + AROUND, fill, np.uint64)
    for ply in range(plies + 1):
        at, source = begin + ply * stride, line.at - behind + ply * words
        W[at : at + words] = line.W[source : source + words]
    return W, begin + plies * stride


def place_text(shape: Shape, place: int) -> str:
    """Return the name of a position's number: its plane, row and column."""
    plane, cell = divmod(int(place), shape.rows * shape.columns)
    return f"plane {plane}, row {cell // shape.columns}, column {cell % shape.columns}"


def entries_are_distinct(seen: Seen) -> str:
    """Each action has an entry of the policy, and no two of one position the same."""
    policy = seen.view.shape(seen.game).policy
    for line in random_lines(seen):
        if line.over():
            continue
        entries = line.entries()
        if not all(0 <= entry < policy for entry in entries):
            return f"ply {line.ply}: entries {entries}; allowed: 0 to {policy - 1}"
        if len(set(entries)) != len(entries):
            return f"ply {line.ply}: two actions have the same entry: {entries}"
    return ""


def random_lines(seen: Seen) -> Iterator[Line]:
    """Yield every position of some random games; the one object moves on."""
    S = stream(2027)
    for seed in range(GAMES):
        line = Line(seen, seen.game.start_text(seed))
        yield line
        while not line.over():
            actions = line.actions()
            action = actions[int(below(S, U(len(actions))))]
            line.play(action, line.outcome(action, int(next_word(S))))
            yield line


def symmetries_hold(seen: Seen) -> str:
    """A game and its image are seen as images, have actions that are images, and end alike. At
    every ply the second plays the action whose entry is the image of the first one's.
    """
    S = stream(2028)
    symmetries = seen.view.symmetries(seen.game)
    for seed in range(max(PAIRS, len(symmetries))):
        number = seed % len(symmetries)
        if wrong := differ(seen, symmetries[number], seed, S):
            return f"symmetry {number}: {wrong}"
    return ""


def differ(seen: Seen, symmetry: Symmetry, seed: int, S: Words) -> str:
    """Play a random game and its image; return their first difference."""
    game, start = seen.game, seen.game.start_text(seed)
    image_seen = Seen(seen.view.image_view(game, symmetry), game)
    one, other = Line(seen, start), Line(image_seen, seen.view.image(game, start, symmetry))
    while True:
        ply = f"ply {one.ply} of {start}"
        planes, image = one.planes(), other.planes()
        if not np.array_equal(image[:, symmetry.cells], planes):
            hint = "; does the view need `image`?" if one.ply == 0 else ""
            return f"{ply}: the planes of the image are not the image of the planes{hint}"
        if one.status != other.status or one.over() != other.over():
            return f"{ply}: one game is over and the other is not, or ends differently"
        if one.over():
            same = one.returns() == other.returns()
            return "" if same else f"{ply}: the returns are {one.returns()} and {other.returns()}"
        pair = image_of_action(one, other, symmetry, S)
        if isinstance(pair, str):
            return f"{ply}: {pair}"
        outcome = one.outcome(pair[0], int(next_word(S)))
        one.play(pair[0], outcome)
        other.play(pair[1], outcome)


def image_of_action(one: Line, other: Line, symmetry: Symmetry, S: Words) -> tuple[int, int] | str:
    """Return a random action of one game and its image in the other, or a fault. A single action
    may have another name in the other game: there is nothing to choose.
    """
    actions, others = one.actions(), other.actions()
    if len(actions) == len(others) == 1:
        return actions[0], others[0]
    entries = one.entries()
    images = [symmetry.entries[entry] for entry in entries]
    by_entry = dict(zip(other.entries(), others, strict=True))
    if sorted(images) != sorted(by_entry):
        return (
            f"the images of the entries are {short(images)}; the actions of the image have "
            f"{short(list(by_entry))}"
        )
    chosen = int(below(S, U(len(actions))))
    return actions[chosen], by_entry[images[chosen]]


def short(numbers: Sequence[int], most: int = 12) -> str:
    """Return numbers in order, the first of many."""
    text = " ".join(map(str, sorted(numbers)[:most]))
    return text + " ..." * (len(numbers) > most)


VIEW_RULES: dict[str, Callable[[Seen], str]] = {
    "sizes and symmetries are whole": sizes_are_whole,
    "planes are written whole": planes_are_written,
    "entries are distinct": entries_are_distinct,
    "symmetries map planes and policy together": symmetries_hold,
}
