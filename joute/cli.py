"""The `joute` command: finds the commands, and turns errors into a line and an exit code."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joute
from joute.third_signal import last_resort

# A search's matrices are small: threads of BLAS would wait for each other and take cores from games,
# a hundred times slower on a busy machine. It is read when numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

try:
    import click
except KeyboardInterrupt:  # Ctrl-C while it is imported: there is no door yet
    sys.stderr.write("joute: stopped\n")
    sys.exit(130)

FOLDER = Path(joute.__path__[-1]) / "commands"


class Door(click.Group):
    """A group of the commands in `commands/`; only the one that is used is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(f.stem for f in FOLDER.glob("*.py") if not f.stem.startswith("_"))

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, importing its file."""
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"joute.commands.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, each with the first line of its file."""
        rows = [(name, summary_of(FOLDER / f"{name}.py")) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is asked for; refuse another with the nearest known name."""
        if args and args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            from joute.engines.errors import nearest
            from joute.engines.registry import names

            hint = nearest(args[0], self.list_commands(ctx))
            if args[0] in names("kind"):
                hint = "; joute run plays a study of any kind"
            ctx.fail(f"No such command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words of the command line, which are texts."""
        for word in args:
            if any("\ud800" <= sign <= "\udfff" for sign in word):
                ctx.fail(f"{word!r} is not UTF-8 text")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; nothing but a bug shows a traceback."""
        from joute.engines.asking import command_line
        from joute.engines.colours import harmless
        from joute.engines.errors import JouteError, cut
        from joute.engines.programs.orphans import only_ours
        from joute.plugging import need_docstrings

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            need_docstrings()
            with terminable(), only_ours(), command_line():
                return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            ctx.exit(stopped(stop))
        except click.ClickException as error:
            error.message = cut(error.message)  # type: ignore[misc]
            raise
        except Exception as error:
            if (hidden := stop_in(error)) is not None:
                ctx.exit(stopped(hidden))
            if isinstance(error, JouteError):
                for line in error.lines():
                    click.echo(f"joute: {harmless(line)}", err=True)
                ctx.exit(error.exit_code)
            if isinstance(error, BrokenPipeError) and not error.filename:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # who read has enough, as `head`
                ctx.exit(0)
            short = isinstance(error, RuntimeError) and "start new thread" in str(error)
            if short or isinstance(error, MemoryError):
                why = "processes or threads (ulimit -u, -v)" if short else "memory (ulimit -v)"
                click.echo(
                    f"joute: this machine allows no more {why}; what was stored stays", err=True
                )
                ctx.exit(1)
            if isinstance(error, OSError):
                where = f"{error.filename}: " if error.filename else ""
                click.echo(f"joute: {harmless(cut(f'{where}{error.strerror or error}'))}", err=True)
                ctx.exit(1)
            raise


class Terminated(KeyboardInterrupt):
    """SIGTERM, which stops as Ctrl-C does."""


def stopped(stop: KeyboardInterrupt) -> int:
    """Say that a person or a signal stopped the command; return its exit code."""
    click.echo("joute: stopped", err=True)
    return 143 if isinstance(stop, Terminated) else 130


def stop_in(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interruption that caused an error: modules in C call one a failed import."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM end the program in order, and the third signal at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise Terminated

    def again(lost: sys.UnraisableHookArgs) -> None:
        """Send the signal again if a library's callback has swallowed its exception."""
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            hook(lost)
            return
        number = signal.SIGTERM if issubclass(lost.exc_type, Terminated) else signal.SIGINT
        threading.Timer(0.05, os.kill, (os.getpid(), number)).start()

    before, hook = signal.signal(signal.SIGTERM, stop), sys.unraisablehook
    sys.unraisablehook = again
    try:
        with last_resort():
            yield
    finally:
        signal.signal(signal.SIGTERM, before)
        sys.unraisablehook = hook


def summary_of(file: Path) -> str:
    """Return a command's summary, from the first line of its file: "`joute elo`: score, ..."."""
    with file.open(encoding="utf-8") as lines:
        summary = next(lines).strip().strip('"').partition(": ")[2].rstrip(".")
    return f"{summary[:1].upper()}{summary[1:]}."


@click.group(cls=Door, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--plugin",
    multiple=True,
    type=click.Path(),
    help="Load a Python file with games, searches, ...",
)
@click.option("--no-config", is_flag=True, help="Do not read joute.toml.")
@click.version_option(package_name="joute")
def main(plugin: Sequence[str], no_config: bool) -> None:
    """Joute tunes the parameters of game engines by making them play.

    A GAME is written with its options, connect4[columns=12,rows=6]. A SPEC is an engine,
    GAME/alphabeta:evaluation=lines,depth=6. A POSITION is startpos or the game's one-line text,
    then optionally: moves a b c. To name plugins once, write plugins = ["mygame.py"] into a joute.toml
    in the current folder, or set the variable JOUTE_PLUGINS.
    """
    # A command loads the plugins itself, as far as it needs any: see commands/_plugins.py.
