"""Exports the winner of a run, or any engine, to a target."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.reports.export.provenance import by_hand, by_run
from joute.reports.export.target import Order, find_target
from joute.reports.plugins import missing_hint
from joute.reports.reading.search import Search
from joute.reports.reading.winner import LIMIT_KINDS, declared_kinds
from joute.reports.telling import winner_of
from joute.results.frames import Results
from joute.results.tables import check_place, load, write_atomically
from joute.studies.play.progress import Progress
from joute.studies.search.space import Space

EXPECTED = "expected"


@dataclass(frozen=True)
class ExportRequest:
    """An export: a run's folder or an engine's text, a target, and the file's path.

    `anyway` exports an unconfirmed winner. `limit` and `move_ms` are for files that play: write the
    largest engine that fits, and the time of a move. `point` takes another point of a search than
    the run's own: "expected" or "trial-17".
    """

    target: str
    run: Path | None = None
    engine: str | None = None
    path: Path | None = None
    anyway: bool = False
    limit: bool = False
    move_ms: float | None = None
    point: str | None = None


@dataclass(frozen=True)
class Exported:
    """The written file, and how to use it."""

    path: Path
    size: int
    use: str
    engine: str


def export(
    request: ExportRequest,
    say: Callable[[str], None] = lambda text: None,
    progress: Progress | None = None,
) -> Exported:
    """Write the requested file; raise Refused, with nothing written, if it is impossible."""
    target = find_target(request.target)
    if request.point is not None and request.run is None:
        raise Refused("--point: of which RUN? joute export RUN --point trial-17")
    if (request.run is None) == (request.engine is None):
        raise Refused("export: name either a RUN or an --engine SPEC")
    if not target.plays and (request.limit or request.move_ms is not None):
        raise Refused(f"--to {target.name}: --limit and --move-ms are for files that play")
    engine, provenance, stem, kinds = source_of(request)
    path = request.path or Path(stem + target.ending)
    check_path(path)
    order = Order(
        engine, provenance, request.move_ms, request.limit, say, path, kinds, progress or Progress()
    )
    text, written, more = target.write(order)
    check_path(path)  # it took a while
    try:
        write_atomically(path, text)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
    use = "; ".join(text.format(path=path) for text in (target.use, more) if text)
    return Exported(path, len(text.encode()), use, written.text)


def source_of(request: ExportRequest) -> tuple[Engine, dict[str, Any], str, dict[str, str]]:
    """Return the engine that is asked for, where it comes from, a name for its file, and the
    declared kinds of its parameters.
    """
    if request.engine is not None:
        engine = parse_engine(request.engine)
        return (
            engine,
            by_hand(command(request, f"--engine {engine.text}")),
            plain(engine.search.name),
            LIMIT_KINDS,
        )
    assert request.run is not None
    results = load(request.run)
    if request.point is not None:
        engine, why = at_point(results, request.point)
        provenance = {**by_hand(command(request, request.run.resolve().name)), "why": why}
        stem = plain(f"{results.meta.name or request.run.resolve().name}_{request.point}")
        return engine, provenance, stem, declared_kinds(results)
    best = winner_of(results)
    if best is None:
        raise Refused(f"{request.run}: no game was played yet: there is nothing to export")
    if not best.confirmed and not request.anyway:
        raise Refused(
            f"{request.run}: {best.name} is not confirmed: {best.why}; --anyway exports it"
        )
    try:
        engine = parse_engine(best.engine)
    except Refused as error:
        hint = missing_hint(results.meta)
        raise Refused(f"{request.run}: its winner is not known here: {error}{hint}") from None
    digests = {row.spec: row.digest for row in results.engines.itertuples()}
    digest = str(digests.get(best.engine) or "")
    if not digest and engine.digest in digests.values():
        digest = engine.digest  # the best point of a scan never played, but its code did
    provenance = by_run(best, engine, digest, command(request, request.run.resolve().name))
    stem = plain(best.study or request.run.resolve().name)
    return engine, provenance, stem, declared_kinds(results)


def at_point(results: Results, name: str) -> tuple[Engine, str]:
    """Return the engine of a point of a search, and where it comes from; raise Refused."""
    if results.search is None:
        raise Refused(
            f"--point: {results.folder} searched nothing; allowed: a run of a tune or a scan"
        )
    search = Search.of(results)
    trials = {f"trial-{trial.number}": trial.point for trial in search.trials}
    if name == EXPECTED:
        point, what = search.best, "the point that the model of all games expects most of"
    elif name in trials:
        point, what = trials[name], f"the point of {name}"
    else:
        last = f", trial-0 to trial-{len(trials) - 1}" if trials else ""
        raise Refused(f"--point {name}: allowed: {EXPECTED}{last}")
    base = {**search.space.base, **point}
    try:
        engine = Space(parse_game(results.meta.game), base, search.axes).engine(point)
    except Refused as error:
        raise Refused(
            f"{results.folder}: --point {name}: {error}{missing_hint(results.meta)}"
        ) from None
    return engine, f"{what}; it was asked for, and not shown to be best"


def command(request: ExportRequest, source: str) -> str:
    """Return the command that asked for this, without paths of this machine."""
    options = f" -o {request.path.name}" if request.path is not None else ""
    options += f" --point {request.point}" if request.point is not None else ""
    options += f" --move-ms {request.move_ms:g}" if request.move_ms is not None else ""
    options += (" --limit" if request.limit else "") + (" --anyway" if request.anyway else "")
    return f"joute export {source} --to {request.target}{options}"


def plain(name: str) -> str:
    """Return a name that a file and a Python module may have."""
    return re.sub(r"\W+", "_", name).strip("_") or "engine"


def check_path(path: Path) -> None:
    """Raise Refused for a path that exists, or whose folder does not or takes no files."""
    if path.exists() or path.is_symlink():
        raise Refused(f"{path} exists already; -o takes a path that does not")
    check_place(path)
