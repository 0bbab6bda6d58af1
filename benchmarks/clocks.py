"""Games of a UCI engine against itself by the clock: who loses by time, and how far our measured time of
a move is from the time that the engine reports.

Workers on half of the processors play while busy loops load the other half. The engine must report its
time in its last line before the answer, as Stockfish does. Run as `python -m benchmarks.clocks [COMMAND]
[--games 1000] [--clock 1+0.01] [--workers N] [--idle]`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import Process

import numpy as np

from joute.engines.engine import Engine, parse_game
from joute.engines.games.chess.uci import side
from joute.engines.player import Move
from joute.engines.time_control import time_control
from joute.harness.match import Rules, Tally, play_game, set_up
from joute.harness.openings import OpeningRules, Openings
from joute.harness.schedule import Block

TARGET_MEDIAN_MS, TARGET_P99_MS = 2.0, 5.0
TIME = re.compile(r"\btime (\d{1,9})\b")


def main() -> None:
    """Play, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="?", default="stockfish")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--clock", default="1+0.01")
    parser.add_argument("--workers", type=int, default=max((os.cpu_count() or 2) // 2, 1))
    parser.add_argument("--idle", action="store_true", help="no load beside the games")
    given = parser.parse_args()
    if shutil.which(given.command) is None:
        raise SystemExit(f"{given.command} is not found")
    workers = given.workers
    shares = [range(i, given.games, workers) for i in range(workers)]
    with (
        load(0 if given.idle else (os.cpu_count() or 2) - workers),
        ProcessPoolExecutor(workers) as pool,
    ):
        jobs = [pool.submit(play, given.command, share, given.clock) for share in shares]
        played = [job.result() for job in jobs]
    gaps = [gap for one, _, _ in played for gap in one]
    ends = sum((some for _, some, _ in played), Counter[str]())
    plies = sum(count for _, _, count in played)
    print(f"{workers} workers of {os.cpu_count()} processors")
    print(
        f"{given.games} games of {given.command} at {given.clock}, {plies} plies; ends: {dict(ends)}"
    )
    low, middle, high = np.percentile(gaps, [1, 50, 99])
    print(
        f"measured less reported: median {middle:.2f} ms (at most {TARGET_MEDIAN_MS:g}), 99 % "
        f"{high:.2f} ms (at most {TARGET_P99_MS:g}), 1 % {low:.2f} ms, most {max(gaps):.1f} ms"
    )


def follow_times() -> list[int]:
    """Let the reading of answers keep the time that the engine reports; return the list of them."""
    reported: list[int] = []
    told = side.told

    def keeping(action: int, said: list[str]) -> Move:
        times = [int(match[1]) for line in said if (match := TIME.search(line))]
        reported.append(times[-1] if times else -1)
        return told(action, said)

    side.told = keeping
    return reported


def play(command: str, numbers: Sequence[int], clock: str) -> tuple[list[float], Counter[str], int]:
    """Play the games of these numbers; return measured less reported milliseconds of the moves, the
    failures by kind, and the plies.
    """
    reported, game = follow_times(), parse_game("chess")
    options = "Threads=1; Hash=16"
    settings = {"search": "process", "command": command, "protocol": "uci", "options": options}
    engine = Engine(game, settings)
    players = [engine.player(clocks=True), engine.player(clocks=True)]
    openings = Openings(game, 1, OpeningRules(8))
    rules = Rules(clock=time_control(clock), void_starved=False)
    gaps, ends, plies = list[float](), Counter[str](), 0
    for number in numbers:
        opening = openings.of(Block("", "main", "", number, number, ("a", "b")))
        position, tallies = set_up(game, opening), [Tally(), Tally()]
        for seat, player in enumerate(players):
            player.new_game(number, seat)
        reported.clear()
        begun = position.to_move
        failures = play_game(position, players, lambda ply: 0, rules, tallies)
        ends.update([failures[-1].kind if failures else "regular"])
        for failed in failures:
            print(f"game {number}: {failed}", flush=True)
        turns = [iter(tally.move_ms) for tally in tallies]
        for n, ms in enumerate(reported):
            measured = next(turns[(begun + n) % 2], None)
            if measured is not None and ms >= 0:
                gaps.append(measured - ms)
        plies += len(reported)
        if number % 100 == 99:
            print(f"game {number + 1}, median gap {np.median(gaps):.2f} ms", flush=True)
    for player in players:
        player.close()
    return gaps, ends, plies


@contextmanager
def load(loops: int) -> Iterator[None]:
    """Keep so many processors busy."""
    processes = [Process(target=spin, daemon=True) for _ in range(loops)]
    for process in processes:
        process.start()
    yield
    for process in processes:
        process.terminate()


def spin() -> None:
    """Count for ever."""
    while True:
        pass


if __name__ == "__main__":
    main()
