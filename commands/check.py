"""`joute check`: check that games, engines and views follow their contracts (default: all)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import (
    announce_compiling,
    as_json,
    json_option,
    no_start_option,
    starting,
)


@click.command(cls=PlayingCommand)
@click.argument("things", nargs=-1, metavar="[GAME, SPEC, NAME or STUDY.toml ...]")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Of an evaluation, check all engines with it, not just two.",
)
@no_start_option
@json_option
def command(things: Sequence[str], every: bool, no_start: bool, machine: bool) -> None:
    """Check that games, engines and views follow their contracts (default: all).

    A NAME is a search (checks all engines with it), an evaluation (checks two of them) or a view. Of a
    study's file its engines are checked.
    Kernels run in a separate process that checks the bounds of their arrays and names a wrong one. A game
    that passes is also timed.
    """
    from dataclasses import asdict
    from itertools import chain, groupby

    from joute.engines.engine_text import shortened
    from joute.harness.conformance.speed import speed_of
    from joute.harness.conformance.subjects import games_are_there, not_started, subjects_of
    from joute.harness.conformance.subprocess_check import check_in_subprocess

    with starting(not no_start):
        engines = engines_for(things)
        subjects = subjects_of([*engines], every)
        idle = not_started(subjects) if no_start else []
    rest = [thing for thing in subjects if thing not in {one.thing for one in idle}]
    checks = []
    for thing, rules in groupby(
        chain(games_are_there(), idle, check_in_subprocess(rest)), key=lambda c: c.thing
    ):
        if not machine:
            click.echo(f"{engines.get(thing) or ''}{shortened(thing)}")
        for c in rules:
            checks.append(c)
            mark = "FAULT" if c.fault else "NOTE " if c.note else "ok   "
            if not machine:
                click.echo(f"  {mark} {': '.join(filter(None, (c.rule, c.fault, c.note)))}")
    if machine:
        as_json([asdict(c) for c in checks])
    else:
        click.echo(summary_of(checks))
        announce_compiling()
        for game in sound_games(checks):
            click.echo(speed_of(game).text)
    sys.exit(1 if any(c.fault for c in checks) else 0)


def engines_for(things: Sequence[str]) -> dict[str, str]:
    """Return what is to be checked, the engines of a study in place of its file, with the beginning of its
    heading: the name of an engine in its study.
    """
    from joute.engines.engine_text import data_of_file, is_study
    from joute.engines.errors import Refused
    from joute.studies.load import load_study

    named: dict[str, str] = {}
    for thing in things:
        if not (thing.endswith(".toml") and is_study(data_of_file(thing))):
            named[thing] = ""
            continue
        study = load_study(thing)
        if not study.entrants and not study.later_engines:
            raise Refused(f"{thing}: a study without engines of its own ({study.kind})")
        for one in study.entrants:
            named.setdefault(one.engine.text, f"{one.name}: ")
        for engine in study.later_engines:
            named.setdefault(engine.text, "")
    return named


def sound_games(checks: Sequence[Any]) -> list[str]:
    """Return the games that were checked and have no fault."""
    from joute.harness.conformance.subjects import is_made

    faulty = {c.thing for c in checks if c.fault}
    things = dict.fromkeys(c.thing for c in checks if c.thing not in faulty)
    return [thing for thing in things if "/" not in thing and is_made(thing)]


def summary_of(checks: Sequence[Any]) -> str:
    """Return in a line how many checks were made, of how many subjects, and what was found."""
    from joute.reports.reading.words import counted

    faults = sum(1 for c in checks if c.fault)
    notes = sum(1 for c in checks if c.note and not c.fault)
    every = counted(len(checks), "check")
    text = f"{faults} of {every} failed" if faults else f"all {every} passed"
    if len(things := {c.thing for c in checks}) > 1:
        text += f" ({len(things)} games, engines and views)"
    return text + (f"; {counted(notes, 'note')}" if notes else "")
