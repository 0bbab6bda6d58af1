"""The folder of a run, new or resumed, and the notes on its study."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import ANYTHING, Refused
from joute.engines.record import EngineRecord
from joute.engines.registry import find, make, names
from joute.results.database import DATABASE, companions, locked
from joute.results.manifest import noting, remove_noted
from joute.results.meta import BEGUN, BOOK, CONFIRMATION, Meta
from joute.results.store import Store
from joute.results.tables import TABLES, write_atomically
from joute.studies.file.budget import budget_of
from joute.studies.study import Study, diff

LIBRARIES = ("joute", "numba", "numpy", "pandas", "scipy", "matplotlib", "optuna")
CODE = ("code", "search_code", "rules")  # keys of an identity that need compiled kernels
LONG, MOST = 200, 4  # most characters of a difference, and differences shown


class StudyChanged(Refused):
    """The folder holds a run of a study with differences that cannot be resumed."""

    def __init__(self, folder: Path, differences: list[str]) -> None:
        super().__init__(
            f"{folder} holds a run of another study: take another folder (--out), or start over "
            f"(--fresh); what differs: {in_short(differences)}"
        )


def in_short(differences: Sequence[str]) -> str:
    """Return the first differences as text, each cut short."""
    shown = [text if len(text) <= LONG else f"{text[:LONG]} ..." for text in differences[:MOST]]
    if len(differences) > MOST:
        shown.append(f"and {len(differences) - MOST} more differences")
    return "; ".join(shown)


@contextmanager
def opened(study: Study, folder: Path, fresh: bool) -> Iterator[Store]:
    """Open the run's store, new or resumed, and write the study and its engines into it.

    A folder that cannot take this run is refused before kernels are compiled, which may take long.
    """
    with ExitStack() as stack:
        store = None
        if (folder / DATABASE).exists():  # refused while another process writes it
            if fresh:
                Store.open(folder).close()
                locked(folder).release()
            else:
                store = stack.enter_context(Store.open(folder, write=True))
                compare(folder, store, study, study.identity())
                check_longer(folder, store, study)
        else:
            check_room(folder)
        records = engine_records(study)
        identity = identity_of(study, records)
        if fresh:
            clear(folder)
        if store is None:
            store = stack.enter_context(Store.create(folder))
            store.set_meta({BEGUN: datetime.now(UTC).date().isoformat()})
        else:
            compare(folder, store, study, identity)
        store.add_engines(records)
        store.set_meta({**description(study), "identity": json.dumps(identity)})
        with noting(folder):
            write_atomically(folder / "study.toml", study.resolved_toml())
            yield store


def as_begun(study: Study, folder: Path) -> Study:
    """Return a study as its run in a folder was begun: where it does not say otherwise, one of before
    openings with a forced end were left out goes on with them, and so on for what else was usual then.
    """
    if not (folder / DATABASE).exists():
        return study
    with Store.open(folder) as store:
        identity = json.loads(store.meta().get("identity") or "{}")
    if not identity:
        return study
    rules = study.openings
    if rules.drop_forced and rules.by_default and "forced_ends" not in identity.get("openings", {}):
        study = replace(study, openings=replace(rules, drop_forced=False))
    begun: Study = make("kind", study.kind).as_begun(study, identity)
    return begun


def compare(folder: Path, store: Store, study: Study, identity: Mapping[str, Any]) -> None:
    """Raise StudyChanged if a run is of another study, as far as `identity` says."""
    meta, leave = store.meta(), find("kind", study.kind).entrants_leave
    if differences := differences_to(meta, identity, leave):
        before, now = (meta.identity or {}).get("entrants", {}), identity["entrants"]
        if leave and any(now.get(name, text) != text for name, text in before.items()):
            differences.append("an entrant that changes is another one, and takes another name")
        raise StudyChanged(folder, differences)


def left_now(study: Study, store: Store) -> list[str]:
    """Leave out the engines that are entrants no longer, with their games; return the names of those
    that left just now.
    """
    if not find("kind", study.kind).entrants_leave:
        return []
    here, before = {entrant.engine.id for entrant in study.entrants}, store.meta().left
    rows = store.rows("SELECT id, name FROM engines ORDER BY name")
    left = {engine: name for engine, name in rows if engine not in here}
    if [*left] != before:
        store.leave_out([*left])
    return [name for engine, name in left.items() if engine not in before]


def check_goes_on(study: Study, folder: Path) -> None:
    """Raise Refused for a study that a folder cannot take, as far as that is known without compiling."""
    if not (folder / DATABASE).exists():
        return
    study = as_begun(study, folder)
    with Store.open(folder) as store:
        compare(folder, store, study, study.identity())
        check_longer(folder, store, study)


def games_in(folder: Path) -> int:
    """Return how many games a folder has stored; 0 for one without a run."""
    if not (folder / DATABASE).exists():
        return 0
    with Store.open(folder) as store:
        return store.count()


def check_longer(folder: Path, store: Store, study: Study) -> None:
    """Raise Refused for a smaller budget than a run has spent: its answer would be one of fewer games."""
    before, now = budget_of(str(Meta(store.meta()).study.get("budget", ""))), study.budget
    if before is None or before.games is None or now is None or now.games is None:
        return
    if now.games < before.games and now.games < (played := store.count(but=CONFIRMATION)):
        least = min(
            played, before.games
        )  # games of a final that was played anew are stored besides
        raise Refused(
            f"budget: {now.games:,} games are fewer than the {least:,} that {folder} has: a run can be "
            f"made longer, not shorter; allowed: from {least:,} games up (--set budget='{least} games'), or "
            "another folder (--out)"
        )


def check_room(folder: Path) -> None:
    """Raise Refused for a path that is no folder, or a folder that cannot be made."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise Refused(f"{folder}: {there} is not a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Refused(f"{folder}: {there} cannot be written to")


def own_folder(study: Study, folder: Path, fresh: bool) -> Path:
    """Return `folder`, or the first of `folder-2`, `folder-3`, ... that is free or (unless `fresh`)
    holds a run of this very study. Other runs stay untouched.
    """
    own, number = folder, 1
    identities: list[tuple[Study, dict[str, Any]]] = []  # as it is, and as older runs were begun
    while (own / DATABASE).exists():
        if not fresh:
            begun = as_begun(study, own)
            identity = next((known for other, known in identities if other == begun), None)
            if identity is None:
                identity = identity_of(begun, engine_records(begun))
                identities.append((begun, identity))
            with Store.open(own) as store:
                if not differences_to(store.meta(), identity):
                    break
        number += 1
        own = folder.with_name(f"{folder.name}-{number}")
    return own


def identity_of(study: Study, records: Sequence[EngineRecord]) -> dict[str, Any]:
    """Return what must stay the same for a run to be resumed, the code of its engines included."""
    code = {"code": {r.name: r.digest for r in records}, "rules": study.game.rules_code}
    return {**study.identity(), **code, **make("kind", study.kind).code(study)}


def differences_to(
    meta: Mapping[str, str], identity: Mapping[str, Any], leave: bool = False
) -> list[str]:
    """Return how a stored run differs from a study, as far as `identity` says; empty if the run was
    not even begun. Where entrants may `leave`, two that stay are enough.
    """
    noted = json.loads(meta.get("identity") or "{}")
    known = {key: value for key, value in noted.items() if key in identity or key not in CODE}
    if leave and noted:
        now = identity["entrants"]
        stay = {n: t for n, t in known["entrants"].items() if n in now or t in now.values()}
        known["entrants"] = stay if len(stay) > 1 else known["entrants"]
    return diff(known, json.loads(json.dumps(identity))) if noted else []


def engine_records(study: Study) -> list[EngineRecord]:
    """Return the entrants as the store keeps them; compile their kernels if needed."""
    records = []
    for entrant in study.entrants:
        warm(entrant.engine)
        records.append(entrant.engine.record(entrant.name))
    return records


def warm(engine: Engine) -> None:
    """Compile an engine's kernels; one that cannot start will fail in its games."""
    try:
        engine.player(clocks=True).close()
    except Refused:
        raise
    except ANYTHING:
        return


def clear(folder: Path) -> None:
    """Remove the files of an earlier run from a folder, and nothing else."""
    remove_noted(folder, usual_files())
    for path in (folder / DATABASE, *companions(folder / DATABASE)):
        path.unlink(missing_ok=True)


def usual_files() -> list[str]:
    """Return the names of all files that a run or its report writes or overwrites."""
    plots = [f"plots/{name}.{kind}" for name in names("plot") for kind in ("png", "svg", "csv")]
    return ["study.toml", "report.html", "winner.json", *(f"{name}.csv" for name in TABLES), *plots]


def description(study: Study) -> dict[str, str]:
    """Return the notes on a study for the store, read by reports."""
    time_rules = study.time

    def text(value: float | None) -> str:
        return "" if value is None else f"{value:g}"

    return {
        "name": study.name,
        "kind": study.kind,
        "seed": str(study.seed),
        "game": study.game.label,
        "timed": "yes" if study.timed else "",
        "study": study.resolved_toml(),
        **({"question": question} if (question := question_of(study.source)) else {}),
        "plugins": json.dumps(study.plugins_used()),
        "stages": json.dumps(stage_names(study)),
        **{key: json.dumps(value) for key, value in make("kind", study.kind).noted(study).items()},
        BOOK: str(len(study.openings.lines) or ""),
        "slow_after_ms": text(time_rules.slow_after_ms),
        "move_time_ms": text(time_rules.move_time_ms),
        "margin_ms": text(time_rules.margin_ms),
        "exclude_p99_over_ms": text(time_rules.exclude_p99_over_ms),
        "sprt": "" if study.sprt is None else json.dumps(study.sprt.test()),
        "versions": json.dumps(versions()),
        "machine": f"{platform.machine()} {platform.system()}, {os.cpu_count()} cores",
        "commit": commit(),
    }


def stage_names(study: Study) -> list[str]:
    """Return the names of the stages, in order; a search names its own."""
    planned = (stage.name for stage in study.stages)
    return [*find("kind", study.kind).stages, *planned, *study.later]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that matter."""
    by_library = {"python": platform.python_version()}
    for library in LIBRARIES:
        try:
            by_library[library] = version(library)
        except PackageNotFoundError:
            continue
    return by_library


def commit() -> str:
    """Return the commit of the checkout that this code runs from, or nothing."""
    here = Path(__file__).resolve().parents[2]
    if not (here / ".git").exists():
        return ""
    command = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    git = subprocess.run(command, capture_output=True, text=True, check=False)
    return git.stdout.strip()


def question_of(source: str) -> str:
    """Return the first comment line of a study file, which says what it asks; "" without one."""
    first = source.lstrip().partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""
