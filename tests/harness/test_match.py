"""The match loop: who failed where, what chance does, and what is written down of a game."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joute.engines.engine import parse_game
from joute.engines.game import Game
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.record import FAILURE, MAX_PLIES, NORMAL
from joute.harness.inflight import SIZE, MappedInFlight, clear_files, read_files
from joute.harness.match import (
    Failed,
    Rules,
    Tally,
    play_game,
    ranks_of,
    record,
    returns_of,
    set_up,
)
from joute.harness.openings import Opening
from joute.harness.schedule import Block

BLOCK = Block("b10c", "main", "depth=2", 3, 7, ("one", "two"))


class Scripted(Player):
    """Plays the first legal action; does something else at one ply."""

    def __init__(self, ply: int = -1, does: Callable[[], Move] | None = None) -> None:
        self.ply, self.does = ply, does

    def choose(self, position: Position) -> Move:
        if position.ply == self.ply and self.does:
            return self.does()
        return Move(position.legal_actions()[0], nodes=10)


def small() -> Game:
    return parse_game("connect4[columns=4,rows=4]")


def raising(error: BaseException) -> Callable[[], Move]:
    def choose() -> Move:
        raise error

    return choose


def late() -> Move:
    time.sleep(0.03)
    return Move(0)


def play(
    position: Position,
    players: list[Player],
    rules: Rules | None = None,
    inflight: MappedInFlight | None = None,
) -> tuple[list[Failed], list[Tally]]:
    tallies = [Tally() for _ in players]
    seeds = BLOCK.chance_seed
    return play_game(position, players, seeds, rules or Rules(), tallies, inflight), tallies


FAULTS = {
    "illegal": (lambda: Move(77), "illegal", "played '78', which is not legal"),
    "raise": (raising(ZeroDivisionError("oh")), "crash", "ZeroDivisionError: oh"),
    "exit": (raising(SystemExit(0)), "crash", "SystemExit"),
    "says so": (raising(PlayerFailure("timeout", "too late")), "timeout", "too late"),
    "slow": (late, "timeout", " ms of 15 ms"),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("ply", [0, 3])
def test_a_failure_belongs_to_its_seat_and_ply_and_the_other_wins(name: str, ply: int) -> None:
    does, kind, text = FAULTS[name]
    position = Position(small())
    rules = Rules(move_time_ms=15) if name == "slow" else Rules()
    failures, tallies = play(position, [Scripted(ply, does), Scripted(ply, does)], rules)
    (failed,) = failures
    assert (failed.seat, failed.ply, failed.kind) == (ply % 2, ply, kind)
    assert text in failed.text
    assert position.ply == ply
    mine, other = ply % 2, 1 - ply % 2
    shares, termination = returns_of(position, failures)
    assert (shares[mine], shares[other], termination) == (0.0, 1.0, FAILURE)
    found = record(position, Opening((), ()), BLOCK, 0, tallies, failures)
    seat = found.seats[mine]
    assert (seat.failure, seat.failure_ply, seat.rank) == (kind, ply, 2.0)
    assert (found.seats[other].failure, found.seats[other].failure_ply) == ("", -1)
    assert found.termination == FAILURE and found.plies == ply


def test_without_a_time_rule_nobody_is_late() -> None:
    failures, _ = play(Position(small()), [Scripted(0, late), Scripted()])
    assert not failures


def test_the_text_of_a_failure_is_cut() -> None:
    (failed,), _ = play(
        Position(small()), [Scripted(0, raising(ValueError("x" * 9999))), Scripted()]
    )
    assert len(failed.text) == 2000


def test_a_record_says_what_was_played() -> None:
    opening = Opening((0, 1), (0, 0))
    position = set_up(small(), opening)
    failures, tallies = play(position, [Scripted(), Scripted()])
    assert not failures
    found = record(position, opening, BLOCK, 1, tallies, [])
    assert (found.id, found.block, found.stage) == (BLOCK.game_id(1), "b10c", "main")
    assert (found.round, found.order, found.group, found.seating) == (3, 7, "depth=2", 1)
    assert found.opening == "startpos moves 1 2"
    assert found.plies == len(found.actions.split()) == position.ply - 2
    assert found.termination == NORMAL and found.outcomes == ""
    assert [seat.engine for seat in found.seats] == ["two", "one"]
    assert [seat.plies for seat in found.seats] == [len(t.move_ms) for t in tallies]
    assert [seat.nodes for seat in found.seats] == [10 * len(t.move_ms) for t in tallies]
    assert sum(seat.returns for seat in found.seats) == 1.0
    assert sorted(seat.rank for seat in found.seats) == sorted(ranks_of(position.returns()))


def test_the_digest_tells_lines_of_play_apart() -> None:
    def digest(opening: Opening, block: Block, *players: Player) -> str:
        position = set_up(small(), opening)
        _, tallies = play(position, list(players))
        return record(position, opening, block, 0, tallies, []).digest

    opening, other = Opening((0, 1), (0, 0)), Opening((1, 0), (0, 0))
    first = digest(opening, BLOCK, Scripted(), Scripted())
    elsewhere = Block("x", "other", "", 9, 9, ("three", "four"))
    assert digest(opening, elsewhere, Scripted(), Scripted()) == first
    assert digest(other, BLOCK, Scripted(), Scripted()) != first
    assert digest(opening, BLOCK, Scripted(2, lambda: Move(3)), Scripted()) != first


@pytest.mark.usefixtures("toys")
def test_chance_follows_the_block_and_the_ply_alone() -> None:
    game = parse_game("race[goal=30]")

    def outcomes(block: Block, seating: int) -> tuple[list[int], str]:
        position = Position(game)
        tallies = [Tally(), Tally()]
        play_game(position, [Scripted(), Scripted()], block.chance_seed, Rules(), tallies)
        found = record(position, Opening((), ()), block, seating, tallies, [])
        assert found.outcomes.split() == [str(o) for o in position.outcomes]
        return position.outcomes, found.digest

    assert outcomes(BLOCK, 0) == outcomes(BLOCK, 1)
    other = Block("another", "main", "", 0, 0, BLOCK.table)
    assert outcomes(other, 0) != outcomes(BLOCK, 0)
    assert len(set(outcomes(BLOCK, 0)[0])) > 1


def test_a_game_that_does_not_end_is_a_draw_at_max_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    game = small()
    monkeypatch.setattr(game, "max_plies", 5)
    position = Position(game)
    failures, _ = play(position, [Scripted(), Scripted()])
    assert not failures and position.ply == 5
    assert returns_of(position, failures) == ([0.5, 0.5], MAX_PLIES)


@pytest.mark.usefixtures("toys")
def test_three_players_share_what_a_failure_leaves() -> None:
    position = Position(parse_game("heap[stones=12]"))
    failures, _ = play(position, [Scripted(), Scripted(1, lambda: Move(5)), Scripted()])
    assert [failed.seat for failed in failures] == [1]
    assert returns_of(position, failures)[0] == [0.75, 0.0, 0.75]
    assert ranks_of([0.75, 0.0, 0.75]) == [1.5, 3.0, 1.5]


def test_ranks_average_ties() -> None:
    assert ranks_of([1.0, 0.0]) == [1.0, 2.0]
    assert ranks_of([0.5, 0.5]) == [1.5, 1.5]
    assert ranks_of([0.5, 1.0, 0.5, 0.0]) == [2.5, 1.0, 2.5, 4.0]


def test_a_file_tells_after_a_death_what_was_going_on(tmp_path: Path) -> None:
    notes = MappedInFlight(tmp_path)
    assert read_files(tmp_path) == []
    notes.game(task=4, seating=1)
    position = Position(small())
    play(position, [Scripted(), Scripted(3, raising(ValueError()))], inflight=notes)
    [doing] = read_files(tmp_path)
    assert (doing.task, doing.seating, doing.ply, doing.seat) == (4, 1, 3, 1)
    assert [action for action, _ in doing.moves] == position.moves
    notes.idle()
    assert read_files(tmp_path) == []
    notes.turn(0, 0)
    clear_files(tmp_path)
    assert read_files(tmp_path) == []


def test_the_file_has_its_place_on_the_disk_from_the_beginning(tmp_path: Path) -> None:
    """On a disk that is full later, a write to a mapping without one kills the worker: SIGBUS."""
    MappedInFlight(tmp_path)
    [file] = tmp_path.iterdir()
    assert file.stat().st_blocks * 512 >= file.stat().st_size == SIZE


def test_where_the_game_plays_on_a_failed_player_dies_and_the_others_finish() -> None:
    game = parse_game("tron[width=9,height=9,players=3]")
    start = game.start_text(4)

    def walks(position: Position) -> Move:
        return Move(position.legal_actions()[0])

    class Walker(Player):
        def choose(self, position: Position) -> Move:
            return walks(position)

    position = Position(game, start)
    players = [Walker(), Scripted(1, raising(ValueError("lost"))), Walker()]
    failures, tallies = play(position, players)
    assert [(f.seat, f.ply, f.kind) for f in failures] == [(1, 1, "crash")]
    assert position.over and position.moves[1] == game.on_failure["crash"]
    shares, termination = returns_of(position, failures)
    assert shares[1] == 0.0 and sorted(shares) == [0.0, 0.5, 1.0] and termination == NORMAL
    table = Block("b", "main", "", 0, 0, ("one", "two", "three"))
    found = record(position, Opening((), (), start), table, 0, tallies, failures)
    assert found.opening == start and found.actions.split()[1] == "DIES"
    assert [seat.failure for seat in found.seats] == ["", "crash", ""]
    assert [seat.rank for seat in found.seats][1] == 3.0
