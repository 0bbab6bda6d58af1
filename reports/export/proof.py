"""Proves that an exported file plays the engine's moves, by running it in a separate process.

Nothing of Joute can be imported there, and numba only on request; networks run on numpy.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import JouteError
from joute.engines.nets.numpy_reader import WrittenNet
from joute.reports.export.portable import portable
from joute.reports.export.transcripts import Transcript
from joute.reports.export.work import Line, answers, by_search
from joute.studies.play.progress import Progress

DRIVER = """
import json, sys, time

order = json.load(sys.stdin)


class Wall:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        known = top in sys.stdlib_module_names or top == "numpy"
        if top in ("joute", "onnxruntime") or not (known or order["compiled"]):
            raise ImportError(f"{name} is not there")


sys.meta_path.insert(0, Wall())
file = {"__name__": "exported", "__file__": order["file"]}
with open(order["file"], encoding="utf-8") as text:
    exec(compile(text.read(), order["file"], "exec"), file)
bot = file["bot"]


def change(arguments, changes):
    for name, value in changes.items():
        if isinstance(value, dict):
            change(arguments[name], value)
        else:
            arguments[name] = value


def tell(answer):
    print(json.dumps(answer), flush=True)


change(bot.arguments, order["changes"])
bot.ready()
for lines in order.get("talks", []):
    tell(list(file["talk"](lines, False)))
for game in order["games"]:
    bot.start = None  # a new game, even if the last one could have come here
    for case in game:
        begun = time.process_time()
        if isinstance(case, str):
            answer = list(bot.choose(case))
        else:
            answer = [file["agent"](*case)]
        tell([answer, (time.process_time() - begun) * 1e3])
"""


@dataclass(frozen=True)
class Proved:
    """A file's play in some positions: nodes (or iterations) and processor time of each move of the search.

    `asked` counts the ending's moves, too.
    """

    asked: int
    nodes: list[int]
    ms: list[float]


class NotTheSame(JouteError):
    """An exported file that plays differently, a fault of Joute: nothing is written."""


def changes(one: Engine, other: Engine) -> dict[str, Any]:
    """Return the arguments of a player that differ from the first engine to the second."""
    before, after = portable(one), portable(other)
    assert before is not None and after is not None
    return differing(before.arguments, after.arguments)


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the differences of the second of two mappings with the same keys, at every depth."""
    assert before.keys() == after.keys()
    return {
        name: differing(before[name], value) if isinstance(value, dict) else value
        for name, value in after.items()
        if differs(value, before[name])
    }


def differs(one: Any, other: Any) -> bool:
    """Whether two arguments of a player differ; a network never does, as the file has its own, and a
    kernel by its code alone.
    """
    if isinstance(one, WrittenNet):
        return False
    codes = [getattr(kernel, "digest", None) for kernel in (one, other)]
    return bool(one != other) if None in codes else codes[0] != codes[1]


def prove(
    text: str,
    written: Engine,
    engine: Engine,
    lines: Sequence[Line],
    compiled: bool = False,
    shown: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Proved:
    """Run the file `text` of the engine `written`, changed to be `engine`, and compare every move.

    Action, value, depth and nodes must be equal in every position of `lines`; with `shown`, which
    maps a position's text to the arguments of the file's `agent`, only the action. `progress` is
    told each answer, the engine's own and then the file's. Raises NotTheSame.
    """
    cases = [case for line in lines for case in line]
    asked = [[case if shown is None else shown[case] for case in line] for line in lines]
    order = {"compiled": compiled, "changes": changes(written, engine), "games": asked}
    both = chain(answers(engine, lines), _run(text, order))
    told = [*shown_to(progress or Progress(), both, "proof", 2 * len(cases))]
    searched, half = [], len(cases)
    for case, own, (answer, ms) in zip(cases, told[:half], told[half:], strict=True):
        expected = list(own)[: len(answer)]
        if answer != expected:
            how = "with numba" if compiled else "without numba"
            raise NotTheSame(
                f"the exported file answers {answer} {how} where {engine.text} answers {expected}: "
                f"{case}; a bug of Joute; nothing was written"
            )
        if by_search(engine, own):
            searched.append((own.nodes, float(ms)))
    return Proved(len(cases), [nodes for nodes, _ in searched], [ms for _, ms in searched])


def prove_transcripts(
    text: str,
    written: Engine,
    engine: Engine,
    transcripts: Sequence[Transcript],
    progress: Progress | None = None,
) -> None:
    """Let the file `text`, changed to be `engine`, read whole games; compare its answers."""
    order = {
        "compiled": False,
        "changes": changes(written, engine),
        "games": [],
        "talks": [[f"{line}\n" for line in transcript.lines] for transcript in transcripts],
    }
    told = shown_to(progress or Progress(), _run(text, order), "proof", len(transcripts), "seat")
    for transcript, replies in zip(transcripts, [*told], strict=True):
        if replies != transcript.answers:
            pairs = enumerate(zip(replies, transcript.answers, strict=False), 1)
            turn = next(
                (n for n, (a, b) in pairs if a != b), min(len(replies), len(transcript.answers))
            )
            raise NotTheSame(
                f"the exported file answers differently from {engine.text} in turn {turn} of a "
                f"game "
                "read line by line; a bug of Joute; nothing was written"
            )


def shown_to(
    progress: Progress, parts: Iterable[Any], stage: str, total: int, unit: str = "position"
) -> Iterator[Any]:
    """Yield the parts of some work, and tell each."""
    progress.begin(stage, total, 0, unit)
    try:
        for part in parts:
            yield part
            progress.advance(1)
    finally:
        progress.end()


def _run(text: str, order: dict[str, Any]) -> Iterator[Any]:
    """Yield the answers of the file `text` to an order, as they come; raise NotTheSame in the end if it
    does not run, or complains.
    """
    with tempfile.TemporaryDirectory(prefix="joute-proof-") as folder:
        file, asked, errors = (Path(folder) / name for name in ("exported.py", "order", "errors"))
        file.write_text(text, "utf-8")
        asked.write_text(json.dumps({**order, "file": str(file)}), "utf-8")
        with asked.open() as stdin, errors.open("w") as stderr:
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", DRIVER],
                stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=folder,
            )  # fmt: skip
        with process:
            try:
                assert process.stdout is not None
                yield from map(json.loads, process.stdout)
            except BaseException:
                process.kill()
                raise
        complaint = errors.read_text("utf-8", errors="replace").strip().splitlines()
    if process.returncode:
        last = (complaint or ["no message"])[-1]
        raise NotTheSame(f"the exported file does not run: {last}; nothing was written")
    if complaint:
        raise NotTheSame(f"the exported file prints an error: {complaint[0]}; nothing was written")
