"""Openings: positions by random legal plies, or given ones; distinct up to symmetry, balanced on demand."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from joute.engines.book import Book, shuffled_place
from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.forced import forced_end
from joute.engines.game import Game
from joute.engines.kernels.compile import Ints
from joute.engines.kernels.random import seed_of, stream
from joute.engines.player import Player
from joute.engines.position import Position, parse_position
from joute.engines.referees.refereed_game import SEED
from joute.harness.schedule import Block, opening_seed

TRIES = 500  # draws without a new position before the openings count as used up
PROBES = 64  # random openings by which other numbers of plies are judged
CHECKED = 5_000  # rounds for which a study is refused beforehand if there are too few openings
FLUKE = 1e-4  # chance that such a check misses that only just enough openings exist
SEQUENTIAL, RANDOM = "sequential", "random"  # orders of given openings
LATELY = 4096  # openings that are kept whole


class NoMoreOpenings(Refused):
    """There are not as many distinct openings as are asked for."""


@dataclass(frozen=True)
class OpeningRules:
    """Number of random plies, and optionally the quick search that must find the position level.

    With `lines`, positions as `parse_position` reads them, these are the openings, in this order;
    `records` is their source. Each of the `stages` starts at another place and wraps around, so
    that a later stage has fresh openings as long as none takes more than its share. A position is
    balanced when the search's value is within `balanced_within` of 0 (of 1/2 for a search that
    gives expected returns). `order` of the lines is "sequential", from line number `start` (1 is the
    first), or "random", by `shuffle`, a seed. With `drop_forced` a position whose end is forced within
    a few plies is no opening; `by_default`: nobody has asked for that, so that older runs go on
    without.
    """

    plies: int = 6
    balanced_by: Engine | None = None
    balanced_within: float | None = None
    records: str = ""
    lines: Sequence[str] = ()
    stages: tuple[str, ...] = ()
    order: str = SEQUENTIAL
    start: int = 1
    shuffle: int = 0
    drop_forced: bool = False
    by_default: bool = False

    def number(self, place: int) -> int:
        """Return which of the lines is at a place of the order."""
        count = len(self.lines)
        if self.order == SEQUENTIAL:
            return (place + self.start - 1) % count
        return shuffled_place(place, count, self.shuffle)

    def first(self, stage: str) -> int:
        """Return the place in `lines` at which a stage begins."""
        if stage not in self.stages:
            return 0
        return self.stages.index(stage) * len(self.lines) // len(self.stages)


class Opening(NamedTuple):
    """The actions from a start position, the chance outcomes among them, and that position's text.
    `key` identifies it (64 bits, signed). `draw` records how it was drawn: the attempt, and the
    extra plies in steps of TRIES; or its index in the given lines.
    """

    actions: tuple[int, ...]
    outcomes: tuple[int, ...]
    start: str = "startpos"
    key: int = 0
    draw: int = 0


Who: TypeAlias = tuple[str, tuple[str, ...]]
"""A stage, and a table; () where all tables share the openings."""


class Dealt:
    """Openings dealt to one table: how each round's was drawn, and the keys of all."""

    def __init__(self) -> None:
        self.draws = array("i")
        self.keys: set[int] = set()
        self.stored: dict[int, tuple[int, int]] = {}  # key and draw, of rounds that are to come


class Openings:
    """Deals openings to blocks: for one table all distinct, in order of rounds.

    With `growing`, for a match of unknown length, a table that has had all openings of so many
    plies gets longer ones, and `say` is called. Which opening a round gets depends on the rounds
    before it and on nothing else. Only a few bytes a round are kept of past openings.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        rules: OpeningRules,
        growing: bool = False,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._game, self._seed, self._rules = game, seed, rules
        self._growing, self._say = growing, say
        self._dealt: dict[Who, Dealt] = {}
        self._drawn: dict[tuple[int, int], Opening | None] = {}  # lately, by seed and draw
        self._repeats = 0  # openings drawn that were dealt before
        self._judge: Player | None = None
        self._is_forced: Callable[[Position], bool] | None = None

    def of(self, block: Block, shared: bool = False) -> Opening:
        """Return the opening of a block; raise NoMoreOpenings if too few distinct ones exist.

        A `shared` one is the same for all tables of the round. Games of chance may all begin at
        the start position (0 plies).
        """
        stage, table = block.stage, () if shared else tuple(sorted(block.table))
        if self._alike:
            if self._game.refereed:
                seed = seed_of(block.id, "seed")  # the same in all seatings of the block
            else:
                seed = opening_seed(self._seed, stage, block.round, table)
            return Opening((), (), self._game.start_text(seed))  # chance makes the games differ
        dealt = self._dealt.setdefault((stage, table), Dealt())
        draws = dealt.draws
        chosen: Opening | None = None
        while len(draws) <= block.round:
            number = len(draws)
            known = dealt.stored.pop(number, None)
            if known is None:
                seed = opening_seed(self._seed, stage, number, table)
                opening = self._draw(block, seed, dealt.keys, draws)
                known = opening.key, opening.draw
                if number == block.round:
                    chosen = opening
            dealt.keys.add(known[0])
            draws.append(known[1])
        if chosen is not None:
            return chosen
        seed = opening_seed(self._seed, stage, block.round, table)
        chosen = self._drawn_by(seed, draws[block.round])
        assert chosen is not None
        return chosen

    def require(self, stage: str, rounds: int) -> None:
        """Raise NoMoreOpenings if a stage cannot have so many rounds of shared openings."""
        self.of(Block("", stage, "", rounds - 1, 0, ()), shared=True)

    def foresee(self, stage: str, rounds: int, table: tuple[str, ...] = ()) -> None:
        """Raise NoMoreOpenings if a table cannot have so many rounds, before anything is played; CHECKED
        of them at most are asked for.

        Random openings are drawn until they show that there are enough: had a game only twice as
        many, so many draws without one that was there before would have a chance of FLUKE.
        """
        rounds = min(rounds, CHECKED)
        tell = math.ceil(math.sqrt(4 * rounds * math.log(1 / FLUKE)))
        for number in range(rounds):
            if number >= tell and not (self._repeats or self._rules.lines):
                return
            self.of(Block("", stage, "", number, 0, table), shared=not table)

    def take_over(
        self,
        stage: str,
        table: tuple[str, ...],
        rounds: Ints,
        keys: Ints,
        draws: Ints,
        shared: bool = False,
    ) -> None:
        """Register the openings that a table got in earlier rounds, before it is dealt any: `key`
        and `draw` of each. They are not drawn again. If a round comes twice the first counts.
        """
        if self._alike:
            return
        dealt = self._dealt.setdefault((stage, () if shared else tuple(sorted(table))), Dealt())
        rounds, first = np.unique(rounds, return_index=True)
        keys, draws = keys[first], draws[first]
        whole = int(np.sum(rounds == np.arange(len(rounds))))  # rounds that lack none before them
        if whole > len(dealt.draws):
            new = slice(len(dealt.draws), whole)
            dealt.keys.update(keys[new].tolist())
            dealt.draws.extend(draws[new].tolist())
        later = zip(keys[whole:].tolist(), draws[whole:].tolist(), strict=True)
        dealt.stored.update(zip(rounds[whole:].tolist(), later, strict=True))

    @property
    def _alike(self) -> bool:
        return self._rules.plies == 0 and self._game.chance and not self._rules.lines

    def _draw(self, block: Block, seed: int, keys: set[int], draws: array[int]) -> Opening:
        """Return a new opening: the next one given, or one of as many plies as the last one at least."""
        if self._rules.lines:
            return self._next(block, keys, draws)
        longer = draws[-1] // TRIES if draws else 0
        while True:
            for draw in range(longer * TRIES, (longer + 1) * TRIES):
                opening = self._drawn_by(seed, draw)
                if opening is None:
                    continue
                if opening.key not in keys:
                    if draws and longer > draws[-1] // TRIES:
                        self._lengthened(len(draws), longer)
                    return opening
                self._repeats += 1
            longer += 1
            if not self._growing or self._rules.plies + longer >= self._game.max_plies:
                raise self._used_up(block, len(keys))

    def _next(self, block: Block, keys: set[int], draws: array[int]) -> Opening:
        """Return the next of the given openings."""
        count, first = len(self._rules.lines), self._rules.first(block.stage)
        for place in range((draws[-1] + 1 - first) % count if draws else 0, count):
            opening = self._drawn_by(0, (first + place) % count)
            if opening is not None and opening.key not in keys:
                return opening
        raise self._used_up(block, len(keys))

    def _lengthened(self, rounds: int, longer: int) -> None:
        self._say(
            f"all {rounds} distinct openings of fewer plies are used; from block {rounds + 1} an "
            f"opening has {self._rules.plies + longer} random plies"
        )

    def _drawn_by(self, seed: int, draw: int) -> Opening | None:
        """Return the opening of a draw, or None: the game ends on the way, or it is not balanced."""
        lines = self._rules.lines
        name = (0 if lines else seed, draw)
        if name not in self._drawn:
            if len(self._drawn) >= LATELY:
                self._drawn.clear()
            longer, attempt = divmod(draw, TRIES)
            plies = self._rules.plies + longer
            position: Position | None
            if self._game.refereed:
                line = lines[self._rules.number(draw)]
                seeded = int(line.removeprefix(SEED))
                self._drawn[name] = Opening((), (), line, seeded, draw)
                return self._drawn[name]
            if lines:
                position = self._given(draw)
            else:
                position = random_plies(self._game, seed_of(seed, attempt), plies)
            self._drawn[name] = None
            if position is not None and not position.over and self._open(position):
                actions, outcomes = tuple(position.moves), tuple(position.outcomes)
                key = position.key() & 0xFFFFFFFFFFFFFFFF
                key -= key >> 63 << 64  # as SQLite has integers
                self._drawn[name] = Opening(actions, outcomes, position.start, key, draw)
        return self._drawn[name]

    def _given(self, place: int) -> Position | None:
        """Return the opening at a place of the given ones, or None for a broken one of a large book."""
        number, lines = self._rules.number(place), self._rules.lines
        try:
            return parse_position(self._game, lines[number])
        except Refused as error:
            if not isinstance(lines, Book):
                raise
            self._say(f"left out: {lines.where(number)}: {error}")
            return None

    def _used_up(self, block: Block, count: int) -> NoMoreOpenings:
        kind = "balanced " if self._rules.balanced_by else ""
        if self._rules.lines:
            openings = "opening is" if count == 1 else "openings are"
            return NoMoreOpenings(
                f"only {count} distinct {kind}{openings} in {self._rules.records}, and each block takes "
                f"another one: play {count} blocks at most, or give a larger book (openings.records)"
            )
        if self._growing:
            return NoMoreOpenings(
                f"{self._game.label} has only {count} distinct {kind}openings of any length"
            )
        return NoMoreOpenings(
            f"only {count} distinct {kind}openings of {self._rules.plies} plies were found for "
            f"{self._game.label}; ask for fewer blocks{self._other_plies(count)}"
        )

    def _other_plies(self, known: int) -> str:
        """Return another number of plies that would help, judged by a sample of random openings; `known`
        openings there are of the plies that are asked for.
        """
        asked = self._rules.plies
        now = self._distinct(asked)
        if now == PROBES or any(self._distinct(asked + more) > now for more in (1, 2, 4)):
            return " or more plies (openings.plies)"
        best = max(range(asked), key=self._distinct, default=asked)
        if (count := self._distinct(best)) <= max(now, known):
            return ""
        return f" or fewer plies (openings.plies): of {best} there are {count} at least"

    def _distinct(self, plies: int) -> int:
        """Return how many of some random openings of so many plies are distinct."""
        drawn = (random_plies(self._game, seed_of(self._seed, n), plies) for n in range(PROBES))
        return len({position.key() for position in drawn if position is not None})

    def _open(self, position: Position) -> bool:
        """Whether a position is neither decided by force nor lopsided, as far as that was asked."""
        if self._rules.drop_forced:
            if self._is_forced is None:
                self._is_forced = forced_end(self._game)
            if self._is_forced(position):
                return False
        return self._balanced(position)

    def _balanced(self, position: Position) -> bool:
        judge = self._rules.balanced_by
        if judge is None:
            return True
        if self._judge is None:
            self._judge = judge.player()
        self._judge.new_game(0, position.to_move)
        value = self._judge.choose(position).value
        if value is None:
            raise Refused(f"openings.balanced_by: {judge.text} returns no value")
        centre = 0.5 if "iterations" in judge.search.limits else 0.0
        return abs(value - centre) <= (self._rules.balanced_within or 0.0)


def share_forced(game: Game, plies: int, count: int = 400) -> float:
    """Return the share of some random openings of so many plies whose end is forced (`forced_end`)."""
    is_forced = forced_end(game)
    drawn = (random_plies(game, seed_of("forced", n), plies) for n in range(count))
    there = [is_forced(position) for position in drawn if position is not None]
    return sum(there) / max(1, len(there))


def random_plies(game: Game, seed: int, plies: int) -> Position | None:
    """Return the position after so many random legal plies, or None if the game ended on the way."""
    position = Position(game, game.start_text(seed))
    position.wander(stream(seed), plies)
    return None if position.over else position
