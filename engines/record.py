"""The record of one finished game, as the harness hands it over and the store keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

NORMAL = "normal"
MAX_PLIES = "max_plies"
FAILURE = "failure"
RESIGNED = "resigned"
ADJUDICATED = "adjudicated"  # ended by the referee, by the values of both engines
TERMINATIONS = (NORMAL, MAX_PLIES, FAILURE, RESIGNED, ADJUDICATED)
FAILURES = ("illegal", "timeout", "crash")
KINDS = (*FAILURES, RESIGNED)  # kinds of a game's end before its regular end
AGREES = "agrees"
DIFFERS = "differs"
SILENT = "silent"
UNASKED = ""
CLAIMS = (AGREES, DIFFERS, SILENT, UNASKED)  # results of asking a player for the result
WIN = float(1 << 40)  # the value of a win now; a win n plies later is worth WIN - n
FURTHEST = 100_000  # plies of a win


class Claim(NamedTuple):
    """A player's claim of the result of a game that was played to its end; ours counts.

    `verdict`: whether its words mean the stored result; SILENT for no comprehensible answer,
    UNASKED where it cannot be asked. `said` are its words, or why there are none; `ours` is the
    result in the same language. `conceded` are the cells (or other units of the game) that it gave
    up as lost to their owners.
    """

    verdict: str
    said: str = ""
    ours: str = ""
    conceded: str = ""


class SeatRecord(NamedTuple):
    """One player's part in one game.

    `returns` is in [0, 1] (two players: win 1, draw 1/2, loss 0), `rank` counts from 1 with ties
    averaged, `failure` is empty or one of KINDS and `failure_ply` then says where (0-based ply
    of the game, else -1). `nodes` and `plies` are sums over the moves that this seat chose;
    `move_ms` holds the wall time of each of them in milliseconds. `claim` is what it said of the
    result, None where it was not asked. `values` are those that it gave its moves (`Move.value`),
    None where it gave none; empty where it gave none at all. `move_nodes` and `move_depths` are those of
    each move, both empty where it told none of either. `margin`: by how much its points are above the
    best of the others', where a referee says points.
    """

    engine: str
    rank: float
    returns: float
    failure: str = ""
    failure_ply: int = -1
    failure_text: str = ""
    nodes: int = 0
    plies: int = 0
    move_ms: tuple[float, ...] = ()
    claim: Claim | None = None
    values: tuple[float | None, ...] = ()
    move_nodes: tuple[int, ...] = ()
    move_depths: tuple[int, ...] = ()
    margin: float | None = None


class GameRecord(NamedTuple):
    """One finished game. `seats[0]` moved first from the opening's start position.

    `order` is the place of the block in the schedule of its stage (0, 1, ...); `opening`, `actions`
    and `outcomes` are space-separated texts: opening moves from the start position, the moves
    played after it, and the chance outcomes drawn (empty where the game has none). `digest`
    identifies the whole line of play (opening and actions): equal digests are repeated games.
    `group` names the part of a stage that the block belongs to (for example `depth=6`), or is empty.
    `opening_key` and `draw` say which of the openings it is (`harness/openings.py`), so that a run
    can go on without drawing those before it again. `host` is the machine of a cluster that played it,
    "" at home; `log` what a referee wrote of it, "" without one.
    """

    id: str
    stage: str
    round: int
    order: int
    block: str
    seating: int
    group: str
    opening: str
    actions: str
    outcomes: str
    digest: str
    termination: str
    plies: int
    seats: tuple[SeatRecord, ...]
    opening_key: int = 0
    draw: int = 0
    host: str = ""
    log: str = ""

    @property
    def conceded(self) -> tuple[str, ...]:
        """Concessions of all players at the end: the stored returns are without them."""
        return conceded_by_all([seat.claim for seat in self.seats])


def conceded_by_all(claims: Sequence[Claim | None]) -> tuple[str, ...]:
    """Return the concessions common to all players, in the first one's order; claims may be None."""
    given = [claim.conceded.split() if claim else [] for claim in claims]
    return tuple(one for one in given[0] if all(one in other for other in given)) if given else ()


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """One trial of a search: the engine that was tried, and how its blocks ended.

    `point` holds the searched parameters that are active; `scores` the mean return of each finished
    block, in [0, 1], in the order of its rounds; `state` is "complete" or "pruned". Of a duel between
    two points `other` is the second one, `other_engine` its engine; scores are those of the first.
    """

    number: int
    engine: str
    state: str
    point: dict[str, float | int | str]
    scores: tuple[float, ...]
    other: dict[str, float | int | str] | None = None
    other_engine: str = ""


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """An entrant: its short unique name, full canonical spec, parameters and code digest."""

    id: str
    name: str
    spec: str
    parameters: dict[str, float | int | str]
    digest: str
