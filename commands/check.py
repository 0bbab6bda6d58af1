"""`joute check`: conformance of games, engines and views with what the rooms expect of them (default: all)."""

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
@click.argument("things", nargs=-1, metavar="[GAME, SPEC or NAME ...]")
@click.option(
    "--all", "every", is_flag=True, help="Of an evaluation: all engines with it, not two."
)
@no_start_option
@json_option
def command(things: Sequence[str], every: bool, no_start: bool, machine: bool) -> None:
    """Conformance of games, engines and views with what the rooms expect of them (default: all).

    A NAME is a search's: all engines with it are checked; an evaluation's: two of them; or a view's.
    Kernels check the bounds of their arrays here, in a process of its own: a wrong one is named. Of a game
    that has no fault the speed is told.
    """
    from dataclasses import asdict
    from itertools import chain, groupby

    from joute.harness.conformance.speed import speed_of
    from joute.harness.conformance.subjects import games_are_there, not_started, subjects_of
    from joute.harness.conformance.subprocess_check import check_in_subprocess

    with starting(not no_start):
        subjects = subjects_of(things, every)
        idle = not_started(subjects) if no_start else []
    rest = [thing for thing in subjects if thing not in {one.thing for one in idle}]
    checks = []
    for thing, rules in groupby(
        chain(games_are_there(), idle, check_in_subprocess(rest)), key=lambda c: c.thing
    ):
        if not machine:
            click.echo(thing)
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


def sound_games(checks: Sequence[Any]) -> list[str]:
    """Return the games that were checked and have no fault."""
    from joute.harness.conformance.subjects import is_made

    faulty = {c.thing for c in checks if c.fault}
    things = dict.fromkeys(c.thing for c in checks if c.thing not in faulty)
    return [thing for thing in things if "/" not in thing and is_made(thing)]


def summary_of(checks: Sequence[Any]) -> str:
    """Say in a line how many rules were checked, of how many things, and what was found."""
    from joute.reports.reading.words import counted

    things, faults = {c.thing for c in checks}, [c for c in checks if c.fault]
    notes = sum(1 for c in checks if c.note and not c.fault)
    found = counted(len(faults), "fault") if faults else "no fault"
    return f"{counted(len(checks), 'rule')} of {counted(len(things), 'thing')}: {found}, {counted(notes, 'note')}"
