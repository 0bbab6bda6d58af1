"""`joute check`: conformance of games, engines and views with what the rooms expect of them (default: all)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import as_json, json_option, no_start_option, starting


@click.command(cls=PlayingCommand)
@click.argument("things", nargs=-1, metavar="[GAME, SPEC or NAME ...]")
@no_start_option
@json_option
def command(things: Sequence[str], no_start: bool, machine: bool) -> None:
    """Conformance of games, engines and views with what the rooms expect of them (default: all).

    A NAME is a search's or an evaluation's: all engines with it are checked; or a view's. Kernels check the
    bounds of their arrays here, in a process of its own: a wrong one is named.
    """
    from dataclasses import asdict
    from itertools import chain, groupby

    from joute.harness.conformance.subjects import games_are_there, not_started, subjects_of
    from joute.harness.conformance.subprocess_check import check_in_subprocess

    with starting(not no_start):
        every = subjects_of(things)
        idle = not_started(every) if no_start else []
    rest = [thing for thing in every if thing not in {one.thing for one in idle}]
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
    sys.exit(1 if any(c.fault for c in checks) else 0)
