"""Merges runs of one study from different machines into one that can be resumed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from joute.engines.errors import Refused
from joute.engines.registry import find, names
from joute.results.database import DATABASE, LOCK, NUMBERED, locked, looked_through
from joute.results.manifest import noting
from joute.results.meta import BEGUN
from joute.results.sprt import Sprt
from joute.results.store import Store, StoreFailed
from joute.results.tables import write_atomically
from joute.results.union import take_in
from joute.studies.file.differences import Change, CodeChange, EntrantChange, changes, words
from joute.studies.play.run_folder import check_room, in_short
from joute.studies.study import ADAPTIVE

TABLES = "tables of "  # prefix of the notes on a stage's schedule
SEARCHED = ("candidates", "finalist", "final_rounds", "search_ended")
"""What is noted when a search has ended."""
JOINED = ("machine", "commit")
MERGED = "merged"


@dataclass(frozen=True)
class Merged:
    """A merged run: its folder, its games, and the number of games that several runs held."""

    folder: Path
    games: int
    twice: int


class Part(NamedTuple):
    """A run to be merged."""

    folder: Path
    meta: dict[str, str]
    trials: int

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same in all runs."""
        identity: dict[str, Any] = json.loads(self.meta["identity"])
        return identity

    @property
    def ended(self) -> dict[str, str]:
        """The notes on the end of its search, if it has ended."""
        noted = {key: self.meta[key] for key in SEARCHED if key in self.meta}
        return noted if noted.get("finalist") else {}

    @property
    def machines(self) -> list[str]:
        """The machines that played it: several after an earlier merge."""
        machines: list[str] = json.loads(self.meta.get(MERGED) or "[]")
        return machines or [self.meta.get("machine", "")]

    @property
    def tables(self) -> dict[str, str]:
        """The notes on the schedules of its stages, by stage."""
        return {k.removeprefix(TABLES): v for k, v in self.meta.items() if k.startswith(TABLES)}


def merge(runs: Sequence[Path], out: Path) -> Merged:
    """Merge runs of one study into a new folder; raise Refused or StoreError without writing.

    The study is the first run's, entrants are those of all. Each game is kept once, with the times
    of the first run that has it; which games a sequential test counts is determined anew.
    """
    check_runs(runs, out)
    with ExitStack() as stack:
        for run in runs:
            if os.access(run / LOCK, os.W_OK):  # else nobody here can be writing it
                stack.callback(locked(run).release)
        parts = [part_of(run) for run in runs]
        check_parts(parts)
        out.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as aside:
            merged = united(parts, Path(aside) / "run")
            try:
                os.rename(merged.folder, out)
            except OSError as error:
                raise StoreFailed(f"cannot make {out}: {error.strerror}") from None
    return Merged(out, merged.games, merged.twice)


def check_runs(runs: Sequence[Path], out: Path) -> None:
    """Refuse fewer than two runs, one that is named twice, and a folder that is in use."""
    if len(runs) < 2:
        raise Refused("only one run is given; name two or more")
    seen = set[Path]()
    for run in runs:
        if run.resolve() in seen:
            raise Refused(f"{run} is named twice")
        seen.add(run.resolve())
    if out.is_dir() and any(out.iterdir()):
        what = "holds a run" if (out / DATABASE).exists() else "is not empty"
        raise Refused(f"{out} {what}; take another --out")
    check_room(out)


def part_of(run: Path) -> Part:
    """Return the notes of a run; refuse one that cannot be merged."""
    with Store.open(run) as store:
        meta, trials = store.meta(), len(store.trials())
        version = store.rows("PRAGMA user_version")[0][0]
    if version < NUMBERED:
        raise Refused(f"{run} was written by Joute 0.1: it can be reported, but not merged")
    looked_through(run / DATABASE)  # no game is there twice
    if not meta.get("identity"):
        raise Refused(f"{run} holds no study, so there is nothing to merge")
    kind = meta.get("kind", "")
    if kind in names("kind") and (why := find("kind", kind).unmergeable):
        raise Refused(f"{run} {why}")
    if meta.left:
        raise Refused(
            f"{run} is without {len(meta.left)} of its former entrants: run it with all of them, "
            "then merge it"
        )
    part = Part(run, meta, trials)
    if any(stage.get("type") == ADAPTIVE for stage in part.identity.get("stages", [])):
        raise Refused(
            f"{run} has adaptive pairings, which follow from its own games: it cannot be merged; let "
            "several machines play one run (--cluster)"
        )
    return part


def check_parts(parts: Sequence[Part]) -> None:
    """Refuse runs of different studies, and a search that ended before another one did."""
    first = parts[0]
    for part in parts[1:]:
        differences = [c for c in changes(first.identity, part.identity) if not gone(c)]
        kinds = [p.meta.get("kind", "") for p in (first, part)]
        if kinds[0] != kinds[1]:
            differences = [Change("kind", *kinds)]
        if differences:
            raise Refused(
                f"{first.folder} and {part.folder} are runs of different studies: "
                f"{in_short([unlike(c) for c in differences])}"
            )
    *shorter, longest = sorted(parts, key=lambda part: part.trials)
    for part in shorter:
        if part.ended and (part.trials < longest.trials or longest.ended not in ({}, part.ended)):
            raise Refused(
                f"{part.folder} ended its search after {part.trials} trials and has confirmed its "
                f"result; {longest.folder} has {longest.trials} trials: continue with one of them"
            )


def gone(change: Change) -> bool:
    """Whether a change is an entrant that only one run has: a study may grow."""
    return isinstance(change, EntrantChange) and change.after is None


def unlike(change: Change) -> str:
    """Describe a difference between two runs."""
    if isinstance(change, CodeChange):
        return f"the code of {words(change.after)} differs"
    return (
        f"{change.what} is {words(change.before)} in the first, {words(change.after)} in the second"
    )


def united(parts: Sequence[Part], folder: Path) -> Merged:
    """Write the run with all games of all parts."""
    meta, twice, tables = dict(parts[0].meta), 0, dict[str, str]()
    with Store.create(folder) as store:
        for part in parts:
            differ = [s for s, table in part.tables.items() if tables.setdefault(s, table) != table]
            twice += take_in(store, part.folder, differ).twice
            for stage in differ:
                tables[stage] = ""
        meta = united_meta(parts) | {f"{TABLES}{s}": table for s, table in tables.items() if table}
        store.set_meta(meta)
        if meta.get("sprt"):
            for stage in json.loads(meta.get("stages") or "[]"):
                judge(store, stage, Sprt(**json.loads(meta["sprt"])))
        with noting(folder):
            write_atomically(folder / "study.toml", meta.get("study", ""))
        return Merged(folder, store.count(), twice)


def united_meta(parts: Sequence[Part]) -> dict[str, str]:
    """Return the notes of the merged run: those of the first, except where all contribute."""
    meta = {k: v for k, v in parts[0].meta.items() if not k.startswith(TABLES)}
    identity = parts[0].identity
    for part in parts[1:]:
        other = part.identity
        for name, text in other["entrants"].items():
            if text not in identity["entrants"].values():
                identity["entrants"][name] = text
                if "code" in identity and name in other.get("code", {}):
                    identity["code"][name] = other["code"][name]
    meta["identity"] = json.dumps(identity)
    for key in JOINED:
        meta[key] = "; ".join(dict.fromkeys(p.meta[key] for p in parts if p.meta.get(key)))
    meta["versions"] = json.dumps(
        joined([json.loads(p.meta.get("versions") or "{}") for p in parts])
    )
    if days := [p.meta[BEGUN] for p in parts if p.meta.get(BEGUN)]:
        meta[BEGUN] = min(days)
    meta |= next((part.ended for part in parts if part.ended), {})
    meta[MERGED] = json.dumps([machine for part in parts for machine in part.machines])
    return meta


def joined(versions: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return versions of libraries, several where they differ."""
    names = dict.fromkeys(name for table in versions for name in table)
    return {
        name: ", ".join(dict.fromkeys(str(table[name]) for table in versions if name in table))
        for name in names
    }


def judge(store: Store, stage: str, sprt: Sprt) -> None:
    """Count the blocks of a stage up to the one after which its sequential test has decided."""
    seats = "FROM games g JOIN seats s ON s.game = g.number WHERE g.stage = ?"
    tested = store.rows(
        f"SELECT s.engine {seats} AND g.order_ = 0 AND g.seating = 0 AND s.seat = 0", stage
    )
    blocks = store.rows(
        f"SELECT g.order_, AVG(s.returns), COUNT(*) {seats} AND s.engine = ? AND g.order_ >= 0"
        " GROUP BY 1 ORDER BY 1",
        *(stage, tested[0][0] if tested else ""),
    )
    watch, counts = sprt.watch(), [0] * 5
    for place, (order, mean, games) in enumerate(blocks):
        if order != place or games < 2:
            break
        counts[round(4 * mean)] += 1
        if watch.feed(counts) != "continue":
            store.count_first(stage, place + 1)
            return
    last = store.rows("SELECT MAX(order_) FROM games WHERE stage = ?", stage)[0][0]
    store.count_first(stage, 0 if last is None else last + 1)
