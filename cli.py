"""The front door: `joute`. Parses the request, hands it to the rooms, prints what they answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from engines.game import Game
    from engines.search import Choice
    from studies.plan import Study
    from studies.run import Outcome, Progress

NUMBERS = {"ignore_unknown_options": True}  # so that -3 is a number


class Door(click.Group):
    """A group whose commands turn refusals into one line and exit code 2, failures into 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; nothing but a bug shows a traceback."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("joute: stopped", err=True)
            ctx.exit(130)
        except ValueError as error:
            if type(error).__name__ not in ("Refused", "StudyRefused", "StudyChanged"):
                raise
            for fault in getattr(error, "faults", [str(error)]):
                click.echo(f"joute: {fault}", err=True)
            ctx.exit(2)
        except Exception as error:
            kinds = {kind.__name__ for kind in type(error).__mro__}
            if kinds & {"StoreError"}:
                click.echo(f"joute: {error}", err=True)
                ctx.exit(2 if kinds & {"RunMissing", "RunBusy", "RunDamaged"} else 1)
            if kinds & {"VoidGame", "NotTheSame", "PlayerFailure", "ProtocolError"}:
                click.echo(f"joute: {error}", err=True)
                ctx.exit(1)
            if isinstance(error, OSError) and error.filename:
                click.echo(f"joute: {error.filename}: {error.strerror}", err=True)
                ctx.exit(1)
            raise


@click.group(cls=Door, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--plugin", multiple=True, type=click.Path(), help="A file with games, searches, ...")
@click.version_option(package_name="joute")
def main(plugin: Sequence[str]) -> None:
    """Joute tunes the parameters of game engines by making them play.

    A GAME is written with its options, connect4[columns=12,rows=6]. A SPEC is an engine,
    GAME/alphabeta:evaluation=lines,depth=6. A POSITION is startpos or the game's one-line text,
    then optionally: moves a b c.
    """
    if plugin:
        from engines.registry import load_plugin

        for path in plugin:
            load_plugin(path)


def announce_compiling() -> None:
    """Say on stderr when kernels are compiled, which takes seconds, once."""
    from engines import kernels

    kernels.announce = lambda text: click.echo(f"joute: {text}", err=True)


def as_json(data: object) -> None:
    """Print data for machines."""
    import json

    click.echo(json.dumps(data))


def tell(text: str) -> None:
    """Print text that may have colours: without them where nobody sees them or wants none."""
    import os

    from engines.colours import plain

    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    click.echo(text if wanted else plain(text))


class Milliseconds(click.FloatRange):
    """A time: a finite number from 1 up."""

    def __init__(self) -> None:
        super().__init__(1, 1e7)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Refuse what is not a number, too."""
        found = super().convert(value, param, ctx)
        if found != found:
            self.fail(f"{value!r} is not a time in milliseconds; allowed: 1 to 1e7", param, ctx)
        return found


class Targets(click.Option):
    """An option whose help names every export target; they are looked for only then."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and what it may be."""
        from reports.exporters import found

        self.help = f"Target: {', '.join(found())}."
        return super().get_help_record(ctx)


json_option = click.option("--json", "machine", is_flag=True, help="Print JSON.")
workers_option = click.option(
    "-j", "--workers", type=click.IntRange(1, 1024), help="Worker processes (default: all cores)."
)


@main.command("list")
@json_option
def list_(machine: bool) -> None:
    """What there is: games, searches, evaluations, generators, studies, suites, samplers, ..."""
    from engines.registry import BASES, find, names
    from reports.exporters import found as targets
    from studies.samplers import find_sampler, samplers
    from studies.schema import ready_made, summary_of
    from studies.suite import ready_suites, summary_of_suite

    found = {kind: {n: find(kind, n).summary for n in names(kind)} for kind in BASES}
    found["study"] = {name: summary_of(name) for name in ready_made()}
    found["suite"] = {name: summary_of_suite(name) for name in ready_suites()}
    found["sampler"] = {name: find_sampler(name).SUMMARY for name in samplers()}
    found["export target"] = {name: one.SUMMARY for name, one in targets().items()}
    if machine:
        as_json(found)
        return
    for kind, members in found.items():
        click.secho({"search": "searches", "study": "studies"}.get(kind, f"{kind}s"), bold=True)
        for name, summary in members.items():
            click.echo(f"  {name:24} {summary}")


@main.command()
@click.argument("thing")
@json_option
def show(thing: str, machine: bool) -> None:
    """Options or parameters of a THING, with range, default, meaning and source."""
    from engines.describe import describe

    found = describe(thing)
    as_json(found.data) if machine else click.echo(found.text)


@main.command()
@click.argument("specs", nargs=-1, required=True, metavar="SPEC SPEC [SPEC ...]")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--position", default="startpos", help="Where to start.")
@click.option("--quiet", is_flag=True, help="Print only the moves and the result.")
@json_option
def play(specs: Sequence[str], seed: int, position: str, quiet: bool, machine: bool) -> None:
    """Play one game, shown move by move (`human` is a player)."""
    from engines.engine import names_game, parse_engine
    from engines.errors import Refused
    from engines.exported import is_file
    from engines.position import Position, parse_position
    from engines.random import seed_of
    from harness.match import Rules, Tally, play_game, returns_of

    announce_compiling()
    named = [s for s in specs if is_file(s) or names_game(s)]
    if not named:
        raise Refused("at least one SPEC must name the game (game/search:...)")
    game = parse_engine(named[0]).game
    engines = [parse_engine(s, game) for s in specs]
    if len(engines) != game.players:
        raise Refused(f"{game.label} is for {game.players} players, not {len(engines)}")
    for engine in engines:
        if engine.game.label != game.label:
            raise Refused(f"{engine.text} plays another game than {game.label}")
    state = parse_position(game, position)
    players = [engine.player() for engine in engines]
    for seat, player in enumerate(players):
        player.new_game(seed_of(seed, seat), seat)
    told: list[dict[str, Any]] = []

    def watch(now: Position, choice: Choice) -> None:
        text = game.action_text(choice.action)
        value = None if choice.value is None else round(choice.value, 6)
        told.append({"action": text, "value": value, "nodes": choice.nodes})
        if machine:
            return
        worth = "" if value is None else f"  value {value:g}"
        work = f"  nodes {choice.nodes}" if choice.nodes else ""
        click.echo(f"{len(now.moves)}. {text}{worth}{work}")
        if not quiet:
            tell(now.draw() + "\n")

    if not (machine or quiet):
        tell(state.draw() + "\n")
    tallies = [Tally() for _ in players]
    failures = play_game(
        state, players, lambda ply: seed_of(seed, ply), Rules(), tallies, watch=watch
    )
    returns, termination = returns_of(state, failures)
    for player in players:
        player.close()
    if machine:
        as_json({"moves": told, "returns": returns, "termination": termination})
    else:
        for failed in failures:
            click.echo(f"{engines[failed.seat].text}: {failed.kind} at ply {failed.ply}")
            click.echo(failed.text, err=True)
        for engine, share in zip(engines, returns, strict=True):
            click.echo(f"{share:g}  {engine.text}")
    sys.exit(1 if failures else 0)


@main.command()
@click.argument("study")
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Run folder (default: runs/NAME).")
@click.option("--fresh", is_flag=True, help="Start over, throwing away what the folder holds.")
@click.option("--dry-run", is_flag=True, help="Tell games, time and what they can resolve.")
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Override a setting.")
@json_option
def run(
    study: str,
    workers: int | None,
    out: Path | None,
    fresh: bool,
    dry_run: bool,
    settings: Sequence[str],
    machine: bool,
) -> None:
    """Play or resume a STUDY (a file, or a ready-made one's name), then report."""
    from studies.schema import load_study

    plan = load_study(study, settings)
    folder = out or Path("runs") / plan.name
    if plan.target is not None:
        from reports.target import limit_setting

        announce_compiling()
        found = limit_setting(plan, folder, lambda text: click.echo(f"joute: {text}", err=True))
        plan = load_study(study, [*settings, *([found] if found else [])])
    if dry_run:
        dry(plan, workers, machine)
        return
    command = f"joute run {quote(study)}" + "".join(f" --set {quote(s)}" for s in settings)
    command += (f" -j {workers}" if workers else "") + (f" --out {quote(str(out))}" if out else "")
    carry_out(plan, folder, workers, fresh, command, machine)


@main.command()
@click.argument("one", metavar="SPEC")
@click.argument("two", metavar="SPEC")
@click.option("--blocks", type=click.IntRange(1), help="Blocks to play (default 100).")
@click.option("--sprt", nargs=2, type=float, metavar="ELO0 ELO1", help="Stop when decided.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--plies", type=click.IntRange(0, 40), help="Random plies of an opening.")
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Run folder (default: a new one).")
@json_option
def match(
    one: str,
    two: str,
    blocks: int | None,
    sprt: tuple[float, float] | None,
    seed: int,
    plies: int | None,
    workers: int | None,
    out: Path | None,
    machine: bool,
) -> None:
    """Play A against B, a fixed number of blocks or until an SPRT decides."""
    from studies.adhoc import match_study

    plan = match_study(one, two, blocks=blocks, sprt=sprt, seed=seed, plies=plies)
    folder = out or Path("runs") / plan.name
    command = f"joute match {quote(one)} {quote(two)} --seed {seed} --out {quote(str(folder))}"
    command += f" --plies {plies}" if plies is not None else ""
    command += f" --blocks {blocks}" if blocks else ""
    command += f" --sprt {sprt[0]:g} {sprt[1]:g}" if sprt else ""
    carry_out(plan, folder, workers, False, command, machine)


def carry_out(
    plan: Study, folder: Path, workers: int | None, fresh: bool, command: str, machine: bool
) -> None:
    """Run a plan in a folder, report, print the answer and set the exit code."""
    from reports.answer import answer
    from reports.html import write_report
    from reports.notices import failing
    from results.tables import load
    from studies.run import run_study

    announce_compiling()
    with shown() as progress:
        outcome = run_study(plan, folder, workers or cores(), fresh, progress)
    page = write_report(folder)
    found = answer(load(folder))
    if machine:
        as_json(
            {
                "folder": str(folder),
                "report": str(page),
                "answer": list(found.lines),
                "winner": found.winner,
                "played": outcome.played,
                "failures": outcome.failures,
                "stopped": outcome.stopped,
            }
        )
    else:
        for line in found.lines:
            click.echo(line)
        click.echo(f"report: {page}")
    tell_end(outcome, command, failing(load(folder)))
    sys.exit(130 if outcome.stopped == "interrupted" else 1 if outcome.failures else 0)


def tell_end(outcome: Outcome, command: str, failing: Sequence[str]) -> None:
    """Say on stderr what a person should know about how a run ended."""
    if outcome.failures:
        click.echo(
            f"joute: {outcome.failures} failures of engines; see the report and failures in run.db",
            err=True,
        )
    for line in failing:
        click.echo(f"joute: {line}", err=True)
    if outcome.stopped:
        why = "interrupted" if outcome.stopped == "interrupted" else "the budget is spent"
        click.echo(f"joute: {why}; {outcome.missing} games of this stage are missing", err=True)
        click.echo(f"joute: to go on: {command}", err=True)


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def shown() -> Iterator[Progress]:
    """Show a run's progress on stderr: games, games/s and time left."""
    from tqdm import tqdm

    from studies.run import Progress

    bars: list[Any] = []

    def begin(stage: str, total: int, done: int) -> None:
        bars.append(
            tqdm(
                total=total, initial=done, desc=stage, unit="game", file=sys.stderr, mininterval=0.5
            )
        )

    def end() -> None:
        bars.pop().close()

    def say(text: str) -> None:
        tqdm.write(f"joute: {text}", file=sys.stderr)

    try:
        yield Progress(begin, lambda games: bars[-1].update(games), end, say)
    finally:
        for bar in bars:
            bar.close()


def dry(plan: Study, workers: int | None, machine: bool) -> None:
    """Print what a study would cost and resolve."""
    from studies.dry import estimate_run

    announce_compiling()
    found = estimate_run(plan, workers or cores())
    as_json(found.data) if machine else click.echo(found.text)


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("other", metavar="[RUN]", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Page of a comparison (default: in RUN)."
)
@json_option
def report(folder: Path, other: Path | None, out: Path | None, machine: bool) -> None:
    """Rebuild tables, plots and report of a RUN folder; or compare two RUNs, the older first."""
    from engines.errors import Refused

    if other is not None:
        tell_comparison(folder, other, out, machine)
        return
    if out is not None:
        raise Refused("--out is for the comparison of two runs")
    from reports.answer import answer
    from reports.html import write_report
    from results.tables import load

    page = write_report(folder)
    found = answer(load(folder))
    if machine:
        as_json({"report": str(page), "answer": list(found.lines), "winner": found.winner})
        return
    for line in found.lines:
        click.echo(line)
    click.echo(f"report: {page}")


def tell_comparison(one: Path, two: Path, out: Path | None, machine: bool) -> None:
    """Compare two runs: write the page and its numbers, print the answer."""
    from reports.compare.answer import answer
    from reports.compare.page import data, page_path, write_comparison
    from reports.compare.runs import compare

    found = compare(one, two)
    page = page_path(found, out)
    numbers = write_comparison(found, page)
    if machine:
        as_json(data(found, page, numbers))
        return
    for line in answer(found):
        click.echo(line)
    click.echo(f"report: {page}")


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("game", metavar="GAME_ID")
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[PATH]",
    help="Write one page that plays the game (default: replay-ID.html).",
)
@json_option
def replay(folder: Path, game: str, page: str | None, machine: bool) -> None:
    """Step through a stored game: Enter on, b back, a number jumps, q quits."""
    from reports.replay import data, moved, write_page
    from reports.replay import replay as read
    from results.tables import check_place

    announce_compiling()
    if page:
        check_place(Path(page))
    found = read(folder, game)
    path = None if page is None else write_page(found, Path(page) if page else None)
    if machine:
        as_json({**data(found), **({"page": str(path)} if path else {})})
        return
    if path is not None:
        click.echo(f"page: {path}")
        return
    last, number = len(found.steps) - 1, 0
    stepping = sys.stdin.isatty() and sys.stdout.isatty()
    while number <= last:
        if stepping:
            click.clear()
        if stepping or not number:
            tell("\n".join([found.title(), *found.seats(), ""]))
        tell(found.shown(number))
        answer = click.prompt(f"{number} of {last}", "", show_default=False) if stepping else ""
        there = moved(number, answer, last)
        if there is None:
            break
        number = there


@main.command()
@click.argument("file")
@click.argument("specs", nargs=-1, metavar="[SPEC ...]")
@click.option("--grid", multiple=True, metavar="NAME=V1,V2,...", help="Cross with every SPEC.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@workers_option
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Write the answers there.")
@click.option(
    "--from-game",
    nargs=3,
    type=str,
    metavar="RUN ID MOVE",
    help="Add the position before that move of a stored game to FILE, the move to be avoided.",
)
@click.option("--best", multiple=True, metavar="ACTION", help="With --from-game: what passes.")
@click.option("--remark", default="", metavar="TEXT", help="With --from-game: why.")
@json_option
def suite(
    file: str,
    specs: Sequence[str],
    grid: Sequence[str],
    seed: int,
    workers: int | None,
    table: Path | None,
    from_game: tuple[str, str, str] | None,
    best: Sequence[str],
    remark: str,
    machine: bool,
) -> None:
    """Put the positions of a suite (a FILE, or a ready-made one's name) to engines."""
    from engines.errors import Refused
    from reports.suite import data, failures, text, write_answers
    from results.tables import check_place
    from studies.answers import ask, engines_of
    from studies.suite import load_suite

    announce_compiling()
    if from_game is not None:
        if specs or grid or table:
            raise Refused("--from-game adds a case; it goes with no SPEC, --grid or --csv")
        add_case(Path(file), from_game, best, remark, machine)
        return
    if best or remark:
        raise Refused("--best and --remark go with --from-game")
    if table is not None:
        check_place(table)
    asked = load_suite(file)
    columns = ask(asked, engines_of(asked, specs, grid), seed, workers or cores())
    if table is not None:
        write_answers(asked, columns, table)
    as_json(data(asked, columns)) if machine else click.echo(text(asked, columns))
    sys.exit(1 if failures(columns) else 0)


def add_case(
    file: Path, where: tuple[str, str, str], best: Sequence[str], remark: str, machine: bool
) -> None:
    """Add a position of a stored game to a suite."""
    from dataclasses import asdict

    from engines.errors import Refused
    from reports.suite import add_from_game
    from results.tables import check_place

    check_place(file)
    folder, game, number = where
    if not (number.isascii() and number.isdigit()):
        raise Refused(f"--from-game: {number!r} is not the number of a move")
    found = add_from_game(Path(folder), game, int(number), best, remark, file)
    if machine:
        as_json({"file": str(file), **asdict(found)})
        return
    click.echo(f"{file}: {found.name}, {found.position}; passes: {found.wanted}")


@main.command()
@click.argument("folder", metavar="[RUN]", required=False, type=click.Path(path_type=Path))
@click.option("--to", "target", required=True, cls=Targets)
@click.option("-o", "out", type=click.Path(path_type=Path), help="File (default: by its name).")
@click.option("--engine", metavar="SPEC", help="Export this engine, which no run recommended.")
@click.option("--anyway", is_flag=True, help="Export a winner that is not confirmed.")
@click.option("--limit", is_flag=True, help="Write the largest engine that fits the move limit.")
@click.option("--move-ms", type=Milliseconds(), help="Time a move may take (kaggle: 2000).")
@json_option
def export(
    folder: Path | None,
    target: str,
    out: Path | None,
    engine: str | None,
    anyway: bool,
    limit: bool,
    move_ms: float | None,
    machine: bool,
) -> None:
    """Write the winner of a RUN for a target: as data, as constants, or as a file that plays."""
    from reports.export import Request
    from reports.export import export as write

    announce_compiling()
    request = Request(target, folder, engine, out, anyway, limit, move_ms)
    found = write(request, lambda text: click.echo(f"joute: {text}", err=True))
    if machine:
        as_json({"path": str(found.path), "bytes": found.size, "engine": found.engine})
        return
    click.echo(f"{found.path}  {found.size:,} bytes  {found.engine}")
    click.echo(f"use: {found.use}")


@main.command()
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(1, 65535), default=8080, show_default=True)
def dashboard(folder: Path, host: str, port: int) -> None:
    """Open optuna-dashboard on the search of a tune RUN (extra: joute[dashboard])."""
    from studies.dashboard import serve

    serve(folder, host, port, lambda text: click.echo(f"joute: {text}", err=True))


def counts_of(wdl: Sequence[float], pairs: Sequence[int] | None) -> list[int]:
    """Return outcome counts worst to best from W D L, or from pairs."""
    from engines.errors import Refused

    if bool(wdl) == (pairs is not None):
        raise Refused("give either W D L or --pairs n0 n1 n2 n3 n4")
    counts = list(pairs) if pairs is not None else list(wdl)[::-1]
    if pairs is None and len(counts) != 3:
        raise Refused(f"W D L are three counts, not {len(counts)}")
    if any(n < 0 or n != int(n) for n in counts):
        raise Refused("counts are whole numbers from 0 up")
    return [int(n) for n in counts]


pairs_option = click.option(
    "--pairs", nargs=5, type=int, help="Pair counts, worst to best: LL LD WL+DD WD WW."
)


@main.command(context_settings=NUMBERS)
@click.argument("wdl", nargs=-1, type=float, metavar="[W D L]")
@pairs_option
@json_option
def elo(wdl: Sequence[float], pairs: Sequence[int] | None, machine: bool) -> None:
    """Score, Elo, normalised Elo and LOS from counts of games or of pairs."""
    from results.calculators import elo_report

    found = elo_report(counts_of(wdl, pairs))
    as_json(found.data) if machine else click.echo(found.text)


@main.command(context_settings=NUMBERS)
@click.argument("elo0", type=float)
@click.argument("elo1", type=float)
@click.argument("wdl", nargs=-1, type=float, metavar="[W D L]")
@pairs_option
@click.option("--alpha", type=float, default=0.05, show_default=True)
@click.option("--beta", type=float, default=0.05, show_default=True)
@click.option(
    "--model", type=click.Choice(["logistic", "normalized"]), default="logistic", show_default=True
)
@json_option
def sprt(
    elo0: float,
    elo1: float,
    wdl: Sequence[float],
    pairs: Sequence[int] | None,
    alpha: float,
    beta: float,
    model: str,
    machine: bool,
) -> None:
    """Exact GSPRT of Elo ELO0 against ELO1 from counts of games or of pairs."""
    from results.calculators import sprt_report

    found = sprt_report(elo0, elo1, alpha, beta, model, counts_of(wdl, pairs))
    as_json(found.data) if machine else click.echo(found.text)


@main.command()
@click.argument("game")
@click.argument("depth", type=click.IntRange(0))
@click.option("--without", metavar="ACTION", help="Leave an action out everywhere.")
@click.option("--position", default="startpos", help="Where to start.")
@json_option
def perft(game: str, depth: int, without: str | None, position: str, machine: bool) -> None:
    """Number of action sequences of exactly DEPTH plies."""
    from engines.perft import perft as count
    from engines.position import parse_position

    announce_compiling()
    bound = game_of(game)
    left_out = None if without is None else bound.parse_action(without)
    found = count(parse_position(bound, position), depth, left_out)
    as_json({"game": bound.label, "depth": depth, "count": found}) if machine else click.echo(found)


def game_of(text: str) -> Game:
    """Return the game of a text."""
    from engines.engine import parse_game

    return parse_game(text)


@main.command(context_settings=NUMBERS)
@click.argument("game")
@click.argument("evaluation")
@click.argument("position", nargs=-1)
@click.option("-p", "parameters", multiple=True, metavar="NAME=VALUE")
@click.option("--for", "player", type=click.IntRange(1), default=1, help="Player, 1 is the first.")
@json_option
def evaluate(
    game: str,
    evaluation: str,
    position: Sequence[str],
    parameters: Sequence[str],
    player: int,
    machine: bool,
) -> None:
    """Static value of a POSITION for a player; of a finished game, who won."""
    from engines.position import parse_position
    from engines.value import value_of
    from reports.words import outcome

    announce_compiling()
    bound = game_of(game)
    state = parse_position(bound, " ".join(position) or "startpos")
    value = value_of(state, evaluation, list(parameters), player)
    if state.over:  # what searches count it as is no value of the evaluation
        ended = {"value": None, "player": player, "over": True, "returns": state.returns()}
        as_json(ended) if machine else click.echo(f"the game is over: {outcome(state.returns())}")
    elif machine:
        as_json({"value": value, "player": player, "over": False})
    else:
        click.echo(f"{value:.12g}")


@main.command()
@click.argument("spec")
@click.argument("position", nargs=-1)
@click.option("--seed", type=int, default=0, show_default=True)
@json_option
def bestmove(spec: str, position: Sequence[str], seed: int, machine: bool) -> None:
    """What an engine plays in a POSITION: move, value, depth, nodes, time_ms."""
    import time

    from engines.engine import parse_engine
    from engines.errors import Refused
    from engines.position import parse_position

    announce_compiling()
    engine = parse_engine(spec)
    state = parse_position(engine.game, " ".join(position) or "startpos")
    if state.over:
        raise Refused("the game is over in this position: there is no move")
    player = engine.player()
    player.new_game(seed, state.to_move)
    begun = time.perf_counter()
    choice = player.choose(state)
    found = {
        "move": engine.game.action_text(choice.action),
        "value": choice.value,
        "depth": choice.depth,
        "nodes": choice.nodes,
        "time_ms": round((time.perf_counter() - begun) * 1e3, 3),
    }
    player.close()
    if machine:
        as_json(found)
    else:
        click.echo("  ".join(f"{k} {v}" for k, v in found.items() if v is not None))


@main.command()
@click.argument("spec")
@click.argument("where", nargs=-1, metavar="[HOST PORT]")
@click.option("--protocol", required=True, help="How the referee talks: codingame, json-lines, ...")
@click.option("--name", default="joute", show_default=True, help="Our name at a server.")
@click.option("--turn-ms", type=Milliseconds(), help="The server's time of a turn.")
def bot(spec: str, where: Sequence[str], protocol: str, name: str, turn_ms: float | None) -> None:
    """Be the engine SPEC under somebody's referee, on stdin and stdout or at a server."""
    from harness.guest import be_bot, join

    def say(text: str) -> None:
        click.echo(f"joute: {text}", err=True)

    announce_compiling()
    if where:
        join(spec, protocol, where, name, turn_ms, say)
    else:
        be_bot(spec, protocol)


@main.command()
@click.argument("game")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port (0: a free one; default: usual).")
@click.option("--turn-ms", type=Milliseconds(), help="Time of a turn (default: usual).")
@click.option("--games", type=click.IntRange(1), default=1, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--pause", is_flag=True, help="Wait before and after a game, as the course's server.")
@click.option("--log", type=click.Path(path_type=Path), help="Write what is printed there, too.")
def serve(
    game: str,
    host: str,
    port: int | None,
    turn_ms: float | None,
    games: int,
    seed: int,
    pause: bool,
    log: Path | None,
) -> None:
    """Serve GAME to clients that connect and play each other; the first of them begins."""
    from contextlib import ExitStack

    from harness.serve import Series
    from harness.serve import serve as run_server
    from results.tables import check_place

    announce_compiling()
    with ExitStack() as stack:
        if log is not None:
            check_place(log)
        file = stack.enter_context(open(log, "w", encoding="utf-8", buffering=1)) if log else None

        def say(text: str) -> None:
            click.echo(text)
            if file is not None:
                file.write(f"{text}\n")

        fair = run_server(game, host, port, turn_ms, Series(games, seed, pause), say)
    sys.exit(0 if fair else 1)


@main.command()
@click.option("--bot", "command", required=True, metavar="COMMAND", help="How you start it.")
@click.option("--game", help="The game it plays (default: the first with lines of its own).")
@click.option("--protocol", help="How it is asked (default: the game's).")
@click.option("-o", "out", type=click.Path(path_type=Path), default=Path("study.toml"))
@json_option
def init(command: str, game: str | None, protocol: str | None, out: Path, machine: bool) -> None:
    """Write a study that tunes your own program, ready to run, with comments."""
    from studies.template import write_study

    found = write_study(command, game, protocol, out)
    if machine:
        as_json({"path": str(out), "parameters": found})
        return
    if "{" not in command:
        said = "the command had no {name}: --k {k} was added as an example; edit it"
        click.echo(f"joute: {said}", err=True)
    click.echo(f"{out}  tunes {', '.join(found)}")
    click.echo(f"use: joute run {out}")


@main.command()
@json_option
def bench(machine: bool) -> None:
    """How fast things are on this machine."""
    from harness.bench import bench as measure

    announce_compiling()
    found = measure(lambda text: click.echo(f"joute: {text}", err=True))
    as_json(found.data) if machine else click.echo(found.text)


@main.command()
@click.argument("things", nargs=-1, metavar="[GAME or SPEC ...]")
@json_option
def check(things: Sequence[str], machine: bool) -> None:
    """Conformance of games and engines with what the rooms expect of them (default: all)."""
    from dataclasses import asdict
    from itertools import groupby

    from harness.conformance import check_all

    announce_compiling()
    found = check_all(list(things))
    if machine:
        as_json([asdict(c) for c in found])
    else:
        for thing, rules in groupby(found, key=lambda c: c.thing):
            click.echo(thing)
            for c in rules:
                mark = "FAULT" if c.fault else "NOTE " if c.note else "ok   "
                click.echo(f"  {mark} {': '.join(filter(None, (c.rule, c.fault, c.note)))}")
    sys.exit(1 if any(c.fault for c in found) else 0)


if __name__ == "__main__":
    main(prog_name="joute")
