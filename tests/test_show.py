"""What `joute show` tells for machines: of every member what the registry says, and ready-made files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from joute.commands._describe import shown_kinds
from joute.engines.registry import find, names
from joute.studies.ready_made import STUDIES, SUITES, ready_made
from joute.studies.reference import keys_of
from tests.support.runs import here

MORE = {  # the keys that a kind of member has beside those of all
    "game": {"label", "players", "notation", "evaluations", "generators", "endings", "protocols",
             "views", "tuned", "options"},
    "search": {"evaluation", "limits", "parameters"},
    "evaluation": {"games", "parameters"},
    "protocol": {"turn_ms", "first_ms", "games", "parameters"},
    "view": {"label", "generator", "games", "parameters"},
    "kind": {"keys"},
}  # fmt: skip
OF_ROWS = {"name", "kind", "default", "range", "meaning", "source", "choices"}
MEMBERS = {name: kind for kind in reversed(shown_kinds()) for name in names(kind)}  # first is shown


def shown(thing: str) -> dict[str, Any]:
    done = here("show", thing, "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_member_is_shown_as_the_registry_has_it() -> None:
    for name, kind in MEMBERS.items():
        found, cls = shown(name), find(kind, name)
        assert found.keys() - {"also"} == {"kind", "name", "summary"} | MORE.get(
            kind, {"parameters"}
        ), name
        assert (found["kind"], found["name"], found["summary"]) == (kind, name, cls.summary)
        if kind == "kind":
            assert {row["key"] for row in found["keys"]} == {key.name for key in keys_of(name)}
            continue
        told = found["options" if kind == "game" else "parameters"]
        known = cls.options if kind == "game" else getattr(cls, "parameters", ())
        if kind == "protocol":
            known = cls().settings(None)
        assert [row["name"] for row in told] == [p.name for p in known], name
        assert all(row.keys() == OF_ROWS and row["meaning"] for row in told), name


def test_games_and_what_fits_them_name_each_other() -> None:
    games = {name: shown(name) for name, kind in MEMBERS.items() if kind == "game"}
    for name, kind in MEMBERS.items():
        if kind in ("evaluation", "protocol", "view"):
            naming = {game for game, found in games.items() if name in found[f"{kind}s"]}
            listed = shown(name)["games"]
            named = {one["game"].partition("[")[0] if kind == "view" else one for one in listed}
            # A game names the protocols that have words for it alone.
            assert naming <= named if kind == "protocol" else naming == named, name


@pytest.mark.parametrize(("kind", "folder"), [("study", STUDIES), ("suite", SUITES)])
def test_a_ready_made_file_is_shown_as_it_lies_there(kind: str, folder: Path) -> None:
    for name in ready_made(folder):  # a member comes before a file of its name
        text = (folder / f"{name}.toml").read_text("utf-8")
        found = shown(name)
        assert {"kind": kind, "name": name, "text": text} in [found, *found.get("also", [])]
