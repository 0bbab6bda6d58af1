"""The final of a tune study: the finalist and the default on the same fresh openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean as mean

from joute.results.frames import Results
from joute.results.gain import Gain, paired_gain


@dataclass(frozen=True)
class Final:
    """The final: the finalist and the default against the pool on the same fresh openings.

    `mine`, `theirs`: block scores of finalist and default against the pool; `held_out`: pairs of
    them, by the name of an opponent that the search never met. `blocks`: those that were played of
    `mine` and `theirs`: where the default is in the pool it does not meet itself, and `theirs` is 1/2
    there. `own`: block scores of the default where it is kept: `theirs`, or, if it is its only opponent,
    those of its games against the finalist. `own_blocks`: those of them that were played.
    """

    finalist: str
    default: str
    mine: list[float]
    theirs: list[float]
    gain: Gain
    held_out: dict[str, list[tuple[float, float]]]
    blocks: int
    own: list[float]
    own_blocks: int


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
    returned: dict[tuple[int, str], float] = {}  # of the default in blocks with the finalist
    for block, got in blocks.items():
        engine = finalist if finalist in got else default
        against = next((name for name in got if name != engine), engine)
        scores[engine, int(rounds[block]), against] = mean(got[engine])
        if default in got:
            returned[int(rounds[block]), against] = mean(got[default])
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
            if against == default:
                met.append(returned[number, against])
                imputed += 1
    planned = results.meta.final_rounds
    finished = len(ours) >= planned * len(pool)
    if not ours or not finished or any(len(pairs) < planned for pairs in others.values()):
        return None  # not finished: a look before the end would not be a fair one
    alone = imputed == len(ours)
    own, played = (met, len(met)) if alone else (base, len(base) - imputed)
    both = 2 * len(ours) - imputed
    return Final(finalist, default, ours, base, paired_gain(ours, base), others, both, own, played)
