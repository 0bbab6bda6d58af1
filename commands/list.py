"""`joute list`: list games, searches, evaluations, studies, suites, samplers and all else."""

from __future__ import annotations

import click

from joute.commands._plugins import ListingCommand
from joute.commands._terminal import as_json, fitted, json_option

FIRST = ("game", "search", "evaluation", "generator", "ending", "protocol", "study", "suite")
LAST = ("plot", "dialogue", "telling")  # kinds for authors of plugins
PLURAL = {
    "search": "searches",
    "study": "studies",
    "kind": "kinds of study",
    "target": "targets of export",
}


@click.command(cls=ListingCommand)
@click.argument("only", metavar="[KIND]", required=False)
@json_option
def command(only: str | None, machine: bool) -> None:
    """List games, searches, evaluations, generators, studies, suites, samplers and all else.

    KIND lists one of them: joute list games.
    """
    from joute.engines.errors import unknown
    from joute.engines.registry import entries, kinds
    from joute.studies.ready_made import SUITES, ready_made, summary_of

    by_kind = {kind: {n: e.fact("summary") for n, e in entries(kind).items()} for kind in kinds()}
    by_kind["study"] = {name: summary_of(name) for name in ready_made()}
    by_kind["suite"] = {name: summary_of(name, SUITES) for name in ready_made(SUITES)}
    middle = [kind for kind in sorted(by_kind) if kind not in (*FIRST, *LAST)]
    by_kind = {kind: by_kind[kind] for kind in (*FIRST, *middle, *LAST)}
    if only is not None:
        called = {plural_of(kind): kind for kind in by_kind} | {
            "kinds": "kind",
            "targets": "target",
        }
        wanted = called.get(only, only)
        if wanted not in by_kind:
            raise unknown("kind of members", only, called)
        by_kind = {wanted: by_kind[wanted]}
    if machine:
        as_json(by_kind)
        return
    for kind, members in by_kind.items():
        click.secho(plural_of(kind), bold=True)
        for name, summary in members.items():
            click.echo(fitted(f"  {name:24} {summary}", 27))


def plural_of(kind: str) -> str:
    """Return what members of a kind are called."""
    return PLURAL.get(kind, f"{kind}s")
