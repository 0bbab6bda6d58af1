"""Crowded boards of Vampires vs Werewolves, on which hardly a turn is legal."""

from __future__ import annotations

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import stream
from joute.engines.player import PlayerFailure
from joute.engines.position import parse_position
from tests.support.marks import quick

CROWDS = [
    "3x1 V10@0,0 H250@1,0 W255@2,0 turn V",
    "3x1 V200@0,0 H200@1,0 W1@2,0 turn V",
    "3x3 V200@0,0 H250@1,0 H250@0,1 H250@1,1 W200@2,2 turn V",
]
FULL = "3x1 V255@0,0 H255@1,0 W255@2,0 turn V"
ENGINES = ["random", "expectiminimax:evaluation=langorou,depth=2", "uct:iterations=9"]


@pytest.mark.parametrize("board", CROWDS)
@pytest.mark.parametrize("engine", quick(ENGINES, "random".__eq__))
def test_a_single_unit_goes_where_no_group_can(board: str, engine: str) -> None:
    made = parse_engine(f"vampires/{engine}")
    player = made.player()
    player.new_game(1, 0)
    position = parse_position(made.game, board)
    action = player.choose(position).action
    assert position.is_legal(action)
    if "expecti" in engine:
        assert made.game.action_text(action).endswith(":1")


def test_a_drawn_turn_is_legal_in_a_crowd() -> None:
    game = parse_game("vampires")
    rules = parse_engine("vampires/uct:iterations=9").generator.kernels(game, 0, 8)
    for board in CROWDS:
        position = parse_position(game, board)
        W = np.zeros(game.words, np.uint64)
        W[:] = position.words()
        code = rules.sample(W, 0, np.zeros(game.slots, np.int64), 0, stream(1))
        assert position.is_legal(game.decode(position.W, position.at, code))


def test_where_nothing_is_legal_the_player_fails_and_says_so() -> None:
    made = parse_engine(f"vampires/{ENGINES[1]}")
    with pytest.raises(PlayerFailure, match="no legal action"):
        made.player().choose(parse_position(made.game, FULL))


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("(5,4)>(4,4):4", "4 units leave"),
        ("(0,0)>(1,0):1", "holds no group"),
        ("(5,4)>(6,4):1", "off the board"),
        ("(5,4)>(4,4):1+(4,4)>(3,4):1", "holds no group"),
    ],
)
def test_an_illegal_turn_is_told_with_the_rule_it_breaks(turn: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        parse_position(parse_game("vampires"), f"startpos moves {turn}")
