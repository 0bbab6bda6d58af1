"""Kernels uncompiled and under bounds checking: the same answers as compiled, in every game."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.marks import ASKED, WHY, quick
from tests.support.processes import run_script
from tests.support.runs import ROOT

CONNECT4 = """
import json, os
from joute.engines.kernels import compile
from joute.engines.engine import parse_engine
from joute.engines.position import parse_position

found = []
TABLED = "static,table=1,pvs=on,killers=2,ordering=history,deepening=on,aspiration=2"
SOLVER = "static,generator=threats,table=1,mtd=on,probing=on"
for size, asked, lines in (  # boards of one, two and three words; every setting somewhere
    ("columns=4,rows=4", ("static", "lines", "lines,reading=C,width=0.4", TABLED, SOLVER), ["", "1 2 3 2 1 1"]),
    ("columns=7,rows=6", ("static,width=0.6", SOLVER), ["4 4 4 4 3", "1 1 1 1 1 1 7 7 7 7 7 7 2 3"]),
    ("columns=12,rows=6", ("lines", SOLVER), ["6 6 7 8 5", "1 12 2 11 9 8 9 10 9 9"]),
    ("columns=16,rows=10", ("static", "lines,reading=C,width=0.4", SOLVER), ["8 9 16 16"]),
)[: None if "JOUTE_LONG" in os.environ else 1]:
    for settings in asked:
        depth = 3 if size < "columns=13" or "width" in settings else 2
        text = f"connect4[{size}]/alphabeta:evaluation={settings},depth={depth}"
        engine = parse_engine(text)
        player = engine.player()
        for line in lines:
            position = parse_position(engine.game, f"startpos moves {line}")
            choice = player.choose(position)
            found.append([text, line, choice, position.key()])
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

TRON = """
import json
from joute.engines.kernels import compile
from joute.engines.engine import parse_engine
from joute.engines.position import Position

found = []
for game, spec in (
    ("width=5,height=5", "uct:evaluation=zones,score=difference,iterations=9,ending=fill,fill_nodes=60"),
    ("width=5,height=5,players=4", "paranoid:evaluation=chambers,depth=3"),
    ("width=5,height=5", "uct:evaluation=zones,iterations=9,ending=walk,walk_nodes=60"),
    ("width=31,height=3,players=3", "maxn:evaluation=zones,eyes=one,depth=2"),
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
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

VAMPIRES = """
import json
from joute.engines.kernels import compile
from joute.engines.engine import parse_engine
from joute.engines.position import Position

langorou = "expectiminimax:evaluation=langorou,win_threshold=0.8,max_groups=3"
found = []
for game, spec, games in (
    ("random:vamperouge", langorou + ",depth=2,nodes=80", 4),
    ("random:vamperouge", langorou + ",depth=3,nodes=80,table=1,killers=2,history=on", 2),
    ("random:twilight:20x18:6:5", langorou + ",depth=1,groups=0.1,cum_score=0.01", 2),
    ("random:vamperouge", "uct:evaluation=langorou,iterations=9,max_groups=3", 2),
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
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

GO = """
import json
from joute.engines.kernels import compile
from joute.engines.kernels.random import stream
from joute.engines.engine import parse_engine
from joute.engines.position import Position

found = []
for game, wild, iterations in (  # boards of one, two and six words
    ("columns=2,rows=1", 0, 9), ("size=3", 0, 9),
    ("columns=9,rows=8,rules=japanese", 99, 2), ("size=19", 500, 1),
):
    knobs = ",generator=policy,mercy=20,rave=on,bandit=tuned,unvisited=urgency"
    knobs = knobs if game in ("size=3", "columns=9,rows=8,rules=japanese") else ""
    engine = parse_engine(f"go[{game}]/uct:iterations={iterations}{knobs}")
    S = stream(3)
    for seed in range(2):
        position, player = Position(engine.game), engine.player()
        player.new_game(seed, 0)
        position.wander(S, wild)
        while not position.over and position.ply < wild + (8 if wild else 40):
            choice = player.choose(position)
            found.append([engine.text, seed, choice, position.key(), position.legal_actions()])
            position.play(choice.action)
            if not position.over:
                position.play(position.sample_action(S))
        found.append([position.text(), position.returns() if position.over else 0])
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

VIEWS = """
import hashlib, json
from joute.engines.kernels import compile
from joute.engines.kernels.random import next_word, stream
from joute.engines.view_text import parse_view
from joute.harness.conformance.view_rules import Line, Seen

found = []
for text in (  # boards of one word and more, every setting somewhere
    "discs of connect4[columns=7,rows=6]", "discs of connect4[columns=12,rows=6]",
    "stones of gopher[side=3]", "stones[marks=playable] of gopher[side=6]",
    "checkers of dodo[side=3]", "checkers[marks=board] of dodo[side=7]",
    "goban[history=3] of go[size=3]", "goban[history=1] of go[columns=9,rows=8,rules=japanese]",
    "ribbons of tron[width=5,height=4]", "ribbons of tron[width=31,height=3]",
    "units of vampires[plies=40]",
    "units[unit=7,edge=seen,corner=any] of vampires[map=random:vamperouge,plies=40]",
):
    view, [game] = parse_view(text)
    seen, S = Seen(view, game), stream(5)
    for seed in range(2):
        line = Line(seen, game.start_text(seed))
        while not line.over() and line.ply < 24:
            planes, actions = line.planes(), line.actions()
            digest = hashlib.sha256(planes.tobytes()).hexdigest()
            found.append([text, seed, digest, float(planes.sum()), actions, line.entries()])
            action = actions[int(next_word(S)) % len(actions)]
            line.play(action, line.outcome(action, int(next_word(S))))
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

PUCT = """
import json
import joute.engines.nets.network as network
import joute.engines.searches.puct as puct
from joute.engines.kernels import compile
from joute.engines.engine import parse_engine
from joute.engines.position import Position
from tests.support.fake_net import FakeNet

nets = {}
puct.load_net = network.load_net = lambda name, game: nets.setdefault(game.label, FakeNet(game))
found = []
for text in (  # games that look back and of chance, and every kind of round
    "connect4[columns=5,rows=4]/puct:iterations=20,unvisited=parent,growth=1,symmetry=random,batch=3",
    "gopher[side=3]/puct:iterations=12,symmetry=every,batch=2", "dodo[side=3]/puct:iterations=12",
    "go[size=3]/puct:iterations=16,root=gumbel,gumbel_noise=1",
    "vampires[plies=30]/puct:generator=vamperouge,iterations=9",
    "tron[width=5,height=4]/uct:evaluation=network,iterations=8",
    "connect4[columns=5,rows=4]/alphabeta:evaluation=network,depth=2",
):
    engine = parse_engine(text + ",network=fake")
    position = Position(engine.game, engine.game.start_text(1))
    players = [engine.player() for _ in range(2)]
    for seat, player in enumerate(players):
        player.new_game(3, seat)
    while not position.over and position.ply < 12:
        choice = players[position.to_move].choose(position)
        found.append([engine.text, choice, position.key()])
        position.play(choice.action, position.draw_outcome(choice.action, position.ply))
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

CHESS = """
import json
from joute.engines.kernels import compile
from joute.engines.engine import parse_engine
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position

found = []
ENDING = "8/2P3k1/8/3pP3/8/8/5K2/8 w - d6 0 40"
for game, settings, start in (
    ("chess", "material,depth=2", "startpos"),
    ("chess", "tapered,depth=2,quiescence=on,pvs=on,killers=2,ordering=history,table=1,null_move=2", ENDING),
    ("chess[chess960=on]", "tapered,depth=1,quiescence=on,mtd=on", "nrk1bbqr/8/8/8/8/8/8/NRK1BBQR w HBhb - 0 1"),
):
    engine = parse_engine(f"{game}/alphabeta:evaluation={settings}")
    position = parse_position(engine.game, start)
    player = engine.player()
    player.new_game(1, 0)
    for ply in range(2):
        choice = player.choose(position)
        found.append([engine.text, choice, position.key(), position.legal_actions()])
        position.play(choice.action)
    wandered = Position(engine.game, engine.game.start_text(7))
    wandered.wander(stream(5), 12)
    found.append([wandered.text(), wandered.status, wandered.key()])
print(json.dumps({"jit": compile.JIT, "found": found}))
"""

SCRIPTS = {
    "connect4": CONNECT4,
    "tron": TRON,
    "vampires": VAMPIRES,
    "go": GO,
    "views": VIEWS,
    "puct": PUCT,
    "chess": CHESS,
}


@pytest.fixture(scope="module")
def compiled(request: pytest.FixtureRequest) -> tuple[str, Any]:
    """A script and its answers, compiled."""
    script = SCRIPTS[request.param]
    result = run_script(script, ROOT)
    assert result["jit"]
    return script, result["found"]


@pytest.mark.parametrize(
    "compiled",
    quick(SCRIPTS, dear=("tron", "vampires", "puct", "chess").__contains__),
    indirect=True,
)
def test_uncompiled_kernels_give_the_same_answers(compiled: tuple[str, Any]) -> None:
    script, found = compiled
    result = run_script(script, ROOT, NUMBA_DISABLE_JIT="1")
    assert not result["jit"]
    assert result["found"] == found


@pytest.mark.parametrize(
    "compiled", quick(SCRIPTS, dear=("views", "puct").__contains__), indirect=True
)
def test_bounds_checked_kernels_give_the_same_answers(compiled: tuple[str, Any]) -> None:
    # In a cache that stays, for this costs a minute when it is cold; the dearest only when asked, and
    # not optimised, which takes longest and moves no bound.
    script, found = compiled
    if script in (GO, TRON, VAMPIRES, CHESS) and not ASKED:
        pytest.skip(WHY)
    cache = ROOT / ".cache" / "numba-boundscheck"
    result = run_script(
        script, ROOT, NUMBA_BOUNDSCHECK="1", NUMBA_OPT="0", NUMBA_CACHE_DIR=str(cache)
    )
    assert result["found"] == found
