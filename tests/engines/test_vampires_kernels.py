"""The kernels of Vampires vs Werewolves uncompiled and under bounds checking: the same answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.test_kernels import ROOT, run

ANSWERS = """
import json
from engines import kernels
from engines.engine import parse_engine
from engines.position import Position

langorou = "expectiminimax:evaluation=langorou,win_threshold=0.8,max_groups=3"
found = []
for game, spec, games in (
    ("random:vamperouge", langorou + ",depth=2,nodes=80", 4),
    ("random:langorou", langorou + ",depth=2,nodes=80,window=shared,ties=last", 2),
    ("random:twilight:20x18:6:5", langorou + ",depth=1,groups=0.1,cum_score=0.01", 2),
    ("random:vamperouge", "uct:evaluation=langorou,iterations=9,max_groups=3", 2),
    ("random:vamperouge", "uct:iterations=3", 1),
):
    engine = parse_engine(f"vampires[map={game},plies=60]/{spec}")
    for seed in range(games):
        position = Position(engine.game, engine.game.start_text(seed))
        players = [engine.player() for _ in range(engine.game.players)]
        for seat, player in enumerate(players):
            player.new_game(seed, seat)
        while not position.over and position.ply < 16:
            choice = players[position.to_move].choose(position)
            found.append([engine.text, seed, choice, position.key()])
            position.play(choice.action, position.draw_outcome(choice.action, position.ply))
print(json.dumps({"jit": kernels.JIT, "found": found}))
"""


@pytest.fixture(scope="module")
def compiled() -> Any:
    result = run(ANSWERS, ROOT)
    assert result["jit"]
    return result["found"]


def test_uncompiled_kernels_give_the_same_answers(compiled: Any) -> None:
    result = run(ANSWERS, ROOT, NUMBA_DISABLE_JIT="1")
    assert not result["jit"]
    assert result["found"] == compiled


def test_bounds_checked_kernels_give_the_same_answers(compiled: Any) -> None:
    cache = ROOT / ".cache" / "numba-boundscheck"
    result = run(ANSWERS, ROOT, NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(cache))
    assert result["found"] == compiled
