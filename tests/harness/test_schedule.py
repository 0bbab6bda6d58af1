"""Schedules: fair seatings, and ids and seeds that follow from what a block is alone."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice, pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.engines.errors import Refused
from joute.harness import schedule
from joute.harness.schedule import (
    LATIN_SQUARE,
    OWN_OPENINGS,
    Block,
    Schedule,
    gauntlet,
    opening_seed,
    round_robin,
    rounds_of,
    seatings,
)

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=4), min_size=2, max_size=6, unique=True)


def blocks_of(
    names: list[str], rounds: int, players: int = 2, seed: int = 1, stage: str = "main"
) -> list[Block]:
    tables = [("", table) for table in round_robin(names, players)]
    return list(Schedule(seed, "game[size=3]", stage, lambda number: tables, rounds))


@given(NAMES, st.integers(1, 5))
def test_every_pair_meets_equally_often_in_both_orders(names: list[str], rounds: int) -> None:
    games = [block.seats(s) for block in blocks_of(names, rounds) for s in range(len(seatings(2)))]
    assert Counter(games) == dict.fromkeys(permutations(names, 2), rounds)
    for seat in (0, 1):
        assert Counter(g[seat] for g in games) == dict.fromkeys(names, rounds * (len(names) - 1))


@given(NAMES, st.integers(3, 4), st.integers(1, 3))
def test_seats_are_balanced_for_more_players(names: list[str], players: int, rounds: int) -> None:
    blocks = blocks_of(names, rounds, players)
    games = [block.seats(s) for block in blocks for s in range(len(block.seatings))]
    if len(names) < players:  # each among copies of each other, once in every seat
        assert len(set(games)) * rounds == len(games)
        assert len(games) == rounds * players * len(names) * (len(names) - 1)
    together = Counter(frozenset(p) for g in games for p in permutations(g, 2) if len(set(p)) == 2)
    assert len(set(together.values())) == 1 and len(together) == len(names) * (len(names) - 1) // 2
    seats = Counter((seat, name) for g in games for seat, name in enumerate(g))
    assert len(set(seats.values())) == 1 and len(seats) == players * len(names)


def test_four_players_sit_in_a_row_complete_latin_square() -> None:
    for seat in range(4):
        assert sorted(row[seat] for row in LATIN_SQUARE) == [0, 1, 2, 3]
    neighbours = [pair for row in LATIN_SQUARE for pair in pairwise(row)]
    assert sorted(neighbours) == sorted(permutations(range(4), 2))
    assert seatings(4) == LATIN_SQUARE
    assert sorted(seatings(3)) == sorted(permutations(range(3)))
    for players in (1, 5):
        with pytest.raises(Refused, match=f"2 to 4 players, not {players}"):
            seatings(players)


@given(NAMES, st.randoms(use_true_random=False), st.integers(1, 4), st.integers(0, 4))
def test_ids_do_not_depend_on_order_rounds_or_others(
    names: list[str], random: object, rounds: int, more: int
) -> None:
    shuffled = [*names, "another"]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    few, many = blocks_of(names, rounds), blocks_of(shuffled, rounds + more)
    met = {(b.round, frozenset(b.table)): b for b in many}
    for block in few:
        twin = met[block.round, frozenset(block.table)]
        both = (block, twin)
        assert twin.id == block.id
        games = [{b.seats(s): (b.game_id(s), b.engine_seed(s, 0)) for s in (0, 1)} for b in both]
        assert games[0] == games[1]
        assert twin.chance_seed(3) == block.chance_seed(3)
    ids = [block.game_id(s) for block in many for s in (0, 1)]
    assert len(set(ids)) == len(ids)
    assert [block.order for block in many] == list(range(len(many)))


def test_ids_depend_on_seed_game_stage_and_round() -> None:
    base = blocks_of(["a", "b"], 2)
    others = [
        *blocks_of(["a", "b"], 2, seed=2),
        *blocks_of(["a", "b"], 2, stage="champions"),
        *Schedule(1, "game[size=4]", "main", lambda number: [("", ("a", "b"))], 2),
    ]
    assert len({b.id for b in (*base, *others)}) == 8


def test_a_gauntlet_meets_its_opponents_only() -> None:
    assert gauntlet(["a", "c"], ["b"], 2) == [("a", "b"), ("c", "b")]
    assert gauntlet(["a"], ["b"], 3) == [("a", "b", "b")]
    assert gauntlet(["a", "b"], ["b", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_the_games_of_a_table_with_copies_have_ids_of_their_own() -> None:
    block = Block("x", "main", "", 0, 0, ("b", "a", "a"))
    assert len({block.game_id(s) for s in range(len(block.seatings))}) == 3
    assert {block.seats(s) for s in range(3)} == {("b", "a", "a"), ("a", "b", "a"), ("a", "a", "b")}


def test_too_many_tables_are_refused() -> None:
    with pytest.raises(Refused, match=r"124750 tables of 2 a round are too many"):
        round_robin([str(i) for i in range(500)], 2)
    names = [str(i) for i in range(1000)]
    with pytest.raises(Refused, match="250000 tables of 2 a round are too many"):
        gauntlet(names[:500], names[500:], 2)
    with pytest.raises(Refused, match="166500 tables of 3 a round are too many"):
        rounds_of(names, 3, 1)


def test_too_many_tables_are_counted_and_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of 100,000 entrants would fill the memory."""
    monkeypatch.setattr(schedule, "combinations", None)
    with pytest.raises(Refused, match="4999950000 tables of 2"):
        round_robin([str(i) for i in range(100_000)], 2)


@given(st.integers(0, 100), st.text("ab", max_size=3))
def test_openings_are_shared_by_all_tables_from_round_30_on(number: int, stage: str) -> None:
    one, two = (opening_seed(1, stage, number, table) for table in (("a", "b"), ("a", "c")))
    assert (one == two) == (number >= OWN_OPENINGS == 30)
    assert one == opening_seed(1, stage, number, ("b", "a"))
    assert one != opening_seed(2, stage, number, ("a", "b"))
    assert one != opening_seed(1, stage + "x", number, ("a", "b"))


@pytest.mark.parametrize(("count", "players"), [(9, 4), (20, 4), (9, 3), (21, 3)])
def test_many_at_tables_of_three_and_four_are_dealt_evenly(count: int, players: int) -> None:
    names = [f"e{i:02}" for i in range(count)]
    rounds = rounds_of(names, players, seed=5)
    met, seats = Counter[tuple[str, str]](), Counter[str]()
    for number in range(10):
        tables = rounds(number)
        assert all(len(set(table)) == players for table in tables)
        met.update(tuple(sorted(p)) for table in tables for p in combinations(table, 2))  # type: ignore[misc]
        seats.update(name for table in tables for name in table)
    assert max(seats.values()) - min(seats.values()) <= 1
    assert len(met) == count * (count - 1) // 2
    mean = sum(met.values()) / len(met)
    assert 9 <= mean <= 16  # about once a round
    assert max(met.values()) - min(met.values()) <= mean
    assert met == Counter(
        tuple(sorted(p))
        for number in range(10)
        for table in rounds_of(names[::-1], players, seed=5)(number)
        for p in combinations(table, 2)
    )
    assert rounds_of(names, players, seed=6)(0) != rounds_of(names, players, seed=5)(0)


def test_few_at_tables_of_four_meet_in_every_way_there_is() -> None:
    assert sorted(rounds_of(list("abcdef"), 4, seed=1)(3)) == sorted(combinations("abcdef", 4))


def test_blocks_are_dealt_as_they_are_asked_for_and_left_out_where_they_are_done() -> None:
    tables = [("", ("a", "b")), ("", ("a", "c")), ("", ("b", "c"))]
    endless = Schedule(1, "game[size=4]", "main", lambda number: tables, 10**9)
    assert (len(endless), endless.games) == (3 * 10**9, 6 * 10**9)
    first = list(islice(endless, 9))
    assert [block.order for block in first] == list(range(9))
    done = bytearray([1, 0, 1, 1])
    assert list(islice(endless.blocks(done), 6)) == [first[1], *first[4:]]
