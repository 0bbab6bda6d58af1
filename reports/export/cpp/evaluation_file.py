"""One evaluation with its parameters as a header of C++, for somebody's own engine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.evaluation import EvaluationKernels
from joute.engines.position import parse_position
from joute.reports.export.cpp.bot_file import inert
from joute.reports.export.cpp.compiler import CompileError, Library, compiler
from joute.reports.export.cpp.kernel_file import KernelFile
from joute.reports.export.proof import NotTheSame
from joute.reports.export.provenance import provenance_lines
from joute.reports.export.target import Order, Written
from joute.reports.export.typed.reading import Unreadable, is_kernel
from joute.reports.export.work import Line, games

CASES = 200  # positions of the proof
GIVEN = ("value", "values", "init", "update", "after", "final")
RULES = ("start", "apply", "status", "to_move")
USE = """\
A position is STATE_WORDS unsigned words of an array W, from W[at] on: the game's words, then the
evaluation's own. `start(W, at); init(W, at, P);` makes the start position. A move from `src` to `dst` is
`apply(W, src, dst, action, 0); update(W, src, dst, action, P);`. `value(W, at, P)` is the value for the
side to move. The first SCRATCH words of W are room to work in: positions lie behind them."""


def write_evaluation(order: Order) -> Written:
    """Return the header; raise Refused for an engine without an evaluation that C++ can say."""
    engine = order.engine
    evaluation = engine.evaluation
    if evaluation is None:
        raise Refused(f"--evaluation: {engine.text} has no evaluation")
    if evaluation.guided or not evaluation.compiled or not engine.game.compiled:
        raise Refused(f"--evaluation: {evaluation.name} has no kernels that C++ can say")
    kernels = evaluation.kernels(engine.game, 0)
    named = kernels_of(engine, kernels)
    file = KernelFile()
    try:
        for kernel in named.values():
            file.add(kernel)
        text = file.text()
    except Unreadable as error:
        raise Refused(f"{engine.text}: C++ cannot say {error}") from None
    lines = [proof(engine, kernels, named)]
    order.say(lines[0])
    head = [f"The evaluation {evaluation.name} of {engine.game.label}", ""]
    head += [*provenance_lines(order.provenance), "", *lines, "", *USE.split("\n")]
    body = text.split("#include <cmath>", 1)[1]
    parts = [
        *(f"// {inert(line)}".rstrip() for line in head),
        "#pragma once",
        "#include <cmath>" + body[: body.index("typedef")].rstrip(),
        "",
        "namespace joute {",
        "",
        *numbers(engine, kernels),
        "",
        body[body.index("typedef") :].rstrip(),
        "",
        *aliases(file, named),
        "",
        "}  // namespace joute",
        "",
    ]
    return Written("\n".join(parts), engine)


def kernels_of(engine: Engine, kernels: EvaluationKernels) -> dict[str, Any]:
    """Return the kernels of the header: the evaluation's, and the rules that make a position."""
    rules = engine.game.kernels()
    found = {name: getattr(rules, name) for name in RULES}
    found |= {name: getattr(kernels, name) for name in GIVEN}
    return {name: kernel for name, kernel in found.items() if is_kernel(kernel)}


def numbers(engine: Engine, kernels: EvaluationKernels) -> Iterator[str]:
    """Yield the sizes and the parameters."""
    game, evaluation = engine.game, engine.evaluation
    assert evaluation is not None
    yield f"// The game's words, by their first: {', '.join(words_of(engine)) or 'see its rules'}."
    yield f"constexpr unsigned STATE_WORDS = {game.words + kernels.words}, SCRATCH = {kernels.scratch};"
    yield "// The parameters. Edit them to value otherwise."
    for p in evaluation.parameters:
        yield f"constexpr double param_{p.name} = {engine.numbers[p.name]!r};"
    names = ", ".join(f"param_{p.name}" for p in evaluation.parameters) or "0.0"
    yield f"static const double P[] = {{{names}}};"


def words_of(engine: Engine) -> list[str]:
    """Return the names of a state's words with where they begin."""
    found, begin = [], 0
    for name, size in engine.game.state.sizes.items():
        found.append(f"{name} {begin}")
        begin += size
    return found


def aliases(file: KernelFile, named: dict[str, Any]) -> Iterator[str]:
    """Yield the usual names of kernels that have others in the file."""
    for name, kernel in named.items():
        if file.name(kernel) != name:
            yield f"constexpr auto& {name} = joute::{file.name(kernel)};"


def proof(engine: Engine, kernels: EvaluationKernels, named: dict[str, Any]) -> str:
    """Compare values and own words in positions; return in words what was proved."""
    if not compiler():
        return "Not proved: there is no g++ and no clang++ here."
    lines = games(engine, CASES, seed=2019)
    own = {name: kernel for name, kernel in named.items() if name in ("init", "value", "values")}
    try:
        with tempfile.TemporaryDirectory(prefix="joute-cpp-") as folder:
            compare(engine, kernels, Library(own, Path(folder)), lines)
    except CompileError as error:
        raise Refused(f"{engine.text}: {compiler()} refuses the file: {error}") from None
    return f"Proved: the values are the engine's, byte for byte, in {CASES} positions."


def compare(
    engine: Engine, kernels: EvaluationKernels, library: Library, lines: list[Line]
) -> None:
    """Compare the values of positions; raises NotTheSame."""
    assert engine.evaluation is not None
    P = np.array([engine.numbers[p.name] for p in engine.evaluation.parameters])
    many = engine.game.players > 2
    for text in (text for line in lines for text in line):
        position = parse_position(engine.game, text)
        size = kernels.scratch + engine.game.words + kernels.words
        ours, theirs = (np.zeros(size, np.uint64) for _ in range(2))
        for W in (ours, theirs):
            W[kernels.scratch : kernels.scratch + engine.game.words] = position.words()
        at, R, S = np.uint64(kernels.scratch), np.zeros(4), np.zeros(4)
        kernels.init(ours, at, P)
        if "init" in library.functions:
            library.call("init", theirs, at, P)
        if many:
            assert kernels.values is not None
            kernels.values(ours, at, P, R, np.uint64(0))
            library.call("values", theirs, at, P, S, np.uint64(0))
        else:
            R[0], S[0] = kernels.value(ours, at, P), library.call("value", theirs, at, P)
        if R.tobytes() != S.tobytes() or ours.tobytes() != theirs.tobytes():
            raise NotTheSame(
                f"{engine.evaluation.name} is {S[0]} in C++ and {R[0]} here: {text}; a bug of Joute; "
                "nothing was written"
            )
