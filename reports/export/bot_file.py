"""Writes one file that plays as an engine: fits it to a move limit, proves and documents it."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.registry import find, names
from joute.engines.search import Recipe, Search
from joute.reports.export.alone import parameters_alone
from joute.reports.export.bot import Bot
from joute.reports.export.fit import FitTrial, cut_of, seconds, too_slow, work_of
from joute.reports.export.portable import portable
from joute.reports.export.proof import NotTheSame
from joute.reports.export.provenance import provenance_lines
from joute.reports.export.source import Unwritable, assemble
from joute.reports.export.source.shrinking import shrunk
from joute.reports.export.target import Order, Written
from joute.reports.export.transcripts import Transcript
from joute.reports.export.work import smaller, with_work

GUARD = 0.75  # of a move's time: then the file answers with what it has
SHARE = 0.5  # of a move's time: what an engine may need here, for other machines are slower


@dataclass(frozen=True)
class Kind:
    """What a target adds to a player.

    `tail` makes the functions called by the file's users, `ending` is the code at the end;
    `compiled` lets numba compile the file where it is installed; `shown` turns a position's text
    into the arguments of the file's `agent`, if it has one; `usage` says how to use the file.
    `transcripts` are games of an engine for the file's `talk`, if it has one. A file limited to
    `largest` characters has no docstrings. `told`: remarks, also written into the file.
    """

    name: str
    tail: Callable[[Bot], Mapping[str, Any]]
    usage: str
    ending: str = ""
    compiled: bool = True
    shown: Callable[[str], Any] | None = None
    transcripts: Callable[[Engine], list[Transcript]] | None = None
    largest: int = 0
    told: tuple[str, ...] = ()


def write_player(order: Order, kind: Kind, move_ms: float | None) -> Written:
    """Return the file; raise Refused if the engine cannot be written or does not fit."""
    trial = trial_of(order, kind, order.engine)
    if move_ms is not None:
        trial = fitting(trial, order, kind, move_ms)
    lines = [*kind.told, *cut_of(order.engine, trial.engine)]
    lines += [trial.proof(), time_of(trial, move_ms)]
    for line in lines:
        order.say(line)
    head = docstring(
        trial.engine, [*provenance_lines(order.provenance), "", *lines, "", *kind.usage.split("\n")]
    )
    text = with_docstring(head, trial)
    check_size(len(text), kind, trial.engine)
    return Written(text, trial.engine)


def with_docstring(head: str, trial: FitTrial) -> str:
    """Return the complete file: the docstring and the proved code, nothing else.

    Raises NotTheSame if the bytes of the file mean anything more.
    """
    text = head + trial.text
    proved = ast.parse(trial.text.encode()).body
    try:
        first, *rest = ast.parse(text.encode()).body
    except (SyntaxError, ValueError):
        first, rest = ast.Pass(), []
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if not documented or list(map(ast.dump, rest)) != list(map(ast.dump, proved)):
        raise NotTheSame(
            f"the docstring of {trial.engine.text!r} changes what the file does; a bug of Joute; "
            f"nothing was written"
        )
    return text


def check_size(size: int, kind: Kind, engine: Engine) -> None:
    """Raise Refused for a file that is too large."""
    if kind.largest and size > kind.largest:
        raise Refused(
            f"{engine.text}: --to {kind.name}: the file has {size:,} characters; "
            f"at most {kind.largest:,} are allowed"
        )


def trial_of(order: Order, kind: Kind, engine: Engine) -> FitTrial:
    """Return a trial of the file's code for an engine."""
    text = code(engine, kind)
    check_size(len(text), kind, engine)
    return FitTrial(
        engine, text, kind.compiled, kind.shown, order.say, kind.transcripts, order.progress
    )


def recipe_of(engine: Engine, target: str) -> Recipe:
    """Return the recipe of an engine's player; raise Refused for one that no file can hold."""
    recipe = portable(engine)
    if recipe is None:
        able = [n for n in names("search") if find("search", n).recipe is not Search.recipe]
        name = engine.search.name
        raise Refused(
            f"search = {name}: --to {target} cannot write a player of {name}; it can write: "
            f"{', '.join(able)}{parameters_alone(engine)}"
        )
    return recipe


def code(engine: Engine, kind: Kind) -> str:
    """Return the code of a file, assembled from the sources."""
    recipe = recipe_of(engine, kind.name)
    bot = Bot(engine.game, recipe.player, recipe.arguments)
    try:
        text = assemble(
            {"bot": bot, **kind.tail(bot)}, ["choose", "arguments", "ready"], kind.compiled
        )
    except Unwritable as error:
        raise Refused(f"{engine.text}: --to {kind.name} cannot write it: {error}") from None
    return (shrunk(text) if kind.largest else text) + kind.ending


def fitting(trial: FitTrial, order: Order, kind: Kind, move_ms: float) -> FitTrial:
    """Return the trial if the engine fits a move; else, with `limit`, the largest that does."""
    engine, most = trial.engine, move_ms * (GUARD if trial.timed else SHARE)
    needed = trial.longest_ms(most)
    if needed <= most:
        return trial
    fit = largest(trial, order, kind, most)
    if fit is None or not order.limit:
        why = f"without numba a move takes about {seconds(needed)}"
        raise too_slow(engine, why, move_ms, most, None if fit is None else fit.engine)
    return fit


def largest(trial: FitTrial, order: Order, kind: Kind, most: float) -> FitTrial | None:
    """Return the trial of the largest smaller engine whose moves take at most `most` milliseconds."""
    fit = list[Engine]()
    for amount in smaller(trial.engine)[:-1]:
        engine = with_work(trial.engine, amount)
        if trial.expected_ms(engine) > most:
            break
        fit.append(engine)
    for engine in reversed(fit):
        order.say(f"trying {work_of(engine)} ...")
        smaller_trial = trial_of(order, kind, engine)
        if smaller_trial.longest_ms(most) <= most:
            return smaller_trial
    return None


def affordable(engine: Engine, kind: Kind, move_ms: float, say: Callable[[str], None]) -> Engine:
    """Return the engine, or the largest smaller one whose moves fit; raise Refused if none does."""
    order = Order(engine, {}, move_ms, True, say)
    return fitting(trial_of(order, kind, engine), order, kind, move_ms).engine


def time_of(trial: FitTrial, move_ms: float | None) -> str:
    """Say how long a move takes without numba."""
    took = f"Without numba a move takes up to about {seconds(trial.longest_ms())} here"
    if move_ms is None:
        return f"{took}; only the caller can end it early."
    guard = seconds(move_ms * GUARD)
    return f"{took}, of {seconds(move_ms)}. After {guard} the file answers with what it has."


def docstring(engine: Engine, lines: list[str]) -> str:
    """Return the file's docstring, in which no name can end it or be anything but text."""
    wrap = textwrap.TextWrapper(98, subsequent_indent="  ", break_long_words=False)
    wrap.break_on_hyphens = False
    wrapped = [inert(part) for line in lines for part in wrap.wrap(line) or [""]]
    text = "\n".join([inert(f"Plays {engine.text}"), "", *wrapped])
    return f'"""{text}\n"""\n\n'


def inert(line: str) -> str:
    """Return a line made safe between triple quotes: unprintable characters are escaped."""
    plain = line.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in plain)
