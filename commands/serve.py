"""`joute serve`: serve GAME to clients that connect and play each other; the first of them begins."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from joute.commands._plugins import PlayingCommand
from joute.commands._terminal import announce_compiling, milliseconds, seconds


@click.command(cls=PlayingCommand)
@click.argument("game")
@click.option("--protocol", help="How clients talk (default: as the game's usual server).")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port (0: a free one; default: usual).")
@click.option("--turn-ms", type=milliseconds(), help="Time of a turn (default: usual).")
@click.option(
    "--clock",
    type=seconds(),
    metavar="SECONDS",
    help="Time of a player for a whole game, where there are such clocks (default: usual).",
)
@click.option("--games", type=click.IntRange(1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--pause", is_flag=True, help="Wait before and after a game, as the course's server.")
@click.option("--log", type=click.Path(path_type=Path), help="Write what is printed there, too.")
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
