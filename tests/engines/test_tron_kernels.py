"""Tron's kernels uncompiled and under bounds checking: the same answers as compiled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.test_kernels import ROOT, run

ANSWERS = """
import json
from engines import kernels
from engines.engine import parse_engine
from engines.position import Position

found = []
for game, spec in (
    ("width=5,height=5", "uct:evaluation=zones,iterations=9,ending=fill,fill_nodes=60"),
    ("width=6,height=5,players=3", "uct:evaluation=zones,chambers=on,parity=on,iterations=9"),
    ("width=5,height=4", "uct:evaluation=zones,eyes=one,score=difference,iterations=9"),
    ("width=5,height=5,players=4", "paranoid:evaluation=chambers,depth=3"),
    ("width=31,height=3,players=3", "maxn:evaluation=zones,depth=2"),
    ("width=5,height=4", "uct:iterations=9"),
):
    engine = parse_engine(f"tron[{game}]/{spec}")
    player = engine.player()
    for seed in range(2):
        position = Position(engine.game, engine.game.start_text(seed))
        players = [engine.player() for _ in range(engine.game.players)]
        for seat, player in enumerate(players):
            player.new_game(seed, seat)
        while not position.over and position.ply < 24:
            choice = players[position.to_move].choose(position)
            found.append([engine.text, seed, choice, position.key()])
            position.play(choice.action)
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
