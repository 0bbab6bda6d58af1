"""Stages: the entrants, tables and blocks of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import is_not

from joute.engines.kernels.random import seed_of
from joute.engines.parameter import text_of
from joute.harness.schedule import Rounds, Schedule, gauntlet, rounds_of
from joute.studies.study import ADAPTIVE, GAUNTLET, Entrant, StagePlan, Study


def tables_of(
    study: Study, stage: StagePlan, entrants: Sequence[Entrant]
) -> Callable[[int], list[tuple[str, tuple[str, ...]]]]:
    """Return a function from the number of a round to its meetings, (group, table of engine ids);
    equal rounds give the same list.
    """
    players = study.game.players
    parts: list[tuple[str, Rounds]] = []
    for group, members in groups_of(stage, entrants):
        ids = [e.engine.id for e in members]
        if stage.type == GAUNTLET:
            met = set(stage.against)
            against = [e.engine.id for e in members if e.name in met]
            also_play = {e.engine.id for e in members if e.name in stage.also_play}
            spared = {*against} - also_play
            runners = [name for name in ids if name not in spared]
            parts.append((group, always(gauntlet(runners, against, players))))
        elif stage.type == ADAPTIVE:  # some of those that may be played, for a look before
            few = [tuple(ids[i : i + players]) for i in range(len(ids) - players + 1)]
            parts.append((group, always(few)))
        else:
            seed = seed_of(study.seed, stage.name, group)
            parts.append((group, rounds_of(ids, players, seed)))
    meetings, before = list[tuple[str, tuple[str, ...]]](), list[Sequence[tuple[str, ...]]]()

    def tables(number: int) -> list[tuple[str, tuple[str, ...]]]:
        nonlocal meetings, before
        every = [part(number) for _, part in parts]
        if not before or any(map(is_not, every, before)):
            meetings = [(parts[i][0], table) for i, part in enumerate(every) for table in part]
            before = every
        return meetings

    return tables


def always(tables: Sequence[tuple[str, ...]]) -> Rounds:
    """Return a function that gives the same tables for every round."""
    return lambda number: tables


def groups_of(stage: StagePlan, entrants: Sequence[Entrant]) -> list[tuple[str, list[Entrant]]]:
    """Return the groups of a stage that is played within a parameter; else one group, ''."""
    if stage.within is None:
        return [("", list(entrants))]
    groups: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        name = f"{stage.within}={text_of(entrant.parameters[stage.within])}"
        groups.setdefault(name, []).append(entrant)
    return list(groups.items())


def blocks_of(study: Study, stage: StagePlan, entrants: Sequence[Entrant]) -> Schedule:
    """Return the blocks of a stage in schedule order."""
    tables = tables_of(study, stage, entrants)
    return Schedule(study.seed, study.game.label, stage.name, tables, stage.blocks)


def entrants_of(
    stage: StagePlan, entrants: Sequence[Entrant], marks: Mapping[str, Fraction | float]
) -> list[Entrant]:
    """Return the entrants of a stage; `marks`: of each engine (by id) with games in the stage before.

    `best:N` takes the N highest marks, `best-per:PARAMETER` the highest for each value of the
    parameter; ties all pass, engines without games never do.
    """
    if stage.entrants == "all":
        return list(entrants)
    rule, _, argument = stage.entrants.partition(":")
    played = [e for e in entrants if e.engine.id in marks]
    if rule == "best":
        ordered = sorted((marks[e.engine.id] for e in played), reverse=True)
        line = ordered[min(int(argument), len(ordered)) - 1] if ordered else Fraction(0)
        return [e for e in played if marks[e.engine.id] >= line]
    best: dict[object, Fraction | float] = {}
    for entrant in played:
        value, mark = entrant.parameters[argument], marks[entrant.engine.id]
        best[value] = max(best.get(value, mark), mark)
    return [e for e in played if marks[e.engine.id] == best[e.parameters[argument]]]


def mean_of(returns: Sequence[tuple[float, int]]) -> Fraction:
    """Return the exact mean of returns with their counts."""
    total = sum(Fraction(value).limit_denominator(1000) * count for value, count in returns)
    return Fraction(total, sum(count for _, count in returns))
