"""`joute check`: conformance of games and engines with what the rooms expect of them (default: all)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from commands._terminal import as_json, json_option


@click.command()
@click.argument("things", nargs=-1, metavar="[GAME, SPEC or NAME ...]")
@json_option
def command(things: Sequence[str], machine: bool) -> None:
    """Conformance of games and engines with what the rooms expect of them (default: all).

    A NAME is a search's or an evaluation's: all engines with it are checked. Kernels check the
    bounds of their arrays here, in a process of its own: a wrong one is named.
    """
    from dataclasses import asdict
    from itertools import groupby

    from harness.conformance.apart import check_apart
    from harness.conformance.things import things_of

    found = []
    for thing, rules in groupby(check_apart(things_of(things)), key=lambda c: c.thing):
        if not machine:
            click.echo(thing)
        for c in rules:
            found.append(c)
            mark = "FAULT" if c.fault else "NOTE " if c.note else "ok   "
            if not machine:
                click.echo(f"  {mark} {': '.join(filter(None, (c.rule, c.fault, c.note)))}")
    if machine:
        as_json([asdict(c) for c in found])
    sys.exit(1 if any(c.fault for c in found) else 0)
