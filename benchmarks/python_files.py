"""Exported files of Python's own numbers against those that another version of Joute wrote.

`python -m benchmarks.python_files write FOLDER` writes a file for each engine below.
`python -m benchmarks.python_files OLD NEW` plays both versions' files in turn, each in a process of its own
that imports no numba: medians of nodes (or iterations) a second of processor time, and the characters.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROUNDS = 9
POSITIONS = 6
ENGINES = {
    "connect4_static": "connect4[columns=12,rows=6]/alphabeta:evaluation=static,depth=4",
    "connect4_lines": "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=3",
    "connect4_table": "connect4/alphabeta:evaluation=static,depth=5,table=4,pvs=on,killers=2",
    "connect4_uct": "connect4[columns=12,rows=6]/uct:iterations=60",
    "tron_zones": "tron/uct:evaluation=zones,iterations=25",
    "dodo_uct": "dodo/uct:iterations=25",
    "gopher_uct": "gopher/uct:iterations=50",
    "vampires_langorou": "vampires/expectiminimax:evaluation=langorou,depth=2",
    "chess_tapered": "chess/alphabeta:evaluation=tapered,depth=2",
    "go_uct": "go[size=5]/uct:iterations=10",
}


def write(folder: Path) -> None:
    """Write the files, and the positions that they are asked."""
    from joute.engines.engine import parse_engine
    from joute.reports.export.bot import Bot
    from joute.reports.export.source import assemble
    from joute.reports.export.work import games

    folder.mkdir(parents=True, exist_ok=True)
    for name, spec in ENGINES.items():
        engine = parse_engine(spec)
        recipe = engine.recipe()
        assert recipe is not None
        bot = Bot(engine.game, recipe.player, recipe.arguments)
        (folder / f"{name}.py").write_text(assemble({"bot": bot}, ["choose"], False), "utf-8")
        lines = games(engine, 30, seed=3, asked=POSITIONS)
        asked = [line[0] for line in lines][:POSITIONS]
        (folder / f"{name}.json").write_text(json.dumps(asked), "utf-8")


def play(file: Path, asked: Sequence[str]) -> tuple[float, list[tuple[object, ...]]]:
    """Return the nodes a second of a file, and its answers in these positions."""
    made: dict[str, Any] = {}
    exec(compile(file.read_text("utf-8"), file.name, "exec"), made)
    bot, found = made["bot"], list[tuple[object, ...]]()
    speed = 0.0
    for _ in range(2):  # the first time Python learns what the code does
        nodes, begun = 0, time.process_time()
        for text in asked:
            bot.start = None  # every position is a game of its own
            move = bot.choose(text)
            nodes += move.nodes
            found.append(tuple(move))
        speed = nodes / (time.process_time() - begun)
    return speed, found


def measured(name: str, folders: Sequence[Path]) -> list[float]:
    """Return the median speed of each folder's file; raise if their answers differ. Every round is a process
    of its own: of two files in one the second is slower by a few per cent.
    """
    speeds: list[list[float]] = [[] for _ in folders]
    answers: set[str] = set()
    for turn in range(ROUNDS):
        order = [*range(len(folders))]
        for k in order if turn % 2 else reversed(order):
            file, asked = folders[k] / f"{name}.py", folders[0] / f"{name}.json"
            command = [sys.executable, "-m", "benchmarks.python_files", "play", file, asked]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            speed, found = json.loads(done.stdout)
            speeds[k].append(speed)
            answers.add(str(found))
    assert len(answers) == 1, f"{name}: the files answer differently"
    return [statistics.median(own) for own in speeds]


def main(arguments: Sequence[str]) -> None:
    """Write files, or compare those of two folders (only these engines, where some are named)."""
    if arguments[0] == "write":
        write(Path(arguments[1]))
        return
    if arguments[0] == "play":
        print(
            json.dumps(play(Path(arguments[1]), json.loads(Path(arguments[2]).read_text("utf-8"))))
        )
        return
    folders = [*map(Path, arguments[:2])]
    print("| engine | old a second | new a second | ratio | old characters | new characters |")
    print("|---|---|---|---|---|---|")
    for name in arguments[2:] or ENGINES:
        one, other = measured(name, folders)
        sizes = [len((folder / f"{name}.py").read_text("utf-8")) for folder in folders]
        row = [name, f"{one:,.0f}", f"{other:,.0f}", f"{other / one:.2f}", *map(str, sizes)]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
