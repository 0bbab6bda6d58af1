"""`puct` beside the bare calls of its network: the cost of the tree.

A search is timed, then the same batches again through `session.run` alone, already prepared.
Alternating, medians. Networks are residual with random weights, of the usual view.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from tabulate import tabulate

from joute.engines.engine import parse_engine
from joute.engines.nets.net import Note, load_net
from joute.engines.position import Position
from joute.engines.searches.puct import PuctPlayer
from joute.engines.view import view_of

REPEATS, MOVES = 15, 4
NETS = ((4, 64, 1.25), (1, 16, 1.5))  # blocks, filters, and how many times the bare calls we allow
GAMES = ("connect4", "gopher[side=6]", "go[size=9]")
KNOBS = ("iterations=200", "iterations=200,batch=8", "iterations=200,symmetry=random")


def main() -> None:
    """Print the table."""
    try:
        from joute.studies.learning.architecture import architecture_of
        from joute.studies.learning.onnx_file import write_net
        from joute.studies.learning.plan import NetPlan
    except ImportError as error:
        print(f"{error}: skipped (pip install torch onnx onnxruntime)")
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for label in GAMES:
            game = parse_engine(f"{label}/random").game
            view = view_of(game)
            for blocks, filters, target in NETS:
                made = architecture_of(NetPlan(blocks=blocks, filters=filters), view, game)
                file = Path(folder) / f"{game.name}-{blocks}-{filters}.onnx"
                write_net(file, made, made.weights(1), Note(game.label, view.name, view.values))
                for knobs in KNOBS:
                    rows.append(measured(f"{label}/puct:network={file},{knobs}", knobs, blocks))
                    rows[-1][1:2] = [f"{blocks} x {filters}"]
                    rows[-1].append(f"{target}")
    headers = ["game", "network", "knobs", "iterations a second", "a call, ms", "ratio", "allowed"]
    print(tabulate(rows, headers=headers, disable_numparse=True))


def measured(text: str, knobs: str, blocks: int) -> list[str]:
    """Return a row: search and bare calls over the first moves of a game, alternating."""
    engine = parse_engine(text)
    player = engine.player()
    assert isinstance(player, PuctPlayer)
    net = load_net(str(engine.values["network"]), engine.game)
    asked: list[Any] = []
    plain = net.run

    def noted(planes: Any) -> Any:
        asked.append(np.array(planes))
        return plain(planes)

    searching, calling, ratios, done = [], [], [], 0
    for repeat in range(REPEATS + 1):
        player._ask = noted
        first = play(engine, player, repeat)
        player._ask = plain
        begun = time.perf_counter()
        again = play(engine, player, repeat)
        searched = time.perf_counter() - begun
        assert first == again
        session = net._session
        begun = time.perf_counter()
        for planes in asked:
            session.run(["policy", "value"], {"planes": planes})
        called = time.perf_counter() - begun
        if repeat:  # the first one warms up
            searching.append(searched)
            calling.append(called / len(asked))
            ratios.append(searched / called)
            done = first
        asked.clear()
    rate = done / median(searching)
    return [
        *(engine.game.name, "", knobs, f"{rate:,.0f}", f"{1e3 * median(calling):.3f}"),
        f"{median(ratios):.2f}",
    ]


def play(engine: Any, player: PuctPlayer, seed: int) -> int:
    """Play some moves of a game; return the iterations."""
    position, done = Position(engine.game), 0
    player.new_game(seed, 0)
    for _ in range(MOVES):
        choice = player.choose(position)
        done += choice.nodes
        position.play(choice.action)
    return done


if __name__ == "__main__":
    main()
