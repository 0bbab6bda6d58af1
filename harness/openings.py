"""Openings: start positions by random legal plies, distinct up to symmetry, balanced on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engines.engine import Engine
from engines.errors import Refused
from engines.game import Game
from engines.kernels.random import next_word, seed_of, stream
from engines.player import Player
from engines.position import Position
from harness.schedule import Block, opening_seed

TRIES = 500  # draws without a new position before the openings count as used up


class NoMoreOpenings(Refused):
    """There are not as many distinct openings as are asked for."""


@dataclass(frozen=True)
class OpeningRules:
    """How many random plies, and optionally the quick search that must find the position level.

    A position counts as balanced when the search's value is within `balanced_within` of 0 (of 1/2
    for a search that gives expected returns).
    """

    plies: int = 6
    balanced_by: Engine | None = None
    balanced_within: float | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """The actions from a start position, the chance outcomes among them, and that position's text."""

    actions: tuple[int, ...]
    outcomes: tuple[int, ...]
    start: str = "startpos"


class Openings:
    """Deals openings to blocks: for one table all distinct, in order of rounds.

    With `growing`, for a match whose length nobody knows beforehand, a table that has had all
    openings of so many plies gets longer ones; `say` is told so. Which opening a round gets depends
    on the rounds before it and on nothing else.
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
        self._plies: dict[tuple[str, tuple[str, ...]], int] = {}
        self._seen: dict[tuple[str, tuple[str, ...]], list[Opening]] = {}
        self._keys: dict[tuple[str, tuple[str, ...]], set[int]] = {}
        self._judge: Player | None = None

    def of(self, block: Block, shared: bool = False) -> Opening:
        """Return the opening of a block; raise NoMoreOpenings if too few distinct ones exist.

        A `shared` one is the same for all tables of the round. Games of chance may all begin at
        the start position (0 plies).
        """
        table = () if shared else tuple(sorted(block.table))
        who = (block.stage, table)
        dealt = self._seen.setdefault(who, [])
        keys = self._keys.setdefault(who, set())
        plies = self._plies.setdefault(who, self._rules.plies)
        while len(dealt) <= block.round:
            seed = opening_seed(self._seed, block.stage, len(dealt), table)
            found = self._draw(seed, keys, plies)
            while found is None and self._growing and plies + 1 < self._game.max_plies:
                plies += 1
                found = self._draw(seed, keys, plies)
            if found is None:
                raise self._used_up(len(keys))
            if plies > self._plies[who]:
                self._plies[who] = plies
                self._say(
                    f"the {len(dealt)} distinct openings of fewer plies are used up; "
                    f"from block {len(dealt) + 1} on an opening has {plies} random plies"
                )
            dealt.append(found)
        return dealt[block.round]

    def _draw(self, seed: int, keys: set[int], plies: int) -> Opening | None:
        """Return a new opening of so many plies, or None where none is found."""
        if plies == 0 and self._game.chance:
            return Opening((), (), self._game.start_text(seed))  # chance makes the games differ
        for attempt in range(TRIES):
            position = random_plies(self._game, seed_of(seed, attempt), plies)
            if position is None or position.key() in keys or not self._balanced(position):
                continue
            keys.add(position.key())
            return Opening(tuple(position.moves), tuple(position.outcomes), position.start)
        return None

    def _used_up(self, count: int) -> NoMoreOpenings:
        kind = "balanced " if self._rules.balanced_by else ""
        if self._growing:
            return NoMoreOpenings(
                f"{self._game.label} has only {count} distinct {kind}openings of any length"
            )
        return NoMoreOpenings(
            f"only {count} distinct {kind}openings of {self._rules.plies} plies were found for "
            f"{self._game.label}; ask for fewer blocks or more plies (openings.plies)"
        )

    def _balanced(self, position: Position) -> bool:
        judge = self._rules.balanced_by
        if judge is None:
            return True
        if self._judge is None:
            self._judge = judge.player()
        self._judge.new_game(0, position.to_move)
        value = self._judge.choose(position).value
        if value is None:
            raise Refused(f"openings.balanced_by: {judge.text} gives no value")
        centre = 0.5 if "iterations" in judge.search.limits else 0.0
        return abs(value - centre) <= (self._rules.balanced_within or 0.0)


def random_plies(game: Game, seed: int, plies: int) -> Position | None:
    """Return the position after so many random legal plies, or None if the game ended on the way."""
    position, S = Position(game, game.start_text(seed)), stream(seed)
    for _ in range(plies):
        action = position.sample_action(S)
        position.play(action, position.draw_outcome(action, int(next_word(S))))
        if position.over:
            return None
    return position
