"""The answer of a scan or a tune study in plain words. "Keep the default" is one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from joute.engines.parameter import text_of
from joute.reports.reading.confirmation import Confirmation, confirmation_of
from joute.reports.reading.decision import Decision, decide
from joute.reports.reading.final import Final
from joute.reports.reading.move_time import name_of, told
from joute.reports.reading.search import SURE, Range, Search
from joute.reports.reading.settling_match import settling_match
from joute.reports.reading.words import counted, listed
from joute.results.gain import paired_gain
from joute.results.quantity import SHARE, elo_text, milliseconds, percent, percent_ends, points
from joute.results.statistics import elo_of, estimate_means
from joute.results.tables import times_table
from joute.studies.search.trial import COMPLETE, UNPLAYED
from joute.studies.tuner.answer import BETTER, KEEP, LATE, UNKNOWN
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Point
from joute.studies.tuner.report import EARLY, GOOD, SMALL, verdict_after

KEPT = ("Keep", "Cann")  # beginnings of verdicts that go on in a sentence
EDGE = 0.02  # share of a range, at either end
OUTER, AT_END = 0.1, 0.4  # share of a range at its end, and of the best points that lie in it
ENDMOST, REACH = (
    0.01,
    0.1,
)  # the very end of a range, and the share of the best points that reach it
NARROW = 0.1  # score: a scan whose bands lie farther apart has too few games
DEARER = 1.5  # times the time per move of the default that are told
OUTGROWN = 0.97  # score against the opponents from which they tell strong engines apart no more
PLENTY = 30  # games of an opponent from which its score is told
LEAST_LEFT = 0.001  # score, a tenth of a point: the least gain shown as a number


def point_text(point: Point) -> str:
    """Return a point as `depth=6,width=0.45`."""
    return ", ".join(f"{name} = {text_of(value)}" for name, value in point.items())


def range_text(search: Search, name: str) -> str:
    """Return the likely range of the best value of an axis."""
    return ends_text(search.best_ranges.get(name))


def ends_text(ends: Range | None) -> str:
    """Return a range of best values in words; None is an axis without effect."""
    if ends is None:
        return "does not matter"
    if isinstance(ends, list):
        return " or ".join(ends)
    low, high = map(text_of, ends)
    return low if low == high else f"{low} to {high}"


def scan_lines(search: Search) -> list[str]:
    """Return the answer of a scan."""
    names = listed([axis.name for axis in search.axes])
    blocks = sum(len(trial.values) for trial in search.trials if trial.state != UNPLAYED)
    played = f"{counted(blocks, 'block')} of {search.games_per_block} games"
    against = listed(search.pool)
    default = point_text(search.default_point)
    if search.p_value >= SURE:
        curve = search.curve(search.axes[0])
        spread = float(np.max(curve.high) - np.min(curve.low))
        within = (
            f"All expected scores over the range lie within {SHARE.number(spread)} points of each "
            "other, including their bands."
            if spread <= NARROW
            else "These games are too few to tell: gains and losses of many points are still possible."
        )
        return [
            f"No detectable effect of {names} on the score against {against} ("
            f"{p_text(search.p_value)}, {played}): keep {default}.",
            within,
        ]
    score, low, high = search.expected(search.best)
    ranges = "; ".join(f"{axis.name} {range_text(search, axis.name)}" for axis in search.axes)
    lines = [
        f"Best: {point_text(search.best)} (95 %: {ranges}), expected score {percent(score)} "
        f"({percent_ends(low, high)}) against {against}, from {played}."
    ]
    level = ""
    if search.pool != [search.default]:  # against itself it scores 50 % by definition
        here, here_low, here_high = search.expected(search.default_point)
        level = f" expected score {percent(here)} ({percent_ends(here_low, here_high)}),"
    inside = default_may_be_best(search)
    tail = (
        "lies in that range: nothing here speaks against it"
        if inside
        else "lies outside that range"
    )
    lines.append(f"The default, {default},{level} {tail}.")
    lines += [line for line in (edge_line(search.axes, search.best), unplayed_line(search)) if line]
    lines.append(
        "A scan shows where to look. Confirm a choice with joute match, on fresh openings."
    )
    return lines


def edge_line(axes: Iterable[Axis], point: Point) -> str:
    """Say where a point lies at the end of a range, which hides better ones; "" if nowhere."""
    ends = []
    for axis in axes:
        if axis.kind == "choice" or axis.name not in point:
            continue
        place = axis.place(point[axis.name])
        if place <= EDGE or place >= 1 - EDGE:
            ends.append(f"{axis.name} = {text_of(point[axis.name])}")
    if not ends:
        return ""
    lie, it = ("lies", "it") if len(ends) == 1 else ("lie", "the ranges")
    return (
        f"{listed(ends)} {lie} at the end of the searched range: widen {it}, if larger or smaller "
        "values are allowed."
    )


def widen_line(search: Search) -> str:
    """Say beyond which ends of the ranges the best point may lie; "" if nowhere. An end beyond which
    the parameter has no values is left out.
    """
    ends, seen = [], [effect.name for effect in search.answer.effects() if effect.detected]
    for axis in search.axes:
        if axis.name not in seen:  # where it lies then tells nothing
            continue
        tops = [top[axis.name] for top in search.tops if axis.name in top]
        if axis.kind == "choice" or len(tops) < AT_END * len(search.tops):
            continue
        places = np.array([axis.place(value) for value in tops])
        least, largest = search.allowed(axis)
        below, above = float(axis.low) > least, float(axis.high) < largest
        for away, end, word, more in (
            (places, 0.0, "below", below),
            (1 - places, 1.0, "above", above),
        ):
            reached = (away < ENDMOST).mean() >= REACH  # else the best lies near it, but inside
            if more and (away < OUTER).mean() >= AT_END and reached:
                ends.append(f"{axis.name} may be better {word} {text_of(axis.value(end))}")
    if not ends:
        return ""
    return f"{listed(ends)}: if that is allowed, widen [space] and run with another --out."


def unplayed_line(search: Search) -> str:
    """Say how many points were the opponent itself; "" if none was."""
    count = sum(trial.state == UNPLAYED for trial in search.trials)
    if not count:
        return ""
    return (
        f"{counted(count, 'point')} {'was' if count == 1 else 'were'} the opponent itself: counted as "
        "50 % without a game."
    )


def default_may_be_best(search: Search) -> bool:
    """Whether the default lies in the likely range of the best point."""
    return all(_inside(search, axis.name) for axis in search.axes)


def _inside(search: Search, name: str) -> bool:
    ends, value = search.best_ranges.get(name), search.default_point.get(name)
    if ends is None or value is None:
        return True
    if isinstance(ends, list):
        return value in ends
    return float(ends[0]) <= float(value) <= float(ends[1])


def p_text(p: float) -> str:
    """Return `p = 0.04`; never `p = 0`."""
    return f"p {p_number(p)}" if p < 0.001 else f"p = {p_number(p)}"


def p_number(p: float) -> str:
    """Return a p-value as text; never 0."""
    return "< 0.001" if p < 0.001 else f"{p:.2g}"


def tune_lines(search: Search, carded: bool = False) -> tuple[list[str], str | None]:
    """Return the recommendation of a tune study, its confirmation and its cost; and the winner. `carded`:
    without what an answer card says before.
    """
    final = search.final()
    against = listed(search.pool)
    if final is None and search.results.meta.candidates == []:
        return [
            "Keep the default. The space holds no engine besides the default and the opponents, so "
            "there is nothing to confirm.",
            optimism(search, None),
        ], search.default
    if final is None:
        line = (
            f"The search is not finished: {counted(len(search.trials), 'trial')}, no confirmation "
            "yet. Nothing is recommended until then."
        )
        return [text for text in (line, optimism(search, None)) if text], None
    gain, decision = final.gain, decide(search, final)
    blocks = "1 pair of blocks" if gain.blocks == 1 else f"{gain.blocks} pairs of blocks"
    if final.default in search.pool and len(search.pool) == 1:
        blocks = counted(gain.blocks, "block")
    ours, base = (float(np.mean(side)) for side in (final.mine, final.theirs))
    compared = f"{against}, where the default has {percent(base)}"
    if search.pool == [final.default]:
        compared = "the default"
    elif final.default in search.pool:
        compared += " (50 % against itself)"
    scored = "" if carded else f"{percent(ours)} against {compared}, "
    fresh = (
        f"Fresh games alone: {scored}a gain of {points(gain.gain)} ({points(gain.low, False)} to {points(gain.high, False)}), {blocks}"
        f"{_elo(final)}."
    )
    gained, read = gain_text(decision), read_text(decision)
    candidates = search.results.meta.candidates or []
    point: Point = next((c["point"] for c in candidates if c["name"] == final.finalist), {})
    name = f"{final.finalist} ({point_text(point)})"
    winner: str | None = final.default
    said = ""  # what the verdict is: a card says it too
    if decision.verdict == BETTER:
        winner = final.finalist
        head = "" if carded else f"{name} is better than the default by about {gained}, {read}."
    elif decision.verdict == KEEP:
        said = "Keep the default. "
        shown = "is worse" if decision.high < 0 else f"is unlikely to gain {worth_text(decision)}"
        head = f"The best point found, {name}, {shown}: {gained}, {read}."
    else:
        said = "Cannot tell yet, so keep the default. "
        may_be = (
            "may be better by about" if decision.gain >= LEAST_LEFT else "may be better or worse:"
        )
        head = (
            f"{name} {may_be} {gained}, {read}. "
            f"{doubt_text(decision)}{sooner_text(search, final, decision) or more_text(decision)}"
        )
    head = head if carded else said + head
    edge = widen_line(search)
    longer, confirmed = confirmation_of(search.results), []
    if longer is not None:
        first, winner = confirmed_text(name, longer, decision)
        confirmed = [first, longer.line()]
        head = f"At the search's own limit: {head[0].lower() if head[:4] in KEPT else head[0]}{head[1:]}"
    spent = cost(search, final)
    tail = [left_text(decision, final), spent.text]
    if spent.times >= DEARER:  # which may be all of the gain
        tail.reverse()
    lines = [
        *confirmed,
        head,
        fresh,
        *(held_out_text(name, pairs, decision) for name, pairs in final.held_out.items()),
        *tail,
        outgrown(search, final) or uneven(search),
        " ".join(filter(None, (edge, optimism(search, final)))),
    ]
    return [line for line in lines if line], winner


def confirmed_text(name: str, longer: Confirmation, decision: Decision) -> tuple[str, str | None]:
    """Return what the final at another limit says of the best point, and the winner: None before its
    end. The games of the search do not count in it.
    """
    if not longer.finished:
        return (
            f"The final at {longer.limit} is not finished. Nothing is recommended until then.",
            None,
        )
    if longer.outcome == "better":
        return (
            f"{name} is better than the default at {longer.limit}, by these games alone.",
            longer.best,
        )
    turned = decision.gain > 0 and longer.estimate is not None and longer.estimate.score < 0.5
    if longer.outcome == "worse":
        gained = "it gained" if decision.low > 0 else "it seemed to gain (that may be chance)"
        sign = f" The sign has changed: {gained} at the search's limit." if turned else ""
        return f"Keep the default. {name} is worse at {longer.limit}.{sign}", longer.default
    if longer.outcome == "failed":
        return (
            f"Keep the default. {name} has failed the test at {longer.limit}: a gain as large as the "
            "test asks for is unlikely."
        ), longer.default
    sign = " So far it scores below the default there, which may be chance." if turned else ""
    return (
        f"Cannot tell yet at {longer.limit}, so keep the default. {name} is not shown to be better "
        f"there.{sign}"
    ), longer.default


def gain_text(decision: Decision) -> str:
    """Return the gain of a decision with its interval, or that there is none to mention."""
    if max(abs(decision.low), abs(decision.high)) < LEAST_LEFT:
        return f"less than {100 * LEAST_LEFT:.1f} points either way (95 %)"
    ends = f"{points(decision.low, False)} to {points(decision.high, False)}"
    return f"{points(decision.gain)} (95 %: {ends})"


def worth_text(decision: Decision) -> str:
    """Return the least gain worth a change, and how likely it is."""
    least = "5 Elo (0.7 points) or more"
    if decision.worth is None:
        return least
    chance = percent(max(decision.worth, 0.001), 0 if decision.worth > 0.01 else 1)
    return f"{least} (a chance of {chance}, {GOOD})"


def read_text(decision: Decision) -> str:
    """Return by which games a decision was made."""
    if not decision.modelled:
        return "by the final alone, because the default lies outside the searched ranges"
    if decision.fresh:
        return f"by the {counted(decision.games, 'fresh game')} of the final"
    return f"by the model of all {counted(decision.games, 'game')}"


def doubt_text(decision: Decision) -> str:
    """Say why an interval above 0 is not enough; "" otherwise."""
    if decision.doubt:
        return decision.doubt
    if decision.low <= 0 or not decision.modelled:
        return ""
    if decision.games < LATE:
        return f"{sentence(EARLY)} "
    return f"{sentence(SMALL)} "


def held_out_text(name: str, pairs: Sequence[tuple[float, float]], decision: Decision) -> str:
    """Say whether the gain holds against an opponent that the search never met."""
    ours, base = ([float(score) for score in side] for side in zip(*pairs, strict=True))
    gain = paired_gain(ours, base)
    if gain.better:
        text = "the gain holds" if decision.verdict == BETTER else "it is better against this one"
    elif gain.worse:
        text = "a loss: the opponents of the search do not represent this one"
    else:
        text = "too few games to tell whether the gain holds"
    return (
        f"Against {name}, which the search never met: {percent(float(np.mean(ours)))} instead of "
        f"{percent(float(np.mean(base)))}, {points(gain.gain)} ({points(gain.low, False)} to "
        f"{points(gain.high, False)}), {counted(gain.blocks, 'pair')} of blocks; {text}."
    )


def sooner_text(search: Search, final: Final, decision: Decision) -> str:
    """Say that a match decides sooner than more games of the search; "" where it does not, or where a
    final at another limit decides.
    """
    match = settling_match(search, final, decision)
    if match is None or confirmation_of(search.results) is not None:
        return ""
    return f"A match {match[0]}."


def more_text(decision: Decision) -> str:
    """Say how many more games would decide."""
    if decision.doubt and decision.more is not None:
        return f"As many games again, {decision.more:,}, may tell which is right."
    return sentence(verdict_after(decision.more))


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def left_text(decision: Decision, final: Final) -> str:
    """Say how much a still better point might gain; "" if unknown."""
    if decision.regret is None:
        return ""
    left = f"{SHARE.number(decision.regret)} points"
    if decision.regret < LEAST_LEFT:
        left = f"less than {100 * LEAST_LEFT:.1f} points"
    chosen = final.finalist if decision.verdict == BETTER else "the default"
    more = "that is what more games might still find"
    if decision.verdict == UNKNOWN:
        more = "it hopes for too much while it knows little"
    return f"By the model the best point of the space scores {left} more than {chosen}: {more}."


def _elo(final: Final) -> str:
    ours, base = (estimate_means(side, pairs=True) for side in (final.mine, final.theirs))
    if not 0 < ours.score < 1 or not 0 < base.score < 1:
        return ""
    return f", about {elo_text(elo_of(ours.score) - elo_of(base.score))} Elo"


class Cost(NamedTuple):
    """What a move of the finalist and of the default takes, in words; how many times as long the finalist
    thinks, 0 if that is not known.
    """

    text: str
    times: float


def cost(search: Search, final: Final) -> Cost:
    """Return what a move of the finalist and of the default takes."""
    table = times_table(search.results.only(["final", "screen"]))
    rows: dict[str, dict[Any, Any]] = {str(r["engine"]): r for r in table.to_dict("records")}
    by = told(row for row in rows.values() if row["stage"] == "final")
    ours, base = rows.get(final.finalist), rows.get(final.default)
    if ours is None:
        return Cost("", 0.0)
    text = f"{final.finalist} takes {milliseconds(ours[by])} per move ({name_of(by)})"
    if base is not None:
        text += f", the default {milliseconds(base[by])}"
    times = ours[by] / base[by] if base and base[by] else 0.0
    if times >= DEARER:
        text += f": {times:.{0 if times >= 3 else 1}f} times as long"
    return Cost(f"{text}.", times)


def outgrown(search: Search, final: Final) -> str:
    """Say that the opponents tell strong engines apart no more; "" while they do, or points play each
    other.
    """
    if search.duels or float(np.mean(final.mine)) < OUTGROWN:
        return ""
    return (
        f"{final.finalist} beats all opponents nearly always, so these games hardly tell which of the good points "
        'is best: add stronger opponents, or let points play each other (tune.against = "itself").'
    )


def uneven(search: Search) -> str:
    """Name the opponents that lost, or won, nearly all their games of the search; "" without such."""
    seats = search.results.seats
    seats = seats[(seats["stage"] == "search") & seats["engine"].isin(search.pool)]
    scores = seats.groupby("engine", observed=True)["returns"].agg(["mean", "count"])
    known = scores[scores["count"] >= PLENTY]["mean"]
    ends = {"loses": known <= 1 - OUTGROWN, "wins": known >= OUTGROWN}
    told = [
        f"{name} {verb} nearly all its games"
        for verb, are in ends.items()
        for name in known[are].index
    ]
    if not told:
        return ""
    return (
        f"{listed(told)}, so those games hardly tell good points apart: an opponent nearer in strength "
        "teaches more."
    )


def optimism(search: Search, final: Final | None) -> str:
    """Compare the search's own expectation with fresh games, and name the best trial's score.

    The best of many trials of a game or two is always 100 %, which is left out.
    """
    lucky = "" if search.small or search.duels else luck(search)
    candidates = search.results.meta.candidates or []
    candidate = next((c for c in candidates if final and c["name"] == final.finalist), None)
    if candidate is None or final is None:
        return lucky
    score, low, high = candidate["expected"]
    text = (
        f"Before the fresh games the model of the search expected {percent(score)} "
        f"({percent_ends(low, high)}) of {final.finalist}{surprise(score, low, high, final.mine)}."
    )
    return f"{lucky} {text}".strip()


def surprise(score: float, low: float, high: float, fresh: Sequence[float]) -> str:
    """Say that block scores lie outside the interval of an expected score, and whether by more than both
    intervals allow; "" if they lie inside.
    """
    found = estimate_means(fresh, elo=False, pairs=True)
    if low <= found.score <= high:
        return ""
    above = found.score > high
    expected, own = (
        (high - score, found.score - found.score_low)
        if above
        else (score - low, found.score_high - found.score)
    )
    beyond = abs(found.score - score) > math.hypot(expected, own)
    where = "above" if above else "below"
    return (
        f"; their score lies {where} that, {'beyond chance' if beyond else 'as chance may have it'}"
    )


def luck(search: Search) -> str:
    """Return the best trial's own score as text; "" if there is none, or it won all its games."""
    finished = [trial for trial in search.trials if trial.state == COMPLETE]
    if not finished:
        return ""
    best = max(finished, key=lambda trial: trial.score)
    if best.score > 0.995:
        return ""  # a few games, all won: nobody takes that for a strength
    return (
        f"The best of {len(finished)} finished trials scored {percent(best.score)} in its own games, "
        "partly by luck."
    )
