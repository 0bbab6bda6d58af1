"""Schedules: which tables meet, in which blocks, and the seeds that follow from that.

A block is one opening played in every seating of one table; it is the unit of all statistics.
Every seed is a hash of what the block is, never of where, when or how many are played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations

from engines.errors import Refused
from engines.random import seed_of

OWN_OPENINGS = 30  # rounds below this give each table an opening of its own, later ones share it
ONE_AMONG_TWO = ((0, 1, 2), (1, 0, 2), (1, 2, 0))  # of three, where the other two are alike
LATIN_SQUARE = ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))  # row-complete
MAX_TABLES = 100_000


@dataclass(frozen=True, slots=True)
class Block:
    """One opening, one table of entrants (engine ids, the first of them first in seating 0).

    `order` is the block's place in the schedule of its stage, from 0 without gaps.
    """

    id: str
    stage: str
    group: str
    round: int
    order: int
    table: tuple[str, ...]

    def seats(self, seating: int) -> tuple[str, ...]:
        """Return the engine id of each seat, in seating number `seating`."""
        return tuple(self.table[i] for i in self.seatings[seating])

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """Who of the table sits where, a row each."""
        return seatings_of(self.table)

    def game_id(self, seating: int) -> str:
        """Return the id of the game of a seating."""
        return f"{seed_of(self.id, *self._places(seating)):016x}"

    def engine_seed(self, seating: int, seat: int) -> int:
        """Return the seed of the player in a seat."""
        return seed_of(self.id, *self._places(seating), seat)

    def chance_seed(self, ply: int) -> int:
        """Return the seed of what chance does at a ply: the same in every seating."""
        return seed_of(self.id, "chance", ply)

    def _places(self, seating: int) -> tuple[int, ...]:
        """Return who sits where by places in the sorted table, so that its order is no matter."""
        members = sorted(range(len(self.table)), key=self.table.__getitem__)
        return tuple(members.index(i) for i in self.seatings[seating])


@cache
def seatings(players: int, copies: bool = False) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a table: who of it sits where, a row each.

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
def seatings_of(table: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of a table of engines."""
    return seatings(len(table), copies=len(set(table[1:])) == 1)


def block_id(seed: int, game: str, purpose: str, number: int, table: Sequence[str]) -> str:
    """Return the id of a block: it does not depend on the order of the table."""
    return f"{seed_of('block', seed, game, purpose, number, *sorted(table)):016x}"


def opening_seed(seed: int, purpose: str, number: int, table: Sequence[str]) -> int:
    """Return the seed of a block's opening: the round's own, or early on the table's own."""
    if number >= OWN_OPENINGS:
        return seed_of("opening", seed, purpose, number)
    return seed_of("opening", seed, purpose, number, *sorted(table))


def round_robin(entrants: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return every table of different entrants, in order: all pairs, or all threes or fours.

    Where there are fewer entrants than seats, each meets copies of each other.
    """
    if len(entrants) < players:
        return gauntlet(entrants, entrants, players)
    tables = list(combinations(entrants, players))
    if len(tables) > MAX_TABLES:
        raise Refused(f"{len(tables)} tables of {players} a round are too many; use groups")
    return tables


def gauntlet(runners: Sequence[str], against: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Return each runner with each of the others it is to meet; other seats take copies of that one."""
    return [
        (one, *([other] * (players - 1))) for one in runners for other in against if one != other
    ]


def schedule(
    seed: int,
    game: str,
    stage: str,
    tables: Sequence[tuple[str, tuple[str, ...]]],
    rounds: int,
) -> Iterator[Block]:
    """Yield the blocks of a stage, round by round; `tables` holds (group, table)."""
    order = 0
    for number in range(rounds):
        for group, table in tables:
            name = block_id(seed, game, stage, number, table)
            yield Block(name, stage, group, number, order, table)
            order += 1
