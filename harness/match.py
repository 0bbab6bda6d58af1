"""The match loop: one game from an opening to its end, for players of every kind."""

from __future__ import annotations

import hashlib
import math
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joute.engines import files
from joute.engines.errors import ANYTHING, JouteError, RulesError, cut
from joute.engines.game import Game
from joute.engines.player import WHOLE, Move, Player, PlayerFailure, counted, deep, valued
from joute.engines.position import Position
from joute.engines.programs.run_queue import RunQueue
from joute.engines.record import (
    ADJUDICATED,
    FAILURE,
    MAX_PLIES,
    NORMAL,
    RESIGNED,
    SILENT,
    UNASKED,
    Claim,
    GameRecord,
    SeatRecord,
    conceded_by_all,
)
from joute.engines.time_control import Clocks, TimeControl
from joute.harness.adjudication import Adjudication, Adjudicator
from joute.harness.inflight import InFlight
from joute.harness.openings import Opening
from joute.harness.overlong import allowed
from joute.harness.schedule import Block
from joute.harness.suspension import notice_suspensions, suspended_since

CHAR_LIMIT = 2000  # characters kept of a failing player's message
TIMEOUT = "timeout"  # the kind of a failure by time
LONG = 80  # characters of an answer that are shown
MARGIN_MS = 50.0  # a machine's usual hiccups
_queue = RunQueue(children=False)  # of this process


@dataclass(frozen=True)
class Rules:
    """Limits that the referee enforces besides the game's own rules.

    A turn is late after `move_time_ms`, whoever plays. An engine of ours that has a limit of time
    is late `margin_ms` after it; a program has the timeouts of its protocol. With a `clock` a player
    loses whose time is over by more than `margin_ms`, even with a move in hand; with `flag_draws` it
    is a draw where nobody else can win any more. An `adjudication` ends games early. With `void_starved` a late turn that waited for a
    processor is no failure: it raises Starved.
    """

    move_time_ms: float | None = None
    margin_ms: float = MARGIN_MS
    void_starved: bool = False
    clock: TimeControl | None = None
    flag_draws: bool = True
    adjudication: Adjudication | None = None

    def lateness(self, player: Player, begun: float, spent_ms: float) -> str:
        """Return how a turn was late; "" if it was not, or if this process was suspended during it."""
        limit, most = player.limit_ms, self.move_time_ms
        if most is not None and spent_ms > most:
            text = f"took {spent_ms:.1f} ms of {most:g} ms"
        elif limit is not None and spent_ms > limit + self.margin_ms:
            text = f"took {spent_ms:.1f} ms of {limit:g} ms and a margin of {self.margin_ms:g} ms"
        else:
            return ""
        return "" if suspended_since(begun) else text

    def starved(
        self, player: Player, spent_ms: float, waited_ms: float, had_ms: float | None = None
    ) -> bool:
        """Whether a turn was late only because this process waited for a processor: longer than the
        margin, and without that it had been in time. `had_ms` were left on its clock.
        """
        most = self.most_ms(player, had_ms)
        return waited_ms > min(self.margin_ms, most / 2) and spent_ms - waited_ms <= most

    def most_ms(self, player: Player, had_ms: float | None = None) -> float:
        """Return the milliseconds after which a turn is late, likewise."""
        most = math.inf if self.move_time_ms is None else self.move_time_ms
        if player.limit_ms is not None:
            most = min(most, player.limit_ms + self.margin_ms)
        return most if had_ms is None else min(most, max(0.0, had_ms) + self.margin_ms)


@dataclass(frozen=True, slots=True)
class Failed:
    """A seat's failure, or its loss by adjudication: at which ply, of which kind, and a text. `drawn`:
    the game is a draw all the same.
    """

    seat: int
    ply: int
    kind: str
    text: str
    drawn: bool = False


class Starved(JouteError):
    """A turn that ended late, but had to wait for a processor: nobody's fault, and no result."""


class Tally:
    """Counts of one seat in one game."""

    __slots__ = ("depths", "move_ms", "nodes", "values")

    def __init__(self) -> None:
        self.nodes: list[int] = []
        self.depths: list[int] = []
        self.move_ms: list[float] = []
        self.values: list[float | None] = []


def set_up(game: Game, opening: Opening) -> Position:
    """Return the position after an opening."""
    position = Position(game, opening.start)
    for action, outcome in zip(opening.actions, opening.outcomes, strict=True):
        position.play(action, outcome)
    return position


def play_game(
    position: Position,
    players: Sequence[Player],
    chance_seed: Callable[[int], int],
    rules: Rules,
    tallies: Sequence[Tally],
    inflight: InFlight | None = None,
    watch: Callable[[Position, Move], None] | None = None,
) -> list[Failed]:
    """Play `position` to its end, in place; return the failures, in order.

    A failure ends the game, or, where the game plays on, is played as the game's own action for it.
    `players` by seat. `tallies` count nodes and wall times; `inflight` is the crash marker; `watch`
    is called after every move.
    """
    notice_suspensions()
    game = position.game
    chance, most = game.chance, game.max_plies
    clocks = Clocks(rules.clock, game.players, rules.margin_ms) if rules.clock else None
    most_ms = rules.clock.base_ms if rules.clock else rules.move_time_ms
    seconds = [allowed(player, most_ms) for player in players]
    for player in players:
        if player.clocks is not None:  # of its last game
            player.guard_ms = None
        player.clocks = clocks
    failures: list[Failed] = []
    judge = Adjudicator(rules.adjudication, game) if rules.adjudication else None
    while not position.status and len(position.moves) < most:
        seat, ply = position.to_move, len(position.moves)
        if inflight is not None:
            inflight.turn(ply, seat, seconds[seat])
        answer = turn(position, seat, players[seat], rules, tallies[seat])
        if isinstance(answer, Failed):
            if answer.kind == TIMEOUT and clocks is not None and rules.flag_draws:
                able = any(can_win(position, other) for other in others(seat, game.players))
                answer = replace(answer, drawn=not able)
            failures.append(answer)
            if answer.kind not in game.on_failure:
                return failures
            answer = Move(game.on_failure[answer.kind])
        action = answer.action
        outcome = position.draw_outcome(action, chance_seed(ply)) if chance else 0
        position.play(action, outcome)
        if inflight is not None:
            inflight.moved(action, outcome)
        if watch is not None:
            watch(position, answer)
        verdict = judge.after(seat, answer.value, position) if judge else ""
        if verdict and not position.status:
            loser = 1 - seat if verdict == "win" else seat
            failures.append(Failed(loser, ply, ADJUDICATED, verdict, drawn=verdict == "draw"))
            return failures
    return failures


def turn(
    position: Position, seat: int, player: Player, rules: Rules, tally: Tally
) -> Move | Failed:
    """Ask one player for its action; return its legal choice in time, or its failure. Raises Starved
    where it was late for want of a processor.
    """
    ply, clocks = len(position.moves), player.clocks
    player.used_ms = had = None
    if clocks is not None:
        had = clocks.left_ms[seat]
        player.guard_ms = clocks.share_ms(seat, player.clock_moves)
    begun = time.perf_counter()
    _queue.begin(begun, rules.most_ms(player, had) / 1e3)
    try:
        choice = player.choose(position)
    except PlayerFailure as failure:
        if failure.waited_ms and rules.void_starved:
            raise Starved(failure.text) from None
        if clocks is not None:
            clocks.charge(seat, (time.perf_counter() - begun) * 1e3)
        return Failed(seat, ply, failure.kind, failure.text[:CHAR_LIMIT])
    except RulesError:
        raise  # not the player's fault
    except ANYTHING:
        return Failed(seat, ply, "crash", traceback.format_exc()[-CHAR_LIMIT:])
    spent = (time.perf_counter() - begun) * 1e3
    counted_ms = spent if player.used_ms is None else player.used_ms
    if not isinstance(choice, Move):
        return Failed(
            seat, ply, "crash", f"answered {cut(repr(choice), LONG)}, which is not a Move"
        )
    tally.nodes.append(counted(choice.nodes))
    tally.depths.append(deep(choice.depth))
    tally.move_ms.append(spent if clocks is None else counted_ms)
    tally.values.append(valued(choice.value))
    if not may_play(position, choice.action):
        text = f"played {played(position.game, choice.action)}, which is not legal"
        return Failed(seat, ply, "illegal", text)
    late = rules.lateness(player, begun, spent)
    if clocks is not None:
        left = clocks.charge(seat, counted_ms)
        if left < -rules.margin_ms and not suspended_since(begun):
            clock = f"{left:.1f} ms are on its clock after a move of {counted_ms:.1f} ms"
            late = late or f"{clock} (margin {rules.margin_ms:g} ms)"
        clocks.add(seat)
    if late:
        waited = _queue.waited_ms()
        if rules.void_starved and rules.starved(player, spent, waited, had):
            raise Starved(f"{late}, {waited:.0f} ms of it spent waiting for a processor")
        return Failed(seat, ply, TIMEOUT, late)
    return Failed(seat, ply, RESIGNED, "resigns") if choice.resigns else choice


def others(seat: int, players: int) -> list[int]:
    """Return the other seats."""
    return [other for other in range(players) if other != seat]


def can_win(position: Position, seat: int) -> bool:
    """Whether a seat can still win, if all others help."""
    return position.game.can_win(position.W, position.at, seat)


def may_play(position: Position, action: object) -> bool:
    """Whether a player's answer, of any type, is a legal action."""
    try:
        return isinstance(action, WHOLE) and position.is_legal(action)  # type: ignore[arg-type]
    except RulesError:
        raise
    except Exception:  # a number that no action has
        return False


def played(game: Game, action: Any) -> str:
    """Return an answer as a short text, that of an action if it looks like one."""
    try:
        return cut(repr(game.action_text(action)), LONG)
    except Exception:
        return cut(repr(action), LONG) if not isinstance(action, int) else "an endless number"


def returns_of(
    position: Position, failures: Sequence[Failed], conceded: Sequence[str] = ()
) -> tuple[list[float], str]:
    """Return one return per seat and the termination of a game that has stopped; stones or cells
    that all have `conceded` after its regular end do not count.
    """
    players = position.game.players
    last = bool(failures) and failures[-1].ply >= len(position.moves) - 1
    ended = FAILURE
    if last and failures[-1].kind in (RESIGNED, ADJUDICATED):
        ended = failures[-1].kind
    if position.over and not last and conceded:
        return position.game.returns_without(position.W, position.at, conceded), NORMAL
    if position.over:
        return position.returns(), ended if last else NORMAL
    if last and failures[-1].drawn:
        return [0.5] * players, ended
    if last:
        rest = 0.5 * players / (players - 1)
        loser = failures[-1].seat
        return [0.0 if seat == loser else rest for seat in range(players)], ended
    return [0.5] * players, MAX_PLIES


def claims_of(
    position: Position, players: Sequence[Player], failures: Sequence[Failed]
) -> list[Claim | None]:
    """Return each player's concession and reported result. Players are asked only after a game's
    regular end.
    """
    if returns_of(position, failures)[1] != NORMAL:
        return [None] * len(players)
    concessions = [concession_of(player, position) for player in players]
    conceded = conceded_by_all(concessions)
    return [
        claim_of(player, position, conceded, concession)
        for player, concession in zip(players, concessions, strict=True)
    ]


def concession_of(player: Player, position: Position) -> Claim | None:
    """Return a player's concession, None if it concedes nothing; a failure to answer is SILENT."""
    try:
        conceded = player.concede(position)
        return Claim(UNASKED, conceded=" ".join(conceded)) if conceded else None
    except PlayerFailure as failure:
        return Claim(SILENT, failure.text)
    except ANYTHING as error:
        return Claim(SILENT, cut(f"cannot say: {error!r}", LONG))


def claim_of(
    player: Player, position: Position, conceded: Sequence[str], concession: Claim | None
) -> Claim | None:
    """Return the result that a player reports, or its failure to; `concession` is what it concedes."""
    if concession is not None and concession.verdict == SILENT:
        return concession
    try:
        claim = player.claim(position, conceded)
    except ANYTHING as error:
        claim = Claim(SILENT, cut(f"cannot say: {error!r}", LONG))
    if claim is None or concession is None:
        return claim or concession
    return claim._replace(conceded=concession.conceded)


def ranks_of(returns: Sequence[float]) -> list[float]:
    """Return the rank of each seat from 1, ties averaged."""
    return [
        1.0 + sum(o > r for o in returns) + 0.5 * (sum(o == r for o in returns) - 1)
        for r in returns
    ]


def told(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return the values of a seat's moves; nothing where it gave none."""
    return tuple(values) if any(value is not None for value in values) else ()


def record(
    position: Position,
    opening: Opening,
    block: Block,
    seating: int,
    tallies: Sequence[Tally],
    failures: Sequence[Failed],
    claims: Sequence[Claim | None] = (),
) -> GameRecord:
    """Return the record of a game that has stopped; `claims` by seat, empty if none were asked."""
    game = position.game
    returns, termination = returns_of(position, failures, conceded_by_all(claims))
    start = len(opening.actions)
    text = [game.action_text(a) for a in position.moves]
    opened = " ".join([position.start, *(["moves", *text[:start]] if start else [])])
    outcomes = " ".join(map(str, position.outcomes)) if game.chance else ""
    line = f"{game.label}|{position.start}|{' '.join(text)}|{outcomes}"
    failed = {one.seat: one for one in reversed(failures) if one.kind != ADJUDICATED}
    seats = []
    for seat, engine in enumerate(block.seats(seating)):
        failure, tally = failed.get(seat), tallies[seat]
        searched = any(tally.nodes) or any(tally.depths)
        seats.append(
            SeatRecord(
                engine=engine,
                rank=ranks_of(returns)[seat],
                returns=returns[seat],
                failure=failure.kind if failure else "",
                failure_ply=failure.ply if failure else -1,
                failure_text=failure.text if failure else "",
                nodes=sum(tally.nodes),
                plies=len(tally.move_ms),
                move_ms=tuple(tally.move_ms),
                claim=claims[seat] if claims else None,
                values=told(tally.values),
                move_nodes=tuple(tally.nodes) if searched else (),
                move_depths=tuple(tally.depths) if searched else (),
            )
        )
    return GameRecord(
        id=block.game_id(seating),
        stage=block.stage,
        round=block.round,
        order=block.order,
        block=block.id,
        seating=seating,
        group=block.group,
        opening=opened,
        actions=" ".join(text[start:]),
        outcomes=outcomes,
        digest=hashlib.blake2b(line.encode(), digest_size=8).hexdigest(),
        termination=termination,
        plies=len(position.moves) - start,
        seats=tuple(seats),
        opening_key=opening.key,
        draw=opening.draw,
        host=files.host,
    )
