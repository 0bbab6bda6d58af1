"""The final of a tune study: the finalist and the default on the same fresh openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joute.results.frames import Results
from joute.results.gain import Gain, paired_gain


@dataclass(frozen=True)
class Final:
    """The final: the finalist and the default against the pool on the same fresh openings.

    `mine`, `theirs`: block scores of finalist and default against the pool; `held_out`: pairs of
    them, by the name of an opponent that the search never met. `blocks`: those that were played of
    `mine` and `theirs`: where the default is in the pool it does not meet itself, and `theirs` is 1/2
    there. `met`: block scores of the default in the games that it played, those against the finalist then.
    """

    finalist: str
    default: str
    mine: list[float]
    theirs: list[float]
    gain: Gain
    held_out: dict[str, list[tuple[float, float]]]
    blocks: int
    met: list[float]


def final_of(
    results: Results, default: str, pool: list[str], held_out: Sequence[str] = ()
) -> Final | None:
    """Pair the blocks of the stage "final" by round and opponent."""
    finalist = results.meta.finalist
    games = results.games[results.games["stage"] == "final"]
    seats = results.seats[results.seats["stage"] == "final"]
    if not finalist or not len(games):
        return None
    rounds = dict(zip(games["block"], games["round"], strict=True))
    blocks: dict[int, dict[str, list[float]]] = {}
    for block, name, returns in zip(seats["block"], seats["engine"], seats["returns"], strict=True):
        blocks.setdefault(block, {}).setdefault(name, []).append(returns)
    scores: dict[tuple[str, int, str], float] = {}
    for block, got in blocks.items():
        engine = finalist if finalist in got else default
        against = next((name for name in got if name != engine), engine)
        scores[engine, int(rounds[block]), against] = sum(got[engine]) / len(got[engine])
    ours, base, met, imputed = [], [], [], 0
    others: dict[str, list[tuple[float, float]]] = {name: [] for name in held_out}
    for (engine, number, against), score in sorted(scores.items()):
        if engine != finalist:
            continue
        other = 0.5 if against == default else scores.get((default, number, against))
        if other is None:
            continue
        if against in others:
            others[against].append((score, other))
        else:
            ours.append(score)
            base.append(other)
            met.append(1 - score if against == default else other)
            imputed += against == default
    planned = results.meta.final_rounds
    finished = len(ours) >= planned * len(pool)
    if not ours or not finished or any(len(pairs) < planned for pairs in others.values()):
        return None  # not finished: a look before the end would not be a fair one
    return Final(
        finalist, default, ours, base, paired_gain(ours, base), others, 2 * len(ours) - imputed, met
    )
