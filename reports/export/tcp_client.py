"""What an exported file does at a server: the client's side of a protocol, behind a command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

import numpy as np

from joute.engines.errors import ProtocolError, Refused
from joute.engines.protocol import Client
from joute.reports.export.bot import Bot

MOST_MS = 1e9


def at_server(bot: Bot, play: Client, turn_ms: float) -> Callable[[Sequence[str]], int]:
    """Return a function of a file's arguments that plays at a server and returns the exit code."""

    def port(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 0xFFFF):
            raise argparse.ArgumentTypeError(f"{text!r}; allowed: 1 to 65535")
        return int(text)

    def milliseconds(text: str) -> float:
        if not 1 <= float(text) <= MOST_MS:
            raise argparse.ArgumentTypeError(f"{text!r}; allowed: 1 ms or more")
        return float(text)

    def told(text: object) -> None:
        print(text, file=sys.stderr, flush=True)

    def join(arguments: Sequence[str]) -> int:
        """Play at the server that the arguments name, until it sends us away; return the exit code.

        1 is for a server that leaves, makes no sense, or has a map too large for this file.
        """
        parser = argparse.ArgumentParser(usage="%(prog)s HOST PORT [--turn-ms MS] [--name NAME]")
        parser.add_argument("host", metavar="HOST")
        parser.add_argument("port", metavar="PORT", type=port)
        parser.add_argument("--turn-ms", metavar="MS", type=milliseconds, default=turn_ms)
        parser.add_argument("--name", default="joute")
        chosen = parser.parse_args(arguments)
        try:
            with np.errstate(over="ignore"):
                player = bot.ready()
                play(bot.game, player, chosen.host, chosen.port, chosen.name, chosen.turn_ms, told)
        except (ProtocolError, Refused) as error:
            told(error)
            return 1 if isinstance(error, ProtocolError) else 2
        except KeyboardInterrupt:
            told("stopped")
            return 130
        return 0

    return join
