"""Exported files of Python's own numbers against those that another version of Joute wrote.

`python -m benchmarks.python_files write FOLDER` writes a file for each engine below.
`python -m benchmarks.python_files OLD NEW` plays both versions' files in turn, in processes without numba
and numpy's compiler: medians of nodes (or iterations) a second of processor time, and the characters.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

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


def play(name: str, folders: Sequence[Path]) -> list[list[float]]:
    """Return of each folder's file the nodes a second of each round; raise if their answers differ."""
    bots = []
    for folder in folders:
        made: dict[str, object] = {}
        exec(compile((folder / f"{name}.py").read_text("utf-8"), name, "exec"), made)
        bots.append(made["bot"])
    asked = json.loads((folders[0] / f"{name}.json").read_text("utf-8"))
    speeds: list[list[float]] = [[] for _ in bots]
    answers: set[str] = set()
    for turn in range(ROUNDS):
        for k in range(len(bots)) if turn % 2 else reversed(range(len(bots))):
            nodes, found, begun = 0, [], time.process_time()
            for text in asked:
                bots[k].start = None  # type: ignore[attr-defined]  # every position is a game of its own
                move = bots[k].choose(text)  # type: ignore[attr-defined]
                nodes += move.nodes
                found.append(tuple(move))
            speeds[k].append(nodes / (time.process_time() - begun))
            answers.add(str(found))
    assert len(answers) == 1, f"{name}: the files answer differently"
    return speeds


def main(arguments: Sequence[str]) -> None:
    """Write files, or compare those of two folders (only these engines, where some are named)."""
    if arguments[0] == "write":
        write(Path(arguments[1]))
        return
    if arguments[0] == "play":
        print(json.dumps(play(arguments[1], [*map(Path, arguments[2:])])))
        return
    old, new, *names = arguments
    print("| engine | old a second | new a second | ratio | old characters | new characters |")
    print("|---|---|---|---|---|---|")
    for name in names or ENGINES:
        command = [sys.executable, "-m", "benchmarks.python_files", "play", name, old, new]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"| {name} | {done.stderr.splitlines()[-1]} |", flush=True)
            continue
        one, other = map(statistics.median, json.loads(done.stdout))
        sizes = [len((Path(f) / f"{name}.py").read_text("utf-8")) for f in (old, new)]
        row = [name, f"{one:,.0f}", f"{other:,.0f}", f"{other / one:.2f}", *map(str, sizes)]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
