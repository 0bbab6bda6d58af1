"""The proof that an exported file plays the engine's moves: it runs in a process of its own.

There nothing of ours can be imported, and numba only where it is asked for.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.engine import Engine
from reports.budget import Line, answers

DRIVER = """
import json, sys, time

order = json.load(sys.stdin)
ours = {"engines", "harness", "results", "studies", "reports", "cli"}


class Wall:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = top in sys.stdlib_module_names or top == "numpy"
        if top in ours or not (known or order["compiled"]):
            raise ImportError(f"{name} is not there")


sys.meta_path.insert(0, Wall())
file = {"__name__": "exported", "__file__": order["file"]}
with open(order["file"], encoding="utf-8") as text:
    exec(compile(text.read(), order["file"], "exec"), file)
bot, found = file["bot"], []
bot.arguments.update(order["changes"])
for game in order["games"]:
    bot.start = None  # a new game, even if the last one could have come here
    for case in game:
        begun = time.perf_counter()
        if isinstance(case, str):
            answer = list(bot.choose(case))
        else:
            answer = [file["agent"](*case)]
        found.append([answer, (time.perf_counter() - begun) * 1e3])
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Proved:
    """What a file did in some positions: nodes (or iterations) and time of each move."""

    nodes: list[int]
    ms: list[float]


class NotTheSame(RuntimeError):
    """An exported file that plays something else, which is our fault: nothing is written."""


def changes(one: Engine, other: Engine) -> dict[str, Any]:
    """Return the arguments of a player in which the second engine differs from the first."""
    before, after = one.search.recipe(one), other.search.recipe(other)
    assert before is not None and after is not None and before[1].keys() == after[1].keys()
    return {name: value for name, value in after[1].items() if value != before[1][name]}


def prove(
    text: str,
    written: Engine,
    engine: Engine,
    lines: Sequence[Line],
    compiled: bool = False,
    shown: Mapping[str, Any] | None = None,
) -> Proved:
    """Run the file `text` of the engine `written`, changed to be `engine`, and compare every move.

    Action, value, depth and nodes must be equal in every position of `lines`; where the file is
    asked through `shown`, which maps a position's text to the arguments of its `agent`, the action.
    Raises NotTheSame.
    """
    cases = [case for line in lines for case in line]
    asked = [[case if shown is None else shown[case] for case in line] for line in lines]
    order = {"compiled": compiled, "changes": changes(written, engine), "games": asked}
    found = _run(text, order)
    for case, (answer, _), own in zip(cases, found, answers(engine, lines), strict=True):
        expected = list(own)[: len(answer)]
        if answer != expected:
            how = "with numba" if compiled else "without numba"
            raise NotTheSame(
                f"the exported file answers {answer} {how} where {engine.text} answers {expected}: "
                f"{case}; this is a fault of Joute, nothing was written"
            )
    nodes = [int(answer[3]) if len(answer) > 1 else 0 for answer, _ in found]
    return Proved(nodes, [float(ms) for _, ms in found])


def _run(text: str, order: dict[str, Any]) -> list[Any]:
    with tempfile.TemporaryDirectory(prefix="joute-proof-") as folder:
        file = Path(folder) / "exported.py"
        file.write_text(text, "utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "-c", DRIVER],
            input=json.dumps({**order, "file": str(file)}),
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NotTheSame(f"the exported file does not run: {last}; nothing was written")
    if done.stderr.strip():
        said = done.stderr.strip().splitlines()[0]
        raise NotTheSame(f"the exported file complains: {said}; nothing was written")
    return json.loads(done.stdout)  # type: ignore[no-any-return]
