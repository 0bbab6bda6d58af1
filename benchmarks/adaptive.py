"""Who is first of many: adaptive pairings against a round robin of as many games, on drawn fields.

    python -m benchmarks.adaptive --fields 100
    python -m benchmarks.adaptive --entrants 30 --blocks 20 --elo 300

Strengths are normal; games are won or lost by them alone. The same ratings and tests as in reports say who
is first. Everything follows from the numbers of the fields; none of these chose anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, cycle, islice
from typing import NamedTuple

import click
import numpy as np
from tabulate import tabulate

from joute.harness.adaptive import Pairings
from joute.harness.schedule import Table, seatings
from joute.results.ratings.bradley_terry import bradley_terry
from joute.results.ratings.ratings import ties_with_best

LOG_ODDS = np.log(10) / 400  # of an Elo
FIRST = 2000  # number of the first field
USUAL = ((8, 30, 100.0), (20, 38, 100.0), (20, 38, 200.0), (20, 38, 400.0), (30, 20, 200.0))
COLUMNS = {
    "found": "best is first (%)",
    "lost": "Elo lost",
    "sure": "told from all (%)",
    "wrong": "wrongly (%)",
    "tied": "not told from it",
    "ahead": "lead over 2nd holds truth (%)",
    "held": "leads hold truth (%)",
}
ERRORS = 2  # columns with standard errors


class Found(NamedTuple):
    """What a tournament found: whether the best is rated first, how many Elo the first is behind it,
    whether it is told from all others, and that wrongly; how many are not told from it; whether the
    interval of its lead over the second holds the truth, and the share of those of all its leads.
    """

    found: float
    lost: float
    sure: float
    wrong: float
    tied: float
    ahead: float
    held: float


class Field:
    """Entrants of known strengths, and the games that they have played."""

    def __init__(self, number: int, entrants: int, blocks: int, elo: float) -> None:
        self.strengths = np.random.default_rng([number, 1]).normal(0, elo, entrants)
        self.names = [f"{i:03}" for i in range(entrants)]
        self.pairings = Pairings(self.names, 2, blocks, number)
        self._luck = np.random.default_rng([number, 2])
        self._games: list[tuple[int, int, float, int]] = []  # first and second, result, block

    def play(self, tables: Sequence[Table]) -> None:
        """Play a block at each table."""
        for table in tables:
            block = len(self._games) // 2
            for number, seating in enumerate(seatings(2)):
                one, other = (int(table[i]) for i in seating)
                gap = self.strengths[one] - self.strengths[other]
                won = float(self._luck.random() < 1 / (1 + np.exp(-gap * LOG_ODDS)))
                self._games.append((one, other, won, block))
                self.pairings.learn(table, number, (won, 1 - won))

    def round_robin(self) -> None:
        """Play as many blocks, everybody against everybody."""
        tables = list(combinations(self.names, 2))
        order = np.random.default_rng(len(tables)).permutation(len(tables))
        self.play([tables[i] for i in islice(cycle(order), self.pairings.total)])

    def adaptive(self) -> None:
        """Play with adaptive pairings: a part is planned while the one before it is played."""
        waiting = list[Table]()
        while part := self.pairings.next_part()[: self.pairings.total - self.pairings.planned]:
            for table in part:
                self.pairings.take(table)
            self.play(waiting)
            waiting = part
        self.play(waiting)

    def found(self) -> Found:
        """Return what the games say."""
        one, other, won, block = (np.array(column) for column in zip(*self._games, strict=True))
        ratings = bradley_terry(one, other, won, block, self.names)
        first, best = ratings.best, int(self.strengths.argmax())
        ties = ties_with_best(ratings)
        others = sorted(set(range(len(self.names))) - {first}, key=lambda i: -ratings.elo[i])
        leads = [ratings.elo_interval(first, i) for i in others]
        true = [self.strengths[first] - self.strengths[i] for i in others]
        held = [
            (lead.low is None or lead.low <= gap) and (lead.high is None or gap <= lead.high)
            for lead, gap in zip(leads, true, strict=True)
        ]
        sure = sum(ties) == 1
        lost = float(self.strengths[best] - self.strengths[first])
        return Found(
            first == best, lost, sure, sure and first != best, sum(ties) - 1, held[0], np.mean(held)
        )


def rows(fields: int, entrants: int, blocks: int, elo: float) -> Iterator[list[object]]:
    """Play so many fields in both ways; yield a row of means for each, the first ones with their errors."""
    for way in ("round robin", "adaptive"):
        every = []
        for number in range(FIRST, FIRST + fields):
            field = Field(number, entrants, blocks, elo)
            field.adaptive() if way == "adaptive" else field.round_robin()
            every.append(field.found())
        values = np.array(every, float) * [100 if "%" in title else 1 for title in COLUMNS.values()]
        means, errors = values.mean(0), values.std(0, ddof=1) / np.sqrt(fields)
        shown = [f"{mean:.1f}" for mean in means]
        for i in range(ERRORS):
            shown[i] += f" ± {errors[i]:.1f}"
        yield [entrants, blocks, f"{elo:g}", way, *shown]


@click.command()
@click.option("--fields", default=100, help="Drawn fields.")
@click.option("--entrants", type=int, help="Engines of a field; without it five kinds of fields.")
@click.option("--blocks", default=38, help="Blocks of each engine, on average.")
@click.option("--elo", default=200.0, help="Standard deviation of strengths.")
def main(fields: int, entrants: int | None, blocks: int, elo: float) -> None:
    """Compare adaptive pairings with a round robin."""
    kinds = USUAL if entrants is None else [(entrants, blocks, elo)]
    table = [row for kind in kinds for row in rows(fields, *kind)]
    head = ["engines", "blocks each", "Elo (sd)", "pairings", *COLUMNS.values()]
    print(tabulate(table, head, "github", disable_numparse=True))


if __name__ == "__main__":
    main()
