"""What could still change the answer of a run: what is to come, and how much of it that takes."""

from __future__ import annotations

import json
import math

from scipy.special import ndtri

from joute.reports.reading.answer import Answer
from joute.reports.reading.failed import mostly_failed
from joute.reports.reading.match import challenger, running_counts, watched
from joute.reports.reading.words import counted
from joute.reports.telling import telling_of
from joute.reports.watch.pace import Progress
from joute.results.frames import Results
from joute.results.quantity import SHARE, elo_ends, percent
from joute.results.sprt import Sprt, overshoot
from joute.results.standings import Group, groups_of
from joute.studies.tuner.answer import MOST_MORE

NAMED = 3  # ties named one by one


def what_if(results: Results, answer: Answer, progress: Progress) -> list[str]:
    """Return what could still change an answer, a sentence each; nothing where engines only fail."""
    if mostly_failed(results):
        return []
    lines = _to_come(results, progress)
    if telling_of(results).settled_by_games and len(results.games):
        groups = groups_of(results, results.stages[-1])
        sides = groups[0].engines if len(groups) == 1 else []
        if len(sides) == 2:
            lines += _match(results, groups[0], progress)
        elif len(groups) == 1 and len(sides) > 2:
            lines += _field(groups[0], answer)
    return lines


def _to_come(results: Results, progress: Progress) -> list[str]:
    """Say what is still to be played."""
    if progress.state == "done":
        if progress.ended in ("H0", "H1"):
            return []  # the test has decided, as is said
        return ["Everything has been played: only more games can change this."]
    left = None if progress.total is None else max(0, progress.total - progress.games)
    going = (
        "to come"
        if progress.state == "playing"
        else "still to be played; the same command plays them"
    )
    lines = []
    if left:
        most = "at most " if progress.most else ""
        lines.append(
            f"{most}{counted(left, 'game')} of {progress.total:,} are {going}.".capitalize()
        )
    return lines + telling_of(results).to_come()


def _match(results: Results, group: Group, progress: Progress) -> list[str]:
    """Say what could change the answer of a match between two."""
    if results.meta.get("sprt") and group.paired:
        return _test(results, group)
    one = challenger(group)
    other = next(name for name in group.engines if name != one)
    estimate = group.versus(one, other)
    if estimate.blocks < 2 or estimate.score_low == estimate.score_high:
        return []
    half, lead = (estimate.score_high - estimate.score_low) / 2, estimate.score - 0.5
    ahead = one if lead > 0 else other
    total = estimate.blocks
    if progress.total is not None and progress.games:
        total = max(total, round(estimate.blocks * progress.total / progress.games))
    end, more = half * math.sqrt(estimate.blocks / total), total - estimate.blocks
    if estimate.score_low <= 0.5 <= estimate.score_high:
        lines = [] if not more else [
            f"The interval is ± {_points(half)} now, and will be about ± {_points(end)} after all "
            f"{total} blocks."
        ]  # fmt: skip
        return [*lines, _telling(estimate.blocks, half / abs(lead) if lead else math.inf, "block")]
    if not more:
        return [f"The interval is ± {_points(half)}; four times the blocks would halve it."]
    # The blocks to come would have to bring the interval's end back to 50 %.
    needed = 0.5 - (estimate.blocks * (abs(lead) - end) - more * end) / more
    if needed < 0:
        return [
            f"The {counted(more, 'block')} to come are very unlikely to change which engine "
            f"is ahead."
        ]
    return [
        f"It would change if {ahead} scored about {percent(needed, 0)} or less in the "
        f"{counted(more, 'block')} to come."
    ]


def _test(results: Results, group: Group) -> list[str]:
    """Say where a sequential test is between its bounds."""
    text = results.meta["sprt"]
    counts = running_counts(group, challenger(group))
    if not counts:
        return []
    watch = watched(results, text, counts)
    if watch.verdict != "continue":
        return ["The test has decided."]
    lower, upper = Sprt(**json.loads(text)).bounds(*overshoot(watch.llrs))
    now, pace = watch.llrs[-1], watch.llrs[-1] / len(watch.llrs)
    line = f"The test ends when its ratio, {now:.2f} now, leaves {lower:.2f} to {upper:.2f}"
    if abs(pace) < 1e-9:
        return [f"{line}."]
    more = math.ceil(((upper if pace > 0 else lower) - now) / pace)
    if more > MOST_MORE * len(counts):
        return [f"{line}; that is far off."]
    return [f"{line}: about {counted(more, 'more block')} at the present rate."]


def _field(group: Group, answer: Answer) -> list[str]:
    """Say what would separate the engines tied with the first, or the closest one."""
    ratings = group.ratings
    if ratings is None or answer.leader is None or answer.leader not in ratings.names:
        return []
    first = ratings.names.index(answer.leader)
    joined = int((ratings.part == ratings.part[first]).sum())
    wanted = float(ndtri(1 - 0.025 / max(1, joined * (joined - 1) // 2)))
    lines = []
    for name in answer.tied[:NAMED]:
        gap = ratings.elo_interval(first, ratings.names.index(name))
        if gap.elo is None or gap.low is None or gap.high is None:
            continue
        error = (gap.high - gap.low) / 2 / ratings.wide()
        times = wanted * error / gap.elo if gap.elo > 0 else math.inf
        games = group.seats["game"].nunique()
        ends = f"{abs(gap.elo):.0f} Elo ({elo_ends(gap.low, gap.high)})"
        lines.append(f"{name} is {ends} behind {answer.leader}. {_telling(games, times, 'game')}")
    others = [
        i for i, name in enumerate(ratings.names) if i != first and name not in answer.excluded
    ]
    if not answer.tied and others:
        near = max(others, key=lambda i: ratings.elo[i])
        gap = ratings.elo_interval(first, near)
        if gap.elo is not None:
            ends = f"{abs(gap.elo):.0f} Elo ({elo_ends(gap.low, gap.high)})"
            lines.append(f"Closest to {answer.leader} is {ratings.names[near]}, {ends} behind.")
    return lines


def _telling(played: int, times: float, noun: str) -> str:
    """Say how many more blocks or games separate engines that are now so many errors apart."""
    more = played * (times**2 - 1) if times < 1e6 else math.inf
    if more > MOST_MORE * played:
        return f"More than {MOST_MORE} times these games would be needed to tell them apart, if the present estimate is right."
    digits = 1 - len(str(int(more)))
    return f"About {counted(max(int(round(more, digits)), 2), f'more {noun}')} would make even odds of telling them apart, if the present estimate is right."


def _points(share: float) -> str:
    return f"{SHARE.number(share)} points"
