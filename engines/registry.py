"""The registry: every member of every kind, known by name without importing it.

A kind of member is a base class that announces itself, `class Game(Member, kind="game")`. A member
is a class at the top of a file, below such a base, that sets its `name` to a text: in the rooms, in a
plugin file, or in a module that an installed package offers as entry point `joute`. One file may
define several, of several kinds. Files are read as text (their syntax tree); only the file of a
member that is used is imported, and a plugin that is asked for by its path. A file that cannot be
read or imported is named with its error and stops only what needs it.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from joute.engines.errors import ANYTHING, Refused, RulesError, building, unknown
from joute.engines.index import Row, index_of
from joute.engines.syntax import ROOT, announced, kind_of, literals, module_of, tree_of

ROOMS = ("engines", "studies", "reports")
NAMED = re.compile(rb"^    name\b", re.MULTILINE)


class Member:
    """Base of all members. `kind` is set by the base class of a kind, `name` by each member."""

    kind: ClassVar[str] = ""
    name: ClassVar[str]
    summary: ClassVar[str] = ""

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            cls.kind = kind


@dataclass(frozen=True)
class Entry:
    """A member as found in its file's text. `facts` holds its attributes that are plain values."""

    kind: str
    name: str
    cls: str
    file: Path
    facts: dict[str, Any] = field(compare=False)

    def load(self, where: str = "") -> Any:
        """Return the member's class, importing its file; raise Refused with the file's error."""
        place = f"{where}: " if where else ""
        try:
            cls = getattr(_module(self.file), self.cls)
        except ANYTHING as error:
            text = (
                f"the {self.kind} {self.name} cannot be loaded from {shown(self.file)}: "
                f"{reason_of(error)}"
            )
            raise Refused(place + text) from error
        if fault := misdeclared(cls):
            raise Refused(
                f"{place}the {self.kind} {self.name} cannot be used: its class {self.cls} "
                f"({shown(self.file)}) {fault}"
            )
        return cls

    def fact(self, name: str) -> Any:
        """Return an attribute of the class: from its file's text, or by importing it; "" for a
        plugin that is only noted, if its text lacks it.
        """
        if self.file in _noted:
            return self.facts.get(name, "")
        return self.facts[name] if name in self.facts else getattr(self.load(), name)


@cache
def misdeclared(cls: type) -> str:
    """Return what is wrong with the attributes of a member's class: one that its bases announce is
    missing, or a parameter's default is outside its range; "" for nothing.
    """
    announced = {
        name: note
        for base in cls.__mro__
        for name, note in vars(base).get("__annotations__", {}).items()
    }
    missing = [
        name
        for name, note in announced.items()
        if str(note).startswith("ClassVar") and not hasattr(cls, name)
    ]
    if missing:
        return f"lacks {', '.join(missing)}"
    declared = [getattr(cls, name, ()) for name in ("parameters", "options")]
    for parameter in (p for some in declared if isinstance(some, tuple) for p in some):
        if getattr(parameter, "kind", "") in ("int", "float"):
            try:
                parameter.check(parameter.default)
            except Refused as error:
                return f"has a default that is not allowed: {error}"
    return ""


def find(kind: str, name: str, where: str = "") -> Any:
    """Return the class of a member; raise Refused with the nearest known name."""
    for file in _likely(name):
        for entry in _entries(file):
            if (entry.kind, entry.name) == (kind, name) and _may_stand(entry):
                return entry.load(where)
    known = entries(kind)
    if name in known:
        return known[name].load(where)
    if cls := _homeless(kind, name):
        place = f"{where}: " if where else ""
        raise Refused(
            f"{place}the {kind} {name} is the class {cls.__name__} of a notebook or script: "
            f"workers "
            f"load members from files; put it into one, {cls.__name__.lower()}.py, and name that: "
            f'plugins=["{cls.__name__.lower()}.py"]'
        )
    raise unknown(kind, name, known, where)


def _homeless(kind: str, name: str) -> type[Member] | None:
    """Return the class of such a member that was typed into the main script or a notebook's cell."""
    below = list(Member.__subclasses__())
    for cls in below:
        below += cls.__subclasses__()
        if cls.__module__ == "__main__" and (cls.kind, getattr(cls, "name", "")) == (kind, name):
            return cls
    return None


def make(kind: str, name: str, where: str = "", options: Mapping[str, Any] | None = None) -> Any:
    """Return a new object of a member's class; raise RulesError, in a line, where its author's code
    fails or lacks something.
    """
    cls = find(kind, name, where)
    if missing := sorted(getattr(cls, "__abstractmethods__", ())):
        raise RulesError(
            f"the {kind} {name} cannot be made: its class {cls.__name__} "
            f"({shown(Path(inspect.getfile(cls)))}) lacks {', '.join(missing)}"
        )
    with building(f"the {kind} {name}"):
        return cls(**(options or {}))


def names(kind: str) -> list[str]:
    """Return the names of all members of a kind, plugins included."""
    return sorted(entries(kind))


def entries(kind: str) -> dict[str, Entry]:
    """Return all members of a kind by name, none of them imported; a plugin's comes before ours."""
    members: dict[str, Entry] = {}
    outside = [entry for file in [*_plugins, *_installed()] for entry in _entries(file)]
    for entry in [*outside, *_of_rooms(kind)]:
        if entry.kind == kind and _may_stand(entry):
            members.setdefault(entry.name, entry)
    return dict(sorted(members.items()))


@cache
def _of_rooms(kind: str) -> tuple[Entry, ...]:
    return tuple(e for file in _room_files() for e in _entries(file) if e.kind == kind)


def every(kind: str) -> dict[str, Any]:
    """Return the loadable classes of all members of a kind; complain on stderr about the others."""
    classes = {}
    for name, entry in entries(kind).items():
        try:
            classes[name] = entry.load()
        except Refused as error:
            complain(str(error))
    return classes


def games_of(kind: str) -> dict[str, tuple[str, ...] | None]:
    """Return the games that each member of a kind is for, as its `games` say; None for any.

    One that does not say, or cannot be loaded, is left out, with the reason on stderr: it stops nobody
    who does not use it.
    """
    found: dict[str, tuple[str, ...] | None] = {}
    for name, entry in entries(kind).items():
        try:
            games = entry.fact("games")
        except Refused as error:
            complain(f"the {kind} {name} is left out: {error}")
        else:
            found[name] = None if games is None else tuple(games)
    return found


def is_for(games: Container[str] | None, game: str) -> bool:
    """Whether a member for these games is for the one of that name."""
    return games is None or game in games


def kinds() -> list[str]:
    """Return the kinds that announce themselves."""
    kinds = {
        kind
        for file in _room_files()
        if b'kind="' in file.read_bytes()
        for _, kind in announced(file).items()
    }
    return sorted(kinds)


def load_plugin(path: str | Path, noted_by: str = "") -> None:
    """Import a plugin file; raise Refused with the file and its error. With `noted_by`, its members
    are only noted, from its text: the file is imported when one of them is used, with a message
    that has `noted_by`.

    A file without members is refused, and a member whose name is taken, unless its class says
    `replaces = True`.
    """
    file = Path(path).resolve()
    if file in _plugins:
        return
    if _untrusting.get():
        raise Refused(f"plugin {path} is not loaded here; add --plugin {path} if you trust it")
    if not file.is_file() or file.suffix != ".py":
        raise Refused(f"plugin {path}: no such Python file")
    try:
        if noted_by:
            _noted[file] = noted_by
        else:
            _module(file)
    except ANYTHING as error:
        raise Refused(f"plugin {path} cannot be loaded: {reason_of(error)}") from error
    _check_members(file, str(path), not noted_by)
    _plugins.append(file)


@contextmanager
def no_more_plugins() -> Iterator[None]:
    """Refuse, in the meantime, plugins that were not loaded before."""
    before = _untrusting.set(True)
    try:
        yield
    finally:
        _untrusting.reset(before)


def plugin_files() -> list[str]:
    """Return the plugin files loaded so far, for workers to load too."""
    return [str(file) for file in _plugins]


def plugins_named_in(text: str) -> list[str]:
    """Return the loaded plugins a member of which a text names, a study's or an engine's."""
    return [
        str(file)
        for file in _plugins
        if any(
            re.search(rf"(?<![\w-]){re.escape(entry.name)}(?![\w-])", text)
            for entry in _entries(file)
        )
    ]


def reason_of(error: BaseException) -> str:
    """Return an error in a line, that of a file's syntax with file, line and code."""
    if not isinstance(error, SyntaxError):
        return repr(error)
    code = f", `{error.text.strip()}`" if error.text else ""
    return f"{error.filename}, line {error.lineno}{code}: {error.msg}"


def shown(file: Path) -> str:
    """Return a file's path as a person writes it: from the checkout, or whole."""
    return str(file.relative_to(ROOT)) if file.is_relative_to(ROOT) else str(file)


# --- files ------------------------------------------------------------------------------------


def _check_members(file: Path, path: str, loaded: bool) -> None:
    """Raise Refused for a plugin without members, or with names that are taken."""
    members = _entries(file)
    nameless = _nameless(file) if loaded else []
    if not members:
        known = ", ".join(sorted(kinds()))
        why = f"the class {nameless[0]} has no name" if nameless else "it has no member"
        raise Refused(
            f"plugin {path}: {why}; a member is a class at the top of the file with "
            f'name = "..." (kinds: {known})'
        )
    for cls in nameless:
        complain(f"plugin {path}: the class {cls} has no name: so it cannot be used")
    for entry in members:
        taken = entries(entry.kind).get(entry.name)
        if taken is not None and entry.facts.get("replaces") is not True:
            raise Refused(
                f"plugin {path}: the {entry.kind} {entry.name} exists already "
                f"({shown(taken.file)}); take another name, or say replaces = True in the class "
                f"{entry.cls}"
            )


def _nameless(file: Path) -> list[str]:
    """Return the classes of a loaded file that lack nothing of a member but a name."""
    module = _module(file)
    classes = [
        c
        for c in vars(module).values()
        if isinstance(c, type) and issubclass(c, Member) and c.__module__ == module.__name__
    ]
    bases = {base for c in classes for base in c.__mro__[1:]}
    return [
        c.__name__
        for c in classes
        if c.kind
        and c not in bases
        and not c.__name__.startswith("_")
        and not isinstance(getattr(c, "name", None), str)
    ]


def _may_stand(entry: Entry) -> bool:
    """Whether a member of an installed package may be used: one of ours only gives way if asked."""
    if entry.file not in _installed() or entry.facts.get("replaces") is True:
        return True
    ours = (e for file in _room_files() for e in _entries(file))
    if (entry.kind, entry.name) not in {(e.kind, e.name) for e in ours}:
        return True
    complain(
        f"{shown(entry.file)}: the {entry.kind} {entry.name} is ignored because one exists already "
        f"(say replaces = True in the class {entry.cls})"
    )
    return False


_plugins: list[Path] = []
_noted: dict[Path, str] = {}  # plugins not imported yet, with the place that names them
_untrusting: ContextVar[bool] = ContextVar("untrusting", default=False)
_loaded: dict[Path, ModuleType] = {}
_said: set[str] = set()


def complain(text: str) -> None:
    """Say something on stderr, once."""
    if text not in _said:
        _said.add(text)
        print(f"joute: {text}", file=sys.stderr)


@cache
def _room_files() -> tuple[Path, ...]:
    paths = []
    for room in ROOMS:
        for folder, folders, files in os.walk(ROOT / room):
            folders[:] = [name for name in folders if name != "__pycache__"]
            paths += [os.path.join(folder, name) for name in files if name.endswith(".py")]
    return tuple(map(Path, sorted(paths)))


def _likely(name: str) -> Iterator[Path]:
    # A file, or its folder, is named like its member: then no other file is read.
    yield from [*_plugins, *_installed()]
    yield from _files_by_name().get(name.replace("-", "_"), ())


@cache
def _files_by_name() -> dict[str, list[Path]]:
    """Return the rooms' files by their own names and by those of their folders."""
    by_name: dict[str, list[Path]] = {}
    for file in _room_files():
        for name in {file.stem, file.parent.name}:
            by_name.setdefault(name, []).append(file)
    return by_name


@cache
def _installed() -> tuple[Path, ...]:
    """Return the files that installed packages offer under the entry-point group `joute`."""
    files = []
    for point in entry_points(group="joute"):
        try:
            spec = importlib.util.find_spec(point.module)
        except ANYTHING as error:
            complain(f"plugin {point.value} cannot be loaded: {error!r}")
            continue
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            complain(f"plugin {point.value} cannot be loaded: there is no such module")
            continue
        _names_of[Path(spec.origin)] = point.module
        files.append(Path(spec.origin))
    return tuple(files)


_names_of: dict[Path, str] = {}  # files of installed packages, by the module's name


@cache
def _room_module(file: Path) -> str:
    """Return the module's name of a file of ours; "" for any other file."""
    ours = file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in ROOMS
    return module_of(file) if ours else ""


def _module(file: Path) -> ModuleType:
    """Return a file's module, imported when first needed."""
    if name := _room_module(file):
        return importlib.import_module(name)
    if file in _names_of:
        return importlib.import_module(_names_of[file])
    if file not in _loaded:
        if file in _noted:
            complain(f"{_noted.pop(file)}: loads {file.name}")
        spec = importlib.util.spec_from_file_location(f"joute_plugin_{file.stem}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[spec.name]
            raise
        _loaded[file] = module
    return _loaded[file]


# --- what files define -------------------------------------------------------------------------


@cache
def _entries(file: Path) -> tuple[Entry, ...]:
    """Return the members that a file defines."""
    rows = _index()[file] if file in _index() else _rows(file) or []
    return tuple(Entry(kind, name, cls, file, facts) for kind, name, cls, facts in rows)


@cache
def _index() -> dict[Path, list[Row]]:
    return index_of(_room_files(), _rows)


def _rows(file: Path) -> list[Row] | None:
    """Return the members in the text of a file; None, with a complaint, if it cannot be read."""
    try:
        if not NAMED.search(file.read_bytes()):
            return []
        tree = tree_of(file)
    except (SyntaxError, ValueError, OSError) as error:
        complain(f"{shown(file)} cannot be read: {error}")
        return None
    rows = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            facts = literals(node)
            kind = kind_of(node, file) if isinstance(facts.get("name"), str) else ""
            if kind:
                rows.append((kind, facts["name"], node.name, facts))
    return rows
