"""`joute serve`: serve GAME to clients that connect and play each other; the first of them begins."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, milliseconds, seconds


@click.command(cls=PlayingCommand)
@click.argument("game")
@click.option(
    "--protocol", help="Protocol of the clients (default: that of the game's usual server)."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port (0: a free one; default: the usual one)."
)
@click.option("--turn-ms", type=milliseconds(), help="Time per turn (default: the usual one).")
@click.option(
    "--clock",
    type=seconds(),
    metavar="SECONDS",
    help="Time per player and game, where the protocol has such clocks (default: the usual one).",
)
@click.option("--games", type=click.IntRange(1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--pause", is_flag=True, help="Wait before and after each game, like the course's server."
)
@click.option("--log", type=click.Path(path_type=Path), help="Also write the output to this file.")
def command(
    game: str,
    protocol: str | None,
    host: str,
    port: int | None,
    turn_ms: float | None,
    clock: float | None,
    games: int,
    seed: int,
    pause: bool,
    log: Path | None,
) -> None:
    """Serve GAME to clients that connect and play each other; the first of them begins."""
    from contextlib import ExitStack

    from joute.harness.serve import Series
    from joute.harness.serve import serve as run_server
    from joute.results.tables import check_place

    announce_compiling()
    with ExitStack() as stack:
        if log is not None:
            check_place(log)
        file = stack.enter_context(open(log, "w", encoding="utf-8", buffering=1)) if log else None

        def say(text: str) -> None:
            click.echo(text)
            if file is not None:
                file.write(f"{text}\n")

        fair = run_server(
            game, protocol, host, port, turn_ms, clock, Series(games, seed, pause), say
        )
    sys.exit(0 if fair else 1)
