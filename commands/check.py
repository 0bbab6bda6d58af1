"""`joute check`: conformance of games and engines with what the rooms expect of them (default: all)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from commands._terminal import announce_compiling, as_json, json_option, no_start_option, starting


@click.command()
@click.argument("things", nargs=-1, metavar="[GAME or SPEC ...]")
@no_start_option
@json_option
def command(things: Sequence[str], no_start: bool, machine: bool) -> None:
    """Conformance of games and engines with what the rooms expect of them (default: all)."""
    from dataclasses import asdict
    from itertools import groupby

    from harness.conformance import check_all

    announce_compiling()
    with starting(not no_start):
        found = check_all(list(things), start=not no_start)
    if machine:
        as_json([asdict(c) for c in found])
    else:
        for thing, rules in groupby(found, key=lambda c: c.thing):
            click.echo(thing)
            for c in rules:
                mark = "FAULT" if c.fault else "NOTE " if c.note else "ok   "
                click.echo(f"  {mark} {': '.join(filter(None, (c.rule, c.fault, c.note)))}")
    sys.exit(1 if any(c.fault for c in found) else 0)
