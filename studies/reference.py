"""The reference of study files: every key with its meaning, allowed values and default.

It is read from the kinds' models. `python -m joute.studies.reference` writes `docs/studies.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from joute.engines.registry import find, names
from joute.studies.file.models import NEEDED, Common
from joute.studies.file.validation import show
from joute.studies.kind import Kind

DOCS = Path(__file__).resolve().parents[1] / "docs" / "studies.md"


@dataclass(frozen=True)
class Key:
    """A key of a study file, with its tables: `openings.plies`, `stage.N.blocks`."""

    name: str
    meaning: str
    allowed: str
    default: str


# Tables whose keys are names of parameters: no model lists them.
INSIDE = {
    "engine": [
        Key("search", "the search", "a name of joute list", "needed"),
        Key("SETTING", "a parameter or limit of the search", "joute show SEARCH", "its own"),
    ],
    "grid": [
        Key("PARAMETER", "its values", "a list, or { from, to, step }", "needed"),
    ],
    "space": [
        Key("PARAMETER.from", "the lowest value", "a value in the parameter's range", "needed"),
        Key("PARAMETER.to", "the highest value", "a number above from", "needed"),
        Key("PARAMETER.step", "steps from the lowest value", "a number above 0", "none"),
        Key("PARAMETER.log", "search by ratios, not differences", "true or false", "false"),
        Key("PARAMETER.marks", "values to mark in plots", "a list of numbers", "[]"),
        Key("CHOICE", "the values of a choice", "a list of two or more", "needed"),
    ],
    "entrants": [
        Key("name", "its name", "a line of text", "its settings"),
        Key("spec", "the whole engine", "search:name=value,...", "none"),
        Key("SETTING", "or settings over the base engine", "as under engine", "the base's"),
    ],
}
INSIDE["a"] = INSIDE["b"] = INSIDE["opponents"] = INSIDE["entrants"]
TIMED = [
    "**Time limits.** A program has the time limits of its protocol (`turn_ms`, `first_ms`); an "
    "engine of Joute with `milliseconds = T` is late after T plus `time.margin_ms`; "
    "`time.move_time_ms` applies to both. A late engine loses by `timeout` or, if the game's "
    "rules say so, misses its turn. A "
    "turn in which the worker itself was stopped (SIGSTOP, Ctrl-Z, a debugger) never counts as "
    "late. "
    "A study with any time limit (`turn_ms`, `milliseconds`) is not reproducible byte for byte, "
    "because the machine and its load decide how much is searched and which move is late. A study "
    "with fixed work (`depth`, `nodes`, `iterations`) is reproducible.",
]
MANY = {dict: "NAME", list: "N"}


def keys_of(kind: str) -> list[Key]:
    """Return every key of a kind's study files; raise Refused for an unknown kind."""
    return list(walk(find("kind", kind).model))


def own_keys(kind: str) -> list[Key]:
    """Return the keys that a kind adds to those of every study."""
    shared = {key.name for key in walk(Common)}
    return [key for key in keys_of(kind) if key.name not in shared]


def walk(model: type[BaseModel], before: str = "") -> Iterator[Key]:
    """Yield the keys of a model; those of a nested table after the table's own."""
    for name, field in model.model_fields.items():
        path = before + name
        yield Key(path, str(field.title or ""), str(field.description or ""), default_of(field))
        inner, many = table_in(field.annotation)
        if inner is not None:
            yield from walk(inner, f"{path}.{many}." if many else f"{path}.")
        for key in INSIDE.get(name, []) if not before else []:
            between = ".N." if get_origin(plain(field.annotation)) is list else "."
            yield Key(f"{path}{between}{key.name}", key.meaning, key.allowed, key.default)


def default_of(field: FieldInfo) -> str:
    """Return a default as text."""
    if field.is_required() or field.json_schema_extra == NEEDED:
        return "needed"
    default = field.get_default(call_default_factory=True)
    if default is None or isinstance(default, BaseModel) or default == {}:
        return "none" if default is None else ""
    return show(default)


def plain(annotation: Any) -> Any:
    """Return a type without `| None`."""
    parts = [part for part in get_args(annotation) if part is not type(None)]
    optional = type(None) in get_args(annotation)
    return parts[0] if optional and len(parts) == 1 else annotation


def table_in(annotation: Any) -> tuple[type[BaseModel] | None, str]:
    """Return the model of a field of one table or several, with the placeholder of names."""
    kind = plain(annotation)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind, ""
    inner = [p for p in get_args(kind) if isinstance(p, type) and issubclass(p, BaseModel)]
    return (inner[-1], MANY.get(get_origin(kind), "")) if inner else (None, "")


def document() -> str:
    """Return the reference as a page of Markdown."""
    lines = [
        "# Study files, key by key",
        "",
        "Written by `python -m joute.studies.reference` from the code that reads the files; "
        "`joute show KIND` prints the same for one kind. `N` is the number of a table in a list "
        "(`[[stage]]` is stage 0, 1, ...); names in capitals are your own names. Any key can be "
        "set from the command line: "
        "`--set schedule.blocks=10`.",
        "",
        *TIMED,
        "",
        "## Every study",
        "",
        *table(list(walk(Common))),
    ]
    for name in names("kind"):
        kind: type[Kind] = find("kind", name)
        lines += [
            "",
            f"## kind = {show(name)}",
            "",
            sentence(kind.summary),
            "",
            *table(own_keys(name)),
        ]
    return "\n".join(lines) + "\n"


def sentence(text: str) -> str:
    """Return a summary as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def table(keys: list[Key]) -> list[str]:
    """Return a table of Markdown."""
    rows = [
        (f"`{k.name}`", k.meaning, k.allowed, f"`{k.default}`" if k.default else "") for k in keys
    ]
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [
        "| key | meaning | allowed | default |",
        "|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in cells),
    ]


if __name__ == "__main__":
    DOCS.write_text(document(), "utf-8")
    print(DOCS)
