"""Builds the engines of a study file and collects every validation error."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from joute.engines.check import WHOLE, SettingsRefused, check
from joute.engines.engine import NO_CLOCK, Engine, parse_engine
from joute.engines.engine_text import engine_text, is_file, names_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import Parameter
from joute.engines.registry import make
from joute.engines.search import CLOCK, Search
from joute.studies.file.declared import StandIn, with_options
from joute.studies.file.validation import Errors

Where = Callable[[str], str]


class StudyChecker:
    """Game, base settings and errors of the study being read.

    Without a valid game no engine can be made, but settings are checked as far as possible. Paths
    of engine files are relative to `folder`, the study's folder. `clocks`: whether games have them.
    """

    def __init__(
        self,
        game: Game | None,
        base: Mapping[str, Any],
        errors: Errors,
        folder: Path,
        declared: Mapping[str, Parameter] | None = None,
        options: Mapping[str, str] | None = None,
        clocks: bool = False,
    ) -> None:
        self.game, self.errors, self.folder = game, errors, folder
        self.declared, self.options = declared or {}, options or {}
        self.clocks = clocks
        self._command = base.get("command")
        self.base = self.as_declared(self.with_options(base))
        self._used: set[str] = set()  # declared names that an engine has

    def error(self, path: str, text: str) -> None:
        """Note an error."""
        self.errors.add(path, text)

    def engine(self, settings: Mapping[str, Any], where: Where) -> Engine | None:
        """Return an engine, or None with errors noted at `where(setting)`; '' is all of it."""
        settings = self.filled(self.as_declared(self.with_options(settings)))
        declared = self.declared_for(settings)
        faults = check(None, settings, declared).faults
        if self.game is not None:
            try:
                engine = Engine(self.game, settings, declared=declared)
            except SettingsRefused as refused:
                faults = refused.faults
            else:
                self.check_clock(engine, where(CLOCK if CLOCK in settings else WHOLE))
                return engine
        for setting, text in faults.items():
            self.error(where(setting), text)
        return None

    def check_clock(self, engine: Engine, path: str) -> None:
        """Note an engine that plays by a clock where there is none."""
        if engine.by_clock and not self.clocks:
            self.error(path, NO_CLOCK)

    def with_options(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return settings of the study's own program in which declared options are set."""
        own = self._command is not None and settings.get("command") == self._command
        return with_options(settings, self.options) if own and self.options else settings

    def as_declared(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return settings in which a program's parameters have the names and kinds that are declared."""
        try:
            member: Search = make("search", str(settings.get("search")))
        except Refused:
            return settings
        return member.as_declared(settings, {name: p.kind for name, p in self.declared.items()})

    def declared_for(self, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """Return the declared parameters that an engine with these settings has.

        Invalid declarations get a placeholder that accepts anything.
        """
        try:
            member: Search = make("search", str(settings.get("search")))
        except Refused:
            return {}
        fixed = {p.name for p in member.parameters}
        open_ = {p.name for p in member.parameters_for(settings, self.game)} - fixed
        self._used |= open_ & {*self.declared}
        parameters = {name: p for name, p in self.declared.items() if name in open_}
        for name in sorted(open_ - {*parameters}):
            free = [] if name in settings else [d for d in self.declared if d not in open_]
            for other in get_close_matches(name, free, n=1):
                self.error(f"parameters.{other}", f"no engine has it; did you mean {name!r}?")
                parameters[name] = StandIn(name, "text", 0)
            if self.errors.under(f"parameters.{name}"):
                parameters[name] = StandIn(name, "text", 0)
        return parameters

    def filled(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings completed with the declared defaults."""
        return {n: p.default for n, p in self.declared_for(settings).items()} | dict(settings)

    def check_declared(self) -> None:
        """Note every declared parameter that no engine has."""
        for name in self.declared:
            reported = self.errors.under("engine") or self.errors.at(f"parameters.{name}")
            if name not in self._used and not reported:
                self.error(
                    f"parameters.{name}",
                    f"no engine has it: {{{name}}} appears nowhere (nor is it passed by file or "
                    f"parameters)",
                )

    def spec(self, text: Any, path: str) -> Engine | None:
        """Return the engine of a text (its game is optional), or None with the error noted."""
        if not isinstance(text, str):
            self.error(path, f"{text!r} is not an engine")
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
                settings = self.as_declared(engine.settings)
                declared = self.declared_for(settings)
                engine = Engine(self.game, settings, declared=declared)
                self.check_clock(engine, path)
                return engine
        except Refused as error:
            self.error(path, str(error))
            return None
        names = f"plays {engine.game.label}, the study plays {self.game.label}"
        self.error(path, f"{text}: {names}; leave the game out")
        return None
