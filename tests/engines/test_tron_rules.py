"""Tron against its slow twin: rules, perft, texts of positions, starts, deaths and returns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.commands._perft import perft
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position, parse_position
from tests.engines.slow_tron import Field, slow_of

GAMES = [
    "tron[width=5,height=4]",
    "tron[width=7,height=5,players=3]",
    "tron[width=6,height=6,players=4,starts=mirrored]",
    "tron[width=31,height=3]",
]


@settings(max_examples=40)
@given(st.sampled_from(GAMES), st.integers(0, 10_000), st.booleans())
def test_random_games_go_as_in_the_slow_twin(name: str, seed: int, suicides: bool) -> None:
    game = parse_game(name)
    position = Position(game, game.start_text(seed))
    slow, S = slow_of(position), stream(seed)
    while not position.over:
        assert position.to_move == slow.mover
        listed = position.legal_actions()
        assert listed == slow.actions()
        assert all(position.is_legal(a) for a in range(4)) and not position.is_legal(4)
        action = listed[int(below(S, np.uint64(len(listed))))]
        if suicides and below(S, np.uint64(15)) == 0:
            action = int(below(S, np.uint64(5)))
        position.play(action)
        slow.play(action)
        again = slow_of(position)
        assert {p: set(r) for p, r in again.ribbons.items()} == {
            p: set(r) for p, r in slow.ribbons.items()
        }
        assert {p: r[-1] for p, r in again.ribbons.items()} == {
            p: r[-1] for p, r in slow.ribbons.items()
        }
        for p, ribbon in slow.ribbons.items():
            assert game.start_cell(position.W, position.at, p) == ribbon[0]  # type: ignore[attr-defined]
        assert again.dead == slow.dead
    assert slow.over and position.returns() == slow.returns()
    assert position.ply <= game.max_plies


@pytest.mark.parametrize("name", GAMES[:3])
def test_perft_counts_as_the_slow_twin(name: str) -> None:
    game = parse_game(name)

    def count(slow: Field, depth: int) -> int:
        if depth == 0 or slow.over:
            return int(depth == 0)
        total = 0
        for action in slow.actions():
            after = slow.copy()
            after.play(action)
            total += count(after, depth - 1)
        return total

    for depth in range(1, 7):
        assert perft(Position(game), depth) == count(slow_of(Position(game)), depth)


def test_perft_of_the_open_field() -> None:
    # Everybody has four ways first, then three: nobody can meet that soon.
    assert [perft(Position(parse_game("tron")), d) for d in range(5)] == [1, 4, 16, 48, 144]


def test_a_death_frees_its_cells_at_once_and_the_others_play_on() -> None:
    game = parse_game("tron[width=5,height=5,players=3]")
    position = parse_position(game, "aaA2/1c3/bBC2/5/5 2")
    position.play(game.parse_action("UP"))  # B goes on to the cell above, which is free: alive
    position = parse_position(game, "aaA2/1c3/bBC2/5/5 2 0,0;0,2;1,1")
    position.play(game.parse_action("LEFT"))  # its own ribbon
    assert position.text() == "aaA2/1c3/2C2/5/5 3 0,0;-1;1,1"
    assert position.to_move == 2 and not position.over
    position.play(game.on_failure["crash"])
    assert position.text() == "aaA2/5/5/5/5 1 0,0;-1;-2"
    assert position.over and position.returns() == [1.0, 0.0, 0.5]


def test_starts_are_distinct_mirrored_and_follow_from_the_seed() -> None:
    for name in GAMES:
        game = parse_game(name)
        texts = {game.start_text(seed) for seed in range(40)}
        assert len(texts) > 20 and game.start_text(3) == game.start_text(3)
        for text in texts:
            position = Position(game, text)
            cells = [game.head(position.W, 0, p) for p in range(game.players)]  # type: ignore[attr-defined]
            assert len(set(cells)) == game.players
            if game.values["starts"] == "mirrored":
                (x, y), width, height = cells[0], game.width, game.height  # type: ignore[attr-defined]
                assert cells[1] == (width - 1 - x, height - 1 - y)


def test_keys_are_equal_for_mirror_images_and_differ_else() -> None:
    game = parse_game("tron[width=5,height=4]")
    one = Position(game, "5/1A3/3B1/5 1 1,1;3,2")
    images = ["5/3A1/1B3/5 1 3,1;1,2", "5/3B1/1A3/5 1 1,2;3,1", "5/1B3/3A1/5 1 3,2;1,1"]
    assert {Position(game, text).key() for text in images} == {one.key()}
    other = ["5/1A3/3B1/5 2 1,1;3,2", "5/1A3/2B2/5 1 1,1;2,2"]
    assert len({one.key(), *(Position(game, text).key() for text in other)}) == 3


def test_a_smaller_field_with_walls_is_walled_in() -> None:
    game = parse_game("tron[width=8,height=8]")
    position = parse_position(game, "A2/1#1/2B")
    assert position.text() == "A2/1#1/2B 1 0,0;2,2"
    assert position.draw().count("#") == 64 - 9 + 1
    position.play(game.parse_action("RIGHT"))
    assert [game.action_text(a) for a in position.legal_actions()] == ["UP", "LEFT"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5/5/5/5", "nobody is alive"),
        ("A4/4A/5/4B", "two heads A"),
        ("A4/4b/5/5", "a ribbon b without its head B"),
        ("A4/5/5/4B 3", "player '3' cannot be to move; allowed: 1, 2"),
        ("A4/5/5/4B 1 1,0;4,3", "'1,0' is no cell x,y of the ribbon of A"),
        ("A4/5/5/4B 1 0,0", "1 starts; there are 2 players"),
        ("A4/5/4B/5/5/5", "6 rows; the field has 4"),
        ("A5/5/5/4B", "row 1 has 6 cells, not 5"),
        ("A4/5/5/4C", "'C' in row 4; allowed: . # 0-9 ab AB"),
        ("A4/5/5/4B 1 0,0;4,3 more", "'more' is too much"),
        ("A4/5/5/5 1 0,0;-2", "'-2' for B, who is dead"),
    ],
)
def test_bad_positions_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_position(parse_game("tron[width=5,height=4]"), text)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_bad_actions_are_refused() -> None:
    game = parse_game("tron")
    for text in ("up", "dies", "1", ""):
        with pytest.raises(Refused, match="allowed: UP, DOWN, LEFT, RIGHT"):
            game.parse_action(text)
    # A stored game says DIES where a turn failed: it is read, but nobody may play it.
    died = game.parse_action("DIES")
    assert died == game.on_failure["crash"] and not Position(game).is_legal(died)
