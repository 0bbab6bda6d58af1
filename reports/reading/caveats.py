"""The caveats of the tables: sentences, none of them a failure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from joute.engines.player import RESIGNED, brief
from joute.reports.reading.reported_results import claim_notes
from joute.reports.reading.words import listed, listed_first
from joute.results.duplicates import Alike, Distinct, alike_blocks, distinct_games
from joute.results.frames import Results
from joute.results.ratings.fitting import NO_LIMIT
from joute.results.standings import Group, groups_of

PAIR = 2  # engines of a match
NAMED = 3
"""Failing engines named in the answer."""
ALIKE = 0.1
"""Share of a pair's blocks that are the same game twice from which a caveat says so."""
NEVER = 10
"""Blocks, all of them the same game twice, after which two engines are believed to play the same."""
FIRST = 0.1
"""Share of games with a failure from which the answer says so at once."""


def warnings(results: Results, confirmed: bool = False) -> list[str]:
    """Return the caveats of the tables, one sentence each."""
    texts = []
    if results.surplus:
        why = (
            "were finished after the game that decided the test"
            if "sprt" in {**results.meta.study, **results.meta.study.get("final", {})}
            else "are of entrants that have left, or of an earlier schedule"
            if results.meta.left
            else "are of an earlier final or schedule of this study"
        )
        texts.append(f"{results.surplus:,} stored games {why}, and are left out here.")
    texts.append(_merged(results))
    texts += failing(results)
    texts += claim_notes(results)
    texts.append(_twins(results))
    texts.append(_longer_openings(results))
    texts.append(_duplicates(results))
    texts.append(_never_differed(results))
    texts.append(_adaptive(results))
    texts += _played_before(results)
    where: dict[str, dict[str, list[str]]] = {}
    for stage in results.stages:
        for group in groups_of(results, stage):
            for note in _notes(group):
                where.setdefault(note, {}).setdefault(stage, []).append(group.name)
    texts += [f"{listed(_places(stages))}: {note}" for note, stages in where.items()]
    entrants = results.seats["engine"].nunique()
    alone = len(results.meta.stages or results.stages) == 1
    if alone and entrants > 2 and not confirmed:
        texts.append(
            f"The best of {entrants} was chosen and measured on the same games, so it looks "
            f"better than it is. Confirm it in a later stage, on fresh openings."
        )
    return list(dict.fromkeys(text for text in texts if text))


def failures_of(results: Results) -> pd.DataFrame:
    """Return the failures of a run, a row each: resignations are none."""
    return results.failures[results.failures["kind"] != RESIGNED]


def failures_line(results: Results) -> str:
    """Say in how many games an engine failed, and which; "" if in none."""
    failures = failures_of(results)
    if failures.empty:
        return ""
    games, all_games = failures["game"].nunique(), len(results.games)
    by_engine = (
        failures.groupby("engine")["game"].nunique().sort_values(ascending=False, kind="stable")
    )
    named = [f"{engine} in {n:,}" for engine, n in by_engine.items()]
    games_ = "the only game" if all_games == 1 else f"{games:,} of {all_games:,} games"
    return f"An engine failed in {games_}: {listed_first(named, NAMED, 'others')}."


def failing(results: Results) -> list[str]:
    """Say how often engines failed, and why the first time: a line each for those that failed most, and
    one for all others.
    """
    lines, shown = [], set[str]()
    games = results.seats.groupby("engine", sort=False)["game"].nunique()
    failures = failures_of(results)
    groups = sorted(failures.groupby("engine", sort=False), key=lambda group: -len(group[1]))
    for engine, rows in groups[:NAMED]:
        shown.update(rows["kind"])
        kinds = ", ".join(f"{n} {kind}" for kind, n in rows["kind"].value_counts().items())
        lines.append(
            f"{engine} failed in {rows['game'].nunique()} of its {games.get(engine, 0)} games "
            f"({kinds}): {brief(str(rows['text'].iloc[0]))}"
        )
    if others := groups[NAMED:]:
        alike = all(shown.issuperset(rows["kind"]) for _, rows in others)
        engines = f"{len(others):,} other engine{'s' * (len(others) > 1)} failed"
        lines.append(f"and {engines}{' in the same way' if alike else ''}")
    return lines


def _merged(results: Results) -> str:
    """Say that the games come from several runs; "" if they do not."""
    machines = results.meta.merged
    if not machines:
        return ""
    places = listed([f"on {machine}" for machine in machines if machine])
    return (
        f"This run was merged from {len(machines)} runs{f' ({places})' if places else ''}: times "
        f"per move come from different machines, and a game that several runs had keeps the times "
        f"of the first."
    )


def _twins(results: Results) -> str:
    """Say that an engine has met itself; "" if none has."""
    if not results.engines["spec"].duplicated().any():
        return ""
    return (
        "Both engines are the same: any difference is chance, and one such match in twenty shows "
        "one at 95 %."
    )


def _adaptive(results: Results) -> str:
    """Say what adaptive pairings mean for a reader; "" where there are none."""
    stages = [stage for stage in results.stages if results.adaptive(stage)]
    if not stages:
        return ""
    return (
        f"{listed(stages)}: the pairings followed from the results, so opponents differ in strength: compare "
        "Elo, not scores. Who was left behind early has few games, and may be better than it looks."
    )


def _longer_openings(results: Results) -> str:
    """Say that longer openings were needed; "" if not."""
    plies = results.games["opened"]
    if plies.empty or plies.min() == plies.max():
        return ""
    more = int((plies > plies.min()).sum())
    return (
        f"There are fewer openings of {plies.min()} random plies than blocks: {more} games have "
        f"longer openings, of up to {plies.max()} plies."
    )


def _places(stages: dict[str, list[str]]) -> list[str]:
    return [f"{s} ({', '.join(g)})" if any(g) else s for s, g in stages.items()]


def _notes(group: Group) -> list[str]:
    if len(group.engines) == 1:
        return ["only one engine, so there is nothing to compare it with."]
    notes = group.ratings.notes if group.ratings else []
    if group.is_duel:  # of two engines no rating is shown, so none is held by a prior
        notes = [note for note in notes if not note.startswith(NO_LIMIT)]
        if group.versus(*group.engines).note:  # which says how rough, or exact, the interval is
            notes = []
    return [note if note.endswith(".") else f"{note}." for note in notes]


def _repeated(results: Results) -> tuple[list[Distinct], str]:
    """Return the games that repeat others, once a run; under chance equal ones are no copies."""
    known: dict[str, Any] = vars(results)
    if "_repeats" not in known:
        known["_repeats"] = _found_repeated(results)
    stored: tuple[list[Distinct], str] = known["_repeats"]
    return stored


def _found_repeated(results: Results) -> tuple[list[Distinct], str]:
    if results.chance or not len(results.games):
        return [], ""
    games, players = results.games, results.players
    ids = results.seats["engine"].cat.codes.to_numpy(np.int64).reshape(-1, players)
    stages, names = games["stage"].cat.categories, results.seats["engine"].cat.categories
    key = games["stage"].cat.codes.to_numpy(np.int64)
    if len(stages) * float(len(names)) ** players < 2**62:
        for column in ids.T:
            key = key * len(names) + column
        _, first, table = np.unique(key, return_index=True, return_inverse=True)
    else:  # tables of very many engines
        rows = np.stack([key, *ids.T], axis=1)
        _, first, table = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    codes = games["stage"].cat.codes.to_numpy()
    named = [
        f"{stages[codes[game]]}: {' against '.join(names[e] for e in ids[game])}" for game in first
    ]
    order = np.argsort(first)  # of first appearance
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct_games([named[i] for i in order], place[table.ravel()], games["digest"])


def _duplicates(results: Results) -> str:
    return _repeated(results)[1]


def _played_before(results: Results) -> list[str]:
    """Say of each stage how many openings of a small book an earlier one has used, too."""
    if not results.meta.book:
        return []
    texts, used = [], set[str]()
    games = results.games
    for stage in dict.fromkeys(games["stage"]):
        own = {*games.loc[games["stage"] == stage, "opening"]}
        if again := len(own & used):
            texts.append(
                f"{stage}: {again} of its {len(own)} openings were played before in this run, so they are "
                f"not fresh: the book has only {results.meta.book:,}."
            )
        used |= own
    return texts


def _never_differed(results: Results) -> str:
    """Say of which two engines many blocks are the same game twice; "" if of none.

    Scores do not change: such a block is a draw. But it says nothing of either engine.
    """
    found = [one for one in _alike(results) if one.alike > ALIKE * one.blocks]
    if not found:
        return ""
    worst = sorted(found, key=lambda one: -one.alike / one.blocks)
    named = [f"{one.pair} in {one.alike} of {one.blocks} blocks" for one in worst]
    return (
        f"Blocks in which two engines play the same moves say nothing of either: "
        f"{listed_first(named, NAMED, 'other pairs')}. Only the other blocks tell them apart."
    )


def same_moves(results: Results) -> str:
    """Say in one short line in how many blocks of a match both games are the same; "" if in few."""
    if results.seats["engine"].nunique() != PAIR or len(results.stages) > 1:
        return ""
    alike = _alike(results)
    if len(alike) != 1 or alike[0].alike <= ALIKE * alike[0].blocks:
        return ""
    if never_differed(results):
        return f"Caution: in all {alike[0].blocks} blocks both play the same moves; more will tell little."
    return (
        f"Caution: in {alike[0].alike} of {alike[0].blocks} blocks both play the same moves, which tells "
        "nothing of either."
    )


def never_differed(results: Results) -> bool:
    """Whether all blocks of a match, and enough of them, are the same game twice."""
    if results.seats["engine"].nunique() != PAIR:
        return False
    alike = _alike(results)
    return len(alike) == 1 and alike[0].alike == alike[0].blocks >= NEVER


def _alike(results: Results) -> list[Alike]:
    """Return the pairs of engines that have blocks which are the same game twice, by stage, once a run."""
    known: dict[str, Any] = vars(results)
    if "_alike" not in known:
        known["_alike"] = _found_alike(results)
    stored: list[Alike] = known["_alike"]
    return stored


def _found_alike(results: Results) -> list[Alike]:
    if results.players != PAIR or not len(results.games):
        return []
    games = results.games
    ids = np.sort(results.seats["engine"].cat.codes.to_numpy(np.int64).reshape(-1, 2), axis=1)
    stage = games["stage"].cat.codes.to_numpy(np.int64)
    stages, names = games["stage"].cat.categories, results.seats["engine"].cat.categories
    key = (stage * len(names) + ids[:, 0]) * len(names) + ids[:, 1]
    _, first, table = np.unique(key, return_index=True, return_inverse=True)
    pairs = [f"{stages[stage[i]]}: {names[ids[i, 0]]} and {names[ids[i, 1]]}" for i in first]
    of = np.where(ids[:, 0] < ids[:, 1], table, -1)
    return alike_blocks(pairs, of, games["block"], games["digest"])


def repeats(results: Results) -> str:
    """Say in one short line how many games repeat an earlier one; "" if none does."""
    groups, _ = _repeated(results)
    repeats = sum(group.repeats for group in groups)
    if not repeats:
        return ""
    return f"Caution: {repeats} of {len(results.games)} games repeat an earlier one."
