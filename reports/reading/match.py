"""The result of a match between two engines: score, Elo, and the verdict of a sequential test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from joute.reports.reading.words import counted
from joute.results.frames import Results
from joute.results.meta import USED_UP
from joute.results.quantity import elo_ends, elo_text, likelihood, percent, percent_ends
from joute.results.sprt import FARTHEST, AfterSprt, Sprt, SprtWatch, Verdict, overshoot
from joute.results.standings import Group, groups_of
from joute.results.statistics import Counts, is_sure

FAILED_TEST = "the test failed"


def challenger(group: Group) -> str:
    """Return the tested engine: the one that begins the first game of the schedule."""
    seats = group.seats
    return str(seats["engine"].iloc[0]) if len(seats) else ""


class Versus(NamedTuple):
    """A line on a match of two engines; the winner, or None; what of the line is not on the card of such
    a winner: all but its score.
    """

    line: str
    winner: str | None
    beyond: str


def versus_line(
    results: Results, group: Group, verdict: Verdict | None, slow: Sequence[str] = ()
) -> Versus:
    """Return a line with the score (with more than two players: who finishes before whom), Elo and
    likelihood of superiority; and the winner, or None.

    After a sequential test, its verdict decides, not the plain interval. Engines among the `slow`
    cannot win.
    """
    one = challenger(group)
    other = next(name for name in group.engines if name != one)
    estimate = group.versus(one, other)
    winner: str | None = None
    if is_sure(estimate) and verdict is None:
        winner = one if estimate.score > 0.5 else other
        if winner == other:  # what follows is said of who beats
            one, other, estimate = other, one, group.versus(other, one)
    elif verdict == "H1":
        winner = one
    head = f"Cannot tell {one} from {other}"
    if winner is not None:
        beats = "beats" if group.players == 2 else "is stronger than"
        head = f"{winner} {beats} {other if winner == one else one}"
    elif verdict == "H0":
        head = f"{one} is not shown to be stronger than {other}"
        if is_sure(estimate) and estimate.score < 0.5:
            head += ", and is likely weaker"
    if winner in slow:
        head, winner = f"{head}, but is too slow to win", None
    interval = f"({percent_ends(estimate.score_low, estimate.score_high)})"
    score, blocks = f"{percent(estimate.score)} {interval}", counted(estimate.blocks, "block")
    parts = [f"{one} scores {score} in {blocks}"]
    if group.players > 2:
        parts = [f"{one} finishes before {other} in {score} of their meetings, {blocks}"]
    if estimate.elo is not None:
        ends = elo_ends(estimate.elo_low, estimate.elo_high)
        parts.append(f"Elo {elo_text(estimate.elo)}" + (f" ({ends})" if ends else ""))
    if estimate.los is not None:
        parts.append(f"LOS {likelihood(estimate.los)}")
    if estimate.note:
        parts.append(estimate.note)
    line = f"{head}: {'; '.join(parts)}."
    if winner != one or group.players > 2:
        return Versus(line, winner, line)
    return Versus(line, winner, f"{': '.join(filter(None, (head, '; '.join(parts[1:]))))}.")


def running_counts(group: Group, engine: str) -> list[Counts]:
    """Return the pair counts after each block of the contiguous finished prefix of the schedule."""
    seats = group.seats[group.seats["engine"] == engine]
    blocks = seats.groupby("order", sort=True)["returns"].agg(["mean", "size"])
    counts = [0] * 5
    running: list[Counts] = []
    for order, mean, games in blocks.itertuples():
        if order != len(running) or games != 2:
            break
        counts[round(4 * mean)] += 1
        running.append(tuple(counts))
    return running


def watched(results: Results, text: str, counts: Sequence[Counts]) -> SprtWatch:
    """Return the sequential test of a run after these counts; repeated calls for growing counts
    feed it only the new ones.
    """
    key = (str(results.folder), text)
    watch, fed = _watches.pop(key, (None, ()))
    done = len(watch.llrs) if watch else 0
    if watch is None or done > len(counts) or tuple(counts[done - 1]) != tuple(fed):
        watch, done = Sprt(**json.loads(text)).watch(), 0
    for count in counts[done:]:
        if watch.verdict != "continue":
            break
        watch.feed(count)
    if watch.llrs:
        _watches[key] = watch, counts[len(watch.llrs) - 1]
    return watch


_watches: dict[tuple[str, str], tuple[SprtWatch, Counts]] = {}


def sprt_line(results: Results, group: Group) -> tuple[Verdict | None, str]:
    """Return the verdict of the study's sequential test and a line on it; (None, "") if none."""
    text = results.meta.get("sprt", "")
    if not text or not group.paired:
        return None, ""
    sprt = Sprt(**json.loads(text))
    counts = running_counts(group, challenger(group))
    name = f"SPRT({sprt.elo0:g}, {sprt.elo1:g})"
    if not counts:
        return "continue", f"{name}: no block was played."
    watch = watched(results, text, counts)
    verdict, llrs = watch.verdict, watch.llrs
    lower, upper = sprt.bounds(*overshoot(llrs))
    outcome = {"H0": "failed", "H1": "passed", "continue": "undecided"}[verdict]
    line = (
        f"{name} {outcome} after {counted(len(llrs), 'block')} "
        f"(LLR {llrs[-1]:.2f}, bounds {lower:.2f} and {upper:.2f})"
    )
    after = sprt.after(counts[len(llrs) - 1], llrs)
    if verdict == "continue":  # the plain interval stands above: nothing has chosen when to look
        return verdict, f"{line}{given_up(results, len(llrs))}."
    said = (line, unbiased(after), after.note, left_out(results.surplus))
    return verdict, f"{'; '.join(filter(None, said))}."


def left_out(games: int) -> str:
    """Say in a phrase how many games a test that has decided leaves out; "" for none."""
    are = "is" if games == 1 else "are"
    return f"{counted(games, 'game')} that ended later {are} not counted" if games else ""


def undecided_test(results: Results) -> str:
    """Return why a match with a sequential test has no winner; "" for any other."""
    group = groups_of(results, results.stages[-1])[0]
    verdict = sprt_line(results, group)[0] if group.is_duel else None
    return {
        "continue": "the test has not decided, and an interval that is looked at before its end may "
        "show too much",
        "H0": f"{FAILED_TEST}: a gain as large as it asks for is unlikely",
    }.get(verdict or "", "")


def given_up(results: Results, blocks: int) -> str:
    """Return why a test that has not decided has ended, as the end of a sentence; "" if it goes on."""
    if blocks >= longest(results):
        return f": sprt.max_blocks = {blocks} ends it"
    return f": {used_up}" if (used_up := results.meta.get(USED_UP)) else ""


def longest(results: Results) -> float:
    """Return after how many blocks a match's sequential test is given up."""
    most = results.meta.study.get("sprt", {}).get("max_blocks")
    return inf if most is None else int(most)


def tested_in_vain(results: Results) -> int | None:
    """Return after how many blocks a match's sequential test was given up for its length; 0 if it ended
    otherwise: it has decided, or there are no more openings. None while it goes on, and without a test.
    """
    text, group = results.meta.get("sprt", ""), groups_of(results, results.stages[-1])[0]
    if not text or not group.is_duel or not group.paired:
        return None
    watch = watched(results, text, running_counts(group, challenger(group)))
    blocks = len(watch.llrs)
    if watch.verdict == "continue" and blocks >= longest(results):
        return blocks
    return 0 if watch.verdict != "continue" or given_up(results, blocks) else None


def unbiased(after: AfterSprt) -> str:
    """Return the Elo after a sequential test, with its interval, as a phrase."""
    low = "-∞" if after.low <= -FARTHEST else elo_text(after.low)
    high = "+∞" if after.high >= FARTHEST else elo_text(after.high)
    return f"median-unbiased Elo {elo_text(after.elo)} ({low} to {high})"
