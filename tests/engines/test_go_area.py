"""The evaluation `area`: the score as a slow twin counts it, and what small boards are worth by search."""

from __future__ import annotations

import random

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.games.go.area import Area
from joute.engines.games.go.go import Go
from joute.engines.kernels.compile import U
from joute.engines.kernels.random import stream
from joute.engines.position import Position
from tests.support.marks import slow

# Black's points with best play, area scoring and superko: docs/measured/go.md.
WORTH = [
    slow("columns=3,rows=1", 3, 14),
    slow("columns=4,rows=1", 4, 14),
    slow("size=2", 1, 22),
    slow("size=3", 9, 20),
]


@pytest.mark.parametrize(("shape", "points", "depth"), WORTH)
def test_a_board_is_won_with_less_komi_and_lost_with_more(
    shape: str, points: int, depth: int
) -> None:
    for komi, sign in ((points - 0.5, 1), (points + 0.5, -1)):
        game = parse_game(f"go[{shape},komi={komi}]")
        engine = parse_engine(f"{game.label}/alphabeta:evaluation=area,depth={depth}")
        value = engine.player().choose(Position(game)).value
        assert value is not None and sign * value > 1e9  # a proof: the end of every line was seen


@pytest.mark.slow
def test_a_search_to_the_end_of_every_line_says_by_how_much() -> None:
    game = parse_game("go[size=2,komi=1.5]")
    engine = parse_engine(f"{game.label}/expectiminimax:evaluation=area,depth=18")
    assert engine.player().choose(Position(game)).value == 1 - 1.5


@pytest.mark.parametrize("name", ["go[size=5]", slow("go[size=9,rules=japanese,komi=0.5]")])
def test_it_is_the_score_and_what_liberties_are_worth(name: str) -> None:
    game, rng, S = parse_game(name), random.Random(name), stream(9)
    assert isinstance(game, Go)
    kernels = Area().kernels(game, 0)
    assert kernels.final is not None
    for _ in range(80):
        position = Position(game)
        position.wander(S, rng.randrange(60))
        cells, sign = game.cells(position.W, position.at), 1 - 2 * (position.ply % 2)
        room = 0
        for cell in (c for c, holds in enumerate(cells) if not holds):
            beside = {cells[n] for n in game.beside[cell]}
            room += (1 in beside) - (2 in beside)
        lead = game.lead(position.W, position.at)
        at, P = U(position.at), np.array([0.25])
        assert kernels.final(position.W, at, P) == sign * lead
        assert kernels.value(position.W, at, P) == sign * (lead + 0.25 * room)
