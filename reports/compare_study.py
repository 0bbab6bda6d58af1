"""In what two runs differ before a game is played: the study, the code, the versions, the machine."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any, NamedTuple

from reports.page.words import counted, listed
from results.frames import Results
from studies.file.differences import changed, diff

NAMED = 4
"""Entrants told one by one before the rest is only counted."""
ELSEWHERE = ("name", "seed", "game", "openings", "entrants", "stage", "plugins", "files", "report")
"""Keys of a study file that identities compare, or that say nothing of its games."""
SHOWN = (int, float, str, bool)


def differences(a: Results, b: Results) -> list[str]:
    """Return one plain line for each difference, from A ("was") to B ("is now")."""
    old, new = (json.loads(run.meta.get("identity") or "null") for run in (a, b))
    lines = []
    for key in ("name", "kind", *(() if old and new else ("seed",))):
        if a.meta.get(key) != b.meta.get(key):
            lines.append(changed(key, a.meta.get(key), b.meta.get(key)))
    if old and new:
        told = _entrants(a, b, old["entrants"], new["entrants"])
        heads = tuple(f"entrant {name}: was " for name in told.names)
        kept = [line for line in diff(old, new) if not line.startswith(heads or ("\0",))]
        lines += _shortened(kept) + told.lines + _added(old, new)
    lines += _settings(a, b)
    before, after = (json.loads(run.meta.get("versions") or "{}") for run in (a, b))
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            lines.append(changed(name, before.get(name), after.get(name)))
    for key in ("commit", "machine"):
        if a.meta.get(key) != b.meta.get(key):
            lines.append(changed(key, a.meta.get(key) or None, b.meta.get(key) or None))
    return list(dict.fromkeys(lines))


class Told(NamedTuple):
    """Entrants of the same name and other parameters, and the lines that say in which."""

    names: list[str]
    lines: list[str]


def _entrants(a: Results, b: Results, old: Mapping[str, str], new: Mapping[str, str]) -> Told:
    """Say which parameters of entrants changed, once for all that changed alike."""
    names, alike = [], dict[tuple[str, ...], list[str]]()
    for name, text in old.items():
        now = new.get(name, text)
        if now == text or name not in a.values or name not in b.values:
            continue
        if now.partition(":")[0] != text.partition(":")[0]:
            continue  # another search: the texts say it best
        before, after = a.values[name], b.values[name]
        moved = [
            changed(key, before.get(key), after.get(key))
            for key in dict.fromkeys([*before, *after])
            if before.get(key) != after.get(key)
        ]
        if moved:
            names.append(name)
            alike.setdefault(tuple(moved), []).append(name)
    lines = []
    for moved_so, who in alike.items():
        many = f"{len(who)} entrants ({listed(who) if len(who) < 3 else f'such as {who[0]}'})"
        lines.append(f"{many if len(who) > 1 else f'entrant {who[0]}'}, {'; '.join(moved_so)}")
    rest = len(lines) - NAMED
    more = [f"{counted(rest, 'more entrant')} with other parameters"] if rest > 0 else []
    return Told(names, lines[:NAMED] + more)


def _shortened(lines: list[str]) -> list[str]:
    """Count the entrants that are gone where they are many."""
    gone = [line for line in lines if line.startswith("entrant ") and ": is gone (" in line]
    kept = [line for line in lines if line not in gone]
    rest = len(gone) - NAMED
    more = [f"{counted(rest, 'more entrant')} of A {_is(rest)} gone"] if rest > 0 else []
    return kept + gone[:NAMED] + more


def _added(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    known = {*old["entrants"].values()}
    found = [
        f"entrant {name}: is new ({text})"
        for name, text in new["entrants"].items()
        if text not in known and name not in old["entrants"]
    ]
    rest = len(found) - NAMED
    more = [f"{counted(rest, 'more entrant')} of B {_is(rest)} new"] if rest > 0 else []
    return found[:NAMED] + more


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _settings(a: Results, b: Results) -> list[str]:
    """Differences of the resolved study files that identities do not hold: budgets, spaces, ..."""
    before, after = (flat(tomllib.loads(run.meta.get("study", ""))) for run in (a, b))
    found = []
    for key in dict.fromkeys([*before, *after]):
        if key.split(".")[0] in ELSEWHERE and not key.endswith(".blocks"):
            continue
        if key != "time.move_time_ms" and key != "kind" and before.get(key) != after.get(key):
            found.append(changed(key, before.get(key), after.get(key)))
    return found


def flat(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return the values of a study file by dotted path; members of a list go by name or number."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping):
            found |= flat(value, f"{path}.")
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            named = {str(one.get("name", i)): one for i, one in enumerate(value, 1)}
            found |= flat(named, f"{path}.")
        elif isinstance(value, list):
            found[path] = [str(one) for one in value]
        elif isinstance(value, SHOWN):
            found[path] = value if not isinstance(value, bool) else str(value).lower()
        else:
            found[path] = str(value)
    return found


def brief(lines: list[str], most: int = 3) -> str:
    """Say in one sentence in what the two runs differ."""
    if not lines:
        return "The studies, the code and the versions are the same in both."
    rest = len(lines) - most
    shown = [_cut(line) for line in lines[: most if rest > 1 else len(lines)]]
    return f"What differs: {'; '.join([*shown, *([f'{rest} more'] if rest > 1 else [])])}."


def _cut(line: str, most: int = 110) -> str:
    if line.startswith("entrant ") and line.endswith(")"):
        line = line[: line.rindex(" (")]  # the engine's text is on the page
    return line if len(line) <= most else f"{line[: most - 1]}…"
