"""The answer of a run in plain words: what wins, how sure, at what cost. "Cannot tell" is one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from joute.reports.reading.caveats import repeats, same_moves
from joute.reports.reading.match import sprt_line, versus_line
from joute.reports.reading.move_time import name_of, time_words, told
from joute.reports.reading.reported_results import claims_line
from joute.reports.reading.words import counted, listed, listed_first
from joute.results.frames import Results
from joute.results.quantity import elo_ends, elo_text, milliseconds, percent, percent_ends
from joute.results.ratings.ratings import Ratings, ties_with_best
from joute.results.standings import Group, groups_of, standings_table
from joute.results.statistics import Estimate, is_sure
from joute.results.tables import times_table

SETTLED = 0.01  # score: where a larger gain is ruled out, keeping the default is the end
NAMED = 6
"""Engines named one by one in a sentence before the rest is only counted."""


@dataclass(frozen=True)
class Answer:
    """At most three short lines; the winner (None: cannot tell, or one per group), the engines that
    cannot be told from it or from the `first`, and those too slow to win. Engines by name. `first`: of a
    field of many engines the one with the best rating, although others may be as strong. `gain_below`: where a search
    keeps its default, the upper end (95 %) of the score that its best point gains. `undecided`:
    the winner is the default only because nothing is settled yet, and about `more` games would
    settle it, if known; or a `match` of the best point against the default, by what it saves and its
    command; or `longer`: the blocks of a confirmation that did not settle it, of which
    more are to be played. `beside`: what the winner's score is to be compared with, in words. `gain`: what
    the best point of a search gains over the default, with its interval and by which games. `apart`:
    there are groups that did not meet, each with a winner of its own. `before`: what to do before more of the
    same games are played. `beyond`: what the lines say that
    the answer card does not; None: a page shows all of them below the card.
    """

    lines: list[str]
    winner: str | None = None
    tied: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    gain_below: float | None = None
    undecided: bool = False
    more: int | None = None
    match: tuple[str, str] | None = None
    longer: int | None = None
    beside: str = ""
    gain: str = ""
    apart: bool = False
    beyond: list[str] | None = None
    first: str | None = None
    before: str = ""

    @property
    def leader(self) -> str | None:
        """The winner, or the first of those that cannot be told apart."""
        return self.winner or self.first


def match_answer(results: Results) -> Answer:
    """Return the answer of the games of a run's last stage."""
    if not len(results.games):
        return Answer(["No game was played, so there is no answer."])
    stage = results.stages[-1]
    groups = groups_of(results, stage)
    times = _times(results, stage)
    slow = too_slow(results, stage)
    winners = [_group_winner(results, group, set(slow)) for group in groups]
    lines, more, winner, tied = _match(results, groups, slow) or _field(
        groups, winners, slow, results.adaptive(stage)
    )
    excluded, cost = _exclusion(results, slow, times), _cost(winner, tied, times, groups)
    lines.append(f"{excluded} {cost[0]} {cost[1]}".strip())
    notes = [same_moves(results) or repeats(results), claims_line(results)]
    said = three_lines([line for line in [*lines, *notes] if line])
    if len(groups) > 1:
        return Answer(said, winner, tied, slow, apart=True)
    beyond = [*more, excluded, cost[0] if winner is None else "", cost[1], *notes]
    first, winner = winner, None if tied else winner
    beyond = [line for line in beyond if line]
    return Answer(said, winner, tied, slow, beyond=beyond, first=first)


def too_slow(results: Results, stage: str) -> list[str]:
    """Name the engines of a stage whose slowest 1 % of moves break the study's time limit."""
    limit = results.number("exclude_p99_over_ms")
    if limit is None:
        return []
    return [name for name, row in _times(results, stage).items() if row["p99_ms"] > limit]


def _times(results: Results, stage: str) -> dict[str, dict[str, Any]]:
    rows = times_table(results).to_dict("records")
    return {str(row["engine"]): _plain(row) for row in rows if row["stage"] == stage}


def _plain(row: dict[Hashable, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in row.items()}


def _group_winner(
    results: Results, group: Group, slow: set[str]
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the standings row of the best engine that is fast enough, and its equals."""
    table = standings_table(results, group.stage)
    rows = [row for row in table.to_dict("records") if row["group"] == group.name]
    rows = [row for row in rows if row["engine"] not in slow]
    if not rows:
        return None, []
    if not slow or group.ratings is None:  # ratings are fitted where they are needed
        tied = [row["engine"] for row in rows[1:] if row["tied_with_best"]]
        return _plain(rows[0]), tied
    ratings = _only(group.ratings, {row["engine"] for row in rows})
    marks = dict(zip(ratings.names, ties_with_best(ratings), strict=True))
    return _plain(rows[0]), [row["engine"] for row in rows[1:] if marks[row["engine"]]]


def _only(ratings: Ratings, names: set[str]) -> Ratings:
    keep = np.array([i for i, name in enumerate(ratings.names) if name in names], dtype=int)
    return replace(
        ratings,
        names=[ratings.names[i] for i in keep],
        elo=ratings.elo[keep],
        covariance=ratings.covariance[np.ix_(keep, keep)],
        part=ratings.part[keep],
    )


Found = list[tuple[dict[str, Any] | None, list[str]]]
Verdict = tuple[
    list[str], list[str], str | None, list[str]
]  # lines, what a card does not say of them


def _match(results: Results, groups: list[Group], slow: list[str]) -> Verdict | None:
    """Return the answer of a match between two engines; None if this is not one."""
    if len(groups) != 1 or len(groups[0].engines) != 2 or not len(groups[0].seats):
        return None
    verdict, test = sprt_line(results, groups[0])
    versus = versus_line(results, groups[0], verdict, slow)
    tied = [] if versus.winner or slow else list(groups[0].engines)
    return [versus.line, test], [versus.beyond, test], versus.winner, tied


def _field(groups: list[Group], records: Found, slow: list[str], adaptive: bool) -> Verdict:
    """Return the answer of a field of many engines, or of each group; `adaptive`: opponents differ, so
    that no score is told.
    """
    if len(groups) > 1:
        heads = [
            f"{group.name}: {_head(row, tied, group, adaptive)}"
            if row
            else f"{group.name}: all too slow"
            for group, (row, tied) in zip(groups, records, strict=True)
        ]
        line = f"The groups did not meet, so each has its own first. {'; '.join(heads)}."
        return [line], [line], None, []
    row, tied = records[0]
    if row is None:
        line = "Cannot tell: every engine is too slow to win."
        return [line], [line], None, []
    first, others = row["engine"], len(groups[0].engines) - len(slow) - 1
    if len(groups[0].engines) == 1:
        line = f"Cannot tell: {first} played alone."
        return [line], [line], None, [first]
    runner = groups[0].gauntlet_of
    met = _met(groups[0], runner) if runner is not None else []
    tied = [name for name in tied if not _told(met, runner, first, name)]
    if runner is not None and runner != first:  # who loses to it loses to the first, rated above it
        beaten = _beaten(met)
        tied = [name for name in tied if name not in beaten]
    score = _score(row, groups[0]) if runner is None else "the highest rating"
    if adaptive:
        score = _lead(groups[0], first, slow)
    if not others:
        line = f"{first} is the only one fast enough to win: {score}."
        return [line], [line], first, []
    wins = "wins" if groups[0].players == 2 else "is the strongest"
    among = " that are fast enough" if slow else ""
    if not tied:
        line = f"{first} {wins}: {score}, stronger than all others{among} at 95 %."
    elif len(tied) == others:
        line = f"Cannot tell the engines{among} apart: {first} is first with {score}."
    else:
        line = (
            f"{first} is first with {score}, but cannot be told from {listed_first(tied, NAMED)}."
        )
        line = f"Among those that are fast enough, {line}" if slow else line
    lines = [line] if runner is None else [_gauntlet(runner, met), line]
    return lines, [*lines] if slow or groups[0].players > 2 or runner else [], first, tied


def _met(group: Group, runner: str) -> list[tuple[str, Estimate]]:
    """Return what the engine of a gauntlet scored against each other, the best of these first."""
    rows = [(name, group.versus(runner, name)) for name in group.engines if name != runner]
    return sorted(rows, key=lambda row: row[1].score)


def _beaten(met: Sequence[tuple[str, Estimate]]) -> list[str]:
    """Name those whom the engine of a gauntlet beats."""
    return [name for name, score in met if is_sure(score) and score.score > 0.5]


def _told(met: Sequence[tuple[str, Estimate]], runner: str | None, first: str, other: str) -> bool:
    """Whether the games of the engine of a gauntlet with another one tell the first from that."""
    if runner == first:
        return any(name == other and is_sure(score) and score.score > 0.5 for name, score in met)
    if runner == other:
        return any(name == first and is_sure(score) and score.score < 0.5 for name, score in met)
    return False


def _gauntlet(runner: str, met: Sequence[tuple[str, Estimate]]) -> str:
    """Say whom the engine of a gauntlet beats, and its score against each."""
    beaten = _beaten(met)
    lost = [name for name, score in met if is_sure(score) and score.score < 0.5]
    level = [name for name, score in met if not is_sure(score)]
    verbs = (("beats", beaten), ("loses to", lost), ("cannot be told from", level))
    said = listed([f"{verb} {listed_first(names, NAMED)}" for verb, names in verbs if names])
    scores = [
        f"{percent(score.score)} ({percent_ends(score.score_low, score.score_high)}) against {name}"
        for name, score in met
    ]
    return f"{runner} {said}: {listed_first(scores, NAMED)}."


def _lead(group: Group, first: str, slow: list[str]) -> str:
    """Say by how much the first is rated above the next that is fast enough, with the interval."""
    ratings, others = group.ratings, [name for name in group.engines if name not in {first, *slow}]
    if ratings is None or not others:
        return "the highest rating"
    one, *rest = (ratings.names.index(name) for name in (first, *others))
    other = max(rest, key=lambda i: ratings.elo[i])
    gap = ratings.elo_interval(one, other)
    ends = elo_ends(gap.low, gap.high)
    lead = f"{ends} Elo" if gap.elo is None else f"{elo_text(gap.elo)} Elo ({ends})"
    return f"a lead of {lead} over {ratings.names[other]}"


def _head(row: dict[str, Any], tied: list[str], group: Group, adaptive: bool) -> str:
    more = f" (not told apart from {len(tied)} more)" if tied else ""
    if adaptive:
        return f"{row['engine']} {_lead(group, row['engine'], [])}{more}"
    score = percent(row["score"])
    if group.players > 2:
        score = f"with mean rank {row['mean_rank']:.2f}"
    return f"{row['engine']} {score}{more}"


def _score(row: dict[str, Any], group: Group) -> str:
    """Return an engine's result as text: its share of the points, or in larger games mean rank."""
    blocks = counted(row["blocks"], "block")
    if group.players == 2:
        ends = percent_ends(row["score_low"], row["score_high"])
        return f"{percent(row['score'])} of the points ({ends}, {blocks})"
    ends = f"{row['mean_rank_low']:.2f} to {row['mean_rank_high']:.2f}"
    return f"mean rank {row['mean_rank']:.2f} of {group.players} ({ends}, {blocks})"


def _exclusion(results: Results, slow: list[str], times: dict[str, dict[str, Any]]) -> str:
    if not slow:
        return ""
    limit = milliseconds(results.number("exclude_p99_over_ms") or 0.0)
    named = [f"{name} ({milliseconds(times[name]['p99_ms'])})" for name in slow]
    return f"Too slow to win (over 1 % of the moves take more than {limit}): {listed_first(named, NAMED)}."


def _cost(
    winner: str | None, tied: list[str], times: dict[str, dict[str, Any]], groups: list[Group]
) -> tuple[str, str]:
    """Return the cost of a move, and that an equally strong engine is cheaper; "" for what is not known
    or not so.
    """
    by = told(times.values())
    if winner is None:
        both = [name for group in groups for name in group.engines if name in times]
        if len(both) != 2:
            return "", ""
        words = [(name, *time_words(times[name], by)) for name in both]
        medians = [what.partition("; ")[2] for _, _, what in words]
        costs = [
            f"{name} {time}{f' ({median})' if median else ''}"
            for (name, time, _), median in zip(words, medians, strict=True)
        ]
        return f"{name_of(by).capitalize()} time per move: {listed(costs)}.", ""
    if winner not in times:
        return "", ""
    row = times[winner]
    time, what = time_words(row, by)
    text = f"{winner} takes {time} per move ({what}; 99 % under {milliseconds(row['p99_ms'])})."
    cheap = min((n for n in tied if n in times), key=lambda n: times[n][by], default=None)
    if cheap is not None and times[cheap][by] < 0.8 * row[by]:
        share = percent(times[cheap][by] / row[by], 0)
        return text, f"{cheap}, which cannot be told from {winner}, takes {share} of its time."
    return text, ""


def three_lines(lines: list[str]) -> list[str]:
    """Return at most three lines: all others are added to the third."""
    return lines if len(lines) <= 3 else [*lines[:2], " ".join(lines[2:])]
