"""Openings: distinct up to symmetry, refused when they run out, balanced on demand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.harness.match import set_up
from joute.harness.openings import Opening, OpeningRules, Openings, random_plies
from joute.harness.schedule import Block, Schedule
from tests.support.marks import slow

SMALL = "connect4[columns=4,rows=4]"
TABLES = [("", ("a", "b")), ("", ("a", "c"))]


def blocks(rounds: int, game: str = SMALL) -> list[Block]:
    return list(Schedule(3, game, "main", lambda number: TABLES, rounds))


def dealt(rounds: int, rules: OpeningRules, game: str = SMALL) -> list[tuple[Block, Opening]]:
    openings = Openings(parse_game(game), 3, rules)
    return [(block, openings.of(block)) for block in blocks(rounds, game)]


def test_the_openings_of_a_table_are_distinct_up_to_symmetry() -> None:
    game = parse_game(SMALL)
    found = dealt(20, OpeningRules(plies=4))
    for _, table in TABLES:
        keys = [set_up(game, opening).key() for block, opening in found if block.table == table]
        assert len(keys) == len(set(keys)) == 20
    assert all(len(opening.actions) == 4 for _, opening in found)
    assert not any(set_up(game, opening).over for _, opening in found)


def test_openings_that_run_out_are_refused_with_their_number() -> None:
    """After one ply a board of four columns has two positions that no mirror image makes equal."""
    openings = Openings(parse_game(SMALL), 3, OpeningRules(plies=1))
    one, two, three = (block for block in blocks(3) if block.table == ("a", "b"))
    assert openings.of(one) != openings.of(two)
    with pytest.raises(
        Refused, match=r"only 2 distinct openings of 1 plies were found for connect"
    ):
        openings.of(three)
    bare = Openings(parse_game(SMALL), 3, OpeningRules(plies=0))
    assert bare.of(one) == Opening((), ())
    with pytest.raises(Refused, match="only 1 distinct openings of 0 plies"):
        bare.of(two)


@pytest.mark.parametrize(
    ("game", "plies", "said"),
    [
        (SMALL, 1, "or more plies (openings.plies)"),
        ("gopher[side=2]", 6, "or fewer plies (openings.plies): of 1 there are 2 at least"),
        slow("dodo[side=2]", 9, "or fewer plies (openings.plies): of 4 there are 2 at least"),
        slow("go[columns=2,rows=1]", 0, "or more plies (openings.plies)"),
    ],
)
def test_who_has_too_few_openings_is_told_what_helps(game: str, plies: int, said: str) -> None:
    with pytest.raises(Refused) as refused:
        dealt(40, OpeningRules(plies=plies), game)
    assert str(refused.value).endswith(f"; ask for fewer blocks {said}")


def test_too_few_openings_are_foreseen_and_many_are_not_drawn_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two plies in four columns make 16 boards, mirror images of each other: 8 openings."""
    few = OpeningRules(plies=2)
    Openings(parse_game(SMALL), 3, few).foresee("", 8)
    for rounds in (9, 200, 4_000):
        with pytest.raises(Refused, match="only 8 distinct openings of 2 plies"):
            Openings(parse_game(SMALL), 3, few).foresee("", rounds, ("a", "b"))
    drawn = []
    monkeypatch.setattr(
        "joute.harness.openings.random_plies",
        lambda *given: drawn.append(given) or random_plies(*given),
    )
    Openings(parse_game("go[size=9]"), 3, OpeningRules(plies=6)).foresee("", 4_000)
    assert len(drawn) < 600


def test_growing_openings_get_longer_when_they_run_out_and_say_so() -> None:
    game = parse_game(SMALL)
    said: list[str] = []
    mine = [block for block in blocks(30) if block.table == ("a", "b")]
    openings = Openings(game, 3, OpeningRules(plies=1), growing=True, say=said.append)
    found = [openings.of(block) for block in mine]
    keys = {set_up(game, opening).key() for opening in found}
    assert len(keys) == 30
    lengths = [len(opening.actions) for opening in found]
    assert lengths == sorted(lengths) and lengths[:3] == [1, 1, 2] and lengths[-1] > 2
    assert said[0] == (
        "all 2 distinct openings of fewer plies are used; "
        "from block 3 an opening has 2 random plies"
    )
    again = Openings(game, 3, OpeningRules(plies=1), growing=True)
    assert [again.of(block) for block in reversed(mine)] == found[::-1]


def test_openings_are_the_same_in_any_order_of_asking() -> None:
    rules = OpeningRules(plies=4)
    found = dealt(6, rules)
    openings = Openings(parse_game(SMALL), 3, rules)
    assert [(block, openings.of(block)) for block, _ in reversed(found)] == found[::-1]


def test_late_rounds_share_their_opening_and_early_ones_do_not() -> None:
    game = "connect4[columns=7,rows=6]"
    found = dealt(40, OpeningRules(plies=8), game)
    by_round: dict[int, list[Opening]] = {}
    for block, opening in found:
        by_round.setdefault(block.round, []).append(opening)
    assert all(one != two for number, (one, two) in by_round.items() if number < 30)
    assert all(one == two for number, (one, two) in by_round.items() if number >= 30)


def test_balanced_openings_are_within_their_bound() -> None:
    text = "connect4[columns=7,rows=6]"
    judge = parse_engine(f"{text}/alphabeta:evaluation=static,depth=1")

    def worth(opening: Opening) -> float:
        player = judge.player()
        player.new_game(0, 0)
        value = player.choose(set_up(judge.game, opening)).value
        assert value is not None
        return abs(value)

    level = dealt(12, OpeningRules(6, judge, 2.0), text)
    assert max(worth(opening) for _, opening in level) <= 2.0
    assert max(worth(opening) for _, opening in dealt(12, OpeningRules(6), text)) > 2.0
    with pytest.raises(Refused, match="distinct balanced openings of 6 plies"):
        dealt(12, OpeningRules(6, judge, -1.0), text)
    silent = parse_engine(f"{text}/random")
    with pytest.raises(Refused, match=r"openings\.balanced_by: .*random returns no value"):
        dealt(1, OpeningRules(6, silent, 1.0), text)


@given(st.sets(st.integers(0, 19)), st.booleans())
@settings(max_examples=25)
def test_openings_that_are_taken_over_are_those_that_would_be_drawn(
    stored: set[int], shared: bool
) -> None:
    """A run that goes on knows some of its openings, in whatever rounds: nothing else changes."""
    rules, game = OpeningRules(plies=2), parse_game(SMALL)
    fresh = Openings(game, 3, rules, growing=True)
    wanted = [fresh.of(block, shared) for block in blocks(20)]
    again = Openings(game, 3, rules, growing=True)
    dealt = list(zip(blocks(20), wanted, strict=True))
    for _, table in TABLES:
        known = [
            (block.round, opening.key, opening.draw)
            for block, opening in dealt
            if block.table == table and block.round in stored
        ]
        again.take_over("main", table, *np.array(known, np.int64).reshape(-1, 3).T, shared)
    assert [again.of(block, shared) for block in blocks(20)] == wanted
