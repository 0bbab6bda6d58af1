"""Plays studies and matches: `joute.run` and `joute.match`, and the commands of these names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any

from joute.door import door
from joute.engines.errors import Refused, path_of, unboxed
from joute.engines.errors import shown as as_text
from joute.plugging import plug
from joute.progress_bar import cores, shown
from joute.runs import Run

if TYPE_CHECKING:
    from joute.harness.executor import Executor
    from joute.studies.play.progress import Progress
    from joute.studies.study import Study


@door
def run(
    study: str | Path | Mapping[str, Any],
    out: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    settings: Mapping[str, Any] | None = None,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
) -> Run:
    """Play a study, or its missing games, and return its run.

    `study`: the name of a ready-made study, the path of a file, or a dict with a file's content, with
    paths relative to the current folder. `out`: the run's folder, by default runs/NAME. `workers`:
    processes, by default one per core; `cluster`: an address as for `--cluster`. `settings` override
    the study's, by path: {"schedule.blocks": 10}. `fresh` deletes the folder's content. `plugins`:
    files with your games and engines. Raise Refused, with nothing written.
    """
    plug(plugins)
    if not isinstance(study, Mapping):
        path_of(study, "study")
    if cluster is not None and not isinstance(cluster, str):
        raise Refused(f"cluster = {as_text(cluster)}; allowed: an address, as for --cluster")
    if settings is not None and not isinstance(settings, Mapping):
        raise Refused(
            f"settings = {as_text(settings)}; allowed: a dict of settings by path, as {{'schedule.blocks': 10}}"
        )
    with shown(progress) as reporter:
        plan, folder = planned(study, settings or {}, out, reporter.say)
        return play(plan, folder.absolute(), workers, cluster, reporter, fresh)


@door
def match(
    a: str,
    b: str,
    blocks: int | None = None,
    sprt: tuple[float, float] | None = None,
    seed: int | None = None,
    plies: int | None = None,
    openings: str | Path | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    fresh: bool = False,
    plugins: Sequence[str | Path] = (),
    margin_ms: float | None = None,
    clock: str | None = None,
    order: str | None = None,
    start: int | None = None,
    adjudicate: Mapping[str, Any] | None = None,
    like: str | Path | Run | None = None,
    names: Sequence[str] | None = None,
    more: Sequence[str] = (),
    gauntlet: bool = False,
    adaptive: bool = False,
) -> Run:
    """Play engine A against B (texts; B's may leave out the game) and return the run. With `more` engines
    all play all, in a `gauntlet` only A plays all others: `blocks` of each pairing, no `sprt`. With
    `adaptive` pairings games go where they tell most about who is first: `blocks` of each engine, on average.

    `blocks`: openings, two games each (default 100); with `sprt` = (elo0, elo1) the test ends the match,
    after so many at the latest. `names`: what they are called. `plies`: random plies of each opening, or
    plies taken from each record in `openings`, which are played in `order` ("sequential" from number
    `start`, or "random"). An engine may exceed a limit in milliseconds by `margin_ms` (50). `clock`: of
    each player, "10+0.1" (seconds and increment) or "40/60"; `adjudicate`: as in a study. `like`: a run
    (or its folder) whose engines may be named ("tuned-1", "default"), and whose openings, clock and
    adjudication hold where nothing else is said; `seed` is then the next after its own, else 1.
    Repeating a match reuses its games. The other arguments are as for `run`.
    """
    from joute.studies.adhoc import match_study, pairings_of

    plug(plugins)
    if not isinstance(more, tuple | list):
        raise Refused(f"more = {as_text(more)}; allowed: a list of engines")
    for one in (a, b, *more):
        if not isinstance(one, str):
            raise Refused(
                f"{one!r:.60} is no engine; allowed: the text of one, GAME/SEARCH:SETTINGS. One of your own "
                "in Python is a plugin's class: joute examples careful.py"
            )
    sprt = unboxed(sprt)
    if sprt is not None and not is_pair(sprt, int | float):
        raise Refused(f"sprt = {as_text(sprt)}; allowed: a pair of numbers, (elo0, elo1)")
    if names is not None and not (
        isinstance(names, tuple | list) and all(isinstance(n, str) for n in names)
    ):
        raise Refused(f"names = {as_text(names)}; allowed: a list of texts")
    with shown(progress) as reporter:
        records = None if openings is None else str(openings)
        plan = match_study(
            *(a, b, blocks, sprt, seed, plies, records, margin_ms, clock, order, start, adjudicate),
            like=None if like is None else like_folder(like),
            names=names,
            more=more,
            pairings=pairings_of(gauntlet, adaptive),
        )
        folder = match_folder(plan, out, fresh).absolute()
        return play(plan, folder, workers, cluster, reporter, fresh and bool(out))


def like_folder(like: object) -> Path:
    """Return the folder of a run, or of a path to one."""
    return path_of(getattr(like, "folder", like), "like")


def is_pair(value: object, kind: type | UnionType) -> bool:
    """Whether a value is two of a kind."""
    pair = isinstance(value, tuple | list) and len(value) == 2
    return pair and all(isinstance(unboxed(one), kind) for one in value)  # type: ignore[attr-defined]


def match_folder(plan: Study, out: str | Path | None, fresh: bool) -> Path:
    """Return the folder of a match in runs/: a new one after an edit or if `fresh`."""
    from joute.studies.play.run_folder import own_folder

    return (
        path_of(out, "out")
        if out is not None
        else own_folder(plan, Path("runs") / plan.name, fresh)
    )


def planned(
    study: str | Path | Mapping[str, Any],
    settings: Mapping[str, Any] | Sequence[str] = (),
    out: str | Path | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> tuple[Study, Path]:
    """Return a checked study with its settings, and the folder of its run. A study with a `target`
    gets the budget that a bot there can afford.
    """
    from joute.studies.load import load_study, override_text

    texts = [override_text(path, value) for path, value in settings.items()] if isinstance(
        settings, Mapping
    ) else list(settings)  # fmt: skip
    plan = load_study(study, texts)
    folder = path_of(out, "out") if out is not None else Path("runs") / plan.name
    if plan.target is not None:
        from joute.reports.export.target_limit import limit_setting

        if limit := limit_setting(plan, folder, say):
            plan = load_study(study, [*texts, limit])
    return plan, folder


def play(
    plan: Study,
    folder: Path,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    has_changed: Callable[[], bool] | None = None,
) -> Run:
    """Play a checked study in a folder, or its missing games; write its winner, return the run. It stops
    once its study `has_changed`.
    """
    from joute.engines.errors import whole
    from joute.reports.reading.winner import replaced, stored_winner
    from joute.reports.telling import write_winner
    from joute.studies.play.progress import Progress
    from joute.studies.play.study_run import run_study

    if workers is not None:
        workers = whole(workers, "workers", 1)
    reporter = progress or Progress()
    before = None if fresh else stored_winner(folder)
    files = [str(path.absolute()) for path in plan.files]
    with clustered(cluster, reporter.say, workers, plan.timed, files) as executor:
        outcome = run_study(
            plan, folder, workers or cores(), fresh, reporter, executor, has_changed
        )
    run = Run(folder, outcome)
    write_winner(run.results, run.answer)
    if changed := replaced(before, stored_winner(folder)):
        reporter.say(changed)
    return run


@contextmanager
def clustered(
    text: str | None,
    say: Callable[[str], None],
    most: int | None = None,
    timed: bool = False,
    files: Sequence[str] = (),
) -> Iterator[Executor | None]:
    """Connect to the cluster that an address names, for the time of a run; None if it names none."""
    if text is None:
        yield None
        return
    from joute.harness.cluster.address import parse_address

    address = parse_address(text)
    try:
        from joute.harness.cluster.cluster import Cluster
        from joute.harness.cluster.connection import Connection
    except ImportError as error:
        raise Refused(
            f"--cluster needs dask ({error.name} is missing): pip install distributed"
        ) from None
    cluster = Cluster(Connection(address), say, most, timed, files)
    try:
        yield cluster
    except BaseException:
        cluster.close(kill=True)
        raise
    cluster.close()
