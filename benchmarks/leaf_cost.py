"""What a leaf of self-play costs beside its network: the share of the bare network's rate that self-play reaches.

    python -m benchmarks.leaf_cost [--studies gopher-zero,connect4-zero] [--games 100] [--repeats 3]

One thread, in processor seconds, untaught networks. The bare network gets batches of the same size, all full,
of the positions that self-play asked for. Padding counts as cost.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from joute.engines.engine import parse_engine
from joute.engines.nets.numpy_reader import Singles
from joute.studies.kinds.train.prepare import Workshop
from joute.studies.kinds.train.selfplay_task import answers_of, net_of, tree_maker
from joute.studies.learning.onnx_file import write_net
from joute.studies.learning.planes import Planes
from joute.studies.learning.selfplay import play_games
from joute.studies.load import load_study

KEPT = 4000  # batches of positions that the bare network answers again


def main() -> None:
    """Print a line for each study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", default="gopher-zero,connect4-zero")
    parser.add_argument("--games", type=int, default=100, help="games of a task")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    for name in asked.studies.split(","):
        print(f"{name}: {measured(name, asked.games, asked.repeats)}", flush=True)


def measured(name: str, games: int, repeats: int) -> str:
    """Play games and ask the bare network, in turns; return the medians as a text."""
    shop = Workshop(load_study(name, []))
    plan = shop.plan.selfplay
    assert plan is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.onnx"
        write_net(file, shop.made, shop.first_weights(), shop.note())
        engine = parse_engine(shop.engine(file, selfplay=True).text)
        net, planes = net_of(engine), Planes(shop.game, shop.view)
        tree, kept = tree_maker(engine, planes, plan), list[Singles]()

        def ask(rows: Singles) -> tuple[Singles, Singles]:
            if len(kept) < KEPT:
                kept.append(rows.copy())
            return net.run(rows)

        answers = answers_of(engine, ask, plan)
        play_games(range(2), tree, answers, planes, plan, 1)  # compiles
        kept.clear()
        played, bare = list[float](), list[float]()
        for repeat in range(repeats):
            begun = time.thread_time()
            done = play_games(range(games), tree, answers, planes, plan, repeat)
            leaves = sum(game.calls for game in done)
            played.append((time.thread_time() - begun) / leaves)
            begun = time.thread_time()
            for rows in kept:
                net.run(rows)
            bare.append((time.thread_time() - begun) / sum(map(len, kept)))
    shares = [one / other for one, other in zip(bare, played, strict=True)]
    return (
        f"{1 / median(played):,.0f} positions/s in self-play, {1 / median(bare):,.0f} of the bare network "
        f"in batches of {plan.batch}: {100 * median(shares):.1f} %; a position costs {1e6 * median(bare):.1f} us "
        f"there and {1e6 * (median(played) - median(bare)):.1f} us besides"
    )


if __name__ == "__main__":
    main()
