"""Exports the winner of a run, or any engine, to a target."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused, nearest
from joute.engines.position import example_of
from joute.engines.registry import names
from joute.engines.search import CLOCK, TIME
from joute.reports.export.provenance import by_hand, by_run
from joute.reports.export.target import Order, Target, find_target
from joute.reports.plugins import missing_hint
from joute.reports.reading.next_command import more_command
from joute.reports.reading.search import Search
from joute.reports.reading.unfinished import missing
from joute.reports.reading.winner import LIMIT_KINDS, declared_kinds, meanings_of
from joute.reports.telling import winner_of
from joute.results.frames import Results
from joute.results.tables import check_place, load, write_atomically
from joute.studies.play.progress import Progress
from joute.studies.search.space import Space

UNSHOWN = "it is not shown to be the best"
EXPECTED = "expected"
MADE_UP = r".+-vs-.+-[0-9a-f]{6}"  # the name of a match that nobody named
MARKS = (
    "Exported with joute ",
    "exported_with",
)  # of comments, of data: reports/export/provenance.py


@dataclass(frozen=True)
class ExportRequest:
    """An export: a run's folder or an engine's text, a target, and the file's path.

    `anyway` exports an unconfirmed winner. `limit` and `move_ms` are for files that play: write the
    largest engine that fits, and the time per move. `point` takes another point of a search than
    the run's own: "expected" or "trial-17". `force` replaces any file, not only an earlier export.
    `language`: of a target that writes several; `evaluation`: only the engine's evaluation.
    """

    target: str
    run: Path | None = None
    engine: str | None = None
    path: Path | None = None
    anyway: bool = False
    limit: bool = False
    move_ms: float | None = None
    point: str | None = None
    force: bool = False
    language: str = ""
    evaluation: bool = False


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
        raise Refused("--point: needs a RUN: joute export RUN --point tuned-1")
    if (request.run is None) == (request.engine is None):
        raise Refused("export: give either a RUN or --engine SPEC")
    if not target.plays and (request.limit or request.move_ms is not None):
        raise Refused(
            f"export to {target.name}: limit (--limit) and time (--move-ms) are for files that play"
        )
    language = language_of(target, request.language)
    if request.evaluation and not target.evaluations:
        able = [name for name in names("target") if find_target(name).evaluations]
        raise Refused(f"--evaluation: --to {target.name} writes none; allowed: {', '.join(able)}")
    engine, provenance, stem, kinds, meanings, searched, unconfirmed = source_of(request)
    threads = engine.search.cores(engine.setup)
    if target.plays and threads > 1:
        raise Refused(
            f"{engine.text}: threads = {threads}: an exported player has one thread: export it by "
            "--engine with threads=1"
        )
    if not request.evaluation:
        target.check(engine, language)  # what is impossible is said before what a word would allow
    if unconfirmed:
        raise Refused(unconfirmed)
    if engine.by_clock and target.plays:
        engine = with_time(engine, request.move_ms)
    named = "_winner" if request.engine is None and request.point is None else ""
    suffix = "_evaluation.hpp" if request.evaluation else target.suffix(language)
    path = request.path or Path(stem + (named if suffix[0] == "." else "") + suffix)
    check_path(path, request.force)
    order = Order(
        *(engine, provenance, request.move_ms, request.limit, say, path, kinds),
        progress=progress or Progress(),
        meanings=meanings,
        language=language,
        evaluation=request.evaluation,
        searched=searched,
    )
    text, written, more = target.write(order)
    check_path(path, request.force)  # it took a while
    try:
        write_atomically(path, text)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from None
    uses = (more,) if request.evaluation else (target.use, more)
    position = example_of(written.game) if "{position}" in target.use else ""
    use = "; ".join(text.format(path=path, position=position) for text in uses if text)
    return Exported(path, len(text.encode()), use, written.text)


def with_time(engine: Engine, move_ms: float | None) -> Engine:
    """Return an engine that plays by a clock with a time a move in its place."""
    if move_ms is None or engine.limit is None:
        raise Refused(f"{engine.text}: it plays by a clock; say its time a move (--move-ms 100)")
    settings = {name: value for name, value in engine.settings.items() if name != CLOCK}
    return Engine(engine.game, {**settings, TIME: move_ms})


def language_of(target: Target, asked: str) -> str:
    """Return the language of a file; raise Refused for one that the target does not write."""
    if asked and asked not in target.languages:
        known = ", ".join(target.languages)
        raise Refused(
            f"--language {asked}: --to {target.name} "
            + (
                f"writes: {known}{nearest(asked, target.languages)}"
                if known
                else "has one language"
            )
        )
    return asked or next(iter(target.languages), "")


class Source(NamedTuple):
    """The engine of an export, where it comes from, a name for its file, by the name of a parameter its
    declared kind and what is known about it, the names of those that were searched, and why it is refused
    if it may not be exported without `anyway`.
    """

    engine: Engine
    provenance: dict[str, Any]
    stem: str
    kinds: dict[str, str]
    meanings: dict[str, str]
    searched: tuple[str, ...] = ()
    unconfirmed: str = ""


def source_of(request: ExportRequest) -> Source:
    """Return the engine that is asked for."""
    if request.engine is not None:
        engine = parse_engine(request.engine)
        origin = by_hand(command(request, f"--engine {quote(engine.text)}"))
        return Source(engine, origin, plain(engine.search.name), LIMIT_KINDS, {})
    assert request.run is not None
    results = load(request.run)
    if request.point is not None:
        engine, why = at_point(results, request.point)
        provenance = {**by_hand(command(request, quote(shown(request.run)))), "why": why}
        made_up = re.fullmatch(MADE_UP, results.meta.name or "")
        study = "" if made_up else f"{results.meta.name or request.run.resolve().name}_"
        stem = plain(f"{study}{request.point}")
        return Source(engine, provenance, stem, *told_of(results))
    best = winner_of(results)
    if best is None:
        if told := missing(results):
            raise Refused(
                f"{request.run}: the run is not over, {told}, so there is no winner yet; to go on: "
                f"{more_command(results)}"
            )
        raise Refused(f"{request.run}: no game was played yet, so there is nothing to export")
    unconfirmed = ""
    if not best.confirmed and not request.anyway:
        found = results.meta.finalist
        other = f", or {found}: --point {found}" if found not in ("", best.name) else ""
        unconfirmed = (
            f"{request.run}: {best.name} is not confirmed: {best.why}; it can be exported anyway "
            f"(--anyway{other})"
        )
    engine = known(results, best.engine, "its winner")
    digests = {row.spec: row.digest for row in results.engines.itertuples()}
    digest = str(digests.get(best.engine) or "")
    if not digest and engine.digest in digests.values():
        digest = engine.digest  # the best point of a scan never played, but its code did
    provenance = by_run(best, engine, digest, command(request, quote(shown(request.run))))
    name = best.name if re.fullmatch(MADE_UP, best.study) else best.study
    stem = plain(name or request.run.resolve().name)
    return Source(engine, provenance, stem, *told_of(results), unconfirmed)


def told_of(results: Results) -> tuple[dict[str, str], dict[str, str], tuple[str, ...]]:
    """Return what a run tells about parameters: kinds, meanings, and which were searched."""
    searched = tuple(axis["name"] for axis in (results.search or {}).get("axes", []))
    return declared_kinds(results), meanings_of(results), searched


def at_point(results: Results, name: str) -> tuple[Engine, str]:
    """Return an engine of a run, or of a point of its search, and where it comes from; raise Refused."""
    specs = dict(zip(results.engines["name"], results.engines["spec"], strict=True))
    if name in specs:
        return known(
            results, str(specs[name]), f"--point {name}"
        ), f"{name}, exported on request; {UNSHOWN}"
    if results.search is None:
        raise Refused(f"--point {name}: allowed: {', '.join(specs)}")
    search = Search.of(results)
    trials = {f"trial-{trial.number}": trial.point for trial in search.trials}
    if name == EXPECTED:
        point, what = search.best, "the best point by the model of all games"
    elif name in trials:
        point, what = trials[name], f"the point of {name}"
    else:
        last = f", trial-0 to trial-{len(trials) - 1}" if trials else ""
        named = [
            one for one in specs if not one.startswith("#")
        ]  # not the trials', which have numbers
        raise Refused(f"--point {name}: allowed: {', '.join(named)}, {EXPECTED}{last}")
    base = {**search.space.base, **point}
    try:
        engine = Space(parse_game(results.meta.game), base, search.axes).engine(point)
    except Refused as error:
        raise Refused(
            f"{results.folder}: --point {name}: {error}{missing_hint(results.meta)}"
        ) from None
    return engine, f"{what}, exported on request; {UNSHOWN}"


def known(results: Results, text: str, what: str) -> Engine:
    """Return an engine of a run; raise Refused where it is unknown here, with the plugins that are missing."""
    try:
        return parse_engine(text)
    except Refused as error:
        hint = missing_hint(results.meta)
        raise Refused(f"{results.folder}: {what} is unknown here: {error}{hint}") from None


def shown(folder: Path) -> str:
    """Return a run's folder as it was typed, without paths of this machine."""
    return folder.name if folder.is_absolute() else str(folder)


def command(request: ExportRequest, source: str) -> str:
    """Return the command that asked for this, without paths of this machine."""
    options = f" -o {quote(request.path.name)}" if request.path is not None else ""
    options += f" --point {quote(request.point)}" if request.point is not None else ""
    options += f" --move-ms {request.move_ms:g}" if request.move_ms is not None else ""
    options += f" --language {request.language}" if request.language else ""
    options += " --evaluation" if request.evaluation else ""
    options += (" --limit" if request.limit else "") + (" --anyway" if request.anyway else "")
    return f"joute export {source} --to {request.target}{options}"


def plain(name: str) -> str:
    """Return a name that a file and a Python module may have."""
    return re.sub(r"\W+", "_", name).strip("_") or "engine"


def check_path(path: Path, force: bool = False) -> None:
    """Raise Refused for a path that exists, unless it is an earlier export or `force` is given, or
    whose folder does not exist or takes no files.
    """
    if path.exists() or path.is_symlink():
        if path.is_symlink() or not path.is_file():
            raise Refused(f"{path} exists already and is no plain file; take another path")
        if not force and not exported(path):
            raise Refused(
                f"{path} exists already and is no earlier export; take another path, or replace "
                "it (--force)"
            )
    check_place(path)


def exported(path: Path) -> bool:
    """Whether a file says that an export wrote it."""
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return False
    return any(mark in text for mark in MARKS)
