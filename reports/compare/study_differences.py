"""The differences of two runs before a game is played: study, code, versions, machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from joute.reports.reading.words import counted, listed
from joute.results.frames import Results
from joute.studies.file.differences import Change, EntrantChange, changes

NAMED = 4
"""Entrants named one by one before the rest is only counted."""
ELSEWHERE = ("name", "seed", "game", "openings", "entrants", "stage", "plugins", "files", "report")
"""Keys of a study file that identities compare, or that say nothing of its games."""
OF_A_KIND = ("search", "search_code", "training")
"""Keys of an identity that not every kind of study has."""
MADE = ("commit", "machine")
LONGEST = 110
"""Characters of a difference in the answer."""


@dataclass(frozen=True)
class Parameters:
    """The names of entrants whose parameters changed alike, and these changes."""

    names: list[str]
    changes: tuple[Change, ...]

    def text(self, short: bool = False) -> str:
        """Return 'entrant e, depth: was 4, is now 5; ...'."""
        names = listed(self.names) if len(self.names) < 3 else f"such as {self.names[0]}"
        many = f"{len(self.names)} entrants ({names})"
        diff = "; ".join(change.text() for change in self.changes)
        return f"{many if self.names[1:] else f'entrant {self.names[0]}'}, {diff}"


@dataclass
class Differences:
    """All differences from A ("was") to B ("is now"): of the plan, of entrants, and of the rest."""

    plan: list[Change] = field(default_factory=list)
    gone: list[EntrantChange] = field(default_factory=list)
    moved: list[Parameters] = field(default_factory=list)
    added: list[EntrantChange] = field(default_factory=list)
    rest: list[Change] = field(default_factory=list)

    def texts(self, short: bool = False) -> list[str]:
        """Return one line for each difference; `short` ones leave out the texts of engines."""
        lines = [
            *(c.text(short) for c in self.plan),
            *_first([c.text(short) for c in self.gone], "of A is gone", "of A are missing"),
            *_first([c.text() for c in self.moved], *["with other parameters"] * 2),
            *_first([c.text(short) for c in self.added], "of B is new", "of B are new"),
            *(c.text(short) for c in self.rest),
        ]
        return list(dict.fromkeys(lines))

    def brief(self, most: int = 3) -> str:
        """Say in one sentence how the two runs differ."""
        lines = self.texts(short=True)
        if not lines:
            return "The studies, the code and the versions are the same in both."
        rest = len(lines) - most
        shown = lines[: most if rest > 1 else len(lines)]
        shown = [text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…" for text in shown]
        return f"What differs: {'; '.join([*shown, *([f'{rest} more'] if rest > 1 else [])])}."


def _first(lines: list[str], one: str, many: str) -> list[str]:
    rest = len(lines) - NAMED
    more = [f"{counted(rest, 'more entrant')} {one if rest == 1 else many}"] if rest > 0 else []
    return lines[:NAMED] + more


def differences(a: Results, b: Results) -> Differences:
    """Return the differences between two runs; of runs of two kinds, in what both kinds have."""
    old, new = (run.meta.identity for run in (a, b))
    alike = a.meta.kind == b.meta.kind
    if old and new and not alike:
        old, new = (
            {k: v for k, v in one.items() if k not in OF_A_KIND and k in two}
            for one, two in ((old, new), (new, old))
        )
    differing = Differences()
    differing.plan += moved(a.meta, b.meta, ("name", "kind", *(() if old and new else ("seed",))))
    if old and new:
        of_identities(differing, a, b, old, new)
    one, two = (flat(run.meta.study) for run in (a, b))
    keys = [key for key in (*one, *two) if alike or (key in one and key in two)]
    differing.rest += moved(one, two, filter(_compared, keys))
    one, two = (run.meta.versions for run in (a, b))
    differing.rest += moved(one, two, sorted([*one, *two]))
    one, two = ({key: run.meta.get(key) or None for key in MADE} for run in (a, b))
    differing.rest += moved(one, two, MADE)
    return differing


def moved(a: Mapping[str, Any], b: Mapping[str, Any], keys: Iterable[str]) -> list[Change]:
    """Return the changed values under these keys."""
    apart = [key for key in dict.fromkeys(keys) if a.get(key) != b.get(key)]
    return [Change(key, a.get(key), b.get(key)) for key in apart]


def of_identities(
    differing: Differences, a: Results, b: Results, old: Mapping[str, Any], new: Mapping[str, Any]
) -> None:
    """Add the differences between the identities of two runs."""
    every = changes(old, new)
    entrants = [c for c in every if isinstance(c, EntrantChange)]
    differing.gone += [e for e in entrants if e.after is None]
    differing.moved += parameters(a, b, [e for e in entrants if e.after is not None])
    inside = {name for group in differing.moved for name in group.names}
    below = [e for e in entrants if e in differing.gone or e.what in inside]
    differing.plan += [c for c in every if c not in below]
    known = {*old["entrants"], *old["entrants"].values()}
    differing.added += [
        EntrantChange(name, None, text)
        for name, text in new["entrants"].items()
        if not {name, text} & known
    ]


def parameters(a: Results, b: Results, entrants: Sequence[EntrantChange]) -> list[Parameters]:
    """Return the changed parameters of entrants, once for all that changed alike; not if the search
    itself changed: then the texts of the engines say it better.
    """
    alike: dict[tuple[Change, ...], list[str]] = {}
    for entrant in entrants:
        before, after = a.values.get(entrant.what, {}), b.values.get(entrant.what, {})
        changed = tuple(moved(before, after, [*before, *after]))
        searches = {text.partition(":")[0] for text in (entrant.before, entrant.after)}
        if before and after and changed and len(searches) == 1:
            alike.setdefault(changed, []).append(entrant.what)
    return [Parameters(names, changed) for changed, names in alike.items()]


def _compared(key: str) -> bool:
    """Whether the value of a study file under a dotted path is compared here: budgets, spaces, ..."""
    if key in ("time.move_time_ms", "time.margin_ms", "time.clock", "time.flag_draws", "kind"):
        return False
    return key.split(".")[0] not in ELSEWHERE or key.endswith(".blocks")


def flat(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return the values of a study file by dotted path; members of a list by name or number."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{above}{key}"
        if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            value = {str(item.get("name", i)): item for i, item in enumerate(value, 1)}
        if isinstance(value, Mapping):
            values |= flat(value, f"{path}.")
        elif isinstance(value, list):
            values[path] = [str(item) for item in value]
        elif type(value) in (int, float):
            values[path] = value
        else:
            values[path] = str(value).lower() if value is True or value is False else str(value)
    return values
