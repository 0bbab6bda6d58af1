"""In what a study differs from the one that a run was begun with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engines.parameter import text_of


def diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return one plain line per difference between two identities; added entrants are none.

    An entrant that only changed its name is none either: games belong to what an engine means.
    Both may have a table `code` besides, from entrants' names to digests of their code.
    """
    lines = [changed(key, old[key], new[key]) for key in ("game", "seed") if old[key] != new[key]]
    for key in sorted({*old["openings"], *new["openings"]}):
        before, after = old["openings"].get(key), new["openings"].get(key)
        if before != after:
            lines.append(changed(f"openings.{key}", before, after))
    if old["move_time_ms"] != new["move_time_ms"]:
        lines.append(changed("time.move_time_ms", old["move_time_ms"], new["move_time_ms"]))
    for name, text in old["entrants"].items():
        if new["entrants"].get(name, text) != text:
            lines.append(changed(f"entrant {name}", text, new["entrants"][name]))
        elif text not in new["entrants"].values():
            lines.append(f"entrant {name}: is gone ({text})")
    lines += diff_of_search(old.get("search", {}), new.get("search", {}))
    lines += diff_of_stages(old["stages"], new["stages"])
    recoded = [
        name
        for name in (old.get("code", ()) if "code" in new else ())
        if code_changed(name, old, new)
    ]
    if old.get("search_code", []) != new.get("search_code", []):
        recoded.append("engines of the space")
    if recoded:
        some = ", ".join(recoded[:2]) + (f" and {len(recoded) - 2} more" if recoded[2:] else "")
        lines.append(f"code: has changed for {some}")
    return lines


def diff_of_search(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the lines of `diff` about what is searched and how."""
    lines = []
    for key in sorted({*old, *new}):
        before, after = old.get(key), new.get(key)
        if isinstance(before, dict) and isinstance(after, dict):
            for name in sorted({*before, *after}):
                if before.get(name) != after.get(name):
                    pair = (said(before.get(name)), said(after.get(name)))
                    lines.append(changed(f"{key}.{name}", *pair))
        elif before != after:
            lines.append(changed(f"search.{key}", before, after))
    return lines


def said(axis: Any) -> Any:
    """Return an axis in words: its values, or `from 0.3 to 1`."""
    if not isinstance(axis, dict):
        return axis
    return " ".join(f"{key} {words(value)}" for key, value in axis.items())


def code_changed(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the code of an entrant that is still there, under whatever name, has changed."""
    text = old["entrants"].get(name)
    now = [new["code"].get(other) for other, same in new["entrants"].items() if same == text]
    return bool(now) and now[0] is not None and now[0] != old["code"][name]


def diff_of_stages(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[str]:
    """Return the lines of `diff` about stages."""
    lines = []
    before, after = ([stage["name"] for stage in stages] for stages in (old, new))
    if before != after:
        lines.append(changed("stages", ", ".join(before), ", ".join(after)))
    others = {stage["name"]: stage for stage in new}
    for stage in old:
        other = others.get(stage["name"], stage)
        for key in ("entrants", "type", "within", "against"):
            if stage[key] != other[key]:
                lines.append(changed(f"stage {stage['name']}, {key}", stage[key], other[key]))
    return lines


def changed(what: str, before: Any, after: Any) -> str:
    """Return 'what: was x, is now y'."""
    return f"{what}: was {words(before)}, is now {words(after)}"


def words(value: Any) -> str:
    """Return a value in words: lists by their members, nothing as 'none'."""
    if value is None or value == []:
        return "none"
    return ", ".join(value) if isinstance(value, list) else text_of(value)
