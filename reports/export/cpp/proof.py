"""Proves that a file of C++ plays an engine's moves: it is compiled, run, and compared."""

from __future__ import annotations

import json
import resource
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from joute.engines.engine import Engine
from joute.engines.errors import cut
from joute.engines.player import Move
from joute.engines.position import parse_position
from joute.engines.search import Recipe
from joute.reports.export.cpp.compiler import FLAGS, Library, build
from joute.reports.export.cpp.engine_file import known
from joute.reports.export.cpp.recorded import Recorded, copied
from joute.reports.export.proof import NotTheSame, shown_to
from joute.reports.export.transcripts import Transcript
from joute.reports.export.typed.reading import is_kernel
from joute.reports.export.work import Line, answers
from joute.studies.play.progress import Progress

CALLS = 50  # of each kernel that Python calls
SANITIZED = (
    *("-std=gnu++17", "-O1", "-DPORTABLE"),
    *("-fsanitize=undefined,address", "-fno-sanitize-recover"),
)
SECONDS = 600.0  # that a file may take for the positions of one proof


class Ran(NamedTuple):
    """The answers of a file as its messages have them, and the processor time of all."""

    answers: list[dict[str, Any]]
    ms: float


@contextmanager
def built(text: str, flags: Sequence[str] = FLAGS) -> Iterator[Path]:
    """Compile a file's text; the program lives within. Raises CompileError."""
    with tempfile.TemporaryDirectory(prefix="joute-cpp-") as folder:
        source, program = Path(folder) / "player.cpp", Path(folder) / "player"
        source.write_text(text, "utf-8")
        build(source, program, flags)
        yield program


def run(program: Path, engine: Engine, lines: Sequence[Line], wrap: Sequence[str] = ()) -> Ran:
    """Let a program answer the positions of games by json-lines; raises NotTheSame if it does not."""
    messages: list[dict[str, Any]] = []
    for line in lines:
        messages.append({"type": "new", "game": engine.game.label, "seed": 0, "player": 0})
        told = 0
        for text in line:
            position = parse_position(engine.game, text)
            moves = [engine.game.action_text(action) for action in position.moves]
            turn: dict[str, Any] = {"type": "turn", "moves": moves[told:]}
            turn["outcomes"] = position.outcomes[told:]
            if not told:
                turn["start"] = position.start
            messages.append(turn)
            told = len(moves)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ran = subprocess.run(
            [*wrap, str(program), "--protocol", "json-lines"],
            input="".join(f"{json.dumps(message)}\n" for message in messages),
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise NotTheSame(f"the file took longer than {SECONDS:g} s; nothing was written") from None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ran.returncode or ran.stderr:
        said = cut((ran.stderr.strip().splitlines() or [f"exit {ran.returncode}"])[0], 300)
        raise NotTheSame(f"the file does not run: {said}; nothing was written")
    ms = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3
    try:
        return Ran([json.loads(line) for line in ran.stdout.splitlines()], ms)
    except ValueError:
        said = cut(ran.stdout, 300)
        raise NotTheSame(f"the file answers {said!r}; nothing was written") from None


def compare(
    program: Path, engine: Engine, lines: Sequence[Line], progress: Progress | None = None
) -> Ran:
    """Compare a program's actions, values, depths and nodes with the engine's; raises NotTheSame.
    `progress` is told each position.
    """
    ran = run(program, engine, lines)
    cases = [case for line in lines for case in line]
    own_answers = shown_to(progress or Progress(), answers(engine, lines), "proof", len(cases))
    for case, own, answer in zip(cases, own_answers, ran.answers, strict=True):
        expected = as_message(engine, own)
        if answer != expected:
            raise NotTheSame(
                f"the file answers {answer} where {engine.text} answers {expected}: {case}; a bug "
                "of Joute; nothing was written"
            )
    return ran


def compare_transcripts(program: Path, engine: Engine, transcripts: Sequence[Transcript]) -> None:
    """Let a program read whole games as it does by itself; raises NotTheSame for other answers."""
    for transcript in transcripts:
        lines = "".join(f"{line}\n" for line in transcript.lines)
        ran = subprocess.run(
            [str(program)], input=lines, capture_output=True, text=True, timeout=SECONDS
        )
        replies = ran.stdout.splitlines()
        if replies != transcript.answers:
            pairs = enumerate(zip(replies, transcript.answers, strict=False), 1)
            fewest = min(len(replies), len(transcript.answers))
            turn = next((n for n, (a, b) in pairs if a != b), fewest)
            raise NotTheSame(
                f"the file answers differently from {engine.text} in turn {turn} of a game read line "
                "by line; a bug of Joute; nothing was written"
            )


def as_message(engine: Engine, move: Move) -> dict[str, Any]:
    """Return a move as json-lines has it."""
    message: dict[str, Any] = {"action": engine.game.action_text(move.action)}
    if move.value is not None:
        message["value"] = move.value
    return message | {"depth": move.depth, "nodes": move.nodes}


def compare_kernels(
    engine: Engine,
    lines: Sequence[Line],
    calls: int = CALLS,
    flags: Sequence[str] = FLAGS,
    tool: str = "",
) -> int:
    """Compare all arrays, byte for byte, after recorded calls of an engine's kernels.

    Returns how many calls were compared; raises NotTheSame and CompileError.
    """
    recipe = engine.recipe()
    assert recipe is not None
    recorded: dict[str, Recorded] = {}
    player = Recipe(recipe.player, recording(recipe.arguments, recorded, calls)).make()
    for line in lines:
        for i, text in enumerate(line):
            position = parse_position(engine.game, text)
            if i == 0:
                player.new_game(0, position.to_move)
            player.choose(position)
    kernels = {name: one.kernel for name, one in recorded.items()}
    with tempfile.TemporaryDirectory(prefix="joute-cpp-") as folder:
        library = Library(kernels, Path(folder), flags, tool, known(engine))
        for name, one in recorded.items():
            for call in one.calls:
                arguments = [copied(argument) for argument in call.before]
                result = library.call(name, *arguments)
                if not (alike(arguments, call.after) and same_result(result, call.result)):
                    raise NotTheSame(
                        f"the kernel {name} of {engine.text} leaves other bytes in C++; a bug of "
                        "Joute; nothing was written"
                    )
    return sum(len(one.calls) for one in recorded.values())


def recording(
    arguments: dict[str, Any], recorded: dict[str, Recorded], calls: int
) -> dict[str, Any]:
    """Return a player's arguments with its kernels recorded."""
    new: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, dict):
            value = recording(value, recorded, calls)
        elif is_kernel(value):
            recorded[name] = value = Recorded(value, calls)
        new[name] = value
    return new


def alike(arguments: Sequence[Any], after: Sequence[Any]) -> bool:
    """Whether all arrays hold the same bytes."""
    return all(
        one.tobytes() == other.tobytes()
        for one, other in zip(arguments, after, strict=True)
        if isinstance(one, np.ndarray)
    )


def same_result(one: Any, other: Any) -> bool:
    """Whether two results are the same bits."""
    return other is None or np.array(one).tobytes() == np.array(other).tobytes()
