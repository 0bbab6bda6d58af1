"""Exported C++ against our kernels: the same recorded calls, alternating, by compiler flags.

Only the calls are timed, by processor time; their arguments are copied beforehand. Calls of a few
milliseconds measure the caches: the depths below are such that the calls of a round take longer.

`python -m benchmarks.cpp WORD ...` measures the engines whose text contains one of the words, and
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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tabulate import tabulate

from joute.engines.engine import Engine, parse_engine
from joute.engines.position import parse_position
from joute.engines.protocol import dialogue_of
from joute.engines.search import Recipe
from joute.reports.export.cpp.bot_file import CppTrial, guard_of
from joute.reports.export.cpp.compiler import FLAGS, Library, build
from joute.reports.export.cpp.engine_file import known
from joute.reports.export.cpp.proof import alike, recording
from joute.reports.export.cpp.recorded import Call, Recorded, copied
from joute.reports.export.targets.codingame import MOVE_MS, SITE_FLAGS, form_of
from joute.reports.export.targets.cpp import form
from joute.reports.export.transcripts import game_of
from joute.reports.export.work import games

CALLS, ROUNDS = 8, 15
ENGINES = (
    "connect4[columns=12,rows=6]/alphabeta:evaluation=static,depth=9",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=8",
    "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=10,width=0.5",
    "connect4/alphabeta:evaluation=lines,depth=11,table=16,pvs=on,killers=2",
    "connect4[columns=12,rows=6]/uct:iterations=20000",
    "dodo/uct:iterations=4000",
    "gopher/uct:iterations=8000",
    "tron/uct:evaluation=zones,iterations=10000",
    "tron/uct:tuned,iterations=10000",
    "go/uct:tuned,iterations=1000",
    "vampires/expectiminimax:evaluation=langorou,depth=4",
    "chess/alphabeta:evaluation=tapered,quiescence=on,table=16,nodes=400000",
)
TRON = "tron/uct:tuned,milliseconds=100"


def main(words: Sequence[str] = ()) -> None:
    """Print the table."""
    headers = ["engine", "-O2", "the site's flags", "numba ms a call", "compile s", "characters"]
    rows = []
    for spec in ENGINES:
        if not words or any(word in spec for word in words):
            rows.append(measured(spec))
            print(*rows[-1], flush=True)
    print(tabulate(rows, headers=headers, tablefmt="github"))


def measured(spec: str) -> list[str]:
    """Return the row of an engine."""
    engine = parse_engine(spec)
    calls, kernel, name = longest(engine)
    libraries, took = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for k, flags in enumerate((FLAGS, SITE_FLAGS)):
            place = Path(folder) / str(k)
            place.mkdir()
            begun = os.times().children_user
            libraries.append(Library({name: kernel}, place, flags, known=known(engine)))
            took = took or os.times().children_user - begun
        ratios, ms = compared(calls, kernel, name, libraries)
    size = len(CppTrial(engine, form(), None).text_for(engine))
    return [spec, *ratios, f"{ms:.1f}", f"{took:.1f}", f"{size:,}"]


def compared(
    calls: Sequence[Call], kernel: Any, name: str, libraries: Sequence[Library]
) -> tuple[list[str], float]:
    """Return the median and quartiles of each library's time over the kernel's, and the kernel's
    milliseconds a call. All must leave the recorded bytes.
    """
    times: list[list[float]] = []
    for turn in range(ROUNDS + 1):
        row = [0.0] * (1 + len(libraries))
        for k in sorted(range(len(row)), reverse=turn % 2 == 1):
            given = [[copied(argument) for argument in call.before] for call in calls]
            ready = [
                libraries[k - 1].bound(name, *arguments) if k else partial(kernel, *arguments)
                for arguments in given
            ]
            begun = time.thread_time()
            for call in ready:
                call()
            row[k] = time.thread_time() - begun
            if not all(alike(own, call.after) for own, call in zip(given, calls, strict=True)):
                raise SystemExit(f"{name} leaves other bytes")
        times.append(row)
    taken = np.array(times[1:])  # without the first round, which finds nothing in the caches
    quartiles = np.quantile(taken[:, 1:] / taken[:, :1], [0.5, 0.25, 0.75], axis=0)
    shown = [f"{median:.2f} ({low:.2f} to {high:.2f})" for median, low, high in quartiles.T]
    return shown, 1e3 * float(np.median(taken[:, 0])) / len(calls)


def longest(engine: Engine) -> tuple[Sequence[Call], Any, str]:
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
        main(sys.argv[1:])
