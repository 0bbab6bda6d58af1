"""Schedules: tables, their blocks, and the seeds of these.

A block is one opening played in every seating of one table; it is the unit of all statistics. Every
seed is a hash of the block's identity, never of where, when or how many are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np

from joute.engines.errors import Refused
from joute.engines.kernels.compile import Ints, U, Words
from joute.engines.kernels.random import below, seed_of, stream

OWN_OPENINGS = 30  # rounds in which each table has its own opening; later rounds share one
Table = tuple[str, ...]  # ids of the engines that meet
ONE_AMONG_TWO = ((0, 1, 2), (1, 0, 2), (1, 2, 0))  # of three, where the other two are alike
LATIN_SQUARE = ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))  # row-complete
MAX_TABLES = 100_000
ALL_TABLES = 70  # of three or four a round, at most: above, tables are dealt
DEALS = 40  # tried for every deal


class Block(NamedTuple):
    """One opening, one table of entrants (engine ids, the first of them first in seating 0).

    `order` is the block's place in the schedule of its stage, from 0 without gaps.
    """

    id: str
    stage: str
    group: str
    round: int
    order: int
    table: Table

    def seats(self, seating: int) -> Table:
        """Return the engine id of each seat, in seating number `seating`."""
        return tuple(self.table[i] for i in self.seatings[seating])

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """Seatings of the table's engines, a row each."""
        return seatings_of(self.table)

    def game_id(self, seating: int) -> str:
        """Return the id of the game of a seating."""
        return f"{seed_of(self.id, *self._places(seating)):016x}"

    def engine_seed(self, seating: int, seat: int) -> int:
        """Return the seed of the player in a seat."""
        return seed_of(self.id, *self._places(seating), seat)

    def chance_seed(self, ply: int) -> int:
        """Return the seed of chance at a ply: the same in every seating."""
        return seed_of(self.id, "chance", ply)

    def _places(self, seating: int) -> tuple[int, ...]:
        """Return the seatings as places in the sorted table, so that its order does not matter."""
        members = sorted(range(len(self.table)), key=self.table.__getitem__)
        return tuple(members.index(i) for i in self.seatings[seating])


@cache
def seatings(players: int, copies: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a table, a row each: the engine in each seat.

    Both orders of two; all six of three; for four the rows of a row-complete Latin square: each
    once in every seat, and each once directly before every other. With `copies`, where the first
    meets copies of one other, each game once.
    """
    if players == 4:
        return LATIN_SQUARE
    if players == 3 and copies:
        return ONE_AMONG_TWO
    if players not in (2, 3):
        raise Refused(f"tables have 2 to 4 players, not {players}")
    return tuple(permutations(range(players)))


@cache
def seatings_of(table: Table) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a table of engines."""
    return seatings(len(table), copies=len(set(table[1:])) == 1)


def block_id(seed: int, game: str, purpose: str, number: int, table: Sequence[str]) -> str:
    """Return the id of a block: it does not depend on the order of the table."""
    return f"{seed_of('block', seed, game, purpose, number, *sorted(table)):016x}"


def opening_seed(seed: int, purpose: str, number: int, table: Sequence[str]) -> int:
    """Return the seed of a block's opening: the round's own, or early on the table's own."""
    if number >= OWN_OPENINGS:
        return _shared_seed(seed, purpose, number)
    return seed_of("opening", seed, purpose, number, *sorted(table))


@lru_cache(maxsize=64)
def _shared_seed(seed: int, purpose: str, number: int) -> int:
    """Return the seed of the opening of a round; all its tables ask for it."""
    return seed_of("opening", seed, purpose, number)


def round_robin(entrants: Sequence[str], players: int) -> list[Table]:
    """Return every table of different entrants, in order: all pairs, or all threes or fours.

    Where there are fewer entrants than seats, each meets copies of each other.
    """
    if len(entrants) < players:
        return gauntlet(entrants, entrants, players)
    _check_count(comb(len(entrants), players), players)
    return list(combinations(entrants, players))


def check_tables(entrants: int, players: int, against: int = 0) -> None:
    """Raise Refused where a round has too many tables to list: one of a gauntlet against so many of
    the entrants, or one where all meet all.
    """
    if against:
        _check_count((entrants - against) * against, players)
    elif players == 2:
        _check_count(comb(entrants, 2), 2)
    elif comb(entrants, players) > ALL_TABLES:
        _check_count(_dealt(entrants, players), players)


def _dealt(entrants: int, players: int) -> int:
    """Return about how many tables a dealt round has."""
    return (entrants - 1) * entrants // (players * (players - 1))


def _check_count(tables: int, players: int) -> None:
    """Refuse so many tables a round if none of them should be listed."""
    if tables > MAX_TABLES:
        raise Refused(f"{tables} tables of {players} a round are too many; use groups")


class Dealer:
    """Deals balanced random tables of three or four: in a round every pair meets about once.

    A deal seats every engine once but for those left over. Several are drawn at random; the one
    that keeps rests and meetings of pairs most even over all rounds so far is taken. Deals depend
    on the seed and on the set of engines, not on their order.
    """

    def __init__(self, entrants: Sequence[str], players: int, seed: int) -> None:
        self._names = sorted(entrants)
        self._players, self._seed = players, seed
        count = len(entrants)
        _check_count(_dealt(count, players), players)
        self._met = np.zeros((count, count), np.int64)
        self._rests = np.zeros(count, np.int64)
        self._rounds: list[list[Table]] = []

    def tables(self, number: int) -> list[Table]:
        """Return the tables of a round."""
        while len(self._rounds) <= number:
            deals = -(-(len(self._names) - 1) // (self._players - 1))
            first = len(self._rounds) * deals
            self._rounds.append([t for i in range(deals) for t in self._deal(first + i)])
        return self._rounds[number]

    def _deal(self, number: int) -> list[Table]:
        S = stream(seed_of("deal", self._seed, number))
        count, size = len(self._names), self._players
        seated = count - count % size
        best: list[list[int]] = []
        least = (0, 0)
        for _ in range(DEALS):
            order = shuffled(count, S)
            tables = [order[i : i + size] for i in range(0, seated, size)]
            rests = sum(int(self._rests[i]) for i in order[seated:])
            met = sum(int(self._met[i, j]) ** 2 for t in tables for i, j in combinations(t, 2))
            if not best or (rests, met) < least:
                best, least = tables, (rests, met)
        for table in best:
            for i, j in permutations(table, 2):
                self._met[i, j] += 1
        resting = set(range(count)) - {i for table in best for i in table}
        for i in resting:
            self._rests[i] += 1
        return [tuple(self._names[i] for i in table) for table in best]


def shuffled(count: int, S: Words) -> list[int]:
    """Return the numbers below `count` in random order."""
    order = list(range(count))
    for i in range(count - 1, 0, -1):
        j = int(below(S, U(i + 1)))
        order[i], order[j] = order[j], order[i]
    return order


Rounds = Callable[[int], Sequence[Table]]


def rounds_of(entrants: Sequence[str], players: int, seed: int) -> Rounds:
    """Return the tables of each round: all there are, or, where they are too many, dealt ones."""
    if players > 2 and comb(len(entrants), players) > ALL_TABLES:
        return Dealer(entrants, players, seed).tables
    tables = round_robin(entrants, players)
    return lambda number: tables


def gauntlet(runners: Sequence[str], against: Sequence[str], players: int) -> list[Table]:
    """Return each runner with each of the others it is to meet; other seats take copies of that one."""
    _check_count(len(runners) * len(against), players)
    return [
        (one, *([other] * (players - 1))) for one in runners for other in against if one != other
    ]


@dataclass(frozen=True)
class Schedule:
    """The blocks of a stage, round by round; each is dealt when it is its turn.

    `tables` gives (group, table) for every meeting of a round; all rounds have as many.
    """

    seed: int
    game: str
    stage: str
    tables: Callable[[int], Sequence[tuple[str, Table]]]
    rounds: int

    def __iter__(self) -> Iterator[Block]:
        return self.blocks()

    def __len__(self) -> int:
        return self.rounds * self.width

    @cached_property
    def width(self) -> int:
        """Blocks of a round: the block at a place is of round `place // width`."""
        return len(self.tables(0)) if self.rounds else 0

    @property
    def games(self) -> int:
        """Games of all blocks."""
        tables = self.tables(0) if self.rounds else ()
        return self.rounds * sum(len(seatings_of(table)) for _, table in tables)

    def tables_at(self, places: Ints) -> tuple[list[Table], Ints]:
        """Return the different tables that meet at some places of the schedule, and of each place
        which of them it is.
        """
        known: dict[Table, int] = {}
        numbers, nth = np.unique(places // max(self.width, 1), return_inverse=True)
        rows, row, before = [], list[int](), None
        for number in numbers.tolist():
            meetings = self.tables(number)
            if meetings is not before:  # in most stages every round has the same ones
                row = [known.setdefault(table, len(known)) for _, table in meetings]
                before = meetings
            rows.append(row)
        which = np.array(rows, np.int64).reshape(len(rows), -1)
        return list(known), which[nth, places % max(self.width, 1)]

    def blocks(self, done: bytearray | None = None) -> Iterator[Block]:
        """Yield the blocks in order, without those marked in `done` by their place."""
        order, known = 0, done or b""
        for number in range(self.rounds):
            for group, table in self.tables(number):
                if order >= len(known) or not known[order]:
                    name = block_id(self.seed, self.game, self.stage, number, table)
                    yield Block(name, self.stage, group, number, order, table)
                order += 1
