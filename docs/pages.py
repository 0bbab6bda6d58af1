"""Writes the pages that are made from the program: `make pages`."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import click

from joute.cli import Door, main
from joute.entry import HELP, WIDE
from joute.studies.reference import document

DOCS = Path(__file__).resolve().parent
HEAD = """\
# Commands

Written by `make pages` from the program's own help. `joute COMMAND --help` prints the same. Results go to
stdout, progress to stderr; `--json` prints data for machines.

* GAME: a game with its options, `connect4[columns=12,rows=6]`
* SPEC: an engine, `GAME/alphabeta:evaluation=lines,depth=6`, or the path of an exported `.toml` or `.json`
* POSITION: `startpos` or the game's one-line text, then optionally `moves a b c`
* RUN: a run folder, `runs/connect4-tune`
* Exit codes: 0 done; 1 could not be carried out, or a check found a fault; 2 refused, nothing was written; 130
  stopped by Ctrl-C
"""


def commands_page() -> str:
    """Return the reference of all commands as Markdown."""
    parts = [HEAD, "| option of `joute` itself | meaning |", "|---|---|", *options_of(main)]
    context = click.Context(main, info_name="joute")
    assert isinstance(main, Door)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context)
        usage = " ".join(command.collect_usage_pieces(inner))
        first, *more = (
            paragraph.replace("\n", " ")
            for paragraph in inspect.cleandoc(command.help or "").split("\n\n")
        )
        parts += ["", f"## {name}", "", first, ""]
        parts += ["```sh", f"joute {name} {usage}", "```", ""]
        for paragraph in more:
            parts += [paragraph.strip(), ""]
        parts += ["| option | meaning |", "|---|---|", *options_of(command)]
    return "\n".join(parts) + "\n"


def options_of(command: click.Command) -> list[str]:
    """Return a row of each option: how it is written, and what it means with its default."""
    context = click.Context(command, info_name=command.name)
    rows = []
    for one in command.get_params(context):
        if isinstance(one, click.Option) and not one.hidden and "--help" not in one.opts:
            written, meaning = one.get_help_record(context) or ("", "")
            cells = [f"`{written}`", " ".join(meaning.split())]
            rows.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return rows


def help_page() -> str:
    """Return the page of `joute --help`, as a process of its own prints it."""
    script = "from joute.cli import main; main(prog_name='joute')"
    wide = {**os.environ, "COLUMNS": str(WIDE)}
    command = [sys.executable, "-c", script, "--help"]
    return subprocess.run(command, env=wide, capture_output=True, text=True, check=True).stdout


PAGES = {
    DOCS / "commands.md": commands_page,
    DOCS / "studies.md": document,
    Path(HELP): help_page,
}

if __name__ == "__main__":
    for page, made in PAGES.items():
        page.write_text(made(), "utf-8")
        print(page)
