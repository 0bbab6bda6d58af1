"""The differences between a study and the one that a run was begun with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from joute.engines.engine_text import split_engine, split_options
from joute.engines.parameter import text_of

KEYS = {
    "search.final": "final",
    "search.draw": "scan.draw",
    "search.openings_of_the_scan": "scan.openings",
}
TABLES = {"search": "tune"}  # as they are called in a study


@dataclass(frozen=True)
class Change:
    """One difference between two studies: the value of `what` before and after, None if absent."""

    what: str
    before: Any
    after: Any

    def text(self, short: bool = False) -> str:
        """Return 'what: was x, is now y'; `short` leaves out the texts of engines where it can."""
        return f"{self.what}: was {words(self.before)}, is now {words(self.after)}"


@dataclass(frozen=True)
class EntrantChange(Change):
    """Another engine (its canonical text) under the entrant's name `what`."""

    def text(self, short: bool = False) -> str:
        """Return 'entrant e: is gone (engine)', 'is new (engine)', the settings that differ, or both
        engines where game or search do.
        """
        if self.before is not None and self.after is not None:
            moved = settings_changed(self.before, self.after)
            told = ", ".join(change.text() for change in moved)
            return f"entrant {self.what}, {told}" if moved else f"entrant {super().text()}"
        engine = "" if short else f" ({self.before or self.after})"
        return f"entrant {self.what}: is {'gone' if self.after is None else 'new'}{engine}"


@dataclass(frozen=True)
class CodeChange(Change):
    """Engines whose code has changed: `after` is the list of their names."""

    def text(self, short: bool = False) -> str:
        """Name two of them and count the others."""
        more = f" and {len(self.after) - 2} more" if self.after[2:] else ""
        return f"{self.what}: has changed for {', '.join(self.after[:2])}{more}"


def settings_changed(before: str, after: str) -> list[Change]:
    """Return the settings in which the canonical texts of two engines differ; none where they are of
    different games or searches.
    """
    (*one, was), (*two, now) = split_engine(before), split_engine(after)
    if one != two:
        return []
    old, new = split_options(was, before), split_options(now, after)
    names = dict.fromkeys([*old, *new])
    return [Change(n, old.get(n), new.get(n)) for n in names if old.get(n) != new.get(n)]


def diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the differences between two identities in words, one line each (see `changes`)."""
    return [change.text() for change in changes(old, new)]


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """Return the differences between two identities.

    Added and renamed entrants are no differences: games belong to an engine's canonical text; nor is a
    stage behind all others. Both identities may have a table `code`, from entrants' names to digests of
    their code.
    """
    changed = [Change(key, old[key], new[key]) for key in ("game", "seed") if old[key] != new[key]]
    for key in sorted({*old["openings"], *new["openings"]}):
        before, after = old["openings"].get(key), new["openings"].get(key)
        if before != after:
            changed.append(Change(f"openings.{key}", before, after))
    for key in ("move_time_ms", "margin_ms", "clock", "flag_draws"):  # older runs lack some
        if old.get(key) != new.get(key):
            changed.append(Change(f"time.{key}", old.get(key), new.get(key)))
    if old.get("adjudicate") != new.get("adjudicate"):
        changed.append(Change("adjudicate", old.get("adjudicate"), new.get("adjudicate")))
    for name, text in old["entrants"].items():
        if new["entrants"].get(name, text) != text:
            changed.append(EntrantChange(name, text, new["entrants"][name]))
        elif text not in new["entrants"].values():
            changed.append(EntrantChange(name, text, None))
    for part in ("search", "training"):
        changed += diff_of_search(old.get(part, {}), new.get(part, {}), part)
    changed += diff_of_stages(old["stages"], new["stages"])
    recoded = [
        name
        for name in (old.get("code", ()) if "code" in new else ())
        if code_changed(name, old, new)
    ]
    both_search = "search" in old and "search" in new  # else there is nothing to compare
    if both_search and old.get("search_code", []) != new.get("search_code", []):
        recoded.append("engines of the space")
    if {"rules"} <= old.keys() & new.keys() and old["rules"] != new["rules"]:  # older runs lack it
        recoded.append("the rules")
    if recoded:
        changed.append(CodeChange("code", None, recoded))
    return changed


def diff_of_search(
    old: Mapping[str, Any], new: Mapping[str, Any], part: str = "search"
) -> list[Change]:
    """Return the part of `changes` about what is searched or trained, and how."""
    changed: list[Change] = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            for name in sorted({*before, *after}):
                if before.get(name) != after.get(name):
                    pair = (axis_text(before.get(name)), axis_text(after.get(name)))
                    changed.append(Change(f"{key}.{name}", *pair))
        elif before != after:
            changed.append(
                Change(KEYS.get(f"{part}.{key}", f"{TABLES.get(part, part)}.{key}"), before, after)
            )
    return changed


def axis_text(axis: Any) -> Any:
    """Return a table in words, an axis for one: its values, or `from 0.3 to 1`."""
    if not isinstance(axis, dict):
        return axis
    return " ".join(f"{key} {words(value)}" for key, value in axis.items() if value is not None)


def code_changed(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the code of an entrant that both studies have, under any name, has changed."""
    text = old["entrants"].get(name)
    now = [new["code"].get(other) for other, same in new["entrants"].items() if same == text]
    return bool(now) and now[0] is not None and now[0] != old["code"][name]


def diff_of_stages(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[Change]:
    """Return the part of `changes` about stages."""
    changed: list[Change] = []
    before, after = ([stage["name"] for stage in stages] for stages in (old, new))
    if before != after[: len(before)]:
        changed.append(Change("stages", ", ".join(before), ", ".join(after)))
    others = {stage["name"]: stage for stage in new}
    for stage in old:
        other = others.get(stage["name"], stage)
        for key in ("entrants", "type", "within", "against"):
            if stage[key] != other[key]:
                changed.append(Change(f"stage {stage['name']}, {key}", stage[key], other[key]))
    return changed


def words(value: Any) -> str:
    """Return a value in words: lists and tables by their members, nothing as 'none'."""
    if value is None or value in ([], {}, ""):
        return "none"
    if isinstance(value, dict):
        return str(axis_text(value))
    return ", ".join(map(words, value)) if isinstance(value, list) else text_of(value)
