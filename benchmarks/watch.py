"""`joute watch` on a run of 100,000 games: the first page, an update, and what watching costs a run.

    python -m benchmarks.watch [--games 100000] [--run] [--keep FOLDER]

The games are made up, hence stored in seconds. With --run a real run is played too, with and without a
page that is looked at all the time, in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import JOUTE
from joute.engines.record import NORMAL, EngineRecord, GameRecord, SeatRecord
from joute.results.store import Store

GAME = "connect4[columns=9,rows=7]"
ENTRANTS = {
    f"depth={depth},width={width:g}": (depth, width) for depth in (3, 4) for width in (0.6, 1.0)
}
BATCH = 2000
NEW = 1000
"""Games that are stored before an update."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--keep", type=Path)
    asked = parser.parse_args()
    folder = asked.keep or Path(tempfile.mkdtemp(prefix="watch-"))
    try:
        pages(folder / "made-up", asked.games)
        if asked.run:
            from benchmarks.watched import measure

            measure(folder)
    finally:
        if asked.keep is None:
            shutil.rmtree(folder)


def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


class Maker:
    """Makes up games of four entrants, pair after pair."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)
        self.engines = [
            EngineRecord(
                digest(name)[:12], name,
                f"{GAME}/alphabeta:evaluation=static,depth={depth},width={width:g}",
                {"search": "alphabeta", "evaluation": "static", "depth": depth, "width": width}, "code",
            )
            for name, (depth, width) in ENTRANTS.items()
        ]  # fmt: skip
        self.pairs = [(i, j) for i in range(4) for j in range(i)]

    def games(self, begin: int, count: int) -> list[GameRecord]:
        """Return so many games from an even number on."""
        return [self.game(number) for number in range(begin, begin + count)]

    def game(self, number: int) -> GameRecord:
        block, seating = divmod(number, 2)
        number_of_round, pair = divmod(block, len(self.pairs))
        seats = self.pairs[pair][:: 1 - 2 * seating]
        lead = 0.06 * (seats[0] - seats[1]) + 0.03
        score = float(self.rng.random() < 0.5 + lead) if self.rng.random() > 0.05 else 0.5
        actions = " ".join(map(str, self.rng.integers(1, 10, 24)))
        opening = "startpos moves " + " ".join(
            map(
                str,
                1
                + np.array(
                    [
                        number_of_round % 9,
                        number_of_round // 9 % 9,
                        number_of_round // 81 % 9,
                        number_of_round // 729 % 9,
                    ]
                ),
            )
        )
        name = digest(f"block {block}")
        return GameRecord(
            digest(f"{block} {seating}"), "main", number_of_round, block, name, seating, "", opening,
            actions, "", digest(opening + actions), NORMAL, 24,
            tuple(self.seat(self.engines[i].id, s) for i, s in zip(seats, (score, 1 - score), strict=True)),
        )  # fmt: skip

    def seat(self, engine: str, returns: float) -> SeatRecord:
        ms = tuple(self.rng.lognormal(0, 0.4, 12).tolist())
        values = tuple(self.rng.normal(0, 20, 12).tolist())
        return SeatRecord(
            engine, 2 - returns, returns, nodes=5000, plies=12, move_ms=ms, values=values
        )


def made_up(folder: Path, games: int, total: int) -> Maker:
    """Store so many games of a run that is to have more."""
    maker = Maker()
    progress = {"begun": time.time() - 60, "had": 0, "workers": 2, "games": {"main": total}, "ended": "",
                "end": None, "stage": "main", "seconds": None, "budget": None, "most": False}  # fmt: skip
    with Store.create(folder) as store:
        store.add_engines(maker.engines)
        store.set_meta({"name": "made-up", "kind": "tournament", "game": GAME, "seed": "1",
                        "stages": '["main"]', "progress": json.dumps(progress)})  # fmt: skip
        for begin in range(0, games, BATCH):
            store.add_games(maker.games(begin, min(BATCH, games - begin)))
    return maker


def asked(url: str) -> tuple[float, Any]:
    """Return how many seconds an answer took, and the answer."""
    begun = time.perf_counter()
    with urllib.request.urlopen(url) as answer:
        text = answer.read().decode()
    return time.perf_counter() - begun, text


def used(pid: int) -> float:
    """Return the seconds of a core that a process has taken. Linux only."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def pages(folder: Path, games: int) -> None:
    """Measure the first page and updates of a run that grows."""
    maker = made_up(folder, games, 2 * games)
    command = [*JOUTE, "watch", str(folder), "--json"]
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        started, spent = time.perf_counter() - begun, used(process.pid)
        first, page = asked(url)
        print(f"{games:,} games: the address after {started:.2f} s ({spent:.2f} s of a core, most of it "
              f"imports and reading), the first page {first:.2f} s after "
              f"it was asked for (target: 1), {len(page) / 1e3:.0f} kB", flush=True)  # fmt: skip
        updates, before = [], used(process.pid)
        stored = games
        with Store.open(folder, write=True) as store:
            for _ in range(5):
                store.add_games(maker.games(stored, NEW))
                stored += NEW
                seconds, text = asked(url + "state?since=0&now=1")
                updates.append(seconds)
                assert f"{stored:,}" in json.loads(text)["parts"]["progress"], "an old page"
        took = ", ".join(f"{seconds:.2f}" for seconds in updates)
        spent = (used(process.pid) - before) / len(updates)
        print(f"an update after {NEW:,} new games: {took} s (target: 0.3), {spent:.2f} s of a core")
        seconds, _ = asked(url + "games?kind=all&page=3")
        print(f"a page of the list of games: {seconds:.2f} s")
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
