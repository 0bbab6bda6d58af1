"""Suites: positions with known right or wrong actions. Reading, checking and extending the files.

A suite is a TOML file: `game`, maybe `plugins`, and for each [[case]] a `name`, a `position`, and
either `best`, the actions that pass, or `avoid`, those that fail; a `remark` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import Field

from joute.engines.data import parse_toml, read_text
from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.position import Position, parse_position
from joute.engines.registry import load_plugin
from joute.results.tables import write_atomically
from joute.studies.file.strict import Strict
from joute.studies.file.validation import Errors, StudyRefused, show, validate
from joute.studies.ready_made import SUITES, missing, ready_made

Line = Annotated[str, Field(pattern=r"^[^\r\n]*\S[^\r\n]*$")]
Actions = Annotated[list[Line], Field(min_length=1)]
ACTIONS = "a list of actions, at least one"


class CaseModel(Strict):
    """[[case]]: a position and what to play in it."""

    name: Line = Field(description="a name of one line", examples=["case"])
    position: Line = Field(description="a position in one line of text", examples=["startpos"])
    best: Actions | None = Field(None, description=ACTIONS)
    avoid: Actions | None = Field(None, description=ACTIONS)
    remark: str = Field("", description="a text")


class SuiteModel(Strict):
    """A suite's file."""

    game: Line = Field(description="a game, name or name[option=value,...]", examples=["game"])
    plugins: list[str] = Field([], description="a list of paths of Python files")
    case: Annotated[list[CaseModel], Field(min_length=1)] = Field(
        description="a list of tables, [[case]], at least one",
        examples=[[{"name": "case", "position": "startpos"}]],
    )


@dataclass(frozen=True)
class Case:
    """A position as text, and the texts of the actions that pass (`best`) or fail (`avoid`); the
    other tuple is empty.
    """

    name: str
    position: str
    best: tuple[str, ...]
    avoid: tuple[str, ...]
    remark: str = ""

    def passes(self, action: str) -> bool:
        """Whether an action, by its canonical text, passes."""
        return action in self.best if self.best else action not in self.avoid

    @property
    def wanted(self) -> str:
        """The passing actions in words."""
        return " ".join(self.best) if self.best else f"not {' '.join(self.avoid)}"


@dataclass(frozen=True)
class Suite:
    """The checked cases of a file."""

    name: str
    game: Game
    cases: tuple[Case, ...]


def file_of(source: str | Path) -> Path:
    """Return the file of a suite; raise StudyRefused with the nearest ready-made name."""
    path = Path(source)
    if path.is_file():
        return path
    if str(source) in ready_made(SUITES):
        return SUITES / f"{source}.toml"
    raise StudyRefused(str(source), [f"{source}: {missing(str(source), 'suite', SUITES)}"])


def load_suite(source: str | Path) -> Suite:
    """Return the checked suite of a file or a ready-made one's name; StudyRefused with every error."""
    path = file_of(source)
    try:
        data = parse_toml(read_text(path))
    except OSError as error:
        raise StudyRefused(str(source), [f"{source}: cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise StudyRefused(str(source), [f"{source}: is not UTF-8 text"]) from None
    except ValueError as error:
        raise StudyRefused(str(source), [f"{source}: is not TOML: {error}"]) from None
    errors = Errors()
    suite = read(data, path, errors)
    if suite is None or errors.lines():
        raise StudyRefused(str(source), [f"{source}: {line}" for line in errors.lines()])
    return suite


def read(data: dict[str, Any], path: Path, errors: Errors) -> Suite | None:
    """Return the suite of a file's data, or None; notes the errors."""
    model = validate(SuiteModel, data, errors)
    if model is None:
        return None
    for i, plugin in enumerate(model.plugins):
        try:
            load_plugin(path.resolve().parent / plugin)
        except Refused as error:
            errors.add(f"plugins.{i}", str(error))
    if errors.at("game"):
        return None
    try:
        game = parse_game(model.game)
    except Refused as error:
        errors.add("game", str(error))
        return None
    seen: dict[str, int] = {}
    cases = []
    for i, row in enumerate(model.case if not errors.under("case") else []):
        if row.name in seen:
            errors.add(f"case.{i}.name", f"{show(row.name)} is the name of case.{seen[row.name]}")
        seen.setdefault(row.name, i)
        cases.append(checked(row, game, f"case.{i}", errors))
    return Suite(path.stem, game, tuple(case for case in cases if case is not None))


def checked(model: CaseModel, game: Game, path: str, errors: Errors) -> Case | None:
    """Return a case whose position and actions are legal, or None; notes the errors."""
    if (model.best is None) == (model.avoid is None):
        fault = "is missing" if model.best is None else "cannot be combined with avoid"
        errors.add(f"{path}.best", f"{fault}; allowed: either best or avoid, {ACTIONS}")
        return None
    try:
        position = parse_position(game, model.position)
    except Refused as error:
        errors.add(f"{path}.position", str(error))
        return None
    if position.over:
        errors.add(f"{path}.position", "the game is over there, so there is no move to find")
        return None
    key, given = ("best", model.best) if model.best is not None else ("avoid", model.avoid)
    texts = [
        text_of_legal(position, text, f"{path}.{key}.{i}", errors)
        for i, text in enumerate(given or [])
    ]
    if None in texts:
        return None
    distinct = tuple(dict.fromkeys(text for text in texts if text is not None))
    listed = position.game.listed
    if key == "avoid" and listed and set(distinct) >= set(legal_texts(position)):
        errors.add(f"{path}.avoid", "leaves no legal action that passes")
        return None
    best, avoid = (distinct, ()) if key == "best" else ((), distinct)
    return Case(model.name, model.position, best, avoid, model.remark)


def legal_texts(position: Position) -> list[str]:
    """Return the texts of the legal actions."""
    return [position.game.action_text(action) for action in position.legal_actions()]


def text_of_legal(position: Position, text: str, path: str, errors: Errors) -> str | None:
    """Return the canonical text of a legal action, or None; notes the error."""
    try:
        action = position.game.action_of(text)
    except Refused as error:
        errors.add(path, str(error))
        return None
    if not position.is_legal(action):
        why = position.why_illegal(action)
        errors.add(path, f"{show(text)} is not legal in {position.line()}; {why}")
        return None
    return position.game.action_text(action)


def append_case(path: Path, game: Game, case: Case, plugins: Sequence[str] = ()) -> None:
    """Append a case to a suite's file, creating it if needed; its old content stays as it is.

    Raises StudyRefused if the file has errors, another game, or a case of this name.
    """
    table: dict[str, Any] = {"name": case.name, "position": case.position}
    table |= {"best": list(case.best)} if case.best else {"avoid": list(case.avoid)}
    table |= {"remark": case.remark} if case.remark else {}
    errors = Errors()
    if checked(CaseModel(**table), game, "case", errors) is None:
        raise StudyRefused(str(path), errors.lines())
    text = tomli_w.dumps({"game": game.label, **({"plugins": list(plugins)} if plugins else {})})
    if path.exists():
        there = load_suite(path)
        if there.game.label != game.label:
            raise Refused(f"{path} is a suite for {there.game.label}, not for {game.label}")
        if case.name in {known.name for known in there.cases}:
            raise Refused(f"{path} has a case {case.name!r} already")
        text = path.read_text("utf-8").rstrip() + "\n"
    write_atomically(path, f"{text}\n[[case]]\n{tomli_w.dumps(table)}")
