"""The answer of a comparison in plain words, and its caveats. "Only luck" is an answer."""

from __future__ import annotations

from joute.reports.compare.pairs import CODE, INSTEAD
from joute.reports.compare.run_pair import Comparison
from joute.reports.compare.scores import ScoreLine, Scores
from joute.reports.compare.searches import disjoint, expected, in_both, pool_of, trials_of
from joute.reports.reading.caveats import repeats
from joute.reports.reading.search import SURE, Search
from joute.reports.reading.search_answer import point_text
from joute.reports.reading.winner import Winner, apart, values_told
from joute.reports.reading.words import counted, listed
from joute.results.quantity import SHARE
from joute.results.statistics import ENOUGH

NAMED = 3
"""Engines named one by one before the rest is only counted."""
MOST_TOLD = 6
"""Parameters in which two engines differ: more say nothing in a sentence."""


def answer(both: Comparison) -> list[str]:
    """Say what differs and whether it is more than luck; the first line is the answer."""
    empty = [name for name, games in zip("AB", both.shared.games, strict=True) if not games]
    if empty:
        runs = "Run A and run B have" if len(empty) == 2 else f"Run {empty[0]} has"
        lines = [f"{runs} no game yet, so there is nothing to compare."]
    elif both.shared.all:
        lines = [
            f"The two runs hold the same {counted(len(both.shared.same), 'game')}: they are the "
            f"same data."
        ]
    else:
        lines = [*verdict(both), *searched(*both.searches), recommended(both), shared(both)]
    return [line for line in [*lines, both.study.brief()] if line]


def verdict(both: Comparison) -> list[str]:
    """Say whether any engine's score differs by more than luck, and which differ most."""
    tested = [line for line in both.scores.engines if line.p is not None]
    if not tested:
        return [] if all(both.searches) and not both.scores.engines else [nothing(both)]
    real = sorted((line for line in tested if line.real), key=lambda line: line.p or 0.0)
    stages, scores = len({line.stage for line in tested}), counted(len(tested), "score")
    holm = f" (Holm's correction for {len(tested)} comparisons)" if tested[1:] else ""
    where = f"{f' in {stages} stages' if stages > 1 else ''} at 95 %{holm}."
    if not real:
        which = "the one score does not differ" if len(tested) == 1 else f"none of {scores} differs"
        head = f"No difference that is more than luck: {which}{where}"
        return [head, largest(tested, stages > 1)]
    head = f"More than luck: {len(real)} of {scores} differ{_s(len(real))}{where}"
    some = "; ".join(line_text(line, stages > 1) for line in real[:NAMED])
    return [head, f"{some}{f'; and {len(real) - NAMED} more' if real[NAMED:] else ''}."]


def largest(tested: list[ScoreLine], staged: bool) -> str:
    """Name the largest difference where none is more than luck, and its possible range."""
    most = max(tested, key=lambda line: abs(line.difference.value or 0.0))
    ends = [end or 0.0 for line in tested for end in (line.difference.low, line.difference.high)]
    text = (
        f"{'The largest difference: ' if tested[1:] else ''}{line_text(most, staged)}. Differences "
        f"of up to {SHARE.number(max(map(abs, ends)))} points cannot be ruled out."
    )
    if alone := sum(line.alone for line in tested):
        text += (
            f" The interval{'' if alone == 1 else 's'} of {alone} of them, taken alone, "
            f"exclude{_s(alone)} 0; among {len(tested)} comparisons that is not enough."
        )
    return text


def _s(number: int) -> str:
    return "s" if number == 1 else ""


def nothing(both: Comparison) -> str:
    """Say why no score can be compared."""
    if both.scores.engines:
        return "Nothing to compare: all games of both runs are the same games."
    if not all(run.stages for run in both.scores.runs):
        return "No score can be compared: one of the runs has only the games of a search."
    if not both.scores.stages:
        return "No score can be compared: no stage of run A has the name of one of run B."
    if not both.scores.pairs:
        return "No score can be compared: no engine of run A is in run B."
    return (
        "No score can be compared: no engine met the same opponent in both runs. "
        "Play the engines against each other with joute match."
    )


def line_text(line: ScoreLine, staged: bool) -> str:
    """Say one line: the score in A and in B, the difference and its interval."""
    stage = f" in stage {line.stage}" if staged else ""
    field = f" against {counted(len(line.opponents), 'opponent')} of both"
    a, b, gap = line.scores
    return (
        f"{line.engine.label}{stage} scores {a.text()} in A and {b.text()} in B"
        f"{'' if line.same_field else field}, {gap.text()} (95 %: {gap.ends}{gap.unit.name})"
    )


def searched(a: Search | None, b: Search | None) -> list[str]:
    """Say whether two searches agree on where the best lies, and what each found."""
    if a is None or b is None:
        return []
    pools = pool_of(a), pool_of(b)
    other = (
        "" if pools[0] == pools[1] else ", but against other opponents, so they cannot be compared"
    )
    return [
        agreement(a, b),
        f"Trials: {_trials(a)} in A, {_trials(b)} in B. Expected best: {point_text(a.best)} in A, "
        f"{point_text(b.best)} in B; expected score there {_expected(a)} in A, {_expected(b)} in "
        f"B{other}.",
    ]


def agreement(a: Search, b: Search) -> str:
    """Say whether the ranges of the best values of two searches overlap."""
    if flat := [
        name
        for name, search in (("A", a), ("B", b))
        if search.p_value >= SURE and not search.detects
    ]:
        return (
            f"In {listed(flat)} no effect of the searched parameters is detected: the best value "
            f"there is a guess, so the searches cannot disagree."
        )
    both = in_both(a, b)
    if not both:
        return "The two searches have no parameter in common."
    if apart := [n for n in both if disjoint(a.best_ranges.get(n), b.best_ranges.get(n))]:
        return f"The searches disagree: the 95 % ranges of the best {listed(apart)} do not overlap."
    return f"The searches do not disagree: the 95 % ranges of the best {listed(both)} overlap."


def _trials(search: Search) -> str:
    trials = trials_of(search)
    more = f", {trials.given_up} of them given up early" if trials.given_up else ""
    return f"{counted(trials.number, 'trial')} ({counted(trials.blocks, 'block')}{more})"


def _expected(search: Search) -> str:
    score = expected(search)
    return f"{score.text()} ({score.text(score.low)} to {score.text(score.high)})"


def recommended(both: Comparison) -> str:
    """Say what the two runs recommend."""
    a, b = both.winners
    if a is None or b is None:
        return (
            "" if a is b else f"Only run {'B' if a is None else 'A'} recommends an engine so far."
        )
    sure = ["confirmed" if w.confirmed else "not confirmed" for w in (a, b)]
    one, two = (f"{w.name} ({text})" for w, text in zip((a, b), sure, strict=True))
    if a.engine != b.engine:
        names = told_apart(both, a, b)
        one, two = (
            f"{w.name} ({'; '.join(filter(None, (values_told(w, names), text)))})"
            for w, text in zip((a, b), sure, strict=True)
        )
        if a.confirmed and b.confirmed:
            return f"A recommends {one}, B recommends {two}."
        return f"First in A is {one}, in B {two}."
    if a.confirmed != b.confirmed:
        return f"First in both is {a.name}, {one} in A and {two} in B."
    if not a.confirmed:
        return f"First in both is {a.name}, which neither confirms."
    return f"Both recommend {a.name} (confirmed in both)."


def told_apart(both: Comparison, a: Winner, b: Winner) -> list[str]:
    """Return the parameters by which two recommended engines are told: those that were searched, or a few
    in which they differ.
    """
    axes = dict.fromkeys(
        axis.name for one in both.searches if one is not None for axis in one.space.axes
    )
    names = apart(a, b)
    return [*axes] or (names if len(names) <= MOST_TOLD else [])


def shared(both: Comparison) -> str:
    """Say how many games are in both runs, and how they are treated."""
    same, games = len(both.shared.same), both.shared.games[1]
    texts = []
    if same:
        part = f"All {games} games" if same == games else f"{same} of the {games} games"
        texts.append(
            f"{part} of B are the same games as in A (same id, same moves): they count once."
        )
    if other := both.shared.otherwise:
        texts.append(
            f"{counted(other, 'game')} with the same id, openings and seeds went differently."
        )
    return " ".join(texts)


def beware(both: Comparison) -> list[str]:
    """Return the caveats of the tables, one sentence each."""
    a, b = both.scores.runs
    compared = a.stages and b.stages
    return [*of_runs(both), *(of_engines(both.scores) if compared else [])]


def of_runs(both: Comparison) -> list[str]:
    """Return the caveats of each run alone, and the stages that only one run has."""
    texts = []
    for name, run in zip("AB", both.runs, strict=True):
        if run.meta.get("sprt"):
            texts.append(
                f"Run {name} was stopped by a sequential test: its scores are biased towards its "
                f"verdict, and differences are less certain than their intervals."
            )
        if text := repeats(run.matches):
            texts.append(f"Run {name}: {text[0].lower()}{text[1:]} Its intervals are too narrow.")
    a, b = both.scores.runs
    for name, own, other in (("A", a, b), ("B", b, a)):
        alone = [f"“{stage}”" for stage in own.stages if stage not in other.stages]
        if alone and other.stages:
            texts.append(f"Only run {name} has stage {listed(alone)}: not compared.")
    return texts


def of_engines(scores: Scores) -> list[str]:
    """Name the engines or opponents that are not the same in both runs."""
    texts, pairs = [], scores.pairs
    if recoded := [pair.label for pair in pairs if pair.how == CODE]:
        which = "every engine" if len(recoded) == len(pairs) else some(recoded)
        texts.append(
            f"The code of {which} differs between the runs: a score can change because its "
            f"opponents play differently."
        )
    if moved := [line.engine.label for line in scores.engines if not line.same_field]:
        texts.append(
            f"The opponents of {some(moved)} differ between the runs: scores cover the common "
            f"ones, and no Elo is compared."
        )
    if apart := scores.apart:
        texts.append(f"{some(apart)}: in both runs, but without a common opponent.")
    if new := [pair for pair in pairs if pair.how == INSTEAD]:
        texts.append(
            f"{new[0].a} is in A alone and {new[0].b} in B alone: they are compared by their "
            f"scores against the same opponents. A match between them tells more."
        )
    if few := sorted({line.stage for line in scores.engines if line.openings < ENOUGH}):
        texts.append(f"Fewer than {ENOUGH} openings in stage {listed(few)}: intervals are rough.")
    return texts


def some(names: list[str]) -> str:
    """Name the first few, each once, and count the others."""
    names = list(dict.fromkeys(names))
    rest = len(names) - NAMED
    return listed([*names[:NAMED], f"{rest} more"] if rest > 1 else names)
