"""`python -m benchmarks.tuners`: makes the runs that are missing in the store, and prints the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.errors import told
from benchmarks.tuners.family import CLASSES, family_name
from benchmarks.tuners.ours import NAME
from benchmarks.tuners.play import plan, play_all
from benchmarks.tuners.plot import pictures
from benchmarks.tuners.problem import STARTS
from benchmarks.tuners.problems import PROBLEMS, find_problem
from benchmarks.tuners.ratios import ratio_tables
from benchmarks.tuners.run import LOOK, NO_DEFAULT, PAIR, find_tuner, test_seed, tuner_names
from benchmarks.tuners.store import Store
from benchmarks.tuners.table import tables
from joute.engines.errors import JouteError, Refused, unknown
from joute.results.tables import check_place

QUICK: dict[str, Any] = {
    "problems": ["LOG", "LOG2", "ROSENBROCK", "STEP", "DEAD2"],
    "tuners": [NAME, "clop", "tree", "tpe", "random"],
    "seeds": 12,
    "defaults": [NO_DEFAULT, "centre"],
    "minutes": 4.5,
}
FULL: dict[str, Any] = {
    "problems": list(PROBLEMS),
    "tuners": tuner_names(),
    "seeds": 40,
    "defaults": [NO_DEFAULT],
    "minutes": None,
}
SHOWN = 5
MOST = 0.6  # correlation of a pair


@click.command()
@click.option("--problems", metavar="A,B", help=f"Of {', '.join(PROBLEMS)}.")
@click.option("--family", "family_seed", metavar="SEED",
              help='Play drawn problems: "test", or a number for training.')  # fmt: skip
@click.option("--classes", metavar="A,B", help=f"Of {', '.join(CLASSES)}.")
@click.option("--each", type=click.IntRange(1), default=12, help="Problems a class [default: 12].")
@click.option("--tuners", metavar="A,B", help=f"Of {', '.join(tuner_names())}.")
@click.option("--seeds", type=click.IntRange(1), help="Runs of each kind [default: 40].")
@click.option("--games", default="1000", metavar="N,M", help="Lengths of runs [default: 1000].")
@click.option(
    "--defaults", metavar="A,B", help=f"Of {NO_DEFAULT}, {', '.join(STARTS)} (ours only)."
)
@click.option("--correlation", type=click.FloatRange(-MOST, MOST), metavar="R",
              help="Play pairs of games whose results correlate so, -0.6 to 0.6.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=2, help="Processes [default: 2].")
@click.option("--store", type=click.Path(path_type=Path), default=Path("runs/tuners.jsonl"),
              help="Where runs are kept and found again [default: runs/tuners.jsonl].")  # fmt: skip
@click.option("--minutes", type=click.FloatRange(0), help="Stop after so long; resume at will.")
@click.option("--quick", is_flag=True, help="Five problems and rivals, within 5 minutes.")
@click.option("--show", is_flag=True, help="Make no runs: only print what the store has.")
@click.option("--plot", type=click.Path(path_type=Path), metavar="FOLDER", help="Write pictures.")
def main(
    problems: str | None,
    family_seed: str | None,
    classes: str | None,
    each: int,
    tuners: str | None,
    seeds: int | None,
    games: str,
    defaults: str | None,
    correlation: float | None,
    workers: int,
    store: Path,
    minutes: float | None,
    quick: bool,
    show: bool,
    plot: Path | None,
) -> None:
    """Let tuners play on known noisy problems, and tell how far from the best they end.

    Runs are stored as they end; the same command again makes only what is missing, and runs of code
    that has changed since.
    """
    preset = QUICK if quick else FULL
    if family_seed is not None:
        if problems is not None:
            raise Refused("--problems and --family: only one of them")
        named = family(family_seed, chosen(classes, list(CLASSES), find_class), each)
    elif classes is not None:
        raise Refused("--classes needs --family")
    else:
        named = chosen(problems, preset["problems"], lambda name: find_problem(name).name)
    lengths = [length(text) for text in words(games)]
    if correlation is not None and any(count % PAIR for count in lengths):
        raise Refused(f"--games: {games} with --correlation; allowed: even numbers")
    asked = plan(
        named,
        chosen(tuners, preset["tuners"], find_tuner),
        seeds or preset["seeds"],
        lengths,
        chosen(defaults, preset["defaults"], find_default),
        correlation,
    )
    if not asked.tasks:
        raise Refused(f"nothing to play: {asked.left_out[0] if asked.left_out else 'no default'}")
    for line in asked.left_out:
        click.echo(line, err=True)
    if plot is not None:
        check_place(plot / "regret-1.png") if plot.exists() else check_place(plot)
    if store.parent == Path("runs"):
        store.parent.mkdir(exist_ok=True)
    runs = Store(store)
    if runs.torn:
        click.echo(f"{store}: {runs.torn} lines were cut short by a kill, and count as not there", err=True)  # fmt: skip
    limit = minutes if minutes is not None else preset["minutes"]
    failed = [] if show else play_all(asked.tasks, runs, workers, limit)
    rows = runs.rows(task.key() for task in asked.tasks)
    click.echo(tables(rows) if rows else "no runs")
    if family_seed is not None and rows:
        click.echo("\n\n" + "\n\n".join(ratio_tables(rows)))
    if len(rows) < len(asked.tasks):
        click.echo(f"\n{len(rows):,} of {len(asked.tasks):,} runs", err=True)
    if plot is not None and rows:
        for path in pictures(rows, plot):
            click.echo(f"picture: {path}", err=True)
    if failed:
        more = [f"and {len(failed) - SHOWN} more"] if len(failed) > SHOWN else []
        raise JouteError("runs failed: " + "; ".join([*failed[:SHOWN], *more]))


def words(text: str) -> list[str]:
    """Return the parts of a list with commas; Refused if one is empty."""
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise Refused(f"{text!r}: a name is missing between the commas")
    return list(dict.fromkeys(parts))


def chosen(text: str | None, default: Sequence[str], find: Callable[[str], str]) -> list[str]:
    """Return the names of a list, or the default ones."""
    return list(default) if text is None else [find(name) for name in words(text)]


def family(seed: str, classes: Sequence[str], each: int) -> list[str]:
    """Return the names of drawn problems: `each` of each class."""
    if seed != "test" and not (seed.isdecimal() and len(seed) < 16):
        raise Refused(f'--family: {seed!r} is neither "test" nor a whole number from 0 up')
    number = test_seed() if seed == "test" else int(seed)
    return [family_name(kind, number, place) for place in range(each) for kind in classes]


def find_class(name: str) -> str:
    """Return the name of a class; Refused, with the nearest name, if there is none."""
    if name.upper() not in CLASSES:
        raise unknown("class", name, CLASSES)
    return name.upper()


def find_default(name: str) -> str:
    """Return the name of a default; Refused, with the nearest name, if there is none."""
    if name not in (NO_DEFAULT, *STARTS):
        raise unknown("default", name, (NO_DEFAULT, *STARTS))
    return name


def length(text: str) -> int:
    """Return a number of games; Refused unless it is one from LOOK up."""
    if not text.isdecimal() or int(text) < LOOK:
        raise Refused(f"--games: {text!r} is no whole number from {LOOK} up")
    return int(text)


if __name__ == "__main__":
    with told("tuners"):
        main()
