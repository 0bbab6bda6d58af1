"""How strong the champion of a training is: beside the anchors, by work and by time, and since the first."""

from __future__ import annotations

from typing import NamedTuple

from joute.engines.parameter import LIMITS, text_of
from joute.reports.reading.words import listed
from joute.results.frames import Results
from joute.results.quantity import elo_ends, elo_text
from joute.results.ratings.ratings import Ratings
from joute.results.standings import groups_of
from joute.results.statistics import SURE
from joute.studies.learning.plan import AT_TIME, LADDER, TIMED, called, generation_in

ANCHORS = 3  # named in the answer


def champion_of(results: Results) -> int:
    """Return the number of the last accepted generation."""
    return max((e["generation"] for e in results.training if e.get("accepted")), default=0)


def ladder_of(results: Results) -> Ratings | None:
    """Return the ratings of the ladder, if it was played."""
    if LADDER not in results.stages:
        return None
    return groups_of(results, LADDER)[0].ratings


def generations_of(ratings: Ratings) -> list[int]:
    """Return the generations in a ladder, in their order."""
    return sorted(n for n in map(generation_in, ratings.names) if n is not None)


class Meeting(NamedTuple):
    """A network and the anchors that it met: those that it beats, those that beat it, and those that
    cannot be told from it, the strongest first.
    """

    ratings: Ratings
    name: str
    beaten: list[str]
    lost: list[str]
    level: list[str]

    @property
    def anchors(self) -> list[str]:
        """All anchors, the strongest first."""
        return by_strength(self.ratings, [*self.beaten, *self.lost, *self.level])

    def __str__(self) -> str:
        ratings, me, named = self.ratings, self.name, self.anchors[:ANCHORS]
        lost = [f"{a} by {unsigned(difference(ratings, a, me))}" for a in named if a in self.lost]
        level = [f"{a}, {difference(ratings, me, a)}" for a in named if a in self.level]
        won = [f"{a} by {unsigned(difference(ratings, me, a))}" for a in named if a in self.beaten]
        verbs = (("loses to", lost), ("cannot be told from", level), ("beats", won))
        return f"{me} {listed([f'{verb} {listed(them)}' for verb, them in verbs if them])}"


def by_strength(ratings: Ratings, names: list[str]) -> list[str]:
    """Return names, the strongest first."""
    return sorted(names, key=lambda name: -ratings.elo[ratings.names.index(name)])


def meeting(ratings: Ratings, name: str) -> Meeting:
    """Return how a network compares with each anchor of a stage."""
    me = ratings.names.index(name)
    met = Meeting(ratings, name, [], [], [])
    anchors = [n for n in ratings.names if generation_in(n.partition(AT_TIME)[0]) is None]
    for anchor in by_strength(ratings, anchors):
        chance = ratings.difference(me, ratings.names.index(anchor)).los
        if chance is None or 1 - SURE < chance < SURE:
            met.level.append(anchor)
        else:
            (met.beaten if chance > 0.5 else met.lost).append(anchor)
    return met


def by_work(results: Results) -> Meeting | None:
    """Return how the champion compares with the anchors of the ladder, all at the work of the study."""
    ratings, name = ladder_of(results), called(champion_of(results))
    return meeting(ratings, name) if ratings and name in ratings.names else None


def by_time(results: Results) -> Meeting | None:
    """Return how the champion compares with the anchors when all have the same time."""
    if TIMED not in results.stages:
        return None
    ratings, champion = groups_of(results, TIMED)[0].ratings, champion_of(results)
    if ratings is None:
        return None
    for name in ratings.names:
        if AT_TIME in name and generation_in(name.partition(AT_TIME)[0]) == champion:
            return meeting(ratings, name)
    return None


def difference(ratings: Ratings, one: str, other: str) -> str:
    """Return the Elo of one above the other, with its interval, as a text."""
    interval = ratings.elo_interval(ratings.names.index(one), ratings.names.index(other))
    ends = elo_ends(interval.low, interval.high)
    return f"Elo {ends}" if interval.elo is None else f"{elo_text(interval.elo)} Elo ({ends})"


def unsigned(elo: str) -> str:
    """Return a lead without its signs: who leads is said beside it."""
    return elo.replace("+", "")


def strength_line(results: Results, met: Meeting) -> str:
    """Say how the champion compares with each anchor, by work and at equal time."""
    if not met.anchors:
        return f"{met.name} is the champion; the study names no anchors to measure it against."
    line, timed = f"{met}{work_of(results, met.name)}.", by_time(results)
    if timed is not None:
        line += f" With {timed.name.partition(AT_TIME)[2]} per move each, {timed}."
    return line


def work_of(results: Results, name: str) -> str:
    """Return how much an engine works for a move, as an end of a sentence."""
    values = results.values.get(name, {})
    limit = next((kind for kind in LIMITS if values.get(kind) is not None), None)
    return f", at {text_of(values[limit] or 0)} {limit} per move" if limit else ""


def gain_line(met: Meeting) -> str:
    """Say how far the champion is above the first generation of the ladder; "" if it is that."""
    first = called(min(generations_of(met.ratings)))
    return "" if first == met.name else f"{difference(met.ratings, met.name, first)} above {first}"
