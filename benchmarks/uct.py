"""UCT with random playouts on 12 x 6 against open_spiel's C++ MCTSBot, alternating in one process."""

from __future__ import annotations

import time
from statistics import median

from engines.engine import parse_engine
from engines.position import Position

ITERATIONS, REPEATS = 5000, 15


def main() -> None:
    try:
        import pyspiel
    except ImportError:
        print("open_spiel is not installed (pip install 'joute[bench]'): skipped")
        return
    engine = parse_engine(f"connect4[columns=12,rows=6]/uct:iterations={ITERATIONS},k=1.4")
    player, position = engine.player(), Position(engine.game)
    game = pyspiel.load_game("connect_four(rows=6,columns=12)")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 42)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, ITERATIONS, 2000, False, 42, False)
    state = game.new_initial_state()
    ours, theirs = [], []
    for seed in range(REPEATS):
        player.new_game(seed, 0)
        begun = time.perf_counter()
        assert player.choose(position).nodes == ITERATIONS
        ours.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        bot.step(state)
        theirs.append(time.perf_counter() - begun)
    ratio = median(t / o for o, t in zip(ours, theirs, strict=True))
    print(f"joute      {ITERATIONS / median(ours):12,.0f} iterations/s")
    print(f"open_spiel {ITERATIONS / median(theirs):12,.0f} iterations/s")
    print(f"ratio {ratio:.1f} x (target: at least 20 x)")


if __name__ == "__main__":
    main()
