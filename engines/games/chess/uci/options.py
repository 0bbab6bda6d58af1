"""Options of an engine as its `option` lines declare them, and settings of them as one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from joute.engines.errors import Refused, nearest
from joute.engines.programs.option import Option

KINDS = ("check", "spin", "combo", "button", "string")
LINE = re.compile(r"option\s+name\s+(.+?)\s+type\s+(\w+)(.*)")
FIELD = re.compile(r"\s(default|min|max|var)(?=\s|$)")
EMPTY = "<empty>"


def option_of(line: str) -> Option | None:
    """Return the option of a line of the engine; None for another line, or a kind nobody knows."""
    match = LINE.fullmatch(" ".join(line.split()))
    if match is None or match[2] not in KINDS:
        return None
    found: dict[str, list[str]] = {}
    parts = FIELD.split(match[3])
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(name, []).append(text.strip())
    numbers = [found.get(name, [""])[0] for name in ("min", "max")]
    low, high = (int(n) if re.fullmatch(r"-?\d{1,18}", n) else None for n in numbers)
    default = found.get("default", [""])[0]
    return Option(
        *(match[1], match[2], "" if default == EMPTY else default, low, high),
        choices=tuple(found.get("var", ())),
    )


def options_in(lines: Iterable[str]) -> dict[str, Option]:
    """Return the options of an engine's lines, by name."""
    found = [option for line in lines if (option := option_of(line)) is not None]
    return {option.name: option for option in found}


def checked(settings: Mapping[str, str], known: Mapping[str, Option]) -> list[tuple[str, str]]:
    """Return names as the engine writes them, with values that it takes; raise Refused."""
    names = {name.lower(): name for name in known}
    pairs = []
    for name, value in settings.items():
        own = names.get(name.lower())
        if own is None:
            raise Refused(f"the engine has no option {name!r}{nearest(name, known)}")
        known[own].check(value)
        pairs.append((own, value))
    return pairs
