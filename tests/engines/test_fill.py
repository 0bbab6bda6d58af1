"""The ending `fill`: when it plays, and that its walks are as long as they can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import below, stream
from joute.engines.player import Move
from joute.engines.position import Position, parse_position
from tests.engines.slow_tron import longest_walk, slow_of

FIELD = "tron[width=9,height=7]"  # others need its kernels too
ENGINE = "/uct:evaluation=zones,iterations=5,ending=fill"


def walled(seed: int) -> Position:
    """A player alone in a 4 x 5 room with some walls, the other one behind the wall."""
    S = stream(seed)
    rows = [["#" if below(S, np.uint64(5)) == 0 else "." for _ in range(4)] for _ in range(5)]
    rows[int(below(S, np.uint64(5)))][int(below(S, np.uint64(4)))] = "A"
    text = "/".join("".join(row) + ("#4" if i else "#3B") for i, row in enumerate(rows))
    return on_field(text)


def on_field(text: str) -> Position:
    """Return a position of five rows, walls below."""
    return parse_position(parse_game(FIELD), f"{text}/{'#' * 9}/{'#' * 9}")


def walk(position: Position, text: str) -> list[Move]:
    """Play one side to its end; the other one waits."""
    player = parse_engine(text).player()
    player.new_game(3, 0)
    found = []
    while not position.over and position.to_move == 0:
        found.append(player.choose(position))
        position.play(found[-1].action)
        if position.over:
            break
        position.W[position.at + position.game.words - 1] ^= np.uint64(1)  # the other one passes
    return found


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_the_walk_is_the_longest_there_is(seed: int) -> None:
    position = walled(seed)
    best = longest_walk(slow_of(position))
    choices = walk(position, FIELD + ENGINE)
    assert len(choices) == best + 1  # the last action is death
    if best:
        assert choices[0].depth == best
        assert choices[0].value is None


@pytest.mark.slow
def test_a_sure_walk_is_followed_without_more_work() -> None:
    position = on_field("A3#3B/4#4/4#4/4#4/4#4")
    choices = walk(position, FIELD + ENGINE)
    assert [c.depth for c in choices[:-1]] == list(range(19, 0, -1))
    assert choices[0].nodes >= 19 and all(c.nodes == 0 for c in choices[1:19])


def test_the_search_plays_while_somebody_can_come_near() -> None:
    player = parse_engine(FIELD + ENGINE).player()
    for text, hands_over in (("A7B/9/9/9/9", False), ("A2#4B/3#5/3#5/3#5/3#5", True),
                             ("A2#4B/3#5/9/3#5/3#5", False)):  # fmt: skip
        player.new_game(1, 0)
        choice = player.choose(on_field(text))
        assert (choice.value is None) == hands_over, text


def test_a_player_without_a_way_leaves_the_last_move_to_the_search() -> None:
    player = parse_engine(FIELD + ENGINE).player()
    player.new_game(1, 0)
    choice = player.choose(on_field("A#6B/#8/9/9/9"))
    assert choice.action == 0


def test_small_budgets_still_walk_and_equal_seeds_walk_alike() -> None:
    text = FIELD + ENGINE + ",fill_nodes=10,fill_restarts=3"
    lines = []
    for _ in range(2):
        position = on_field("A3#3B/4#4/4#4/4#4/4#4")
        lines.append([c.action for c in walk(position, text)])
    assert lines[0] == lines[1] and len(lines[0]) > 10


@pytest.mark.slow
def test_an_ending_needs_its_game_and_a_search_that_hands_over() -> None:
    with pytest.raises(Refused, match="ending fill is for tron, not for connect4"):
        parse_engine("connect4/uct:iterations=10,ending=fill")
    with pytest.raises(Refused, match="ending"):
        parse_engine("tron/uct:iterations=10,ending=fil")
    with pytest.raises(Refused, match="human takes no ending"):
        parse_engine("tron/human:ending=fill")
    engine = parse_engine("tron/uct:iterations=10,ending=fill")
    assert "ending=fill" in engine.text and "fill_nodes=4000" in engine.text
    assert parse_engine(engine.text).text == engine.text
    assert engine.digest != parse_engine("tron/uct:iterations=10").digest
    plain = parse_engine("tron/uct:iterations=10,ending=none")
    assert plain.text == parse_engine("tron/uct:iterations=10").text
