"""Exported C++ against our kernels: the same recorded calls, alternating, by compiler flags.

`python -m benchmarks.cpp turns SECONDS` plays CodinGame's turns of 100 ms with an exported file of Tron
and tells how long they took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from benchmarks.ratios import compare
from joute.engines.engine import Engine, parse_engine
from joute.engines.position import parse_position
from joute.engines.protocol import dialogue_of
from joute.engines.search import Recipe
from joute.reports.export.cpp.bot_file import CppTrial, guard_of
from joute.reports.export.cpp.compiler import FLAGS, Library, build
from joute.reports.export.cpp.proof import recording
from joute.reports.export.cpp.recorded import Recorded, copied
from joute.reports.export.targets.codingame import MOVE_MS, SITE_FLAGS, form_of
from joute.reports.export.targets.cpp import form
from joute.reports.export.transcripts import game_of
from joute.reports.export.work import games

CALLS, ROUNDS = 20, 11
ENGINES = (
    "connect4[columns=12,rows=6]/alphabeta:evaluation=static,depth=8",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=7",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=7,width=0.5",
    "connect4/alphabeta:evaluation=lines,depth=9,table=16,pvs=on,killers=2",
    "connect4[columns=12,rows=6]/uct:iterations=4000",
    "dodo/uct:iterations=4000",
    "gopher/uct:iterations=4000",
    "tron/uct:evaluation=zones,iterations=3000",
    "go/uct:tuned,iterations=1000",
    "vampires/expectiminimax:evaluation=langorou,depth=4",
)
TRON = "tron/uct:tuned,milliseconds=100"


def main() -> None:
    """Print the table."""
    rows = [row for spec in ENGINES for row in measured(parse_engine(spec))]
    headers = [
        "engine",
        "flags",
        "C++ / numba",
        "quartiles",
        "numba ms a call",
        "compile s",
        "characters",
    ]
    print(tabulate(rows, headers=headers))


def measured(engine: Engine) -> list[list[Any]]:
    """Return a row for each set of flags."""
    calls, kernel, name = longest(engine)
    rows = []
    for flags in (FLAGS, SITE_FLAGS):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            library = Library({name: kernel}, Path(folder), flags)
            took = time.perf_counter() - begun

            def theirs(library: Library = library) -> None:
                for call in calls:
                    library.call(name, *map(copied, call.before))

            def ours() -> None:
                for call in calls:
                    kernel(*map(copied, call.before))

            ratio = compare(theirs, ours, ROUNDS)
            size = len(CppTrial(engine, form(), None).text_for(engine)) if engine.game.listed else 0
            rows.append(
                [engine.text.split(",reading")[0][:60], flags[1], f"{ratio.median:.2f}",
                 f"{ratio.low:.2f} to {ratio.high:.2f}", f"{1e3 * ratio.theirs / len(calls):.2f}",
                 f"{took:.1f}", size or ""]
            )  # fmt: skip
    return rows


def longest(engine: Engine) -> tuple[Sequence[Any], Any, str]:
    """Return recorded calls of the kernel that an engine's player spends its time in."""
    recipe = engine.recipe()
    assert recipe is not None
    recorded: dict[str, Recorded] = {}
    player = Recipe(recipe.player, recording(recipe.arguments, recorded, CALLS)).make()
    for line in games(engine, 2 * CALLS, seed=2026, asked=2):
        position = parse_position(engine.game, line[0])
        player.new_game(0, position.to_move)
        player.choose(position)
    name = "iterate" if "iterate" in recorded else "search"
    return recorded[name].calls, recorded[name].kernel, name


def turns(seconds: float) -> None:
    """Play Tron by the site's lines, and print the times of the turns; the first has its second."""
    engine = parse_engine(TRON)
    trial = CppTrial(engine, form_of(engine), MOVE_MS)
    text = trial.text_for(engine, "", MOVE_MS)
    counted = parse_engine(TRON.replace("milliseconds=100", "iterations=200"))
    dialogue = dialogue_of(engine.game, "codingame")
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bot.cpp").write_text(text, "utf-8")
        build(Path(folder) / "bot.cpp", Path(folder) / "bot", SITE_FLAGS)
        end, seed = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            seed += 1
            for transcript in game_of(counted, dialogue, seed):
                times += replayed(Path(folder) / "bot", transcript.lines, engine.game.players)
    ms = np.array(times) * 1e3
    print(
        f"{len(ms)} turns, guard {guard_of(MOVE_MS):g} ms, {os.cpu_count()} cores, load "
        f"{os.getloadavg()[0]:.1f}: median {np.median(ms):.1f} ms, 99 % {np.quantile(ms, 0.99):.1f}, "
        f"longest {ms.max():.1f}, over {MOVE_MS:g} ms: {(ms > MOVE_MS).sum()}"
    )


def replayed(bot: Path, lines: Sequence[str], players: int) -> list[float]:
    """Return the seconds of a bot's turns but the first, asked what a seat was asked."""
    turns_ = [lines[k : k + 1 + players] for k in range(0, len(lines), 1 + players)]
    times = []
    with subprocess.Popen([str(bot)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for turn in turns_:
            begun = time.perf_counter()
            process.stdin.write("".join(f"{line}\n" for line in turn).encode())
            process.stdin.flush()
            process.stdout.readline()
            times.append(time.perf_counter() - begun)
        process.stdin.close()
    return times[1:]


if __name__ == "__main__":
    if sys.argv[1:2] == ["turns"]:
        turns(float(sys.argv[2]))
    else:
        main()
