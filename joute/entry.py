"""The command `joute`: prints its page of help at once, and opens the door (joute/cli.py) for the rest.

Help is what people ask for first and most often, and importing click takes four times as long as Python
itself. `make pages` writes the page.
"""

from __future__ import annotations

import os
import sys

HELP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "help.txt")
WIDE = 80  # columns that the page is written for


def main() -> None:
    """Run the command line."""
    open_streams()
    if sys.argv[1:] in (["-h"], ["--help"]) and columns() >= WIDE:
        with open(HELP, encoding="utf-8") as page:
            print(page.read(), end="")
        return
    from joute.cli import main as door

    door(prog_name="joute")


def open_streams() -> None:
    """Open stdin, stdout and stderr where who started the program has closed them: libraries write there
    without a look, and the next file that is opened would take their place.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)  # the lowest that is free
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            stream = open(number, "w" if number else "r", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def columns() -> int:
    """Return the width of the terminal; where there is none, that of the page."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size().columns or WIDE)
    except (OSError, ValueError):
        return WIDE
