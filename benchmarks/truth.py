"""Solved positions as a suite: the truth that networks and searches can be held against.

    python -m benchmarks.truth 'gopher[side=4]' gopher4.toml --evaluation mobility
    joute suite gopher4.toml 'puct:network=net.onnx,iterations=100' uct:milliseconds=20

Every other position comes from random moves, every other from a game of UCT against itself, at a ply
drawn at random. The successors are searched to the end of the game. A position is left out where one
cannot be within `--seconds`, and where all actions are worth the same: there nobody can be wrong.
What passes are the actions that keep the position's value.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import tomli_w

from joute.engines.engine import parse_engine, parse_game
from joute.engines.game import Game
from joute.engines.kernels.random import below, seed_of, stream
from joute.engines.player import Player
from joute.engines.position import Position
from joute.engines.record import WIN

DECIDED = WIN - 1e5  # a value beyond it is a win or a loss some plies away


def main() -> None:
    """Write the suite and say what was left out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("file", type=Path)
    parser.add_argument("--evaluation", required=True, help="sorts the actions of the solver")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all actions of a position")
    parser.add_argument("--guide", default="uct:iterations=300", help="who plays every other game")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    game = parse_game(asked.game)
    solver = parse_engine(
        f"{game.label}/alphabeta:evaluation={asked.evaluation},depth=60,deepening=on,"
        "ordering=evaluation,table=256,pvs=on"
    ).player()
    guide = parse_engine(f"{game.label}/{asked.guide}").player()
    cases, unsolved, equal, known, number = [], 0, 0, set[int](), 0
    while len(cases) < asked.count and number < 50 * asked.count:
        number += 1
        position = drawn(game, guide if number % 2 else None, seed_of(asked.seed, number))
        if position is None or position.key() in known:
            continue
        known.add(position.key())
        values = solved(position, solver, asked.seconds)
        if values is None:
            unsolved += 1
        elif len(set(values.values())) == 1:
            equal += 1
        else:
            best = max(values.values())
            passing = [game.action_text(a) for a, value in values.items() if value == best]
            remark = f"{'draw' if best == 0.5 else 'win' if best else 'loss'} at ply {position.ply}"
            cases.append(
                {"name": f"{len(cases) + 1}", "position": position.line(), "best": passing,
                 "remark": remark}
            )  # fmt: skip
    suite = {"game": game.label, "case": cases}
    asked.file.write_text(
        f"# {len(cases)} solved positions. Left out: {unsolved} not solved within {asked.seconds:g} s, "
        f"{equal} in which all actions are worth the same.\n\n{tomli_w.dumps(suite)}"
    )
    share = unsolved / max(1, unsolved + equal + len(cases))
    print(f"{asked.file}: {len(cases)} positions of {game.label}")
    print(f"left out: {unsolved} not solved ({share:.1%}), {equal} where all actions are equal")


def drawn(game: Game, guide: Player | None, seed: int) -> Position | None:
    """Return an unfinished position: played by `guide` after two random plies, or at random."""
    S, position = stream(seed), Position(game, game.start_text(seed))
    plies = int(below(S, game.max_plies))  # type: ignore[arg-type]
    if guide is not None:
        guide.new_game(seed, 0)
    while not position.over and position.ply < plies:
        random = guide is None or position.ply < 2
        action = position.sample_action(S) if random else guide.choose(position).action
        position.play(action)
    return None if position.over or len(position.legal_actions()) < 2 else position


def solved(position: Position, solver: Player, seconds: float) -> dict[int, float] | None:
    """Return the value for the side to move, 0, 1/2 or 1, after each action; None: no time."""
    ends, values = time.perf_counter() + seconds, dict[int, float]()
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        while not after.over and len(forced := after.legal_actions()) == 1:
            after.play(forced[0])  # a search plays it at once
        if after.over:
            values[action] = after.returns()[position.to_move]
            continue
        left = ends - time.perf_counter()
        if left <= 0:
            return None
        solver.new_game(0, after.to_move)
        solver.guard_ms = 1e3 * left
        value = solver.choose(after).value or 0.0
        if abs(value) < DECIDED and not (value == 0 and time.perf_counter() < ends):
            return None
        own = 0.5 if value == 0 else float(value > 0)
        values[action] = own if after.to_move == position.to_move else 1 - own
    return values


if __name__ == "__main__":
    main()
