"""Plies a second of matches between two instant UCI engines: ours beside fastchess, and our own CPU time a
ply.

The engine is a program that answers `go` at once, such as a file of `joute export --to cpp --engine
chess/alphabeta:evaluation=material,depth=1`, compiled. Both tools play the same openings; the time of a
match of two games is taken off as start-up. Run as `python -m benchmarks.uci_speed "PROGRAM --protocol
uci" [--fastchess PATH] [--games 1000]`. fastchess ends in whole seconds, so short matches say little.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from joute.engines.engine import Engine, parse_game
from joute.harness.match import Rules, Tally, play_game, set_up
from joute.harness.openings import OpeningRules, Openings, random_plies
from joute.harness.schedule import Block
from joute.results.store import Store

ROUNDS = 3
TARGET_US = 50.0  # of our own CPU time a ply
MOVES = re.compile(r"[a-h][1-8]|O-O")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("--fastchess", default="")
    parser.add_argument("--games", type=int, default=1000)
    given = parser.parse_args()
    cpu, wall = loop(given.engine)
    print(
        f"our CPU time a ply {cpu:.0f} us (at most {TARGET_US:g}), wall {wall:.0f} us, both engines included"
    )
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book.epd"
        book.write_text("\n".join(fens(given.games)))
        for workers in (1, 2):
            rates: dict[str, list[float]] = {}
            for n in range(ROUNDS):
                place = Path(folder) / f"{workers}-{n}"
                play = partial(ours, given.engine, workers, book, place)
                rates.setdefault("joute", []).append(rate(given.games, play))
                if given.fastchess:
                    play = partial(theirs, given.fastchess, given.engine, workers, book, place)
                    rates.setdefault("fastchess", []).append(rate(given.games, play))
            told = ", ".join(f"{name} {median(found):,.0f}" for name, found in rates.items())
            print(
                f"{workers} at a time, plies a second after start-up (median of {ROUNDS}): {told}"
            )


def fens(count: int) -> list[str]:
    """Return positions after eight random plies."""
    game, found, seed = parse_game("chess"), dict[str, None](), 0
    while len(found) < count:
        position = random_plies(game, seed, 8)
        seed += 1
        if position is not None:
            found[str(position.text())] = None
    return list(found)


def loop(engine: str, games: int = 40) -> tuple[float, float]:
    """Return our own CPU and the wall microseconds a ply of the match loop in this process."""
    game = parse_game("chess")
    settings = {"search": "process", "command": engine, "protocol": "uci", "depth": 1}
    players = [Engine(game, settings).player() for _ in range(2)]
    openings = Openings(game, 1, OpeningRules(8))
    plies = 0
    for number in range(games):
        opening = openings.of(Block("", "main", "", number, number, ("a", "b")))
        position, tallies = set_up(game, opening), [Tally(), Tally()]
        for seat, player in enumerate(players):
            player.new_game(number, seat)
        if number == 1:  # the first one starts the programs
            begun, spent, plies = time.perf_counter(), time.process_time(), 0
        before = position.ply
        play_game(position, players, lambda ply: 0, Rules(), tallies)
        plies += position.ply - before
    cpu, wall = time.process_time() - spent, time.perf_counter() - begun
    for player in players:
        player.close()
    return 1e6 * cpu / plies, 1e6 * wall / plies


def rate(games: int, play: Callable[[int], int]) -> float:
    """Return the plies a second of a match, less a match of two games."""
    begun = time.perf_counter()
    few = play(2)
    start = time.perf_counter() - begun
    begun = time.perf_counter()
    plies = play(games)
    return (plies - few) / (time.perf_counter() - begun - start)


def ours(engine: str, workers: int, book: Path, place: Path, games: int) -> int:
    """Play a match by Joute; return its plies."""
    spec = f'chess/process:command="{engine}",protocol=uci,depth=1'
    out = place.with_name(f"{place.name}-joute-{games}")
    command = [
        *(sys.executable, "-m", "joute", "match", spec, spec, "--blocks", str(games // 2)),
        *("-j", str(workers), "--openings", str(book), "--no-report", "--out", str(out)),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with Store.open(out) as store:
        return sum(game.plies for game in store.games())


def theirs(program: str, engine: str, workers: int, book: Path, place: Path, games: int) -> int:
    """Play a match by fastchess; return its plies."""
    pgn = place.with_name(f"{place.name}-{games}.pgn")
    first, *words = shlex.split(engine)
    side = [f"cmd={first}", f"args={' '.join(words)}"]
    command = [
        *(program, "-engine", *side, "name=a", "-engine", *side, "name=b", "-each", "depth=1"),
        *("tc=inf", "-rounds", str(games // 2), "-games", "2", "-repeat", "-concurrency"),
        *(str(workers), "-openings", f"file={book}", "format=epd", "order=sequential"),
        *("-pgnout", f"file={pgn}", "min=true", "-ratinginterval", "0"),
    ]
    subprocess.run(command, check=True, capture_output=True, cwd=place.parent)
    text = re.sub(r"\{[^}]*\}|^\[.*$", "", pgn.read_text(), flags=re.MULTILINE)
    return sum(bool(MOVES.search(word)) for word in text.split())


if __name__ == "__main__":
    main()
