"""The answer of a comparison in plain words, and what to beware of. "Only luck" is an answer."""

from __future__ import annotations

from reports import compare_search
from reports.compare import Comparison
from reports.compare_lines import Line
from reports.compare_scores import CODE, INSTEAD
from reports.compare_study import brief
from reports.page.caveats import repeats
from reports.page.search_answer import points
from reports.page.winner import Winner
from reports.page.words import counted, listed, percent
from results.statistics import ENOUGH

NAMED = 3
"""Engines named one by one before the rest is only counted."""


def answer(found: Comparison) -> list[str]:
    """Say what is different and whether it is more than luck; the first line is the answer."""
    empty = [name for name, run in (("A", found.a), ("B", found.b)) if not len(run.games)]
    if empty:
        runs = "Run A and run B have" if len(empty) == 2 else f"Run {empty[0]} has"
        return [f"{runs} no game yet: there is nothing to compare.", brief(found.study)]
    if found.shared.all:
        return [
            f"The two runs hold the same {counted(found.shared.a, 'game')}: they are the same data, "
            "and nothing in them can differ.",
            brief(found.study),
        ]
    lines = [*verdict(found), *_searched(found), _recommended(*found.winners), _shared(found)]
    return [line for line in [*lines, brief(found.study)] if line]


def verdict(found: Comparison) -> list[str]:
    """Say whether any engine's score differs by more than luck, and which differ most."""
    tested = [line for line in found.engines if line.p is not None]
    if not tested:
        return [] if all(found.searches) and not found.engines else [_nothing(found)]
    real = sorted((one for one in tested if one.real), key=lambda one: one.p or 0.0)
    stages = len({line.stage for line in tested})
    count = len(tested)
    method = f"at 95 % (Holm's correction for {count} comparisons)" if count > 1 else "at 95 %"
    where = f" in {stages} stages" if stages > 1 else ""
    if real:
        head = f"More than luck: {len(real)} of {counted(count, 'score')} differ{_s(len(real))}"
        some = "; ".join(line_text(one, stages > 1) for one in real[:NAMED])
        rest = f"; and {len(real) - NAMED} more" if len(real) > NAMED else ""
        return [f"{head}{where} {method}.", f"{some}{rest}."]
    most = max(tested, key=lambda one: abs(one.difference))
    open_to = 100 * max(max(abs(one.low or 0.0), abs(one.high or 0.0)) for one in tested)
    which = "The largest difference: " if count > 1 else ""
    alone = sum(one.alone for one in tested)
    lucky = (
        f" The interval{'' if alone == 1 else 's'} of {alone} of them, taken alone, leave{_s(alone)} "
        f"out 0; among {count} that is not enough."
        if alone
        else ""
    )
    return [
        f"No difference that is more than luck: none of {counted(count, 'score')} "
        f"differs{where} {method}.",
        f"{which}{line_text(most, stages > 1)}. Differences of up to {open_to:.1f} points cannot "
        f"be ruled out.{lucky}",
    ]


def _s(number: int) -> str:
    return "s" if number == 1 else ""


def _nothing(found: Comparison) -> str:
    """Say why no score can be compared."""
    if found.engines:
        return "Nothing to tell: the games of all engines in both runs are the same games."
    if found.scores is None:
        return "No score can be compared: one of the runs has nothing but the games of a search."
    if not found.scores.stages:
        return "No score can be compared: no stage of run A has the name of one of run B."
    if not found.scores.pairs:
        return "No score can be compared: no engine of run A is in run B."
    return (
        "No score can be compared: no engine met the same opponent in both runs. "
        "Play the engines against each other with joute match."
    )


def line_text(line: Line, staged: bool = False) -> str:
    """Say one line: the score in A and in B, the difference and its interval."""
    stage = f" in stage {line.stage}" if staged else ""
    against = (
        "" if line.same_field else f" against {counted(len(line.opponents), 'opponent')} of both"
    )
    if line.low is None or line.high is None:
        return f"{line.engine.label}{stage}: the same games in both"
    return (
        f"{line.engine.label}{stage} scores {percent(line.a.score)} in A and "
        f"{percent(line.b.score)} in B{against}, {points(line.difference)} "
        f"(95 %: {points(line.low).removesuffix(' points')} to {points(line.high)})"
    )


def _searched(found: Comparison) -> list[str]:
    a, b = found.searches
    if a is None or b is None:
        return []
    return [compare_search.verdict(a, b), *compare_search.lines(a, b, found.same_pool)]


def _recommended(a: Winner | None, b: Winner | None) -> str:
    """Say what the two runs recommend."""
    if a is None or b is None:
        return (
            "" if a is b else f"Only run {'B' if a is None else 'A'} recommends an engine so far."
        )
    told = [f"{one.name} ({'confirmed' if one.confirmed else 'not confirmed'})" for one in (a, b)]
    if a.engine == b.engine:
        sure = "" if a.confirmed == b.confirmed else f", {told[0]} in A and {told[1]} in B"
        both = f" (confirmed in {'both' if a.confirmed else 'neither'})" if not sure else ""
        return f"Both recommend {a.name}{sure}{both}."
    return f"A recommends {told[0]}, B recommends {told[1]}."


def _shared(found: Comparison) -> str:
    """Say how many games are in both runs, and what is done about it."""
    shared = found.shared
    said = []
    if shared.same:
        said.append(
            f"{_part(shared.same, shared.b)} of B are the same games as in A "
            "(same id, same moves): one piece of data, not two, and counted so."
        )
    if shared.otherwise:
        said.append(
            f"{counted(shared.otherwise, 'game')} with the same id, openings and seeds went otherwise."
        )
    return " ".join(said)


def _part(some: int, games: int) -> str:
    return f"All {games} games" if some == games else f"{some} of the {games} games"


def beware(found: Comparison) -> list[str]:
    """Return what a reader must know before trusting the tables, one sentence each."""
    scores, said = found.scores, []
    for name, run in (("A", found.a), ("B", found.b)):
        if run.meta.get("sprt"):
            said.append(
                f"Run {name} was stopped by a sequential test: its scores lean towards its verdict, "
                "and differences are rougher than their intervals."
            )
        if text := repeats(run.matches):
            said.append(f"Run {name}: {text[0].lower()}{text[1:]} Its intervals are too narrow.")
    if scores is None:
        return said
    for name, mine, other in (("A", scores.a, scores.b), ("B", scores.b, scores.a)):
        if alone := [f"“{stage}”" for stage in mine.stages if stage not in other.stages]:
            said.append(f"Only run {name} has stage {listed(alone)}: not compared.")
    if recoded := [one.label for one in scores.pairs if one.how == CODE]:
        who = "every engine" if len(recoded) == len(scores.pairs) else _some(recoded)
        said.append(
            f"The code of {who} that is in both runs is not the same: a score can move because its "
            "opponents play otherwise."
        )
    if moved := [line for line in found.engines if not line.same_field]:
        names = list(dict.fromkeys(line.engine.label for line in moved))
        said.append(
            f"The opponents of {_some(names)} are not the same in both runs: scores are taken over "
            "those that are, and no Elo is compared."
        )
    if scores.apart:
        names = list(dict.fromkeys(name for name, _ in scores.apart))
        said.append(f"{_some(names)}: in both runs, but without an opponent that it met in both.")
    if instead := [one for one in scores.pairs if one.how == INSTEAD]:
        said.append(
            f"{instead[0].a} is in A alone and {instead[0].b} in B alone: they are held against each "
            "other by what they scored against the same opponents. A match between them says more."
        )
    few = sorted({line.stage for line in found.engines if line.openings < ENOUGH})
    if few:
        said.append(f"Fewer than {ENOUGH} openings in stage {listed(few)}: intervals are rough.")
    return said


def _some(names: list[str]) -> str:
    rest = len(names) - NAMED
    return listed([*names[:NAMED], f"{rest} more"] if rest > 1 else names)
