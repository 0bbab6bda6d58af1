"""Builds the engines of a study file and collects every validation error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from engines.check import SettingsRefused, check
from engines.engine import Engine, parse_engine
from engines.engine_text import engine_text, is_file, names_game
from engines.errors import Refused
from engines.game import Game
from engines.parameter import Parameter
from engines.registry import find
from engines.search import Search
from studies.file.declared import StandIn
from studies.file.errors import Faults

Where = Callable[[str], str]


class Desk:
    """Game, base settings and faults of the study being read. Without a game (because that is
    at fault) no engine can be made, but all settings that can be checked are. Files of engines are
    seen from the study's `folder`.
    """

    def __init__(
        self,
        game: Game | None,
        base: Mapping[str, Any],
        faults: Faults,
        folder: Path,
        declared: Mapping[str, Parameter] | None = None,
    ) -> None:
        self.game, self.base, self.faults, self.folder = game, base, faults, folder
        self.declared = declared or {}
        self._used: set[str] = set()  # declared names that an engine has

    def fault(self, path: str, text: str) -> None:
        """Note a fault."""
        self.faults.add(path, text)

    def engine(self, settings: Mapping[str, Any], where: Where) -> Engine | None:
        """Return an engine, or None with its faults noted at `where(setting)`; ''is all of it."""
        settings = self.filled(settings)
        own = self.own(settings)
        faults = check(None, settings, own).faults
        if self.game is not None:
            try:
                return Engine(self.game, settings, declared=own)
            except SettingsRefused as refused:
                faults = refused.faults
        for setting, text in faults.items():
            self.fault(where(setting), text)
        return None

    def own(self, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """Return the declared parameters that an engine with these settings has; something that
        allows all where a declaration is at fault.
        """
        try:
            member: Search = find("search", str(settings.get("search")))()
        except Refused:
            return {}
        fixed = {p.name for p in member.parameters}
        open_ = {p.name for p in member.parameters_for(settings, self.game)} - fixed
        self._used |= open_ & {*self.declared}
        found = {name: p for name, p in self.declared.items() if name in open_}
        for name in sorted(open_ - {*found}):
            free = [] if name in settings else [d for d in self.declared if d not in open_]
            for other in get_close_matches(name, free, n=1):
                self.fault(f"parameters.{other}", f"no engine has it; did you mean {name!r}?")
                found[name] = StandIn(name, "text", 0)
            if self.faults.under(f"parameters.{name}"):
                found[name] = StandIn(name, "text", 0)
        return found

    def filled(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings with the declared defaults of what they leave out."""
        return {n: p.default for n, p in self.own(settings).items()} | dict(settings)

    def check_declared(self) -> None:
        """Note every declared parameter that no engine has."""
        for name in self.declared:
            told = self.faults.under("engine") or self.faults.at(f"parameters.{name}")
            if name not in self._used and not told:
                self.fault(f"parameters.{name}", f"no engine has it: {{{name}}} stands nowhere")

    def spec(self, text: Any, path: str) -> Engine | None:
        """Return the engine of a text, whose game may be left out, or None with its fault noted."""
        if not isinstance(text, str):
            self.fault(path, f"{text!r} is not the text of an engine")
            return None
        if self.game is None and not is_file(text) and not names_game(text):
            return None
        try:
            if is_file(text):
                text = engine_text(str(self.folder / text))
            engine = parse_engine(text, self.game)
            if self.game is None:
                return None
            if engine.game.label == self.game.label:
                own = self.own(engine.settings)
                return Engine(self.game, engine.settings, declared=own)
        except Refused as error:
            self.fault(path, str(error))
            return None
        names = f"plays {engine.game.label}, the study plays {self.game.label}"
        self.fault(path, f"{text}: {names}; leave the game out")
        return None
