"""The generator `threats`: its lists beside a slow twin, and the values of games searched to their end."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.connect4.threats import Threats
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.engines.record import WIN
from joute.engines.searches._table import DECIDED
from tests.support.marks import dear, dear_case, slow

SIZES = [
    slow(4, 4), (7, 6), pytest.param(12, 6, marks=dear), (16, 10),
    slow(5, 4), slow(9, 9), slow(5, 10), slow(16, 4),
]  # fmt: skip


def board(columns: int, rows: int) -> str:
    return f"connect4[columns={columns},rows={rows}]"


def positions(game: str, count: int, least: int = 0, most: int | None = None) -> Iterator[Position]:
    """Yield positions of random games that are not over."""
    rules, chance, S, found = parse_game(game), random.Random(game), stream(7), 0
    while found < count:
        position = Position(rules)
        position.wander(S, chance.randint(least, rules.max_plies if most is None else most))
        if not position.over:
            found += 1
            yield position


def listed(position: Position) -> list[int]:
    """What the generator lists."""
    game = position.game
    kernels = Threats().kernels(game, game.words, 0)
    A = np.full(game.slots + 1, -7, np.int64)
    n = int(kernels.actions(position.words(), 0, A, 0))
    assert 0 < n <= game.slots and A[-1] == -7
    return [int(a) for a in A[:n]]


def wins(position: Position) -> list[int]:
    """The actions that win for who moves."""
    mover = position.to_move
    return [a for a in position.legal_actions() if follow(position, a).status == mover + 1]


def follow(position: Position, action: int) -> Position:
    after = position.copy()
    after.play(action)
    return after


def forks(position: Position, action: int) -> bool:
    """Whether every answer to an action lets who played it win."""
    after = follow(position, action)
    return not after.over and all(wins(follow(after, a)) for a in after.legal_actions())


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_listed_are_wins_else_moves_that_do_not_lose_at_once(columns: int, rows: int) -> None:
    kinds = {"wins": 0, "lost": 0, "forks": 0, "others": 0}
    for position in positions(board(columns, rows), 60 if columns * rows > 100 else 200):
        found, case = listed(position), position.line()
        assert len(set(found)) == len(found) and set(found) <= set(position.legal_actions()), case
        holds = [
            a for a in position.legal_actions()
            if follow(position, a).over or not wins(follow(position, a))
        ]  # fmt: skip
        if winning := wins(position):
            kinds["wins"] += 1
            assert len(found) == 1 and found[0] in winning, case
        elif not holds:
            kinds["lost"] += 1
            assert len(found) == 1, case
        elif set(found) != set(holds):
            kinds["forks"] += 1
            assert len(found) == 1 and found[0] in holds and forks(position, found[0]), case
        else:
            kinds["others"] += 1
    met = {kind for kind, times in kinds.items() if times}
    assert {"wins", "others"} <= met and (columns != 7 or len(met) == 4), kinds


ENDS = [  # board, positions, plies that are left at most
    slow(4, 4, 60, 16),
    pytest.param(7, 6, 40, 10, marks=dear),
    pytest.param(12, 6, 10, 8, marks=dear),
    dear_case(5, 4, 120, 16),
    dear_case(6, 5, 60, 14),
    dear_case(7, 6, 200, 14),
    dear_case(4, 10, 20, 14),
    dear_case(16, 4, 20, 9),
]


@pytest.mark.parametrize(("columns", "rows", "count", "left"), ENDS)
def test_the_value_of_a_game_to_its_end_is_that_of_all_moves(
    columns: int, rows: int, count: int, left: int
) -> None:
    game, cells = board(columns, rows), columns * rows
    plain, threats, solver = (
        parse_engine(f"{game}/alphabeta:evaluation=static,depth={max(left, 2)}{more}").player()
        for more in ("", ",generator=threats", ",generator=threats,table=1,mtd=on,probing=on")
    )
    for position in positions(game, count, cells - left, cells - 1):
        expected = plain.choose(position).value
        for player in (threats, solver):
            player.new_game(0, 0)
            found = player.choose(position)
            assert found.value == expected, position.line()
            assert position.is_legal(found.action)
            after = follow(position, found.action)
            if not after.over:  # the action is worth it, too
                v = plain.choose(after).value or 0.0
                assert -v == expected + np.sign(expected), position.line()


@pytest.mark.parametrize(
    ("columns", "rows", "plies"), [(12, 6, 40), slow(9, 9, 45), slow(16, 10, 60)]
)
def test_wins_and_losses_within_a_depth_are_those_of_all_moves(
    columns: int, rows: int, plies: int
) -> None:
    game, decided = board(columns, rows), 0
    plain, threats = (
        parse_engine(f"{game}/alphabeta:evaluation=static,depth=5{more}").player()
        for more in ("", ",generator=threats")
    )
    for position in positions(game, 40, plies // 2, plies):
        values = [player.choose(position).value or 0.0 for player in (plain, threats)]
        if max(map(abs, values)) > DECIDED:
            decided += 1
            assert values[0] == values[1], position.line()
    assert decided > 10


@pytest.mark.slow
def test_a_lost_position_has_its_value_though_nothing_holds() -> None:
    position = parse_position(parse_game("connect4"), "startpos moves 4 1 5 1 3")  # 2 or 6 next
    assert len(listed(position)) == 1
    for help in ("", ",table=1,mtd=on,probing=on"):
        text = f"connect4/alphabeta:evaluation=static,depth=4,generator=threats{help}"
        assert parse_engine(text).player().choose(position).value == 2 - WIN


def test_a_table_is_allowed_for_a_generator_that_is_symmetric() -> None:
    parse_engine("connect4/alphabeta:evaluation=static,generator=threats,table=1")
    with pytest.raises(Refused, match="threats is for connect4, not for tron"):
        parse_engine("tron/alphabeta:evaluation=zones,generator=threats")


SOLVER = "alphabeta:evaluation=static,generator=threats,depth=30,table=4,mtd=on,probing=on"


@pytest.mark.slow
def test_twenty_positions_after_twelve_plies_are_solved_quickly() -> None:
    from benchmarks.solve import position_of

    solved = [-26, -28, 19, -22, 5, 27, 0, 0, 0, 1, -4, 3, -22, 1, 1, 29, -28, -28, 27, 27]
    player = parse_engine(f"connect4[columns=7,rows=6]/{SOLVER}").player()
    for seed, plies in enumerate(solved):
        player.new_game(0, 0)
        found = player.choose(position_of(seed))
        assert found.value == (0 if not plies else WIN - plies if plies > 0 else -WIN - plies)
        assert found.nodes < 4_000_000
